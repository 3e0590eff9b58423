"""Lines of a `.feature` file that are meant as text and read as something else, or the other way round."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ..files import GoalFileText
from ..goal import Background, Goal, Place, Rule, Scenario
from ..problem import Problem

_TEXT_AFTER_HASH = re.compile(r"\s*#(?=[^\s#!@])(?!\w[\w ]*:)")
_TITLES = ("Expect:", "Hook:")
_OTHERWISE = "in a description, begin the line with another word"


def check(goal: Goal, source: GoalFileText, is_step: Callable[[str], bool]) -> Iterator[Problem]:
    """Comments that look like text, text that looks like a step, fields that the Feature does not get."""
    lines = source.lines
    starts = [*_starts(goal)]
    for number in _below(goal.place.line, starts, len(lines)):
        yield from _line(number, lines, is_step)
    for part in _parts(goal):
        if part.description:
            for number in _below(part.place.line, starts, len(lines)):
                yield from _line(number, lines, is_step)
                yield from _of_the_feature(number, lines, part, goal.language)


def _parts(goal: Goal) -> Iterator[Background | Rule | Scenario]:
    """Everything below the Feature that has a heading and may have a description."""
    yield from goal.rules
    yield from (scenario for _, scenario in goal.all_scenarios())
    for background in (goal.background, *(rule.background for rule in goal.rules)):
        if background is not None:
            yield background


def _starts(goal: Goal) -> Iterator[int]:
    """The lines that end a description: the next heading, or the first step."""
    for part in _parts(goal):
        yield part.place.line
        if not isinstance(part, Rule) and part.steps:
            yield part.steps[0].place.line


def _below(heading: int, starts: list[int], last: int) -> range:
    return range(heading + 1, min((start for start in starts if start > heading), default=last + 1))


def _line(number: int, lines: list[str], is_step: Callable[[str], bool]) -> Iterator[Problem]:
    line = lines[number - 1]
    body = line.strip()
    place = Place(number, len(line) - len(line.lstrip()) + 1)
    if body.startswith("#"):
        if _TEXT_AFTER_HASH.match(line) and _is_text(lines[number - 2 : number - 1]):
            yield Problem("misread-line", place, f"to Gherkin this is a comment: {_OTHERWISE}")
    elif not body.startswith(_TITLES) and is_step(body.partition(" ")[2].strip()):
        message = "to Gherkin this is a line of a description, not a step"
        hints = ("a step stands below a Scenario: and begins with Given, When, Then, And, But or *",)
        yield Problem("misread-line", place, message, hints=hints)


def _is_text(above: list[str]) -> bool:
    """Whether a comment stands right below text: alone, or below another, it is meant as what it is."""
    return bool(above) and bool(above[0].strip()) and not above[0].lstrip().startswith(("#", "@"))


def _of_the_feature(
    number: int, lines: list[str], part: Background | Rule | Scenario, language: str
) -> Iterator[Problem]:
    """A line that only the Feature could have, and another part took for its description."""
    from gherkin.dialect import Dialect

    dialect: Any = Dialect.for_name(language)
    titles = (*_TITLES, *(f"{keyword}:" for keyword in dialect.background_keywords))
    line = lines[number - 1]
    title = next((title for title in titles if line.lstrip().startswith(title)), None)
    if title is not None:
        heading = f"{part.keyword}:"
        message = f"this line is text of the {heading} in line {part.place.line}: {title} stands above that"
        hints = (f'to Gherkin "{heading}" begins a new part: {_OTHERWISE}',)
        place = Place(number, len(line) - len(line.lstrip()) + 1)
        yield Problem("misread-line", place, message, span=len(title), hints=hints)
