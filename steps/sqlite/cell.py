"""Values of a database as the cells of a table write them, and tables of them.

| a cell | means |
| --- | --- |
| `1`, `-2.5`, `1e3` | a number; INTEGER and REAL are not told apart |
| `ok` | text |
| `"1"`, `"NULL"`, `""` | text that would read as something else, quoted as in JSON |
| `NULL` or `null` | NULL |
| `x'00ff'` | a blob |
| an empty cell | empty text |
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...runner.failure import StepFailed
from ...runner.values import Rows

Value = None | int | float | str | bytes
_BLOB = re.compile(r"[xX]'((?:[0-9a-fA-F]{2})*)'")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_PLAIN = re.compile(r"[^\s|\"](?:[^|\n\r]*[^\s|])?")
_LONGEST_BLOB = 32


@dataclass(frozen=True)
class Result:
    """What a query gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    def shown(self) -> str:
        """As a table of a goal would have it."""
        return "\n".join(f"| {' | '.join(cells)} |" for cells in (self.columns, *map(_written, self.rows)))


def value(text: str) -> Value:
    """What a cell means."""
    if text in ("NULL", "null"):
        return None
    if blob := _BLOB.fullmatch(text):
        return bytes.fromhex(blob[1])
    if _NUMBER.fullmatch(text) or (len(text) > 1 and text.startswith('"') and text.endswith('"')):
        try:
            read: Value = json.loads(text)
        except ValueError:
            return text
        return read
    return text


def written(found: Value) -> str:
    """A value as a cell; text is quoted where it would mean something else without."""
    if found is None:
        return "NULL"
    if isinstance(found, bytes):
        more = f" and {len(found) - _LONGEST_BLOB} bytes more" if len(found) > _LONGEST_BLOB else ""
        return f"x'{found[:_LONGEST_BLOB].hex()}'{more}"
    if isinstance(found, str):
        is_plain = _PLAIN.fullmatch(found) and value(found) == found
        return found if is_plain else json.dumps(found, ensure_ascii=False)
    return repr(found)


def expected(rows: Rows) -> Result:
    """A table of a goal: its first row names the columns."""
    if not rows:
        raise StepFailed("the first row of this table names the columns of the query")
    return Result(tuple(rows[0]), tuple(tuple(map(value, row)) for row in rows[1:]))


def check_same(wanted: Result, found: Result) -> None:
    """Rows in order, values by kind: the number 1 is not the text 1."""
    if wanted.columns != found.columns:
        raise StepFailed("the query gives other columns", ", ".join(wanted.columns), ", ".join(found.columns))
    if len(wanted.rows) != len(found.rows) or not all(map(_same_row, wanted.rows, found.rows)):
        raise StepFailed("the query gives other rows", expected=wanted.shown(), actual=found.shown())


def _same_row(one: Sequence[Value], other: Sequence[Value]) -> bool:
    return all(_kind(a) is _kind(b) and a == b for a, b in zip(one, other, strict=True))


def _kind(found: Value) -> type:
    return float if isinstance(found, int) else type(found)


def _written(row: Sequence[Value]) -> list[str]:
    return [written(found) for found in row]
