"""What negative steps see of a log while a scenario goes on. A line counts from arming on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...runner.changes import Changes
from ...runner.failure import StepFailed
from ...runner.never import Breach, Journal, Watch
from ...runner.values import differences, finds_many
from .line import Line, field_of
from .log import BadLine, Logs
from .search import expression, one_line

_SHOWN = 5
_MOST = 100


@dataclass(frozen=True)
class Sighting:
    """Something that a check has to know of: a line, or what kept lines from being seen. `what` says it."""

    what: str
    evidence: str = ""


class LogWatch(Watch[Sighting]):
    """Reads every line that is added, as it is written, and every file that comes to be, from its beginning.

    Lines that were there before count as looked at, so that a log which nobody writes to is no empty check;
    they are not judged. A line that is no JSON, or not as the schema says, is a breach of its own, and so is
    one that may have been lost: nobody can say that it was never there.
    """

    def __init__(self, logs: Logs, changes: Changes, name: str, *, everything: bool = False) -> None:
        self.log = logs.open(name, changes=changes)
        super().__init__(self.log.title)
        self.log.on_bad = self._bad
        self._told = 0
        skipped = self.log.skip(everything=everything)
        self._unit = "line" if self.log.is_followed else "isolated line"
        self.count(self._unit, 0)
        self.count("earlier line", skipped)

    def sightings(self) -> Iterable[Sighting]:
        """What is new in the log."""
        raise NotImplementedError

    def look(self) -> None:
        before = self.log.lines_read
        for sighting in self.sightings():
            if len(self.entries) < _MOST:
                self.record(sighting)
        self.count(self._unit, self.log.lines_read - before)
        for lost in self.log.lost[self._told :]:
            self.record(Sighting(f"{lost}, so nobody knows what it held in between"))
        self._told = len(self.log.lost)

    def journal(self) -> Journal[Sighting]:
        """At the end, the last line is taken as it is, even if it was never finished."""
        self.finish()
        return super().journal()

    def finish(self) -> None:
        self.log.end()
        self.look()
        self.log.resume()

    def close(self) -> None:
        self.log.close()

    def _bad(self, bad: BadLine) -> None:
        self.record(Sighting(bad.message, "\n".join(note.strip() for note in bad.notes)))


class EventWatch(LogWatch):
    """Lines that record an event, all or those whose fields have certain values."""

    def __init__(
        self, logs: Logs, changes: Changes, name: str, event: str, expected: list[tuple[str, str]]
    ) -> None:
        super().__init__(logs, changes, name)
        self._event = event
        self._expected = expected

    def sightings(self) -> Iterator[Sighting]:
        for entry in self.log.entries(self._event):
            if not differences(entry.value, self._expected):
                yield Sighting(f'{self.subject} records "{self._event}"', str(entry.line))


class OrderWatch(LogWatch):
    """Lines that record an event on the wrong side of another."""

    def __init__(
        self, logs: Logs, changes: Changes, name: str, event: str, other: str, *, after: bool
    ) -> None:
        super().__init__(logs, changes, name)
        self._event = event
        self._other = other
        self._after = after
        self._first: tuple[Line, ...] = ()
        self._losses = 0

    def sightings(self) -> Iterator[Sighting]:
        for entry in self.log.entries(self._event, self._other):
            if len(self.log.lost) > self._losses and not self._after:
                # The log begins anew: what it said before is not there to come before anything.
                self._first = ()
            self._losses = len(self.log.lost)
            if entry.event == self._other and not self._first:
                self._first = (entry.line,)
            elif entry.event == self._event and self._after == bool(self._first):
                side = "after" if self._after else "before"
                what = f'{self.subject} records "{self._event}" {side} "{self._other}"'
                yield Sighting(what, "\n".join(map(str, (*self._first, entry.line))))


class CountWatch(LogWatch):
    """How often an event is recorded; what is cut off has been recorded all the same."""

    def __init__(self, logs: Logs, changes: Changes, name: str, event: str, most: int) -> None:
        if most < 0:
            raise StepFailed("an event can't be recorded less than 0 times")
        super().__init__(logs, changes, name)
        self._event = event
        self._most = most
        self._count = 0

    def sightings(self) -> Iterator[Sighting]:
        for entry in self.log.entries(self._event):
            self._count += 1
            if self._count > self._most:
                times = f"{self._count} times" if self._count > 1 else "once"
                allowed = "once" if self._most == 1 else f"{self._most} times"
                what = f'{self.subject} records "{self._event}" {times}, and may {allowed}'
                yield Sighting(what, str(entry.line))


class FieldWatch(LogWatch):
    """Lines in which a field is not there; null and empty text are as good as none."""

    def __init__(self, logs: Logs, changes: Changes, name: str, field: str) -> None:
        super().__init__(logs, changes, name)
        self._field = field
        self._is_list = finds_many(field)

    def sightings(self) -> Iterator[Sighting]:
        for entry in self.log.entries():
            found = field_of(entry.value, self._field)
            if found is None or found == "" or (self._is_list and not found):
                yield Sighting(f'{self.subject} has a line without field "{self._field}"', str(entry.line))


class TextWatch(LogWatch):
    """Lines that hold a text, or match a regular expression."""

    def __init__(
        self, logs: Logs, changes: Changes, name: str, text: str, *, is_pattern: bool = False
    ) -> None:
        super().__init__(logs, changes, name)
        self._text = text
        self._is_pattern = is_pattern
        (expression if is_pattern else one_line)(text)

    def sightings(self) -> Iterator[Sighting]:
        if self._is_pattern:
            for line in self.log.matching(self._text):
                yield Sighting(f"{self.subject} matches {self._text}", str(line))
        else:
            for line in self.log.holding(self._text):
                yield Sighting(f'{self.subject} contains "{self._text}"', str(line))


class GrowthWatch(LogWatch):
    """Any line that is added, be it unfinished."""

    def __init__(self, logs: Logs, changes: Changes, name: str) -> None:
        super().__init__(logs, changes, name, everything=True)

    def finish(self) -> None:
        """There is nothing to wait for: half a line is growth as well."""
        self.look()

    def sightings(self) -> Iterator[Sighting]:
        for line in self.log.added():
            yield Sighting(f"{self.subject} has grown", str(line))


def not_seen(journal: Journal[Sighting]) -> list[Breach]:
    """Each sighting once, and of many the first."""
    breaches = [*dict.fromkeys(Breach(one.what, one.evidence) for one in journal.entries)]
    more = len(breaches) - _SHOWN
    return [*breaches[:_SHOWN], *([Breach(f"at least {more} times more")] if more > 0 else [])]
