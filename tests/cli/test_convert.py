"""`goalkeeper convert` says the same in the other spelling, and loses no file on the way."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from goalkeeper.cli import main

FEATURE = "# kept\n@G1.1\nFeature: x\n\n  Scenario: s\n    When y\n"
YAML = "# kept\ngoal: G1.1\ntitle: x\nscenarios:\n  - name: s\n    steps:\n      - when: y\n"
INEXPRESSIBLE = YAML.replace("title: x", "title: x\ndescription: 'Scenario: z'")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "goalkeeper.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def convert(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["convert", *arguments])


@pytest.mark.parametrize(
    ("name", "text", "other"), [("a.feature", FEATURE, YAML), ("a.goal.yaml", YAML, FEATURE)]
)
def test_to_the_terminal(project: Path, name: str, text: str, other: str) -> None:
    (project / name).write_text(text)
    result = convert(name)
    assert (result.exit_code, result.stdout) == (0, other)
    assert [path.name for path in project.glob("a.*")] == [name]


def test_to_a_file(project: Path) -> None:
    (project / "a.feature").write_text(FEATURE)
    assert convert("a.feature", "-o", "b.goal.yml").output == "a.feature -> b.goal.yml\n"
    assert (project / "b.goal.yml").read_text() == YAML
    assert (project / "a.feature").exists()


def test_a_tree_in_place(project: Path) -> None:
    (project / "a.feature").write_text(FEATURE)
    (project / "b.goal.yaml").write_text(YAML.replace("G1.1", "G1.2"))
    result = convert(".", "--to", "yaml", "--replace")
    assert (result.exit_code, result.output) == (0, "a.feature -> a.goal.yaml\n")
    assert sorted(path.name for path in project.glob("[ab].*")) == ["a.goal.yaml", "b.goal.yaml"]
    assert (project / "a.goal.yaml").read_text() == YAML


def test_nothing_is_overwritten_unasked(project: Path) -> None:
    (project / "a.feature").write_text(FEATURE)
    (project / "a.goal.yaml").write_text("mine")
    result = convert("a.feature", "--replace")
    assert result.exit_code == 2
    assert "a.goal.yaml exists: --force overwrites it" in result.stderr
    assert (project / "a.goal.yaml").read_text() == "mine"
    assert convert("a.feature", "--replace", "--force").exit_code == 0
    assert (project / "a.goal.yaml").read_text() == YAML


def test_what_can_not_be_said_is_refused_and_the_file_kept(project: Path) -> None:
    (project / "a.goal.yaml").write_text(INEXPRESSIBLE)
    (project / "b.goal.yaml").write_text(YAML.replace("G1.1", "G1.2"))
    result = convert("a.goal.yaml", "b.goal.yaml", "--replace")
    assert result.exit_code == 2
    assert "a.goal.yaml:2:1: not-expressible" in result.stderr
    assert "the description of this goal can't be said in Gherkin" in result.stderr
    assert sorted(path.name for path in project.glob("[ab].*")) == ["a.goal.yaml", "b.feature"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name the goal files to convert"),
        (["a.feature", "b.feature", "-o", "c.goal.yaml"], "--output takes one goal file"),
        (["a.feature", "-o", "c.goal.yaml", "--replace"], "--output takes one goal file"),
        (["a.feature", "-o", "c.yaml"], "c.yaml is no goal file"),
        (["a.feature", "--too", "yaml"], "Did you mean"),
    ],
)
def test_wrong_usage(project: Path, arguments: list[str], message: str) -> None:
    for name in ("a.feature", "b.feature"):
        (project / name).write_text(FEATURE)
    result = convert(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
