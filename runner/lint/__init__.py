"""Finds what is wrong with goal files before anything runs, and without importing any of the user's code."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import files, garbage, rules
from ..binding import BoundStep
from ..goal import Background, Goal, Place, Scenario, Step
from ..names import unknown_names
from ..problem import Problem
from . import descriptions, template
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

    def check_profiles(self) -> list[Report]:
        """The profiles of the project's systems that have problems."""
        wrong = self._steps.profiles.wrong
        return [Report(error.path, self._root, error.problems, error.lines) for error in wrong]

    def check(self, path: Path) -> Report:
        with garbage.paused():
            return self._check(path)

    def _check(self, path: Path) -> Report:
        parsed = files.read(path)
        if parsed.problems and path.is_dir():
            return Report(path, self._root, [_closed(path)])
        problems = [*parsed.problems]
        if (goal := parsed.goal) is not None:
            problems += rules.check(goal)
            problems += self._claim(goal)
            negative = self._bind(goal, path.parent, problems)
            problems += template.check(goal, lambda step: negative.get(id(step), step.negative))
            if "${" in parsed.source.text:
                problems += self._names(goal, path.parent)
            if path.name.endswith(".feature"):
                knows = self._steps.binder(path.parent).knows
                problems += descriptions.check(goal, parsed.source, knows)
        if not problems:
            return Report(path, self._root)
        unique = sorted(dict.fromkeys(problems), key=lambda p: (p.place.line, p.place.column))
        return Report(path, self._root, unique, parsed.source.lines)

    def _claim(self, goal: Goal) -> Iterator[Problem]:
        if goal.id and (other := self._ids.setdefault(goal.id, goal.path)) != goal.path:
            message = f"{goal.id} is the id of {_shown(other, self._root)} too: give each goal its own"
            yield Problem("duplicate-id", goal.place, message)

    def _names(self, goal: Goal, directory: Path) -> Iterator[Problem]:
        """Names that nothing remembers, in each scenario of which every step is known."""
        binder = self._steps.binder(directory)
        for case in goal.cases():
            bound = [binder.bind(step) for step in case.steps]
            known = [found for found in bound if isinstance(found, BoundStep)]
            if len(known) == len(bound):
                yield from unknown_names(known)

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
    """Each step as written and as it would run: with the values of each row, where it has placeholders."""
    yield from _filled(goal.background, [scenario for _, scenario in goal.all_scenarios()])
    for rule in goal.rules:
        yield from _filled(rule.background, rule.scenarios)
    for _, scenario in goal.all_scenarios():
        yield from _filled(scenario, [scenario])


def _filled(part: Background | Scenario | None, scenarios: Sequence[Scenario]) -> Iterator[tuple[Step, Step]]:
    """The steps of a part that stands in these scenarios."""
    for step in part.steps if part is not None else ():
        outlines = [scenario for scenario in scenarios if scenario.outline] if "<" in step.text else []
        if len(outlines) < len(scenarios) or not outlines:
            yield step, step
        for examples in (examples for outline in outlines for examples in outline.examples):
            for row in examples.rows:
                yield step, step.rendered(dict(zip(examples.columns, row, strict=True)))


def _closed(directory: Path) -> Problem:
    try:
        os.scandir(directory).close()
    except OSError as error:
        reason = error.strerror or str(error)
        return Problem("unreadable", Place(1), f"this directory can't be entered: {reason}")
    return Problem("unreadable", Place(1), "this is a directory, though it has the name of a goal file")


def _shown(path: Path, base: Path) -> str:
    return str(path.relative_to(base) if path.is_relative_to(base) else path)


def goal_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The goal files among and below these paths, sorted; also a directory that can't be entered."""
    seen: dict[Path, None] = {}
    for path in paths:
        seen |= dict.fromkeys(_below(path) if path.is_dir() else [path])
    yield from seen


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
