"""The comments of a goal file, which are no part of the goal but must not get lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from ..files import GoalFileText
from ..files.parser import parse_document
from .page import Comment


def comments_of(source: GoalFileText) -> list[Comment]:
    """All comments, in the order of the file. The file is one that could be parsed."""
    found = _in_gherkin(source) if source.path.name.endswith(".feature") else _in_yaml(source)
    return [*found]


def _in_gherkin(source: GoalFileText) -> Iterator[Comment]:
    document = parse_document(source.text)
    for comment in document["comments"]:
        yield _comment(source, comment["location"]["line"] - 1, 0)


def _in_yaml(source: GoalFileText) -> Iterator[Comment]:
    """What lies between the tokens of a YAML file is space and comments."""
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    line = column = 0
    token: Any
    for token in yaml.scan(source.text, Loader=loader):
        yield from _between(source, (line, column), (token.start_mark.line, token.start_mark.column))
        line, column = token.end_mark.line, token.end_mark.column
        if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
            head = token.start_mark
            yield from _between(source, (head.line, head.column), (head.line + 1, 0))


def _between(source: GoalFileText, start: tuple[int, int], end: tuple[int, int]) -> Iterator[Comment]:
    for number in range(start[0], min(end[0] + 1, len(source.lines))):
        first = start[1] if number == start[0] else 0
        last = end[1] if number == end[0] else len(source.lines[number])
        at = source.lines[number].find("#", first, last)
        if at >= 0:
            yield _comment(source, number, at)


def _comment(source: GoalFileText, number: int, column: int) -> Comment:
    lines = source.lines
    before = lines[number][:column].strip()
    return Comment(
        text=lines[number][column:].strip(),
        line=number + 1,
        closes=not before
        and number > 0
        and bool(lines[number - 1].strip())
        and (number + 1 == len(lines) or not lines[number + 1].strip()),
    )
