"""How often an event is recorded, with certain fields or with any."""

from __future__ import annotations

from math import inf

from ...runner.failure import StepFailed
from ...runner.values import differences
from .line import Entry, Line
from .log import Log, Logs

Expected = list[tuple[str, str]]
_SHOWN = 8


class Counter:
    """Counts lines as they come, and keeps those that a failure would show."""

    def __init__(self, log: Log, event: str, expected: Expected) -> None:
        self._log = log
        self._event = event
        self._expected = expected
        self.count = 0
        self.lines: list[Line] = []
        self.nearest: tuple[list[str], Entry] | None = None

    def read(self, enough: float = inf) -> bool | None:
        """Go on to the end of what is there, or until it is enough; None while it is not."""
        for entry in self._log.entries(self._event):
            wrong = differences(entry.value, self._expected)
            if not wrong:
                self.count += 1
                self.lines += [entry.line] if len(self.lines) < _SHOWN else []
            elif self.nearest is None or len(wrong) < len(self.nearest[0]):
                self.nearest = (wrong, entry)
            if self.count >= enough:
                break
        return True if self.count >= enough else None

    def shortage(self) -> StepFailed:
        """That the event is not there, or only with other fields: the line that comes nearest is shown."""
        if self.nearest is None:
            return self._log.absence(self._event)
        wrong, entry = self.nearest
        message = f'{self._log.title} records "{self._event}", but with other fields'
        return StepFailed(message, notes=[*wrong, f"  {entry.line}", *self._log.notes()])


def some(logs: Logs, name: str, event: str, expected: Expected, limit: float) -> None:
    """Fail unless one line records the event, with these fields, within so many seconds."""
    with logs.open(name) as log:
        counter = Counter(log, event, expected)
        if log.wait(lambda: counter.read(1), limit) is None:
            raise counter.shortage()


def times(
    logs: Logs,
    name: str,
    event: str,
    expected: Expected,
    *,
    least: int = 0,
    most: float = inf,
    limit: float = 0.0,
) -> None:
    """Fail unless at least and at most so many lines record the event, with these fields."""
    if most < 0 or least < 0:
        raise StepFailed("an event can't be recorded less than 0 times")
    with logs.open(name) as log:
        counter = Counter(log, event, expected)
        enough = inf if most < inf else least
        log.wait(lambda: counter.read(enough), limit)
        if counter.count < least and not counter.count:
            raise counter.shortage()
        log.require()
        if not least <= counter.count <= most:
            bound = "at most " if not least else "at least " if most == inf else ""
            shown = [f"  {line}" for line in counter.lines]
            more = [f"  and {counter.count - len(shown)} more"] if counter.count > len(shown) else []
            raise StepFailed(
                f'{log.title} records "{event}" otherwise',
                expected=bound + _times(least or int(most)),
                actual=_times(counter.count),
                notes=[*shown, *more, *log.notes()],
            )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
