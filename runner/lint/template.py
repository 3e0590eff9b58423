"""What a goal needs besides being runnable: the fields of its template, and what must never happen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..files import GoalFileText
from ..goal import Goal, Place, Scenario, Step
from ..problem import Problem

_TEXT_AFTER_HASH = re.compile(r"^\s*#(?=\S)(?!\s*language\s*:)(?!yaml-language-server)")


def check(goal: Goal, source: GoalFileText, is_negative: Callable[[Step], bool]) -> Iterator[Problem]:
    """Every field that is missing and can't be derived; the configuration may be the system's own."""
    yield from _fields(goal)
    if source.path.name.endswith(".feature"):
        yield from _misread(goal, source)
    for rule, scenario in goal.all_scenarios():
        backgrounds = (goal.background, rule.background if rule is not None else None)
        before = [step for background in backgrounds if background is not None for step in background.steps]
        yield from _scenario(scenario, (*before, *scenario.steps), is_negative)


def _fields(goal: Goal) -> Iterator[Problem]:
    place = goal.place
    in_yaml = goal.path.name.endswith((".yaml", ".yml"))
    if not goal.statement:
        right = "expect: what should happen" if in_yaml else "Expect: what should happen"
        message = "a goal says in one sentence what is expected"
        yield Problem("no-expect", place, message, hints=(f"    {right}",))
    if not goal.scope:
        right = "scope: [run]" if in_yaml else "@scope:run"
        message = "a goal names the commands or areas it speaks of"
        yield Problem("no-scope", place, message, hints=(f"    {right}",))
    if not goal.hook:
        right = "hook: what the scenarios need" if in_yaml else "Hook: what the scenarios need"
        message = "a goal names the harness and fixtures that it needs"
        yield Problem("no-hook", place, message, hints=(f"    {right}",))
    if next(goal.each_artifact(), None) is None and any(
        scenario.steps for _, scenario in goal.all_scenarios()
    ):
        message = "no step of this goal speaks of an artifact: a state, log, file, branch, container, output"
        yield Problem("no-artifact", place, message)


def _scenario(
    scenario: Scenario, steps: tuple[Step, ...], is_negative: Callable[[Step], bool]
) -> Iterator[Problem]:
    if not scenario.steps:
        return
    kinds = {step.kind for step in steps}
    if "when" not in kinds:
        message = "nothing happens in this scenario: it has no When"
        yield Problem("no-when", scenario.place, message)
    if "then" not in kinds:
        message = "nothing is expected of this scenario: it has no Then"
        yield Problem("no-then", scenario.place, message)
    if not any(is_negative(step) for step in steps):
        message = "this scenario does not say what must never happen: it needs a negative step"
        hints = ('    But file "core" never exists', "see negative steps: goalkeeper steps never")
        yield Problem("no-negative", scenario.place, message, hints=hints)


def _misread(goal: Goal, source: GoalFileText) -> Iterator[Problem]:
    """A line such as `#123 is fixed` in a description, which Gherkin drops as a comment."""
    children = [scenario.place.line for _, scenario in goal.all_scenarios()]
    children += [] if goal.background is None else [goal.background.place.line]
    last = min([*children, len(source.lines) + 1])
    for number in range(goal.place.line + 1, last):
        line = source.lines[number - 1]
        if _TEXT_AFTER_HASH.match(line):
            column = line.index("#") + 1
            message = (
                "to Gherkin this is a comment: if it is part of the text, begin the line with another word"
            )
            yield Problem("misread-line", Place(number, column), message)
