"""`goalkeeper list`: goals by tier and system, on the terminal and for machines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from goalkeeper.cli import main

GOALS = {
    "mycelium/g0_1.feature": ("G0.1", "orchestration", "A budget blocks"),
    "mycelium/g0_10.feature": ("G0.10", "storage", "Nothing is lost"),
    "mycelium/g1_1.feature": ("G1.1", "orchestration", "A [bold] run"),
    "thrum.feature": ("THRUM-G0.1", "", "日本"),
}
OUTLINE = """
  Scenario Outline: <n>
    When <n>
    Examples:
      | n |
      | 1 |
      | 2 |
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "goalkeeper.toml").touch()
    for name, (goal_id, owner, title) in GOALS.items():
        path = tmp_path / "scenarios" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        tags = f"@{goal_id}" + (f" @owner:{owner}" if owner else "")
        body = OUTLINE if goal_id == "G0.1" else "  Scenario: s\n    When x\n"
        path.write_text(f"{tags}\nFeature: {title}\n{body}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["list", *arguments])


def ids(*arguments: str) -> list[str]:
    result = listed(*arguments, "--format", "json")
    return [goal["id"] for goal in json.loads(result.stdout)["goals"]]


@pytest.mark.usefixtures("project")
def test_by_tier_and_system() -> None:
    result = listed()
    assert result.exit_code == 0
    assert result.output == (
        "tier 0, safety\n"
        "  mycelium\n"
        "    G0.1        A budget blocks  2 scenarios  orchestration  scenarios/mycelium/g0_1.feature\n"
        "    G0.10       Nothing is lost  1 scenario   storage        scenarios/mycelium/g0_10.feature\n"
        "  thrum\n"
        "    THRUM-G0.1  日本             1 scenario   -              scenarios/thrum.feature\n"
        "\n"
        "tier 1, core workflow\n"
        "  mycelium\n"
        "    G1.1        A [bold] run     1 scenario   orchestration  scenarios/mycelium/g1_1.feature\n"
        "\n"
        "4 goals, 5 scenarios\n"
        "look at one: goalkeeper show G0.1\n"
    )


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["G0.1", "G0.10", "THRUM-G0.1", "G1.1"]),
        (["--tier", "1"], ["G1.1"]),
        (["--system", "thrum"], ["THRUM-G0.1"]),
        (["--owner", "orchestration"], ["G0.1", "G1.1"]),
        (["--owner", "orchestration", "--tier", "0", "--system", "mycelium"], ["G0.1"]),
        (["scenarios/mycelium", "--tier", "0"], ["G0.1", "G0.10"]),
        (["scenarios/thrum.feature"], ["THRUM-G0.1"]),
    ],
)
def test_a_part(arguments: list[str], expected: list[str]) -> None:
    assert ids(*arguments) == expected


def test_a_goal_has_the_same_system_wherever_one_looks_from(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "scenarios" / "mycelium")
    assert ids("g0_1.feature", "--system", "mycelium") == ["G0.1"]


@pytest.mark.usefixtures("project")
def test_json() -> None:
    result = listed("--tier", "1", "--format", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "goals": [
            {
                "id": "G1.1",
                "tier": 1,
                "title": "A [bold] run",
                "scenarios": 1,
                "system": "mycelium",
                "owner": "orchestration",
                "file": "scenarios/mycelium/g1_1.feature",
            }
        ],
        "problems": [],
    }


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--tier", "2"], "no goal has tier 2."),
        (["--system", "mycelum"], 'no goal has system mycelum. Did you mean "mycelium"?'),
        (["--owner", "x", "--tier", "0"], "no goal has tier 0 and owner x. owners: orchestration, storage."),
    ],
)
def test_no_match(arguments: list[str], told: str) -> None:
    result = listed(*arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: {told} See all: goalkeeper list\n"
    assert json.loads(listed(*arguments, "--format", "json").stdout)["goals"] == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_file_that_cannot_be_read(project: Path, form: str) -> None:
    (project / "scenarios" / "bad.feature").write_text(
        "@G2.1\nFeature: x\n  Scenario: s\n    When x\n    Whne y\n"
    )
    result = listed("--tier", "1", "--format", form)
    assert result.exit_code == 2
    assert "G1.1" in result.stdout
    assert "scenarios/bad.feature:5:" in result.stderr
    assert result.stderr.endswith("1 goal file could not be read\n")
    if form == "json":
        [problem] = json.loads(result.stdout)["problems"]
        assert (problem["file"], problem["line"]) == ("scenarios/bad.feature", 5)


def test_only_files_that_cannot_be_read(project: Path) -> None:
    bad = project / "bad.feature"
    bad.write_bytes(b"\xff")
    result = listed("bad.feature")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "not-utf8" in result.stderr
    assert "no goal has" not in result.stderr


def test_no_goal_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert listed().exit_code == 2
    assert listed("--tier", "3").exit_code == 2
