"""The negative steps of this library."""

from __future__ import annotations

from ...runner.changes import Changes
from ...runner.define import never
from ...runner.sandbox import Sandbox
from . import violations, watch
from .place import existing, inside
from .watch import ContentWatch, PresenceWatch, TreeWatch

# A file that comes to be is in a directory.
_BY_NAME = ("directory_changes", "directory_comes_to_have")


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


@never('file "{path}" never changes')
def file_changes(sandbox: Sandbox, changes: Changes, path: str) -> ContentWatch:
    """The file is never written to, replaced by other bytes, or gone. It must be there before the first When.

    One that is written in place with the bytes that it had counts as changed: it was another one meanwhile.
    Permissions may change.
    """
    return ContentWatch(changes, existing(sandbox, path), path)


file_changes.check(watch.never_changes)


@never('file "{path}" never contains "{text}"')
def file_comes_to_contain(sandbox: Sandbox, changes: Changes, path: str, text: str) -> ContentWatch:
    """In no version of the file does the text occur, also not while it is written.

    The file may come to be late; one that is never there is red.
    """
    return ContentWatch(changes, inside(sandbox, path), path, text)


file_comes_to_contain.check(watch.never_contains)


@never('directory "{path}" never changes')
def directory_changes(sandbox: Sandbox, changes: Changes, path: str) -> TreeWatch:
    """Nothing in the directory, at any depth, appears, is written to or vanishes, be it for a short time."""
    return TreeWatch(changes, inside(sandbox, path), path)


directory_changes.check(watch.tree_never_changes)


@never('directory "{path}" never has a file like "{pattern}"')
def directory_comes_to_have(sandbox: Sandbox, changes: Changes, path: str, pattern: str) -> TreeWatch:
    """Nothing in the directory, at any depth, has such a name (`*.tmp`), be it for a short time.

    A pattern with a slash is held against the whole path below the directory. A directory that is never there
    is red.
    """
    return TreeWatch(changes, inside(sandbox, path), path, pattern)


directory_comes_to_have.check(watch.tree_never_has)
