"""What every goal must satisfy whatever its steps do: checked before anything is bound or run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .binding import BoundStep, D
from .goal import PLACEHOLDER, Background, Case, Goal, Place, Scenario, Step, Tag
from .never.window import TAG as WINDOW
from .never.window import WindowError, window_of
from .problem import Problem, did_you_mean


def check(goal: Goal) -> list[Problem]:
    """Every structural mistake of a goal, in the order of the file."""
    problems = [*_scenarios(goal)]
    for background in (goal.background, *(rule.background for rule in goal.rules)):
        if background is not None:
            problems += _empty_background(background)
    for rule, scenario in goal.all_scenarios():
        problems += _scenario(goal, scenario)
        problems += _window(goal.tier, (*goal.tags, *(rule.tags if rule else ()), *scenario.tags))
    return [*dict.fromkeys(problems)]


def check_nevers(goal: Goal, cases: Iterable[tuple[Case, Sequence[BoundStep[D]]]]) -> Iterator[Problem]:
    """What goes for negative steps, known once a goal is bound: there is one, and a When to watch.

    A case of which a step could not be bound is left alone, as nobody knows what that would have been.
    """
    told: set[int] = set()
    for case, steps in cases:
        if id(case.scenario) in told or not steps or len(steps) < len(case.steps):
            continue
        told.add(id(case.scenario))
        if not any(bound.definition.negative is not None for bound in steps):
            yield no_negative(goal, case.scenario)
        elif not any(step.kind == "when" for step in case.steps):
            message = "a negative step watches what a When does, and this scenario has no When"
            yield Problem("no-when", case.scenario.place, message)


def no_negative(goal: Goal, scenario: Scenario) -> Problem:
    in_yaml = goal.path.name.endswith((".yaml", ".yml"))
    message = "this scenario does not say what must never happen: it needs a negative step"
    hints = (
        f'    {"- never:" if in_yaml else "But"} file "core" never exists',
        "see negative steps: goalkeeper steps never",
    )
    return Problem("no-negative", scenario.place, message, hints=hints)


def _window(tier: int, tags: tuple[Tag, ...]) -> Iterator[Problem]:
    try:
        window_of(tier, tags)
    except WindowError as error:
        tag = [tag for tag in tags if tag.name.startswith(WINDOW)][-1]
        yield Problem("window", tag.place, str(error), span=len(tag.name) + 1)


def _scenarios(goal: Goal) -> Iterator[Problem]:
    if not goal.scenarios and not goal.rules:
        yield Problem("no-scenario", goal.place, "a goal without a scenario shows nothing: add a Scenario")
    for rule in goal.rules:
        if not rule.scenarios:
            message = "a rule without a scenario shows nothing: add one or remove it"
            yield Problem("empty-rule", rule.place, message, hints=_misread(goal, rule.keyword))
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


def _misread(goal: Goal, keyword: str) -> tuple[str, ...]:
    """A description can't hold a line that Gherkin takes for a heading; YAML has no such trap."""
    if not goal.path.name.endswith(".feature"):
        return ()
    return (f'to Gherkin "{keyword}:" begins a new part: in a description, begin the line with another word',)


def _scenario(goal: Goal, scenario: Scenario) -> Iterator[Problem]:
    if not scenario.steps:
        message = "a scenario without a step would pass whatever happens"
        yield Problem("empty-scenario", scenario.place, message, hints=_misread(goal, scenario.keyword))
    if scenario.outline:
        yield from _outline(scenario)


def _outline(scenario: Scenario) -> Iterator[Problem]:
    if not scenario.examples:
        message = "an outline without Examples runs nothing: add Examples with a row for each case"
        yield Problem("no-examples", scenario.place, message)
    seen: dict[tuple[str, ...], Place] = {}
    for examples in scenario.examples:
        if not examples.rows:
            message = "Examples without a row run nothing: add a row for each case below the column names"
            yield Problem("no-examples", examples.place, message)
        if len(set(examples.columns)) < len(examples.columns):
            name = next(column for column in examples.columns if examples.columns.count(column) > 1)
            message = f'two columns are called "{name}": give each its own name'
            yield Problem("duplicate-column", examples.header_place, message)
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
            lacking = [e for e in scenario.examples if e.columns and name not in e.columns]
            if not lacking:
                continue
            columns = list(dict.fromkeys(c for e in scenario.examples for c in e.columns))
            at = place if text != step.text else Place(place.line, place.column + match.start())
            yield Problem(
                "unknown-placeholder",
                at,
                f"<{name}> has no column in the Examples of line {lacking[0].place.line}."
                + did_you_mean(name, lacking[0].columns),
                span=len(match.group()) if text == step.text else 0,
                hints=(f"columns: {', '.join(columns)}",) if columns else (),
            )
