"""The negative steps of this library."""

from __future__ import annotations

from ...runner.changes import Changes
from ...runner.define import never
from ...runner.sandbox import Sandbox
from . import violations, watch
from .place import existing, inside
from .watch import ContentWatch, OutsideWatch, PresenceWatch, TreeWatch

# A file may be a state, a log, a database, belong to a repository or hold a secret; it lies in a directory.
_ELSEWHERE = ("state.*", "logs.*", "sqlite.*", "git.*")
_IN_DIRECTORY = ("directory_changes", "written_outside", *_ELSEWHERE)
_NEW_NAME = ("directory_comes_to_have", *_IN_DIRECTORY)
_BY_NAME = ("file_appears", *_NEW_NAME)
_BY_CONTENT = ("file_changes", "file_comes_to_contain", "secrets.*", *_IN_DIRECTORY)


@never('file "{path}" never exists')
def file_appears(sandbox: Sandbox, changes: Changes, path: str) -> PresenceWatch:
    """At no moment is there anything of that name, file, directory or link, be it for a short time."""
    return PresenceWatch(changes, inside(sandbox, path), f'file "{path}"')


file_appears.check(watch.never_there)
file_appears.violation("gross", implies=_BY_NAME)(violations.make_file)
file_appears.violation("minimal", implies=_BY_NAME)(violations.make_and_remove_file)


@never('file "{path}" never disappears')
def file_disappears(sandbox: Sandbox, changes: Changes, path: str) -> ContentWatch:
    """Once the file is there it stays, also while it is replaced: there is no gap between old and new."""
    return ContentWatch(changes, inside(sandbox, path), path)


file_disappears.check(watch.never_gone)
file_disappears.violation("gross", implies=("file_changes", *_IN_DIRECTORY))(violations.remove_file)
file_disappears.violation("minimal", implies=("file_changes", "secrets.*", *_NEW_NAME))(
    violations.move_file_and_back
)


@never('file "{path}" never changes')
def file_changes(sandbox: Sandbox, changes: Changes, path: str) -> ContentWatch:
    """The file is never written to, replaced by other bytes, or gone. It must be there before the first When.

    One that is written in place with the bytes that it had counts as changed: it was another one meanwhile.
    Permissions may change. Not seen: other bytes that are moved to its name, and replaced by those that it
    had within a millisecond or so; `-v` then shows `unread versions`.
    """
    return ContentWatch(changes, existing(sandbox, path), path)


file_changes.check(watch.never_changes)
file_changes.violation("gross", implies=_BY_CONTENT)(violations.overwrite_file)
file_changes.violation("minimal", implies=_BY_CONTENT)(violations.add_byte_and_take_it_away)


@never('file "{path}" never contains "{text}"')
def file_comes_to_contain(sandbox: Sandbox, changes: Changes, path: str, text: str) -> ContentWatch:
    """In no version of the file does the text occur, also not while it is written.

    The file may come to be late; one that is never there is red. Not seen: a version that is replaced or
    removed within a millisecond or so; `-v` then shows `unread versions`.
    """
    return ContentWatch(changes, inside(sandbox, path), path, text)


file_comes_to_contain.check(watch.never_contains)
file_comes_to_contain.violation("gross", implies=_BY_CONTENT)(violations.write_text)
file_comes_to_contain.violation("minimal", implies=_BY_CONTENT)(violations.write_text_in_two_parts)


@never('directory "{path}" never changes')
def directory_changes(sandbox: Sandbox, changes: Changes, path: str) -> TreeWatch:
    """Nothing in the directory, at any depth, appears, is written to or vanishes, be it for a short time."""
    return TreeWatch(changes, inside(sandbox, path), path)


directory_changes.check(watch.tree_never_changes)
directory_changes.violation("gross", implies=_NEW_NAME)(violations.make_file_in_directory)
directory_changes.violation("minimal", implies=_NEW_NAME)(violations.make_and_remove_in_directory)


@never('directory "{path}" never has a file like "{pattern}"')
def directory_comes_to_have(sandbox: Sandbox, changes: Changes, path: str, pattern: str) -> TreeWatch:
    """Nothing in the directory, at any depth, has such a name (`*.tmp`), be it for a short time.

    A pattern with a slash is held against the whole path below the directory. A directory that is never there
    is red. Not seen: what comes and goes in a directory in the moment after that was made.
    """
    return TreeWatch(changes, inside(sandbox, path), path, pattern)


directory_comes_to_have.check(watch.tree_never_has)
directory_comes_to_have.violation("gross", implies=_BY_NAME)(violations.make_file_like)
directory_comes_to_have.violation("minimal", implies=_BY_NAME)(violations.name_file_so_for_a_moment)


@never('nothing is ever written outside directory "{path}"')
def written_outside(sandbox: Sandbox, changes: Changes, path: str) -> OutsideWatch:
    """In the sandbox, no file or directory beside this one is made, written to, moved or removed.

    The rest of the working directory counts, the home directory, the one for temporary files ($TMPDIR) and
    the one for sockets ($XDG_RUNTIME_DIR); what is made and removed at once counts as well. Permissions may
    change. The directory need not be there yet, and those on the way to it may be made.

    Not seen: places outside of the sandbox, as /tmp or the user's own home directory; what is written through
    a memory map, or to a file outside by a second name (a hard link) that it has inside.
    """
    return OutsideWatch(changes, sandbox, inside(sandbox, path), path)


written_outside.check(watch.nothing_outside)
written_outside.violation("gross", implies=_NEW_NAME)(violations.write_beside_directory)
written_outside.violation("minimal", implies=("written_outside",))(violations.touch_elsewhere)
