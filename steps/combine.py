"""Negative steps in one line, with check, violations and witness, for a `conftest.py`.

    lock_left = never_file('a lock is never left in "{folder}"', "{folder}/*.lock")
    merged = never_event("nothing is ever merged", log="orchestrator", event="batch.merging")

`{name}` in a value stands for a parameter of the wording.
"""

from __future__ import annotations

from ..runner.never import Negative
from ..runner.never.derive import derived
from .cli import never as cli
from .files import never as files
from .git import never as git
from .logs import never as logs


def never_file(wording: str, path: str) -> Negative:
    """There is never a file of that name; `*` stands for any part of a name."""
    if "*" in path or "?" in path:
        return derived(wording, files.directory_comes_to_have, {"path": ".", "pattern": path})
    return derived(wording, files.file_appears, {"path": path})


def never_event(wording: str, log: str, event: str) -> Negative:
    """The log never records the event."""
    return derived(wording, logs.event_recorded, {"log": log, "event": event})


def never_output(wording: str, text: str = "", *, pattern: str = "") -> Negative:
    """No command ever prints the text, or a line that matches the pattern."""
    if bool(text) == bool(pattern):
        raise TypeError("never_output needs a text or a pattern, one of them")
    if pattern:
        return derived(wording, cli.command_prints_line, {"pattern": pattern})
    return derived(wording, cli.command_prints, {"text": text})


def never_ref(wording: str, branch: str, *, appears: bool = False) -> Negative:
    """The branch never moves; or, where it should not be at all, it never appears."""
    return derived(wording, git.branch_appears if appears else git.branch_moves, {"branch": branch})
