"""Which system a goal belongs to, how goals are counted and ordered, and what becomes of bad files."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.config import Configuration
from goalkeeper.runner.listing import listing, system_of

ROOT = Path("/project")
SCENARIO = "  Scenario: s\n    When x\n    Then y\n"
OUTLINE = """\
  Scenario Outline: <n>
    When <n>
    Then y
    Examples:
      | n |
      | 1 |
      | 2 |
    Examples:
      | n |
      | 3 |
"""


@pytest.mark.parametrize(
    ("goal_id", "file", "directories", "system"),
    [
        ("G0.1", "scenarios/mycelium/g0_1.feature", ["scenarios"], "mycelium"),
        ("G0.1", "scenarios/mycelium/deep/g0_1.feature", ["scenarios"], "mycelium"),
        ("THRUM-G0.1", "scenarios/mycelium/g0_1.feature", ["scenarios"], "mycelium"),
        ("THRUM-G0.1", "scenarios/g0_1.feature", ["scenarios"], "thrum"),
        ("G0.1", "scenarios/g0_1.feature", ["scenarios"], ""),
        ("THRUM-G0.1", "elsewhere/x/g0_1.feature", ["scenarios"], "thrum"),
        ("G0.1", "elsewhere/x/g0_1.feature", ["scenarios"], ""),
        ("G0.1", "a/goals/x/g.feature", ["b/goals", "a/goals"], "x"),
        ("G0.1", "scenarios/x/y/g.feature", ["scenarios", "scenarios/x"], "y"),
        ("G0.1", "scenarios/x/g.feature", ["scenarios/x/g.feature"], ""),
        ("G0.1", "scenarios-old/x/g.feature", ["scenarios"], ""),
        ("G0.1", "x/g.feature", ["."], "x"),
    ],
)
def test_the_system_of_a_goal(goal_id: str, file: str, directories: list[str], system: str) -> None:
    assert system_of(goal_id, ROOT / file, [ROOT / name for name in directories]) == system


def write(root: Path, name: str, goal_id: str, body: str = SCENARIO) -> Path:
    path = root / "scenarios" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"@{goal_id} @owner:ada\nFeature: {goal_id} is kept\n{body}", encoding="utf-8")
    return path


def test_goals_are_ordered_by_tier_system_and_number(tmp_path: Path) -> None:
    paths = [
        write(tmp_path, "b/1.feature", "G0.10"),
        write(tmp_path, "b/2.feature", "G0.2"),
        write(tmp_path, "a/1.feature", "G1.1"),
        write(tmp_path, "a/2.feature", "G0.3a"),
    ]
    found = listing(paths, Configuration(tmp_path)).goals
    assert [listed.goal.id for listed in found] == ["G0.3a", "G0.2", "G0.10", "G1.1"]


def test_each_row_of_an_outline_counts(tmp_path: Path) -> None:
    path = write(tmp_path, "x/g.feature", "G2.1", SCENARIO + OUTLINE)
    [listed] = listing([path], Configuration(tmp_path)).goals
    assert listed.data() == {
        "id": "G2.1",
        "tier": 2,
        "title": "G2.1 is kept",
        "scenarios": 4,
        "system": "x",
        "owner": "ada",
        "file": "scenarios/x/g.feature",
    }


def test_a_file_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    good = write(tmp_path, "good.feature", "G1.1")
    bad = tmp_path / "scenarios" / "bad.feature"
    bad.write_text("Faeture: x\n")
    found = listing([bad, good, tmp_path / "scenarios" / "gone.feature"], Configuration(tmp_path))
    assert [listed.file for listed in found.goals] == ["scenarios/good.feature"]
    assert [str(error.path) for error in found.errors] == ["scenarios/bad.feature", "scenarios/gone.feature"]
    assert "scenarios/bad.feature:1:1" in str(found.errors[0])


def test_a_directory_that_could_not_be_entered_is_an_error(tmp_path: Path) -> None:
    [error] = listing([tmp_path], Configuration(tmp_path)).errors
    assert "this directory can't be entered" in str(error)
