"""What gherkin-official complains about, in the words of a person who writes goals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gherkin.dialect import Dialect
from gherkin.errors import NoSuchLanguageException, ParserException

from ..goal import Place
from ..problem import Problem, nearest
from .language import unknown_language
from .source import GoalFileText

_GOT = re.compile(r"expected: (?P<expected>.*), got '(?P<got>.*)'$", re.DOTALL)
_LANGUAGE = re.compile(r"\s*#\s*language\s*:\s*(?P<name>[\w-]+)\s*$")
_BEFORE_FEATURE = re.compile(r"\s*(?:[#@].*)?$")
_NAMES = {
    "#FeatureLine": "Feature:",
    "#RuleLine": "Rule:",
    "#BackgroundLine": "Background:",
    "#ScenarioLine": "Scenario:",
    "#ExamplesLine": "Examples:",
    "#StepLine": "a step",
    "#TableRow": "a table row",
    "#DocStringSeparator": 'a doc string (""")',
    "#TagLine": "a tag",
    "#Language": "# language:",
}
_WORDS = (
    "Given", "When", "Then", "And", "But", "Scenario:", "Background:", "Feature:", "Rule:", "Examples:",
)  # fmt: skip


def complaints(errors: Iterable[ParserException], source: GoalFileText) -> tuple[Problem, ...]:
    """One problem for each mistake; lines that are wrong only because of the line before are left out."""
    problems: list[Problem] = []
    waiting = ("", 0)  # what the parser waits for, whatever comes, and the last line it refused
    for error in errors:
        message = re.sub(r"^\(\d+:\d+\): ", "", str(error))
        match = _GOT.match(message)
        if match is None:
            if not (waiting[0] and message.startswith("unexpected end of file")):
                problems.append(_other(error, message, source))
            continue
        place, expected = _place(error), match["expected"]
        told = bool(problems) and problems[-1].place.line == place.line
        if not told and waiting != (expected, _line_above(place.line, source).line):
            problems.append(_unexpected(place, match, source))
        waits = "#EOF" not in expected or "#FeatureLine" in expected
        waiting = (expected, place.line) if waits else ("", 0)
    return tuple(problems)


def _place(error: ParserException) -> Place:
    location = error.location
    return Place(location["line"], location.get("column") or 1)


def _unexpected(place: Place, match: re.Match[str], source: GoalFileText) -> Problem:
    """A line that can't stand where it stands."""
    words = match["expected"].split(", ")
    tags = _line_above(place.line, source)
    if "#EOF" not in words and "#FeatureLine" not in words:
        return _misread(tags, "tags, but no Scenario, Rule or Examples follows them")
    special = _misplaced_heading(match["got"], source)
    if special:
        return Problem("syntax", place, special)
    allowed = ", ".join(_NAMES[word] for word in words if word in _NAMES)
    message = f"this line can't stand here; expected {allowed}"
    return Problem("syntax", place, message, hints=_keyword_hint(match["got"]))


def _line_above(number: int, source: GoalFileText) -> Place:
    """Where the text of the nearest line above begins that is neither empty nor a comment."""
    for above in range(number - 1, 0, -1):
        body = source.lines[above - 1].lstrip()
        if body and not body.startswith("#"):
            return Place(above, len(source.lines[above - 1]) - len(body) + 1)
    return Place(number)


def _misread(place: Place, what: str) -> Problem:
    message = f"to Gherkin this is a line of {what}: in a description, begin the line with another word"
    return Problem("misread-line", place, message)


def _misplaced_heading(got: str, source: GoalFileText) -> str:
    """What to say of a heading that Gherkin knows, but not in this place; nothing of any other line."""
    found = next((match for line in source.lines if (match := _LANGUAGE.match(line))), None)
    dialect: Any = (Dialect.for_name(found["name"]) if found else None) or Dialect.for_name("en")
    if _begins(got, dialect.feature_keywords):
        return "a second Feature: one file, one goal. Give it a file of its own"
    if _begins(got, dialect.background_keywords):
        return (
            "a Background stands before the first Scenario of its Feature or Rule. "
            "To Gherkin a line that begins with Example:, Scenario: or Rule: begins one, in a description too"
        )
    if _begins(got, dialect.examples_keywords):
        return "Examples stand below the steps of a Scenario Outline"
    return ""


def _begins(line: str, keywords: Sequence[str]) -> bool:
    return any(line.startswith(f"{keyword}:") for keyword in keywords)


def _keyword_hint(line: str) -> tuple[str, ...]:
    """What a misspelt first word was probably meant to be."""
    first = line.split(" ", 1)[0]
    if first in _WORDS:
        return ()
    close = nearest(first, _WORDS, most=1) or nearest(f"{first}:", _WORDS, most=1, cutoff=0.9)
    return (f'did you mean "{close[0]}"?',) if close else ()


def _other(error: ParserException, message: str, source: GoalFileText) -> Problem:
    place = _place(error)
    if isinstance(error, NoSuchLanguageException):
        name = message.rpartition(" ")[2]
        column = source.lines[place.line - 1].rfind(name) + 1
        return unknown_language(name, Place(place.line, column)) or Problem("syntax", place, message)
    if message.startswith("A tag may not contain whitespace"):
        what = "tags, each of which must be one word with an @ of its own"
        above = source.lines[: place.line - 1]
        is_first = all(_BEFORE_FEATURE.match(line) for line in above)
        return Problem("syntax", place, f"this is a line of {what}") if is_first else _misread(place, what)
    if message.startswith("inconsistent cell count"):
        message = "this row has more or fewer cells than the rows above it (write | inside a cell as \\|)"
        return Problem("ragged-table", place, message)
    if message.startswith("unexpected end of file"):
        return _early_end(message, source)
    return Problem("syntax", place, message)


def _early_end(message: str, source: GoalFileText) -> Problem:
    """A file that ends within something; the problem is where that began."""
    last = Place(max(1, len(source.lines)))
    if "#DocStringSeparator" in message and "#StepLine" not in message:
        return Problem("syntax", _last(('"""', "```"), source) or last, "this doc string is never closed")
    if tags := _last(("@",), source):
        return Problem("syntax", tags, "tags at the end of the file: no Scenario, Rule or Examples follows")
    return Problem("syntax", last, "the file ends too early: it needs a Feature")


def _last(beginnings: tuple[str, ...], source: GoalFileText) -> Place | None:
    places: Iterator[Place] = (
        Place(number, len(line) - len(line.lstrip()) + 1)
        for number, line in reversed([*enumerate(source.lines, 1)])
        if line.lstrip().startswith(beginnings)
    )
    return next(places, None)
