"""Logs: what a system recorded, in JSON Lines or plain text, by handle or by path.

A log is all its files: those of every run where a handle stands for several, in the order of their names, and
those that were rotated away before them (`x.log.2`, `x.log.1`, `x.log`). A line **records** the event that
its `event` names, or else its `type`, `kind`, `msg`, `message` or `name`, the first of these that is text;
a system's profile can name another field. Its time is in `ts`, `timestamp`, `time`, `@timestamp`, `datetime`,
`date`, `at` or `created_at`: ISO 8601, or seconds, milli-, micro- or nanoseconds since 1970.

**Lines are checked as they are read.** A line that is no JSON, or not as the log's schema says, fails every
step that speaks of events and comes by it, and where there is a schema, every other step too. A step checks
all lines that none before it has checked: 8 MiB of them at most (some 50 000), and beyond that those that it
looks for. `every line of log "…" is valid` checks all. A line at the end without a newline is being written:
a step waits for the rest of it, one second at least, and takes it as it is when the time is up.

**Negative steps** judge what is added from the first When on, also in files that come to be later, and read
the rest of a file that was moved away or deleted. They read a log as it is written, so that a line which is
cut off again, or deleted with its file, was mostly seen before. They can't vouch for a log that was cut or
overwritten, or was gone before it could be read, so that is red too, whatever was seen of it. Not to be seen:
a line that is cut off and replaced by others before it could be read, in a millisecond or so; and what is
written through a memory map. A file that takes the place of another is read from its beginning, unless it
begins as the other did. A rotated file that was compressed (`x.log.1.gz`) is an error in every step, since a
part of the log can't be read.

Values in tables are JSON where they read as JSON and text where they do not: `1` is a number, `"1"` is text.
"""

from __future__ import annotations

from math import inf

import pytest

from ...runner.artifacts import Artifacts
from ...runner.define import given, then
from ...runner.evidence import Evidence
from ...runner.failure import StepFailed
from ...runner.sandbox import Sandbox
from ...runner.values import Rows, pairs
from ...runner.wait import until
from . import count, every, sequence
from .log import Logs


@pytest.fixture
def logs(artifacts: Artifacts, sandbox: Sandbox, evidence: Evidence) -> Logs:
    """The logs of the scenario's systems."""
    return Logs(artifacts, sandbox, evidence)


@then('log "{log}" records "{event}"')
@given('log "{log}" records "{event}" within {limit:duration}')
@then('log "{log}" records "{event}" within {limit:duration}')
def records(logs: Logs, log: str, event: str, limit: float = 0.0) -> None:
    """A line records the event, now or before the time is up."""
    count.some(logs, log, event, [], limit)


@then('log "{log}" records "{event}" with')
@given('log "{log}" records "{event}" within {limit:duration} with')
@then('log "{log}" records "{event}" within {limit:duration} with')
def records_with(logs: Logs, log: str, event: str, datatable: Rows, limit: float = 0.0) -> None:
    """One line records the event and has all these fields: each row is a dotted path and a value."""
    count.some(logs, log, event, pairs(datatable), limit)


@then('log "{log}" records "{event}" exactly {n:int} times')
@then('log "{log}" records "{event}" exactly once')
def records_exactly(logs: Logs, log: str, event: str, n: int = 1) -> None:
    """So many lines record the event, no more and no fewer."""
    count.times(logs, log, event, [], least=n, most=n)


@then('log "{log}" records "{event}" exactly {n:int} times with')
@then('log "{log}" records "{event}" exactly once with')
def records_exactly_with(logs: Logs, log: str, event: str, datatable: Rows, n: int = 1) -> None:
    """So many lines record the event and have these fields; lines with other values do not count."""
    count.times(logs, log, event, pairs(datatable), least=n, most=n)


@then('log "{log}" records "{event}" at least {n:int} times')
@then('log "{log}" records "{event}" at least {n:int} times within {limit:duration}')
def records_at_least(logs: Logs, log: str, event: str, n: int, limit: float = 0.0) -> None:
    """So many lines record the event, now or before the time is up; more are welcome."""
    count.times(logs, log, event, [], least=n, limit=limit)


@then('log "{log}" records "{event}" at least {n:int} times with')
@then('log "{log}" records "{event}" at least {n:int} times within {limit:duration} with')
def records_at_least_with(
    logs: Logs, log: str, event: str, datatable: Rows, n: int, limit: float = 0.0
) -> None:
    """So many lines record the event and have these fields."""
    count.times(logs, log, event, pairs(datatable), least=n, limit=limit)


@then('log "{log}" records "{event}" at most {n:int} times')
def records_at_most(logs: Logs, log: str, event: str, n: int) -> None:
    """No more lines than these record the event; it may be none, but the log must have lines."""
    count.times(logs, log, event, [], most=n)


@then('log "{log}" records "{event}" at most {n:int} times with')
def records_at_most_with(logs: Logs, log: str, event: str, datatable: Rows, n: int) -> None:
    """No more lines than these record the event and have these fields."""
    count.times(logs, log, event, pairs(datatable), most=n)


@then('log "{log}" records "{first}" before "{second}"')
def records_before(logs: Logs, log: str, first: str, second: str) -> None:
    """Both are recorded, and none of the second comes before the first of the first."""
    sequence.before(logs, log, first, second)


@then('log "{log}" records in order')
@then('log "{log}" records in order within {limit:duration}')
def records_in_order(logs: Logs, log: str, datatable: Rows, limit: float = 0.0) -> None:
    """Each row is an event; they are recorded one after the other, whatever stands between them."""
    if not datatable or any(len(row) != 1 for row in datatable):
        raise StepFailed("this table needs one column, of events")
    sequence.in_order(logs, log, [row[0] for row in datatable], limit)


@then('log "{log}" records "{event}" between "{first}" and "{second}"')
def records_between(logs: Logs, log: str, event: str, first: str, second: str) -> None:
    """From each line that records the first event to the next one of the second, a line records the event."""
    sequence.between(logs, log, event, first, second, wanted=True)


@then('log "{log}" records no "{event}" between "{first}" and "{second}"')
def records_none_between(logs: Logs, log: str, event: str, first: str, second: str) -> None:
    """From each line that records the first event to the next one of the second, none records the event."""
    sequence.between(logs, log, event, first, second, wanted=False)


@then('every "{first}" in log "{log}" is followed by "{second}"')
@then('every "{first}" in log "{log}" is followed by "{second}" within {limit:duration}')
def is_followed(logs: Logs, log: str, first: str, second: str, limit: float = inf) -> None:
    """After each line that records the first event comes one that records the second; it may follow several.

    How long after is told by the times in the lines, not by a clock.
    """
    sequence.followed(logs, log, first, second, "", limit)


@then('every "{first}" in log "{log}" is followed by "{second}" with the same "{field}"')
@then(
    'every "{first}" in log "{log}" is followed by "{second}" with the same "{field}" within {limit:duration}'
)
def is_followed_by_its_like(
    logs: Logs, log: str, first: str, second: str, field: str, limit: float = inf
) -> None:
    """As above, but only a line with the same value in this field counts, so that each task has its own."""
    sequence.followed(logs, log, first, second, field, limit)


@then('every line of log "{log}" has')
def every_line_has(logs: Logs, log: str, datatable: Rows) -> None:
    """Each row is a field that every line has, and beside it, if anything, the value that it has everywhere.

    Null and empty text are as good as none.
    """
    with logs.whole(log) as read:
        every.have(read.title, read.entries(), datatable)
        read.require()


@then('every "{event}" in log "{log}" has')
def every_event_has(logs: Logs, log: str, event: str, datatable: Rows) -> None:
    """Each row is a field, and beside it, if anything, its value, on every line that records the event."""
    with logs.whole(log) as read:
        if not every.have(read.title, read.entries(event), datatable):
            raise read.absence(event)


@then('every line of log "{log}" has the same "{field}"')
def every_line_has_the_same(logs: Logs, log: str, field: str) -> None:
    """Every line has this field, and the first line's value in it."""
    with logs.whole(log) as read:
        every.have_the_same(read.title, read.entries(), field)
        read.require()


@then('every line of log "{log}" has a different "{field}"')
def every_line_differs(logs: Logs, log: str, field: str) -> None:
    """Every line has this field, and no two lines the same value in it."""
    with logs.whole(log) as read:
        every.differ(read.title, read.entries(), field)
        read.require()


@then('every line of log "{log}" has a higher "{field}" than the line before')
def every_line_rises(logs: Logs, log: str, field: str) -> None:
    """Numbers rise from line to line, and texts, such as times, in the order of their characters."""
    with logs.whole(log) as read:
        every.rise(read.title, read.entries(), field)
        read.require()


@then('every line of log "{log}" is valid')
def every_line_is_valid(logs: Logs, log: str) -> None:
    """Every line is JSON and as the log's schema says, if it has one, however long the log is."""
    with logs.whole(log, budget=inf) as read:
        read.validate()
        read.require()


@then('log "{log}" has {n:int} lines')
def has_lines(logs: Logs, log: str, n: int) -> None:
    """So many lines, as `wc -l` counts them; one at the end without a newline counts too."""
    with logs.whole(log) as read:
        found = read.count()
        read.require(min(n, 1))
        if found != n:
            raise StepFailed(
                f"{read.title} has another number of lines",
                expected=str(n),
                actual=str(found),
                notes=read.ending(),
            )


@then('log "{log}" has at least {n:int} lines')
@then('log "{log}" has at least {n:int} lines within {limit:duration}')
def has_at_least_lines(logs: Logs, log: str, n: int, limit: float = 0.0) -> None:
    """So many lines or more, now or before the time is up."""
    with logs.open(log) as read:
        if read.wait(lambda: True if read.count() >= n else None, limit) is None:
            read.require()
            message = f"{read.title} has fewer lines"
            raise StepFailed(
                message, expected=f"at least {n}", actual=str(read.lines_read), notes=read.ending()
            )


@then('log "{log}" does not grow for {limit:duration}')
def does_not_grow(logs: Logs, log: str, limit: float) -> None:
    """Nothing is added to the log from now on, for so long; the log must be there."""
    with logs.open(log) as read:
        if not read.skip(everything=True):
            read.require()
        line = until(lambda: next(read.added(), None), limit)
        if line is not None:
            raise StepFailed(f"{read.title} has grown", notes=[f"  {line}"])


@then('log "{log}" contains "{text}"')
@given('log "{log}" contains "{text}" within {limit:duration}')
@then('log "{log}" contains "{text}" within {limit:duration}')
def contains(logs: Logs, log: str, text: str, limit: float = 0.0) -> None:
    """A line holds the text, as it is written or as JSON means it."""
    with logs.open(log) as read:
        if read.wait(lambda: next(read.holding(text), None), limit) is None:
            read.require()
            raise StepFailed(f'{read.title} does not contain "{text}"', notes=[*read.notes(), *read.ending()])


@then('log "{log}" matches "{pattern}"')
@given('log "{log}" matches "{pattern}" within {limit:duration}')
@then('log "{log}" matches "{pattern}" within {limit:duration}')
def matches(logs: Logs, log: str, pattern: str, limit: float = 0.0) -> None:
    """The regular expression (Python's) matches somewhere in a line; ^ and $ are the ends of the line."""
    with logs.open(log) as read:
        if read.wait(lambda: next(read.matching(pattern), None), limit) is None:
            read.require()
            raise StepFailed(f"{read.title} does not match {pattern}", notes=[*read.notes(), *read.ending()])
