"""Each content that a file has had, one after the other, as far as a watcher can read them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..failure import StepFailed
from ..never import E, Watch
from ..never.marks import Mark, mark
from . import Change, Changes

START, DURING, AFTER = "when the scenario began", "during a step", "after a step"


@dataclass(frozen=True, slots=True)
class Version:
    """A file at one moment; `content` is None where there was none.

    `partial` says that the file was open and being written under this very name, so that its content may be
    a part of what was to come, or None, where it was gone before it could be read.
    """

    path: Path
    content: bytes | None
    when: str
    partial: bool = False


class Versions:
    """Tells of the first content of a file, and of each that differs from the one before it.

    A file is read when it is closed by its writer, moved to its name, or deleted, while it is written, and at
    every look. A content that was replaced before it could be read is counted as `unread`; where a file is
    rewritten in place without a pause, that is the least number.
    """

    def __init__(self, changes: Changes, path: Path, tell: Callable[[Version], None]) -> None:
        self.path = path
        self.unread = 0
        self._changes = changes
        self._tell = tell
        self._last: tuple[bytes | None, bool] | None = None
        self._completed: tuple[int, ...] = ()
        self._written = False
        changes.follow(path, self._changed)

    def look(self, when: str) -> None:
        """Take note of what is there now. To be called while the changes are settled."""
        self._note(_read(self.path)[0], when)

    def mark(self) -> Mark:
        return mark(self)

    def close(self) -> None:
        self._changes.leave(self._changed)

    def _changed(self, change: Change) -> None:
        if change.what == "gone":
            self._note(None, DURING)
        elif change.what in ("created", "written", "closed", "appeared"):
            content, signature = _read(self.path)
            whole = change.what in ("closed", "appeared") or _is_linked(self.path, change)
            if content is not None or not whole:
                self._note(content, DURING, partial=not whole)
            if whole and (self._written or change.what != "closed"):
                self.unread += signature == self._completed or content is None
                self._completed = signature
            self._written = not whole

    def _note(self, content: bytes | None, when: str, *, partial: bool = False) -> None:
        if (content, partial) != self._last:
            self._last = (content, partial)
            self._tell(Version(self.path, content, when, partial))


class VersionWatch(Watch[E]):
    """A watch over every version of one file. Say in `told` what of it goes into the journal."""

    def __init__(self, changes: Changes, path: Path, subject: str) -> None:
        super().__init__(subject)
        self._changes = changes
        self._when = START
        self._versions = Versions(changes, path, self._count_and_tell)
        self.look()
        self._when = AFTER

    def told(self, version: Version) -> None:
        raise NotImplementedError

    def look(self) -> None:
        with self._changes.settled():
            self._versions.look(self._when)
            if self._versions.unread and self.inspected:
                self.inspected["unread version"] = self._versions.unread

    def close(self) -> None:
        self._versions.close()

    def _count_and_tell(self, version: Version) -> None:
        if version.content is not None:
            self.count("version" if self._changes.live else "isolated version")
        self.told(version)


def _is_linked(path: Path, change: Change) -> bool:
    """Whether a new name was given to a file that is whole already, as by `ln`."""
    if change.what != "created":
        return False
    try:
        found = path.lstat()
    except OSError:
        return False
    return found.st_nlink > 1 or stat.S_ISLNK(found.st_mode)


def _read(path: Path) -> tuple[bytes | None, tuple[int, ...]]:
    """Content and signature of a regular file; None where there is none."""
    try:
        # O_NONBLOCK: a pipe by this name would keep us waiting for a writer.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                return None, ()
            return file.read(), (found.st_ino, found.st_size, found.st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None, ()
    except OSError as error:
        raise StepFailed(f"{path.name} can't be read: {error.strerror}") from error
