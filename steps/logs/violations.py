"""Does what the negative steps of this library forbid, by plain means that are none of theirs."""

from __future__ import annotations

import json
from typing import Any

from ...runner.never import Witness
from ...runner.never.whereabouts import Whereabouts
from ...runner.values import Rows
from .book import Book


def record(whereabouts: Whereabouts, log: str, event: str) -> Witness:
    """A line that records the event."""
    book = Book(whereabouts, log)
    line = book.line(event)
    return book.added(line[0], book.trace(line, f'records "{event}"'))


def record_and_cut(whereabouts: Whereabouts, log: str, event: str) -> Witness:
    """A line that records the event, cut off again at once."""
    book = Book(whereabouts, log)
    return book.added_and_cut(book.line(event)[0])


def record_with(whereabouts: Whereabouts, log: str, event: str, datatable: Rows) -> Witness:
    """A line that records the event and has the fields."""
    book = Book(whereabouts, log)
    line = book.line(event, _fields(datatable))
    return book.added(line[0], book.trace(line, f'records "{event}"'))


def record_with_and_cut(whereabouts: Whereabouts, log: str, event: str, datatable: Rows) -> Witness:
    """A line that records the event and has the fields, cut off again at once."""
    book = Book(whereabouts, log)
    return book.added_and_cut(book.line(event, _fields(datatable))[0])


def record_after(whereabouts: Whereabouts, log: str, event: str, other: str) -> Witness:
    """The other event, and then this one."""
    book = Book(whereabouts, log)
    line = book.line(event)
    trace = book.trace(line, f'records "{event}" after "{other}"')
    return book.added(f"{book.line(other)[0]}\n{line[0]}", trace)


def record_after_and_cut(whereabouts: Whereabouts, log: str, event: str, other: str) -> Witness:
    """The other event, and then this one, cut off again at once."""
    book = Book(whereabouts, log)
    return book.added_and_cut(f"{book.line(other)[0]}\n{book.line(event)[0]}")


def begin_with(whereabouts: Whereabouts, log: str, event: str, other: str) -> Witness:
    """The log is begun anew, with this event, and only then the other one."""
    book = Book(whereabouts, log)
    line = book.line(event)
    book.write(f"{line[0]}\n{book.line(other)[0]}\n".encode())
    return book.told(line[0], book.trace(line, f'records "{event}" before "{other}"'))


def slip_in_before(whereabouts: Whereabouts, log: str, event: str, other: str) -> Witness:
    """Before all that the log holds, this event; nothing else is changed."""
    book = Book(whereabouts, log)
    line = book.line(event)
    book.write(f"{line[0]}\n".encode() + book.content())
    return book.told(line[0], book.trace(line, f'records "{event}" before "{other}"'))


def record_too_often(whereabouts: Whereabouts, log: str, event: str, n: int) -> Witness:
    """The event, twice as often as it may be recorded, and once more."""
    book = Book(whereabouts, log)
    line = book.line(event)
    return book.added("\n".join([line[0]] * (2 * n + 1)), book.trace(line, f'records "{event}"'))


def record_once_too_often(whereabouts: Whereabouts, log: str, event: str, n: int) -> Witness:
    """The event, as often as it may be recorded; and when the log is rotated away, once more."""
    book = Book(whereabouts, log)
    line = book.line(event)
    if n:
        book.append("\n".join([line[0]] * n) + "\n")
    book.rotate()
    return book.added(line[0], book.trace(line, f'records "{event}"'))


def leave_out(whereabouts: Whereabouts, log: str, field: str) -> Witness:
    """A line that does not have the field."""
    book = Book(whereabouts, log)
    line = book.line(without=field)
    return book.added(line[0], book.trace(line, f'without field "{field}"'))


def leave_empty(whereabouts: Whereabouts, log: str, field: str) -> Witness:
    """A line in which the field is empty."""
    book = Book(whereabouts, log)
    line = book.line(without=field, empty=True)
    return book.added(line[0], book.trace(line, f'without field "{field}"'))


def log_text(whereabouts: Whereabouts, log: str, text: str) -> Witness:
    """A line that holds the text."""
    book = Book(whereabouts, log)
    if not book.is_json:
        return book.added(f"{book.word} {text} {book.word}")
    line = book.line(said=text)
    return book.added(line[0], book.trace(line, f'contains "{text}"'))


def log_spelled(whereabouts: Whereabouts, log: str, text: str) -> Witness:
    """In JSON, the text with every character spelled as JSON may; else in a line that is not ended."""
    book = Book(whereabouts, log)
    if not book.is_json:
        return book.added(f"{book.word} {text}", end="")
    line = book.line(said=text)
    units = text.encode("utf-16-be", "surrogatepass").hex()
    spelled = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
    told = line[0].replace(json.dumps(text, ensure_ascii=False)[1:-1], spelled)
    return book.added(told, book.trace(line, f'contains "{text}"'))


def log_match(whereabouts: Whereabouts, log: str, pattern: str) -> Witness:
    """A line that matches."""
    book = Book(whereabouts, log)
    line = book.matching(pattern)
    if line is None:
        return Witness(f"no text was found that {pattern} matches", effect=False)
    return book.added(line, book.word if book.word in line else line)


def log_match_and_cut(whereabouts: Whereabouts, log: str, pattern: str) -> Witness:
    """A line that matches, cut off again at once."""
    book = Book(whereabouts, log)
    line = book.matching(pattern)
    if line is None:
        return Witness(f"no text was found that {pattern} matches", effect=False)
    return book.added_and_cut(line)


def add_lines(whereabouts: Whereabouts, log: str) -> Witness:
    """A hundred lines."""
    book = Book(whereabouts, log)
    return book.added("\n".join([book.any()] * 100))


def begin_line(whereabouts: Whereabouts, log: str) -> Witness:
    """A line that is not ended; in plain text, a single byte."""
    book = Book(whereabouts, log)
    return book.added(book.any(), end="") if book.is_json else book.added("x", book.shown, end="")


def empty(whereabouts: Whereabouts, log: str) -> Witness:
    """The log is emptied."""
    book = Book(whereabouts, log)
    before = len(book.content())
    book.write(b"")
    return Witness.of(f"wc -c {book.shown}", before, len(book.content()), book.shown)


def change_byte(whereabouts: Whereabouts, log: str) -> Witness:
    """One byte of the log is another."""
    book = Book(whereabouts, log)
    before = book.content()
    changed = before[:1].translate(bytes(range(1, 256)) + b"\0")
    with book.path.open("r+b") as file:
        file.write(changed)
    return Witness.of(f"head -c 1 {book.shown}", before[:1], book.content()[:1], book.shown)


def _fields(rows: Rows) -> dict[str, Any]:
    return {path: _value(text) for path, text in rows}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
