"""What every goal must satisfy whatever its steps do: checked before anything is bound or run."""

from __future__ import annotations

from collections.abc import Iterator

from .goal import PLACEHOLDER, Background, Goal, Place, Scenario, Step
from .problem import Problem, did_you_mean


def check(goal: Goal) -> list[Problem]:
    """Every structural mistake of a goal, in the order of the file."""
    problems = [*_scenarios(goal)]
    for background in (goal.background, *(rule.background for rule in goal.rules)):
        if background is not None:
            problems += _empty_background(background)
    for _, scenario in goal.all_scenarios():
        problems += _scenario(scenario)
    return problems


def _scenarios(goal: Goal) -> Iterator[Problem]:
    if next(goal.all_scenarios(), None) is None:
        yield Problem("no-scenario", goal.place, "a goal without a scenario shows nothing: add a Scenario")
    first: dict[str, Place] = {}
    for _, scenario in goal.all_scenarios():
        if not scenario.name:
            yield Problem(
                "unnamed-scenario", scenario.place, "a scenario needs a name: reports call it by that"
            )
            continue
        if scenario.name in first:
            yield Problem(
                "duplicate-scenario",
                scenario.place,
                f'"{scenario.name}" is the name of the scenario in line {first[scenario.name].line} too: '
                "give each its own name",
            )
        first.setdefault(scenario.name, scenario.place)


def _empty_background(background: Background) -> Iterator[Problem]:
    if not background.steps:
        yield Problem(
            "empty-background", background.place, "a background without a step: add one or remove it"
        )


def _scenario(scenario: Scenario) -> Iterator[Problem]:
    if not scenario.steps:
        yield Problem(
            "empty-scenario", scenario.place, "a scenario without a step would pass whatever happens"
        )
    if scenario.outline:
        yield from _outline(scenario)


def _outline(scenario: Scenario) -> Iterator[Problem]:
    if not any(examples.rows for examples in scenario.examples):
        yield Problem(
            "no-examples", scenario.place, "an outline without an Examples row runs nothing: add rows"
        )
    seen: dict[tuple[str, ...], Place] = {}
    for examples in scenario.examples:
        if len(set(examples.columns)) < len(examples.columns):
            yield Problem(
                "duplicate-column", examples.place, "two columns of these Examples have the same name"
            )
        for row, place in zip(examples.rows, examples.row_places, strict=True):
            if row in seen:
                yield Problem("duplicate-example", place, f"the same row stands in line {seen[row].line}")
            seen.setdefault(row, place)
    for step in scenario.steps:
        yield from _placeholders(step, scenario)


def _placeholders(step: Step, scenario: Scenario) -> Iterator[Problem]:
    for text, place in step.texts():
        for match in PLACEHOLDER.finditer(text):
            name = match.group(1)
            lacking = [e for e in scenario.examples if name not in e.columns]
            if not lacking:
                continue
            columns = list(dict.fromkeys(c for e in scenario.examples for c in e.columns))
            at = place if text != step.text else Place(place.line, place.column + match.start())
            yield Problem(
                "unknown-placeholder",
                at,
                f"<{name}> has no column in the Examples of line {lacking[0].place.line}."
                + did_you_mean(name, columns),
                span=len(match.group()) if text == step.text else 0,
                hints=(f"columns: {', '.join(columns)}",) if columns else (),
            )
