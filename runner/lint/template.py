"""What a goal needs besides being runnable: the fields of its template, and what must never happen."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..goal import Goal, Scenario, Step
from ..problem import Problem
from ..rules import no_negative


def check(goal: Goal, is_negative: Callable[[Step], bool]) -> Iterator[Problem]:
    """Every field that is missing and can't be derived; the configuration may be the system's own."""
    yield from _fields(goal)
    for rule, scenario in goal.all_scenarios():
        backgrounds = (goal.background, rule.background if rule is not None else None)
        before = [step for background in backgrounds if background is not None for step in background.steps]
        if scenario.steps:
            yield from _scenario(goal, scenario, (*before, *scenario.steps), is_negative)


def _fields(goal: Goal) -> Iterator[Problem]:
    place = goal.place
    in_yaml = _in_yaml(goal)
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
        hints = (_example(goal, "Then", 'file "report.txt" exists'),)
        yield Problem("no-artifact", place, message, hints=hints)


def _scenario(
    goal: Goal, scenario: Scenario, steps: tuple[Step, ...], is_negative: Callable[[Step], bool]
) -> Iterator[Problem]:
    kinds = {step.kind for step in steps}
    if "when" not in kinds:
        message = "nothing happens in this scenario: it has no When"
        hints = (_example(goal, "When", 'I run "make"'), "see all steps: goalkeeper steps")
        yield Problem("no-when", scenario.place, message, hints=hints)
    if "then" not in kinds:
        message = "nothing is expected of this scenario: it has no Then"
        hints = (_example(goal, "Then", "the exit code is 0"), "see all steps: goalkeeper steps")
        yield Problem("no-then", scenario.place, message, hints=hints)
    if not any(is_negative(step) for step in steps):
        yield no_negative(goal, scenario)


def _example(goal: Goal, keyword: str, text: str) -> str:
    if not _in_yaml(goal):
        return f"    {keyword} {text}"
    return f"    - {keyword.lower()}: {text}"


def _in_yaml(goal: Goal) -> bool:
    return goal.path.name.endswith((".yaml", ".yml"))
