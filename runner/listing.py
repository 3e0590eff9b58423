"""The goals of a project as a list: which system each belongs to, and how many scenarios it has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import files, garbage
from .config import Configuration
from .goal import Goal, Place
from .problem import GoalError, Problem
from .record.facts import digest

TIERS = ("safety", "core workflow", "hardening and edge cases")
_NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Listed:
    """One goal and where it stands; `file` is written as seen from the root of the project.

    `digest` is the hash of its text by which a run record tells whether it ran this very file.
    """

    goal: Goal
    system: str
    file: str
    digest: str = ""

    @property
    def scenarios(self) -> int:
        """As many as pytest would run: each row of an outline counts."""
        return sum(1 for _ in self.goal.cases())

    @property
    def order(self) -> tuple[Any, ...]:
        """By tier, system and id, with G0.2 before G0.10."""
        parts = _NUMBERS.split(self.goal.id)
        return self.goal.tier, self.system, [int(p) if p.isdigit() else p for p in parts], self.file

    def data(self) -> dict[str, Any]:
        goal = self.goal
        return {
            "id": goal.id,
            "tier": goal.tier,
            "title": goal.title,
            "scenarios": self.scenarios,
            "system": self.system,
            "owner": goal.owner,
            "file": self.file,
        }


@dataclass(frozen=True)
class Listing:
    """The goals that could be read, in order, and what is wrong with the files that could not."""

    goals: Sequence[Listed]
    errors: Sequence[GoalError] = ()


def system_of(goal_id: str, path: Path, directories: Iterable[Path]) -> str:
    """The system that a goal speaks of.

    It is the first folder below the goals directory that the file lies in (the innermost, of several), else
    the prefix of the id in lower case, else nothing.
    """
    inside = [directory for directory in directories if path.is_relative_to(directory)]
    if inside:
        below = path.relative_to(max(inside, key=lambda directory: len(directory.parts))).parts
        if len(below) > 1:
            return below[0]
    return goal_id.rpartition("-")[0].lower()


def listing(paths: Iterable[Path], settings: Configuration) -> Listing:
    """Read goal files. One that can't be used is an error of its own; the others are listed all the same."""
    goals: list[Listed] = []
    errors: list[GoalError] = []
    directories = settings.goal_paths()
    with garbage.paused():
        for path in paths:
            shown = path.relative_to(settings.root) if path.is_relative_to(settings.root) else path
            try:
                parsed = _read(path)
                goal = parsed.unwrap()
            except GoalError as error:
                errors.append(GoalError(shown, error.problems, error.lines))
            else:
                system, text = system_of(goal.id, path, directories), parsed.source.text
                goals.append(Listed(goal, system, str(shown), digest(text)))
    return Listing(sorted(goals, key=lambda listed: listed.order), errors)


def _read(path: Path) -> files.Parsed:
    if path.is_dir():
        message = "this directory can't be entered: permission denied"
        raise GoalError(path, [Problem("unreadable", Place(1), message)])
    return files.read(path)
