"""Values that a goal writes down, and values that a system produced: how they are found and compared.

A value in a goal is JSON where it reads as JSON, and text where it does not: `1` is a number, `"1"` is text,
`ok` and `"ok"` are the same text, `true` is a truth value and no number.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .failure import StepFailed
from .problem import did_you_mean

Rows = list[list[str]]


def value(text: str) -> Any:
    """What a cell or a quoted value of a goal means."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def same(one: Any, other: Any) -> bool:
    """Equal as JSON is: 1 is 1.0, but true is not 1, however deep."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def find(document: Any, path: str) -> Any:
    """What lies at a dotted path (`tasks.0.name`); LookupError says what is there instead."""
    found = document
    for part in path.split("."):
        if isinstance(found, dict) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isdecimal() and int(part) < len(found):
            found = found[int(part)]
        else:
            keys = list(found) if isinstance(found, dict) else []
            raise LookupError(f"there is no {part}.{did_you_mean(part, map(str, keys))}")
    return found


def differences(document: Any, expected: Sequence[tuple[str, str]]) -> list[str]:
    """A line for each (path, value) that does not hold."""
    wrong: list[str] = []
    for path, text in expected:
        try:
            found = find(document, path)
        except LookupError as error:
            wrong.append(f"  {path}: {error}")
            continue
        if not same(found, value(text)):
            wrong.append(f"  {path}: expected {shown(value(text))}, got {shown(found)}")
    return wrong


def shown(found: Any) -> str:
    """A value as a goal would write it."""
    return json.dumps(found, ensure_ascii=False, default=str)


def pairs(rows: Rows) -> list[tuple[str, str]]:
    """A table of names and values."""
    for row in rows:
        if len(row) != 2:
            raise StepFailed(f"this table needs two columns, a name and a value: | {' | '.join(row)} |")
    return [(row[0], row[1]) for row in rows]
