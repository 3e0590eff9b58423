"""In which order events were recorded, and how long after one another. Pure: entries in, findings out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...runner.failure import StepFailed
from ...runner.values import shown
from .line import TIME_FIELDS, Entry, Line, field_of, moment


def first_of_each(entries: Iterable[Entry], events: Sequence[str]) -> dict[str, Line]:
    """Where each event stands for the first time."""
    found: dict[str, Line] = {}
    for entry in entries:
        found.setdefault(entry.event, entry.line)
        if len(found) == len(set(events)):
            break
    return found


@dataclass
class Progress:
    """How far a row of events has come; others may stand between them."""

    events: Sequence[str]
    found: list[Line] = field(default_factory=list)

    def feed(self, entries: Iterable[Entry]) -> Progress | None:
        """Itself, as soon as the row is complete."""
        for entry in entries:
            if not self.is_complete and entry.event == self.events[len(self.found)]:
                self.found.append(entry.line)
        return self if self.is_complete else None

    @property
    def is_complete(self) -> bool:
        return len(self.found) == len(self.events)


@dataclass(frozen=True)
class Span:
    """From one event to the next of another; `inside` is where the third was recorded first, if at all."""

    begin: Line
    end: Line
    inside: Line | None


def spans(entries: Iterable[Entry], begin: str, end: str, inside: str) -> list[Span]:
    """Each stretch from `begin` to the next `end`. One that has no end is none."""
    found: list[Span] = []
    opened: Line | None = None
    seen: Line | None = None
    for entry in entries:
        if opened is None:
            opened = entry.line if entry.event == begin else None
        elif entry.event == end:
            found.append(Span(opened, entry.line, seen))
            opened = seen = None
        elif entry.event == inside:
            seen = seen or entry.line
    return found


@dataclass(frozen=True)
class Answer:
    """What came of one event: the line that followed it, if one did, and how many seconds later."""

    line: Line
    followed: Line | None = None
    seconds: float = 0.0


def answers(entries: Iterable[Entry], first: str, second: str, same: str, timed: bool) -> list[Answer]:
    """For each `first` the next `second`, with the same value in the field `same` if one is named."""
    found: list[Answer] = []
    waiting: dict[str, list[Entry]] = {}
    for entry in entries:
        key = _key(entry, same, entry.event == first)
        if entry.event == second:
            found += [
                Answer(asked.line, entry.line, _later(asked, entry) if timed else 0.0)
                for asked in waiting.pop(key, [])
            ]
        if entry.event == first:
            waiting.setdefault(key, []).append(entry)
    return [*found, *(Answer(asked.line) for left in waiting.values() for asked in left)]


def _key(entry: Entry, same: str, needed: bool) -> str:
    value = field_of(entry.value, same) if same else ""
    if value is None and needed:
        message = f'this line has no "{same}", so nothing can be told to follow it'
        raise StepFailed(message, notes=[f"  {entry.line}"])
    return shown(value)


def _later(one: Entry, other: Entry) -> float:
    times = [moment(entry.value) for entry in (one, other)]
    for entry, time in zip((one, other), times, strict=True):
        if time is None:
            message = f"this line does not tell its time in any of {', '.join(TIME_FIELDS)}"
            raise StepFailed(message, notes=[f"  {entry.line}"])
    return (times[1] or 0.0) - (times[0] or 0.0)
