"""A log that is read as it is written: what is cut off or deleted within one step was mostly read before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from ...runner.artifacts import Artifact
from ...runner.changes import Change, Changes, What
from ...runner.failure import StepFailed
from ...runner.never.marks import Mark
from .tail import NOWHERE, Block, Identity, Part, Places, Tail

# What is read ahead of the next look is held in memory.
_ROOM = 32 << 20
_MAGIC = frozenset("*?[")
_ROTATED = re.compile(r"\.\d+(\.\w+)?$")


class Following:
    """Has the kernel tell of the files of a log, of those that a pattern may find later, and rotated ones.

    `tell` gets to know of each path that was written to, or came or went; what fails there is raised when the
    changes are settled next.
    """

    def __init__(self, changes: Changes, work: Path, tell: Callable[[Path, What], None]) -> None:
        self._changes, self._work, self._tell = changes, work, tell
        self._path: Path | None = None
        self._patterns: set[str] = set()
        self._failure: StepFailed | None = None

    @property
    def live(self) -> bool:
        return self._changes.live

    @contextmanager
    def settled(self) -> Iterator[None]:
        """All that has happened until now is told, and nothing more while the block runs."""
        with self._changes.settled():
            if self._failure is not None:
                raise self._failure
            yield

    def update(self, artifact: Artifact, name: str) -> None:
        """Follow the log that a step calls by this name; what a handle stands for may be another by now."""
        if artifact.pattern == name and not _MAGIC & {*name}:
            if self._path is None:
                self._path = self._work / name
                self._changes.follow(self._path, self._changed)
                self._changes.follow(self._path.parent, self._beside, tree=True, depth=1)
        elif artifact.pattern not in self._patterns:
            self._patterns.add(artifact.pattern)
            self._follow_pattern(PurePath(artifact.pattern).parts)

    @property
    def tells_all(self) -> bool:
        """Whether every change of the log is told, so that there is no need to look for any."""
        return self.live and self._path is not None

    def close(self) -> None:
        self._changes.leave(self._changed)
        self._changes.leave(self._beside)

    def _follow_pattern(self, parts: Sequence[str]) -> None:
        """The directories in which a pattern may find something, from where it is open."""
        fixed = next((index for index, part in enumerate(parts) if _MAGIC & {*part}), len(parts) - 1)
        depth = None if "**" in parts else len(parts) - fixed
        self._changes.follow(self._work.joinpath(*parts[:fixed]), self._beside, tree=True, depth=depth)

    def _beside(self, change: Change) -> None:
        """Of all that is told of a directory, what concerns the log; its one file is followed already."""
        stem = _ROTATED.sub("", str(change.path))
        if self._path is not None:
            is_own = stem == str(self._path) != str(change.path)
        else:
            # `*` of fnmatch goes beyond a slash: more than is meant, which costs no more than a look.
            below = [str(path).removeprefix(f"{self._work}/") for path in (change.path, stem)]
            is_own = any(fnmatchcase(name, known) for name in below for known in self._patterns)
        if is_own:
            self._changed(change)

    def _changed(self, change: Change) -> None:
        if change.what in ("closed", "attributes"):
            return
        try:
            self._tell(change.path, change.what)
        except StepFailed as error:
            self._failure = self._failure or error


def is_missed(path: Path, what: What, now: Places, before: Iterable[Identity]) -> bool:
    """Whether a file that was not known had something in it, and was gone before it could be read."""
    return what in ("written", "appeared") and path not in now and not ({*now.values()} - {*before})


class Followed(Tail):
    """A tail that reads on whenever the kernel tells of a change."""

    def __init__(
        self,
        called: str,
        find: Callable[[], Artifact],
        name: Callable[[Path], str],
        work: Path,
        changes: Changes,
    ) -> None:
        super().__init__(self._paths, name)
        self._called, self._find = called, find
        self._following = Following(changes, work, self._changed)
        self._waiting: list[Block] = []
        self._room = _ROOM
        self._is_fresh = False

    @property
    def live(self) -> bool:
        return self._following.live

    def mark(self) -> Mark:
        put_back = super().mark()

        def back() -> None:
            with self._following.settled():
                put_back()
                self._waiting, self._room, self._is_fresh = [], _ROOM, False

        return back

    def skip(self, is_whole: Callable[[Block], bool]) -> int:
        with self._following.settled():
            skipped = super().skip(is_whole)
            self._take(block for part in self.parts for block in part.follow(self._room))
            return skipped

    def blocks(self) -> Iterator[Block]:
        is_all = False
        while not is_all:
            with self._following.settled():
                self._read_all()
                is_all = self._room > 0
                blocks, self._waiting, self._room = self._waiting, [], _ROOM
            yield from blocks

    def refresh(self) -> None:
        if not (self._is_fresh and self._following.tells_all):
            super().refresh()
            self._is_fresh = True

    def rests(self) -> list[Block]:
        with self._following.settled():
            return super().rests()

    def unfinished(self) -> list[bytes]:
        with self._following.settled():
            return super().unfinished()

    def close(self) -> None:
        self._following.close()
        super().close()

    def _changed(self, path: Path, what: What) -> None:
        known = {part.identity: part for part in self.parts}
        part = known.get(self.places.get(path, NOWHERE))
        if part is not None and what == "written" and not part.changed():
            self._read(part, written=True)
            return
        self._is_fresh = False
        self._read_all()
        if part is None and is_missed(path, what, self.places, known):
            self.lost.append(f"{self.name(path)} was there between two looks, and is not any more")

    def _read_all(self) -> None:
        self.refresh()
        self._take(self.salvaged)
        self.salvaged = []
        for part in self.parts:
            self._read(part)

    def _paths(self) -> Sequence[Path]:
        artifact = self._find()
        self._following.update(artifact, self._called)
        return artifact.paths

    def _read(self, part: Part, *, written: bool = False) -> None:
        """What is new in a file. One that was written to has something new, or had."""
        if self._room <= 0:
            return
        if written and part.lacks_something():
            what = "was written to between two looks, but what was written is not there"
            self.lost.append(f"{part.name} {what}")
        self._take(part.follow(self._room))

    def _take(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            self._waiting.append(block)
            self._room -= len(block.data)
