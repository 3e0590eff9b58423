"""The negative steps of this library."""

from __future__ import annotations

from ...runner.changes import Changes
from ...runner.define import never
from ...runner.values import Rows
from . import violations, watch
from .states import States
from .watch import Asked, MomentWatch, StateWatch, ValueWatch

_OF_VALUES = (
    "changes_state", "comes_to_have", "value_appears", "value_becomes", "value_changes", "value_decreases",
)  # fmt: skip
# A state is a file, which may lie in a repository or hold a secret.
_IN_DIRECTORY = ("files.directory_changes", "files.written_outside", "git.*", "secrets.*")
_NEW = ("appears", "files.file_appears", "files.directory_comes_to_have", *_IN_DIRECTORY)
_GONE = (
    "disappears", "is_unreadable", "changes_state", "value_changes", "files.file_disappears",
    "files.file_changes", *_NEW,
)  # fmt: skip
_VALUES = (*_OF_VALUES, "files.file_changes", "files.file_comes_to_contain", *_NEW)
_IN_PLACE = ("is_half_written", "is_unreadable", "files.file_changes", *_IN_DIRECTORY)
_CUT = (*_IN_PLACE, *_OF_VALUES)


@never('state "{name}" never exists')
def appears(states: States, changes: Changes, name: str) -> StateWatch:
    """At no moment is there such a file, be it for a short time."""
    return MomentWatch(states, changes, name, Asked(f'state "{name}"'))


appears.check(watch.never_there)
appears.violation("gross", implies=_NEW)(violations.make_state)
appears.violation("minimal", implies=_NEW)(violations.make_and_remove_state)


@never('state "{name}" never disappears')
def disappears(states: States, changes: Changes, name: str) -> StateWatch:
    """Once the file is there it stays, also while it is replaced: there is no gap between old and new."""
    return StateWatch(states, changes, name, Asked(f'state "{name}"'))


disappears.check(watch.never_gone)
disappears.violation("gross", implies=_GONE)(violations.remove_state)
disappears.violation("minimal", implies=_GONE)(violations.move_state_and_back)


@never('state "{name}" is never half-written')
def is_half_written(states: States, changes: Changes, name: str) -> StateWatch:
    """At no moment could a reader find an empty, cut off or otherwise unreadable document.

    A document that is written under its own name fails this, even if nobody happened to read it meanwhile:
    only one that is written elsewhere and then moved or linked here is whole from the start. Not seen: what
    is written through a memory map, and whether the data would survive a loss of power.
    """
    return StateWatch(states, changes, name, Asked(f'state "{name}"'))


is_half_written.check(watch.never_half_written)
is_half_written.violation("gross", implies=_CUT)(violations.leave_half_of_it)
is_half_written.violation("minimal", implies=_IN_PLACE)(violations.write_in_place)


@never('state "{name}" is never unreadable')
def is_unreadable(states: States, changes: Changes, name: str) -> StateWatch:
    """From the first document on, a reader finds a whole one at every moment: neither a part of it nor none.

    As `is never half-written` and `never disappears` together. Permissions are not looked at.
    """
    return StateWatch(states, changes, name, Asked(f'state "{name}"'))


is_unreadable.check(watch.never_unreadable)
is_unreadable.violation("gross", implies=_CUT)(violations.leave_half_of_it)
is_unreadable.violation("minimal", implies=_IN_PLACE)(violations.write_in_place)
is_unreadable.violation("minimal", implies=_GONE)(violations.move_state_and_back)


@never('state "{name}" never changes')
def changes_state(states: States, changes: Changes, name: str) -> StateWatch:
    """From the first document on, there at the start or later, each version has the same values."""
    return StateWatch(states, changes, name, Asked(f'state "{name}"'))


changes_state.check(watch.never_changes)
changes_state.violation("gross", implies=_VALUES)(violations.replace_document)
changes_state.violation("minimal", implies=_VALUES)(violations.add_one_key)


@never('state "{name}" never has')
def comes_to_have(states: States, changes: Changes, name: str, datatable: Rows) -> StateWatch:
    """In no version do all rows (a path and a value) hold together."""
    return StateWatch(states, changes, name, Asked(f'state "{name}"', rows=watch.table(datatable)))


comes_to_have.check(watch.never_has)
comes_to_have.violation("gross", implies=_VALUES)(violations.have_these_values)
comes_to_have.violation("minimal", implies=_VALUES)(violations.have_them_as_text)


@never('value "{path}" of state "{name}" is never "{expected}"')
def value_becomes(states: States, changes: Changes, path: str, name: str, expected: str) -> StateWatch:
    """In no version is it this value; where a JSONPath finds many, none of them is.

    A version without the value is none to look at: a path that never finds anything is red.
    """
    return ValueWatch(states, changes, name, Asked(f'state "{name}"', path, expected))


value_becomes.check(watch.never_is)
value_becomes.violation("gross", implies=_VALUES)(violations.become)
value_becomes.violation("minimal", implies=_VALUES)(violations.become_as_text)


@never('value "{path}" of state "{name}" never exists')
def value_appears(states: States, changes: Changes, path: str, name: str) -> StateWatch:
    """In no version does the path find anything."""
    return StateWatch(states, changes, name, Asked(f'state "{name}"', path))


value_appears.check(watch.value_never_there)
value_appears.violation("gross", implies=_VALUES)(violations.appear)
value_appears.violation("minimal", implies=_VALUES)(violations.appear_as_null)


@never('value "{path}" of state "{name}" never changes')
def value_changes(states: States, changes: Changes, path: str, name: str) -> StateWatch:
    """From the first version that has it on, each has the same value; the value may come to be late."""
    return ValueWatch(states, changes, name, Asked(f'state "{name}"', path))


value_changes.check(watch.value_never_changes)
value_changes.violation("gross", implies=_VALUES)(violations.change_value)
value_changes.violation("minimal", implies=_VALUES)(violations.change_value_by_a_little)


@never('value "{path}" of state "{name}" never decreases')
def value_decreases(states: States, changes: Changes, path: str, name: str) -> StateWatch:
    """A number that stays or grows from each version to the next: a counter, a step, a version."""
    return ValueWatch(states, changes, name, Asked(f'state "{name}"', path))


value_decreases.check(watch.value_never_decreases)
value_decreases.violation("gross", implies=_VALUES)(violations.set_far_back)
value_decreases.violation("minimal", implies=_VALUES)(violations.set_back_by_one)
