"""`goalkeeper fmt` changes layout and nothing else, and only where it is asked to."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from goalkeeper.cli import main

TIDY = "@G1.1\nFeature: x\n\n  Scenario: s\n    When y\n"
UNTIDY = "@G1.1\nFeature: x\n  Scenario: s\n      When y\n"
BROKEN = "Feature: x\n  Scenario: s\n    When y\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "goalkeeper.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "scenarios"


def fmt(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["fmt", *arguments])


def test_files_are_formatted_and_named(project: Path) -> None:
    (project / "a.feature").write_text(UNTIDY)
    (project / "b.feature").write_text(TIDY.replace("G1.1", "G1.2"))
    result = fmt()
    assert result.exit_code == 0
    assert result.output == "formatted scenarios/a.feature\n1 file changed, 1 file unchanged\n"
    assert (project / "a.feature").read_text() == TIDY
    assert fmt().output == "0 files changed, 2 files unchanged\n"


@pytest.mark.parametrize(("option", "code"), [("--check", 1), ("--diff", 0)])
def test_check_and_diff_change_nothing(project: Path, option: str, code: int) -> None:
    path = project / "a.feature"
    path.write_text(UNTIDY)
    result = fmt(option)
    assert result.exit_code == code
    assert "would change scenarios/a.feature" in result.output
    assert ("-      When y\n+    When y" in result.output) == (option == "--diff")
    assert path.read_text() == UNTIDY


def test_a_file_with_a_mistake_is_left_alone_and_the_others_are_formatted(project: Path) -> None:
    (project / "a.feature").write_text(BROKEN)
    (project / "b.feature").write_text(UNTIDY)
    result = fmt()
    assert result.exit_code == 2
    assert "scenarios/a.feature:1:1: no-goal-id" in result.stderr
    assert "1 file could not be formatted" in result.stderr
    assert (project / "a.feature").read_text() == BROKEN
    assert (project / "b.feature").read_text() == TIDY


def test_permissions_and_links_stay(project: Path) -> None:
    real = project / "real.feature"
    real.write_text(UNTIDY)
    real.chmod(0o640)
    link = project.parent / "link.feature"
    link.symlink_to(real)
    assert fmt(str(link)).exit_code == 0
    assert link.is_symlink()
    assert real.read_text() == TIDY
    assert real.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in project.iterdir()] == ["real.feature"]


def test_a_file_that_can_not_be_replaced_stays_whole(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (project / "a.feature").write_text(UNTIDY)
    monkeypatch.setattr(Path, "replace", refuse)
    result = fmt()
    assert result.exit_code == 2
    assert "scenarios/a.feature can't be written: No space left on device" in result.stderr
    assert [(path.name, path.read_text()) for path in project.iterdir()] == [("a.feature", UNTIDY)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "Path 'nowhere' does not exist"),
        ([], "there is no goal file in scenarios"),
        (["goalkeeper.toml"], "goalkeeper.toml is no goal file"),
    ],
)
@pytest.mark.usefixtures("project")
def test_wrong_usage(arguments: list[str], message: str) -> None:
    result = fmt(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
