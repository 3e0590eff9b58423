"""Files of the project: beside the goal first, then from its root, and never outside."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.project import project_path


@pytest.fixture
def asked(tmp_path: Path) -> Any:
    goals = tmp_path / "project" / "goals"
    goals.mkdir(parents=True)
    return SimpleNamespace(
        node=SimpleNamespace(path=goals / "a.feature"), config=SimpleNamespace(rootpath=goals.parent)
    )


def test_beside_the_goal_comes_first(asked: Any, tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "x.json").touch()
    assert project_path(asked, "x.json") == root / "x.json"
    (root / "goals" / "x.json").touch()
    assert project_path(asked, "x.json") == root / "goals" / "x.json"
    assert project_path(asked, "goals\\x.json") == root / "goals" / "x.json"
    assert project_path(asked, "../x.json") == root / "x.json"


@pytest.mark.parametrize("name", ["../../secret", "/etc/passwd", "link/passwd", "link"])
def test_nothing_outside(asked: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").touch()
    (tmp_path / "project" / "goals" / "link").symlink_to("/etc")
    with pytest.raises(StepFailed, match="lies outside of the project"):
        project_path(asked, name)


def test_what_is_not_there(asked: Any, tmp_path: Path) -> None:
    (tmp_path / "project" / "schemas").mkdir()
    (tmp_path / "project" / "schemas" / "state.json").touch()
    with pytest.raises(StepFailed) as caught:
        project_path(asked, "schemas/stat.json")
    assert 'there is no "schemas/stat.json" beside the goal file or in the project' in str(caught.value)
    assert caught.value.notes == ["there is: state.json"]
    with pytest.raises(StepFailed) as caught:
        project_path(asked, "zzz")
    assert caught.value.notes == []
