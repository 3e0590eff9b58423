"""Values that a goal writes down, and values that a system produced: how they are found and compared.

A value in a goal is JSON where it reads as JSON, and text where it does not: `1` is a number, `"1"` is text,
`ok` and `"ok"` are the same text, `true` is a truth value and no number.

A value in a document is found by a dotted path (`tasks.0.name`) or by a JSONPath (`$.tasks[*].name`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from .failure import StepFailed
from .problem import did_you_mean

Rows = list[list[str]]
_LONGEST = 600
_KINDS = {
    "text": "text",
    "string": "text",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "list": "list",
    "array": "list",
    "mapping": "mapping",
    "object": "mapping",
}


def value(text: str) -> Any:
    """What a cell or a quoted value of a goal means."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def same(one: Any, other: Any) -> bool:
    """Equal as JSON is: 1 is 1.0, but true is not 1, however deep. NaN is NaN."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if one != one and other != other:
        return True
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def alike(found: Any, text: str) -> bool:
    """Whether a value is what a goal wrote, in either reading: `1` is like the number and like the text.

    For steps that say what must not be: there a doubt about the type must not turn out green.
    """
    return same(found, value(text)) or found == text


def kind_of(found: Any) -> str:
    """What sort of value this is, in the words of `is_kind`."""
    if found is None:
        return "null"
    for kind, types in (
        ("boolean", bool),
        ("number", (int, float)),
        ("text", str),
        ("list", list),
        ("mapping", dict),
    ):
        if isinstance(found, types):
            return kind
    return type(found).__name__


def is_kind(found: Any, name: str) -> bool:
    """Whether a value is of the kind that a goal names; 1.0 is an integer too, as in JSON Schema."""
    if name not in _KINDS:
        message = f'there is no kind of value called "{name}".{did_you_mean(name, _KINDS)}'
        raise StepFailed(message, notes=[f"known: {', '.join(_KINDS)}"])
    kind = kind_of(found)
    if _KINDS[name] == "integer":
        return kind == "number" and (isinstance(found, int) or found.is_integer())
    return kind == _KINDS[name]


def is_query(path: str) -> bool:
    """Whether a path is a JSONPath; `$schema` is a key."""
    return path == "$" or path.startswith(("$.", "$["))


def finds_many(path: str) -> bool:
    """Whether a path may find any number of values, and so stands for the list of them; tells a bad one."""
    return is_query(path) and not _query(path).singular_query()


def find(document: Any, path: str) -> Any:
    """What lies at a dotted path or JSONPath; LookupError says what is there instead.

    A JSONPath that can find but one value (`$.tasks[0].id`) is that value; any other is the list of all that
    it finds, and an empty list where it finds none.
    """
    if is_query(path):
        query = _query(path)
        matches = query.findall(document)
        if not query.singular_query():
            return matches
        if not matches:
            raise LookupError(f"there is nothing at {path}")
        return matches[0]
    found = document
    parts = path.split(".")
    for index, part in enumerate(parts):
        if isinstance(found, dict) and part in found:
            found = found[part]
        elif isinstance(found, list) and _is_index(part, len(found)):
            found = found[int(part)]
        else:
            raise LookupError(_missing(found, part, ".".join(parts[index:])))
    return found


def is_there(document: Any, path: str) -> bool:
    """Whether a path finds anything; null is something."""
    try:
        found = find(document, path)
    except LookupError:
        return False
    return not finds_many(path) or bool(found)


def places(document: Any, path: str) -> list[tuple[Any, str | int]]:
    """Where the values of a JSONPath are: each as the mapping or list that holds it, and its key there."""
    found = [match for match in _query(path).finditer(document) if match.parent is not None]
    return [(match.parent.obj, match.parts[-1]) for match in found]


def _is_index(part: str, length: int) -> bool:
    return part.isdecimal() and len(part) < 19 and int(part) < length


def _missing(found: Any, part: str, rest: str) -> str:
    keys = [*map(str, found)] if isinstance(found, dict) else []
    if rest != part and rest in keys:
        return f"there is no {part}, but a key with dots: write $['{rest}']"
    return f"there is no {part}.{did_you_mean(part, keys)}"


@lru_cache(maxsize=256)
def _query(path: str) -> Any:
    import jsonpath

    try:
        return jsonpath.compile(path, strict=True)
    except jsonpath.JSONPathError as error:
        reason = str(error).partition("\n")[0]
        raise StepFailed(f"this is no JSONPath: {reason}", notes=[f"  {path}"]) from error


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
    """A value as a goal would write it; of a long one the beginning and the end."""
    text = json.dumps(found, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"


def regular(pattern: str, flags: re.RegexFlag = re.MULTILINE) -> re.Pattern[str]:
    """A regular expression of a goal (Python's), in which ^ and $ match at lines by default."""
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise StepFailed(f"this is not a regular expression: {error}", notes=[f"  {pattern}"]) from error


def pairs(rows: Rows) -> list[tuple[str, str]]:
    """A table of names and values."""
    for row in rows:
        if len(row) != 2:
            raise StepFailed(f"this table needs two columns, a name and a value: | {' | '.join(row)} |")
    return [(row[0], row[1]) for row in rows]


def options(
    rows: Rows, known: Sequence[str], what: str, prefix: str
) -> tuple[dict[str, str], dict[str, str]]:
    """A table of options for `what`, and those whose names begin with the prefix, without it."""
    found: dict[str, str] = {}
    prefixed: dict[str, str] = {}
    for name, text in pairs(rows):
        if name.startswith(prefix):
            prefixed[name.removeprefix(prefix)] = text
        elif name in known:
            found[name] = text
        else:
            message = f'{what} has no option "{name}".{did_you_mean(name, [*known, prefix])}'
            raise StepFailed(message, notes=[f"known: {', '.join(known)}, {prefix}NAME"])
    return found, prefixed
