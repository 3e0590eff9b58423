"""What libyaml complains about, in the words of a person who writes goals."""

from __future__ import annotations

import re

import yaml

from ..goal import Place
from ..problem import Problem
from .source import GoalFileText

_SENTENCE = re.compile(
    r"^(?P<lead>\s*(?:-\s+)?(?:given|when|then|never|title|name|expect|hook|description)\s*:\s+)"
    r"(?P<text>\S.*)$"
)
_NEEDS_QUOTES = re.compile(r"""(?!"[^"]*"\s*$)(?:["\[\]{}&*!%@`]|[^'|>].*:(?:\s|$))""")
_INDENT = re.compile(r"[ \t]*")
_CLEAR = {
    "mapping values are not allowed in this context": 'a second ": " in this text, or a wrong indent: '
    "put the text in quotes, or indent the line like those it belongs to",
    "did not find expected key": "this does not belong to what is above it: indent it like its neighbours, "
    "or put the whole text in quotes",
    "did not find expected '-' indicator": "the lines of this list begin with -, and this one does not: "
    "indent it otherwise",
    "could not find expected ':'": 'this line is no "key: value"',
    "block sequence entries are not allowed in this context": "a list begins on a line of its own",
    "found undefined alias": "a text that begins with * must be put in quotes",
    "but found another document": "a second document begins here: one file, one goal",
    "found unknown escape character": "in double quotes, a backslash is written \\\\",
}
_OPENED = {
    "while scanning a quoted scalar": "this quote is never closed",
    "while parsing a flow sequence": "this list is never closed with ], or lacks a comma",
    "while parsing a flow mapping": "this mapping is never closed with }, or lacks a comma",
    "while scanning a simple key": _CLEAR["could not find expected ':'"],
}


def explain(error: yaml.MarkedYAMLError, source: GoalFileText) -> Problem:
    """What is wrong; for a sentence that must be quoted, with the line that would be right."""
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark is not None else (0, 0)
    place = within(Place(line + 1, column + 1), source)
    return (
        _tab(place, source)
        or _unquoted(place, source)
        or _opened(error, source)
        or Problem("syntax", place, f"this is not YAML: {_clear(error, place, source)}")
    )


def within(place: Place, source: GoalFileText) -> Place:
    """The place, or the end of the file where it lies behind that."""
    if place.line <= len(source.lines):
        return place
    return Place(len(source.lines), len(source.lines[-1]) + 1) if source.lines else Place(1)


def unprintable(error: yaml.reader.ReaderError, source: GoalFileText) -> Problem:
    """A control character, which YAML does not allow anywhere."""
    position = source.text.find(chr(error.character)) if isinstance(error.character, int) else 0
    before = source.text[: max(0, position)]
    line = before.count("\n")
    place = Place(line + 1, len(before.rpartition("\n")[2]) + 1)
    message = f"this is not YAML: {error.reason} (U+{ord(source.text[position]):04X})"
    return Problem("syntax", place, message, span=1)


def _tab(place: Place, source: GoalFileText) -> Problem | None:
    line = source.lines[place.line - 1] if source.lines else ""
    indent = _INDENT.match(line)
    if indent is None or "\t" not in indent.group() or place.column > indent.end() + 1:
        return None
    message = "this is not YAML: tabs can't indent YAML, use spaces"
    return Problem("syntax", Place(place.line, line.index("\t") + 1), message)


def _unquoted(place: Place, source: GoalFileText) -> Problem | None:
    for number in (place.line, place.line - 1):
        line = source.lines[number - 1] if 1 <= number <= len(source.lines) else ""
        match = _SENTENCE.match(line)
        if match is not None and _NEEDS_QUOTES.match(match["text"]):
            quoted = match["text"].replace("'", "''")
            message = "YAML reads this sentence as something else than text: put all of it in quotes"
            hints = (f"{match['lead'].strip()} '{quoted}'",)
            return Problem("unquoted", Place(number, len(match["lead"]) + 1), message, hints=hints)
    return None


def _opened(error: yaml.MarkedYAMLError, source: GoalFileText) -> Problem | None:
    """A mistake that shows only later than where it was made."""
    message, mark = _OPENED.get(str(error.context)), error.context_mark
    if message is None or mark is None:
        return None
    place = within(Place(mark.line + 1, mark.column + 1), source)
    return Problem("syntax", place, f"this is not YAML: {message}")


def _clear(error: yaml.MarkedYAMLError, place: Place, source: GoalFileText) -> str:
    problem = str(error.problem or error.context)
    if problem == "found character that cannot start any token" and source.lines:
        sign = source.lines[place.line - 1][place.column - 1 : place.column]
        return f"a text can't begin with {sign}: put it in quotes"
    return _CLEAR.get(problem, problem)
