"""The negative steps of this library."""

from __future__ import annotations

from ...runner.changes import Changes
from ...runner.define import never
from ...runner.values import Rows, pairs
from . import violations
from .log import Logs
from .loss import LossWatch, no_line_lost
from .watch import CountWatch, EventWatch, FieldWatch, GrowthWatch, OrderWatch, TextWatch, not_seen

# A line that is added changes the file that it is added to.
_WRITTEN = (
    "files.file_changes",
    "files.file_comes_to_contain",
    "files.directory_changes",
    "files.written_outside",
    "git.worktree_is_dirty",
)
_LINE = ("log_grows", *_WRITTEN)
# Where a schema knows but certain events, every line records one of them.
_ANY = (*_LINE, "event_recorded_after", "event_recorded_before", "event_repeated")
# The name of an event is a text. Where a schema does not know it, its line is not valid for any step.
_EVENT = (*_ANY, "event_recorded", "event_recorded_with", "text_logged", "pattern_logged", "field_missing")
# Of a log that was cut no step can say what was in it.
_CUT = ("logs.*", *_WRITTEN)
# A text that is forbidden may be a secret.
_TEXT = (*_ANY, "text_logged", "pattern_logged", "secrets.*")


@never('log "{log}" never records "{event}"')
def event_recorded(logs: Logs, changes: Changes, log: str, event: str) -> EventWatch:
    """No line that is added from the first When on records the event; the log may come to be later."""
    return EventWatch(logs, changes, log, event, [])


event_recorded.check(not_seen)
event_recorded.violation("gross", implies=_EVENT)(violations.record)
event_recorded.violation("minimal", implies=_CUT)(violations.record_and_cut)


@never('log "{log}" never records "{event}" with')
def event_recorded_with(logs: Logs, changes: Changes, log: str, event: str, datatable: Rows) -> EventWatch:
    """No line that is added records the event and has all these fields."""
    return EventWatch(logs, changes, log, event, pairs(datatable))


event_recorded_with.check(not_seen)
event_recorded_with.violation("gross", implies=_EVENT)(violations.record_with)
event_recorded_with.violation("minimal", implies=_CUT)(violations.record_with_and_cut)


@never('log "{log}" never records "{event}" after "{other}"')
def event_recorded_after(logs: Logs, changes: Changes, log: str, event: str, other: str) -> OrderWatch:
    """Once the other event has been recorded, from the first When on, no line records this one."""
    return OrderWatch(logs, changes, log, event, other, after=True)


event_recorded_after.check(not_seen)
event_recorded_after.violation("gross", implies=_EVENT)(violations.record_after)
event_recorded_after.violation("minimal", implies=_CUT)(violations.record_after_and_cut)


@never('log "{log}" never records "{event}" before "{other}"')
def event_recorded_before(logs: Logs, changes: Changes, log: str, event: str, other: str) -> OrderWatch:
    """No line that is added records the event until one has recorded the other, be it at all."""
    return OrderWatch(logs, changes, log, event, other, after=False)


event_recorded_before.check(not_seen)
event_recorded_before.violation("gross", implies=_CUT)(violations.begin_with)
event_recorded_before.violation("minimal", implies=_CUT)(violations.slip_in_before)


@never('log "{log}" never records "{event}" more than {n:int} times')
def event_repeated(logs: Logs, changes: Changes, log: str, event: str, n: int) -> CountWatch:
    """No more lines than these record the event from the first When on, in rotated files too.

    A line that was cut off again has been recorded all the same.
    """
    return CountWatch(logs, changes, log, event, n)


_ROTATED = ("files.file_disappears", "files.file_appears", "files.directory_comes_to_have")

event_repeated.check(not_seen)
event_repeated.violation("gross", implies=_EVENT)(violations.record_too_often)
event_repeated.violation("minimal", implies=(*_EVENT, *_ROTATED))(violations.record_once_too_often)


@never('log "{log}" never has a line without field "{field}"')
def field_missing(logs: Logs, changes: Changes, log: str, field: str) -> FieldWatch:
    """Every line that is added has this field; null and empty text are as good as none."""
    return FieldWatch(logs, changes, log, field)


field_missing.check(not_seen)
field_missing.violation("gross", implies=_EVENT)(violations.leave_out)
field_missing.violation("minimal", implies=_EVENT)(violations.leave_empty)


@never('log "{log}" never contains "{text}"')
def text_logged(logs: Logs, changes: Changes, log: str, text: str) -> TextWatch:
    """No line that is added holds the text, as it is written or as JSON means it."""
    return TextWatch(logs, changes, log, text)


text_logged.check(not_seen)
text_logged.violation("gross", implies=_TEXT)(violations.log_text)
text_logged.violation("minimal", implies=_TEXT)(violations.log_spelled)


@never('log "{log}" never matches "{pattern}"')
def pattern_logged(logs: Logs, changes: Changes, log: str, pattern: str) -> TextWatch:
    """The regular expression matches in no line that is added."""
    return TextWatch(logs, changes, log, pattern, is_pattern=True)


pattern_logged.check(not_seen)
pattern_logged.violation("gross", implies=_TEXT)(violations.log_match)
pattern_logged.violation("minimal", implies=(*_CUT, "secrets.*"))(violations.log_match_and_cut)


@never('log "{log}" never grows')
def log_grows(logs: Logs, changes: Changes, log: str) -> GrowthWatch:
    """No line is added; the log must have lines already."""
    return GrowthWatch(logs, changes, log)


log_grows.check(not_seen)
log_grows.violation("gross", implies=_ANY)(violations.add_lines)
log_grows.violation("minimal", implies=_ANY)(violations.begin_line)


@never('log "{log}" never loses a line')
def line_lost(logs: Logs, changes: Changes, log: str) -> LossWatch:
    """Whole lines that were there at any moment are there unchanged ever after.

    They may have moved to a file beside, as rotation does; a file that is cut, changed or gone is a breach.
    """
    return LossWatch(logs, changes, log)


line_lost.check(no_line_lost)
line_lost.violation("gross", implies=_CUT)(violations.empty)
line_lost.violation("minimal", implies=_CUT)(violations.change_byte)
