"""What holds of every line of a log. Each function fails at the first entry that differs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...runner.failure import StepFailed
from ...runner.problem import did_you_mean
from ...runner.values import Rows, same, shown, value
from .line import Entry, field_of


def have(title: str, entries: Iterable[Entry], rows: Rows) -> int:
    """Every line has these fields, and in them the values beside them; how many lines there are."""
    wanted = [(row[0], value(row[1]) if len(row) > 1 else None, len(row) > 1) for row in _rows(rows)]
    count = 0
    for entry in entries:
        count += 1
        for name, expected, is_given in wanted:
            found = _present(title, entry, name)
            if is_given and not same(found, expected):
                raise StepFailed(
                    f"a line of {title} has another {name}",
                    expected=shown(expected),
                    actual=shown(found),
                    notes=[f"  {entry.line}"],
                )
    return count


def have_the_same(title: str, entries: Iterable[Entry], name: str) -> None:
    first: tuple[Any, Entry] | None = None
    for entry in entries:
        found = _present(title, entry, name)
        first = first or (found, entry)
        if not same(found, first[0]):
            raise StepFailed(
                f"{name} is not the same on every line of {title}",
                expected=f"{shown(first[0])}, as on the first line",
                actual=shown(found),
                notes=[f"  {first[1].line}", f"  {entry.line}"],
            )


def differ(title: str, entries: Iterable[Entry], name: str) -> None:
    seen: dict[str, str] = {}
    for entry in entries:
        found = shown(_present(title, entry, name))
        place = seen.setdefault(found, entry.line.place)
        if place != entry.line.place:
            message = f"two lines of {title} have the {name} {found}"
            raise StepFailed(message, notes=[f"  {place}", f"  {entry.line}"])


def rise(title: str, entries: Iterable[Entry], name: str) -> None:
    before: tuple[Any, Entry] | None = None
    for entry in entries:
        found = _present(title, entry, name)
        if before is not None and not _is_higher(found, before[0]):
            raise StepFailed(
                f"{name} does not rise from line to line in {title}",
                expected=f"more than {shown(before[0])}",
                actual=shown(found),
                notes=[f"  {before[1].line}", f"  {entry.line}"],
            )
        before = (found, entry)


def _is_higher(one: Any, other: Any) -> bool:
    numbers = [not isinstance(v, bool) and isinstance(v, int | float) for v in (one, other)]
    texts = [isinstance(v, str) for v in (one, other)]
    return (all(numbers) or all(texts)) and bool(one > other)


def _present(title: str, entry: Entry, name: str) -> Any:
    """The field's value; null and empty text are as good as none."""
    found = field_of(entry.value, name)
    if found is None or found == "":
        fields = list(entry.value) if isinstance(entry.value, dict) else []
        raise StepFailed(
            f"a line of {title} has no {name}.{did_you_mean(name, fields)}", notes=[f"  {entry.line}"]
        )
    return found


def _rows(rows: Rows) -> Rows:
    if not rows or any(len(row) > 2 or not row[0] for row in rows):
        raise StepFailed("this table needs the names of fields, and beside them the values, if any are meant")
    return rows
