"""Changes of files as they happen: what a negative step must not miss between two looks.

One thread for each scenario that asks for it reads the kernel's queue (`inotify.py`) and tells those
who follow a path. A path need not be there yet: each directory on the way to it is watched for the next.

Not to be seen: what happens in a directory in the moment between its making and our watching it; what is
written through a memory map; what another machine does on a network file system.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..failure import StepFailed
from . import inotify

What = Literal["appeared", "created", "written", "closed", "gone", "attributes"]
_WHAT: tuple[tuple[int, What], ...] = (
    (inotify.CREATE, "created"),
    (inotify.MOVED_TO, "appeared"),
    (inotify.MODIFY, "written"),
    (inotify.CLOSE_WRITE, "closed"),
    (inotify.DELETE | inotify.MOVED_FROM, "gone"),
    (inotify.ATTRIB, "attributes"),
)
_STRUCTURE = inotify.CREATE | inotify.MOVED_TO | inotify.DELETE | inotify.MOVED_FROM


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a path.

    `created` means made under this name, and perhaps still to be filled; `appeared` means there all at once:
    moved here, or found when its directory came into view. `closed` comes after `written`.
    """

    path: Path
    what: What


Tell = Callable[[Change], None]


@dataclass(eq=False)
class _Follow:
    """Who is told of a path. `watches` are the directories that the kernel watches for it."""

    path: Path
    tell: Tell
    tree: bool
    depth: int | None = None
    there: bool = False
    watches: dict[int, Path] = field(default_factory=dict)


class Changes:
    """Every path that one scenario follows. Those who follow are told by a thread, one at a time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.RLock()
        self._follows: list[_Follow] = []
        self._failure: Exception | None = None
        self._inotify: inotify.Inotify | None = None
        self._thread: threading.Thread | None = None
        self._stop: tuple[int, int] | None = None

    @property
    def live(self) -> bool:
        """Whether changes are told at all: not where the kernel has no queue left for us."""
        return self._inotify is not None

    def follow(self, path: Path, tell: Tell, *, tree: bool = False, depth: int | None = None) -> None:
        """Tell of every change of a path, and of all below it where it is a tree, down to a depth.

        In the root directory, the directories above the path may come and go; elsewhere they must be there.
        """
        with self._lock:
            if self._thread is None and not self._start():
                return
            follow = _Follow(path, tell, tree, depth)
            self._follows.append(follow)
            self._bind(follow)
            follow.there = os.path.lexists(path)
            self._bind_tree(follow, path, announce=False)

    def leave(self, tell: Tell) -> None:
        """Tell no more."""
        with self._lock:
            self._follows = [follow for follow in self._follows if follow.tell != tell]

    @contextmanager
    def settled(self) -> Iterator[None]:
        """Tell of all that has happened until now, and of nothing more while the block runs."""
        with self._lock:
            if self._failure is None:
                self._read()
            if self._failure is not None:
                raise self._failure
            yield

    def close(self) -> None:
        if self._thread is not None and self._stop is not None and self._inotify is not None:
            os.close(self._stop[1])
            self._thread.join()
            os.close(self._stop[0])
            inotify.give_back(self._inotify)
            self._inotify = self._thread = None

    def _start(self) -> bool:
        try:
            self._inotify = inotify.borrow()
        except OSError:
            return False
        self._stop = os.pipe()
        self._thread = threading.Thread(target=self._run, name="goalkeeper-changes", daemon=True)
        self._thread.start()
        return True

    def _run(self) -> None:
        assert self._inotify is not None
        assert self._stop is not None
        poll = select.poll()
        poll.register(self._inotify.fileno(), select.POLLIN)
        poll.register(self._stop[0], select.POLLIN | select.POLLHUP)
        while all(descriptor != self._stop[0] for descriptor, _ in poll.poll()):
            with self._lock:
                self._read()
                if self._failure is not None:
                    return

    def _read(self) -> None:
        try:
            for event in self._inotify.read() if self._inotify is not None else ():
                self._handle(event)
        except Exception as error:
            self._failure = error

    def _handle(self, event: inotify.Event) -> None:
        if event.mask & inotify.OVERFLOW:
            raise StepFailed("so many files changed at once that the kernel did not tell of all of them")
        for follow in [*self._follows]:
            directory = follow.watches.get(event.watch)
            if event.mask & inotify.IGNORED:
                follow.watches.pop(event.watch, None)
            elif directory is not None:
                self._happened(follow, directory / event.name, event.mask)

    def _happened(self, follow: _Follow, path: Path, mask: int) -> None:
        target = self._target(follow.path)
        below = follow.tree and follow.path in path.parents
        if path in (follow.path, target) or below:
            for bit, what in _WHAT:
                if mask & bit:
                    follow.tell(Change(path if below else follow.path, what))
            if mask & _STRUCTURE and (mask & inotify.IS_DIRECTORY or path.is_symlink()):
                self._unbind(follow, path)
                self._bind(follow)
                self._bind_tree(follow, path, announce=True)
            follow.there = os.path.lexists(follow.path)
        elif mask & _STRUCTURE and (path in follow.path.parents or path in target.parents):
            self._unbind(follow, path)
            self._bind(follow)
            there = os.path.lexists(follow.path)
            if there != follow.there:
                follow.there = there
                follow.tell(Change(follow.path, "appeared" if there else "gone"))
            self._bind_tree(follow, follow.path, announce=True)

    def _bind(self, follow: _Follow) -> None:
        """Watch every directory there is on the way to the path, and to where it leads if it is a link."""
        for leaf in dict.fromkeys((follow.path, self._target(follow.path))):
            above = [above for above in reversed(leaf.parents) if f"{above}/".startswith(f"{self._root}/")]
            for directory in above or [leaf.parent]:
                self._watch(follow, directory)

    def _bind_tree(self, follow: _Follow, start: Path, *, announce: bool) -> None:
        """Watch all directories of a tree from one on. Each is watched before it is looked into."""
        waiting = [start] if follow.tree and not start.is_symlink() else []
        while waiting:
            directory = waiting.pop()
            below = len(directory.parts) - len(follow.path.parts)
            if (follow.depth is not None and below >= follow.depth) or not self._watch(follow, directory):
                continue
            for entry in _entries(directory):
                if announce:
                    follow.tell(Change(Path(entry.path), "appeared"))
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))

    def _unbind(self, follow: _Follow, path: Path) -> None:
        """Forget the directories below a path: another may be there now by the same name."""
        for watch in [w for w, known in follow.watches.items() if known == path or path in known.parents]:
            del follow.watches[watch]
            if self._inotify is not None and not any(watch in other.watches for other in self._follows):
                self._inotify.remove(watch)

    def _watch(self, follow: _Follow, directory: Path) -> bool:
        assert self._inotify is not None
        try:
            follow.watches[self._inotify.add(directory)] = directory
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return False
        except OSError as error:
            hint = "see fs.inotify.max_user_watches, and inotify(7)"
            raise StepFailed(f"{directory} can't be watched: {error.strerror}", notes=[hint]) from error
        return True

    def _target(self, path: Path) -> Path:
        """Where a link leads, called as other paths in the root directory are; else the path itself."""
        if not path.is_symlink():
            return path
        real, root = Path(os.path.realpath(path)), os.path.realpath(self._root)
        return self._root / real.relative_to(root) if real.is_relative_to(root) else real


def _entries(directory: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return [*entries]
    except OSError:
        return []
