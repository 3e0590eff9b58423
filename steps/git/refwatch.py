"""Follows the refs of a repository through inotify: the kernel keeps what happens until somebody asks."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from ...runner.changes import Changes, inotify
from ...runner.changes.inotify import Event
from ...runner.failure import StepFailed
from ...runner.never.marks import Mark
from .refs import Change, Move, Signs, added, compare, read, reflog, walk
from .values import Values

_HOLD = ".goalkeeper"
# What git writes before it moves that to its place; libgit2 and JGit take the lock.
_GITS_OWN = ("packed-refs.new", "packed-refs.lock")


class RefWatch:
    """What becomes of the refs that match a pattern, from when this is made until it is closed.

    Git removes directories that a deleted branch leaves empty, and a watch on a directory ends with it. So
    those above a watched name are made where they are missing, and hold an empty directory of ours, which git
    does not look at, until the end.

    With `changes`, the value of a ref is read at once when it is written, for those who ask what it was.
    """

    def __init__(self, common: Path, pattern: str = "refs/*", changes: Changes | None = None) -> None:
        if (common / "reftable").exists():
            raise StepFailed("this repository keeps its refs in a reftable, which can't be followed")
        self._common = common
        self._pattern = pattern
        self._watched: dict[int, str] = {}
        self._held: list[Path] = []
        self._values: Values | None = None
        try:
            self._queue = inotify.borrow()
        except OSError as error:
            raise StepFailed(f"the refs can't be followed: {error.strerror}") from error
        try:
            self._hold()
            self._watch_all()
        except OSError as error:
            self.close()
            raise StepFailed(f"the refs can't be followed: {error.strerror}") from error
        if changes is not None:
            self._values = Values(changes, common)
        self.refs = read(common)
        self._logs = {name: reflog(common, name) for name in self.refs if self._concerns(name)}

    def mark(self) -> Mark:
        """Values and reflogs are put back; which directories are watched stays as it has become."""
        refs, logs = self.refs, {**self._logs}

        def put_back() -> None:
            self.refs, self._logs = refs, {**logs}

        return put_back

    def close(self) -> None:
        inotify.give_back(self._queue)
        if self._values is not None:
            self._values.close()
        for folder in self._held:
            with suppress(OSError):
                (folder / _HOLD).rmdir()
            with suppress(OSError):
                folder.rmdir()

    def _events(self) -> list[Event]:
        """What happened to files; their permissions are of no concern."""
        return [event for event in self._queue.read() if event.mask & ~inotify.ATTRIB & ~inotify.IS_DIRECTORY]

    def changes(self) -> list[Change]:
        """What became of the refs since this was last asked."""
        events = self._events()
        if not events:
            return []
        values = self._values.take() if self._values is not None else {}
        if any(event.mask & inotify.OVERFLOW for event in events):
            raise StepFailed("more happened in the repository than could be followed")
        seen = self._sort(events)
        try:
            seen.renewed.update(self._watch_all())
            seen.renewed -= {name for name in seen.renewed if (self._common / name / _HOLD).is_dir()}
        except OSError as error:
            raise StepFailed(f"the refs can't be followed: {error.strerror}") from error
        old, self.refs = self.refs, read(self._common)
        names = {name for name in {*old, *self.refs} if old.get(name) != self.refs.get(name)}
        names |= {*seen.written, *seen.removed, *(f"{folder}/" for folder in seen.renewed)}
        names |= {name for name in self.refs if seen.is_blind_for(name)}
        if seen.by_hand > 1:
            names |= {name for name in self.refs if self._concerns(name)} or {self._pattern}
        compared = (
            compare(
                name,
                old.get(name),
                self.refs.get(name),
                seen.signs(name),
                self._log(name),
                values.get(name, ()),
            )
            for name in sorted(names)
            if self._concerns(name)
        )
        return _told_once([change for change in compared if change is not None])

    @property
    def is_met(self) -> bool:
        """Whether there is a ref that matches, as far as was looked last."""
        return any(self._concerns(name) for name in self.refs)

    def _concerns(self, name: str) -> bool:
        """Whether a name is meant, or is a directory in which one that is meant may lie."""
        literal = re.split(r"[*?\[]", self._pattern)[0]
        if name.endswith("/"):
            return self._pattern.startswith(name) or (literal != self._pattern and name.startswith(literal))
        return fnmatchcase(name, self._pattern)

    def _sort(self, events: list[Event]) -> _Seen:
        seen, moved = _Seen(), ""
        for event in events:
            folder = self._watched.get(event.watch)
            if folder is None or event.mask & inotify.IGNORED:
                self._watched.pop(event.watch, None)
            elif not folder:
                if event.name == "packed-refs":
                    seen.packed = True
                    seen.by_hand += _is_by_hand(event, moved)
                moved = event.name if event.mask & inotify.MOVED_FROM else ""
            elif event.mask & inotify.IS_DIRECTORY:
                if event.mask & (inotify.CREATE | inotify.MOVED_TO):
                    seen.renewed.add(f"{folder}/{event.name}")
            elif not event.name.endswith(".lock"):
                name = f"{folder}/{event.name}"
                seen.written[name] += bool(event.mask & (inotify.CLOSE_WRITE | inotify.MOVED_TO))
                seen.removed[name] += bool(event.mask & (inotify.DELETE | inotify.MOVED_FROM))
        return seen

    def _watch_all(self) -> set[str]:
        """Watch all directories of refs; those that were not watched until now."""
        fresh: set[str] = set()
        for folder in ("", *(folder for folder, _ in walk(self._common))):
            if folder.endswith(_HOLD):
                continue
            try:
                number = self._queue.add(self._common / folder)
            except FileNotFoundError:
                continue
            if number not in self._watched:
                fresh.add(folder)
            self._watched[number] = folder
        return fresh - {""}

    def _hold(self) -> None:
        literal = re.split(r"[*?\[]", self._pattern)[0].rpartition("/")[0]
        for depth in range(3, literal.count("/") + 2):
            folder = self._common / "/".join(literal.split("/")[:depth])
            # A branch of the directory's name keeps any from being below it.
            with suppress(FileExistsError, NotADirectoryError):
                (folder / _HOLD).mkdir(parents=True, exist_ok=True)
                self._held.insert(0, folder)

    def _log(self, name: str) -> tuple[Move, ...]:
        before, after = self._logs.get(name, ()), reflog(self._common, name)
        self._logs[name] = after
        return added(before, after)


def _is_by_hand(event: Event, moved: str) -> bool:
    """Whether `packed-refs` was written in place, taken away, or came from a name that no git gives it."""
    if event.mask & inotify.MOVED_TO:
        return moved not in _GITS_OWN
    return bool(event.mask & (inotify.CLOSE_WRITE | inotify.DELETE | inotify.MOVED_FROM))


def _told_once(changes: list[Change]) -> list[Change]:
    """Without the directories of which something more exact is told."""
    names = [change.name for change in changes]
    return [
        change
        for change in changes
        if not change.name.endswith("/")
        or not any(n.startswith(change.name) and n != change.name for n in names)
    ]


@dataclass
class _Seen:
    """What the events tell: how often the file of each ref was written and removed, what directories came."""

    written: Counter[str] = field(default_factory=Counter)
    removed: Counter[str] = field(default_factory=Counter)
    packed: bool = False
    by_hand: int = 0
    renewed: set[str] = field(default_factory=set)

    def is_blind_for(self, name: str) -> bool:
        return any(name.startswith(f"{folder}/") for folder in self.renewed)

    def signs(self, name: str) -> Signs:
        return Signs(
            self.written[name], self.removed[name], self.packed, self.is_blind_for(name), self.by_hand
        )
