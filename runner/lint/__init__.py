"""Finds what is wrong with goal files before anything runs, and without importing any of the user's code."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import files, garbage, rules
from ..binding import BoundStep
from ..goal import Goal, Place, Step
from ..problem import Problem
from . import template
from .steps import StepReader

UNREADABLE = frozenset({"unreadable", "not-utf8"})
_LEFT_TO_PYTEST = frozenset({"unknown-step", "wrong-kind"})
_NOT_ENTERED = frozenset({"build", "dist", "node_modules", "venv"})


@dataclass(frozen=True)
class Report:
    """One file, or a directory that can't be entered. `base` is where its name is seen from."""

    path: Path
    base: Path
    problems: Sequence[Problem] = ()
    lines: Sequence[str] = ()

    @property
    def shown(self) -> str:
        return _shown(self.path, self.base)

    def render(self) -> Iterator[str]:
        return (problem.render(self.shown, self.lines) for problem in self.problems)


class Linter:
    """Checks one file after the other, and remembers of each only what others could collide with."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._steps = StepReader(root)
        self._ids: dict[str, Path] = {}
        self._left: dict[str, None] = {}

    @property
    def left_to_pytest(self) -> Sequence[str]:
        """Places with definitions that only running them could tell: no step was called unknown there."""
        return [*self._left]

    def check(self, path: Path) -> Report:
        with garbage.paused():
            return self._check(path)

    def _check(self, path: Path) -> Report:
        parsed = files.read(path)
        if parsed.problems and path.is_dir():
            problem = Problem("unreadable", Place(1), "this directory can't be entered: permission denied")
            return Report(path, self._root, [problem])
        problems = [*parsed.problems]
        if parsed.goal is not None:
            problems += rules.check(parsed.goal)
            problems += self._claim(parsed.goal)
            negative = self._bind(parsed.goal, path.parent, problems)
            problems += template.check(
                parsed.goal, parsed.source, lambda step: negative.get(id(step), step.negative)
            )
        if not problems:
            return Report(path, self._root)
        unique = sorted(dict.fromkeys(problems), key=lambda p: (p.place.line, p.place.column))
        return Report(path, self._root, unique, parsed.source.lines)

    def _claim(self, goal: Goal) -> Iterator[Problem]:
        if goal.id and (other := self._ids.setdefault(goal.id, goal.path)) != goal.path:
            message = f"{goal.id} is the id of {_shown(other, self._root)} too: give each goal its own"
            yield Problem("duplicate-id", goal.place, message)

    def _bind(self, goal: Goal, directory: Path, problems: list[Problem]) -> dict[int, bool]:
        """Whether each bound step is negative, by its place in memory; what is wrong goes to `problems`."""
        binder = self._steps.binder(directory)
        unread = self._steps.unread(directory)
        negative: dict[int, bool] = {}
        for original, step in _runnable(goal):
            found = binder.bind(step)
            if isinstance(found, BoundStep):
                negative[id(original)] = found.definition.negative is not None
            elif not unread or found.rule not in _LEFT_TO_PYTEST:
                problems.append(found)
            else:
                self._left |= dict.fromkeys(unread)
        return negative


def _runnable(goal: Goal) -> Iterator[tuple[Step, Step]]:
    """Each step as written and as it would run: those of an outline with the first row filled in."""
    for background in (goal.background, *(rule.background for rule in goal.rules)):
        if background is not None:
            yield from ((step, step) for step in background.steps)
    for _, scenario in goal.all_scenarios():
        rows = [dict(zip(e.columns, row, strict=True)) for e in scenario.examples for row in e.rows]
        for step in scenario.steps:
            if scenario.outline:
                yield from ((step, step.rendered(row)) for row in rows)
            else:
                yield step, step


def _shown(path: Path, base: Path) -> str:
    return str(path.relative_to(base) if path.is_relative_to(base) else path)


def goal_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The goal files among and below these paths, sorted; also a directory that can't be entered."""
    for path in paths:
        if path.is_dir():
            yield from _below(path)
        else:
            yield path


def _below(directory: Path) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError:
        yield directory
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            if not entry.name.startswith(".") and entry.name not in _NOT_ENTERED:
                yield from _below(path)
        elif files.is_goal_file(path):
            yield path
