"""Whether a log keeps what was written to it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from copy import copy
from hashlib import blake2b
from pathlib import Path
from sys import maxsize

from ...runner.changes import Changes, What
from ...runner.never import Breach, Journal, Watch
from ...runner.never.marks import Mark
from .follow import Following, is_missed
from .log import Logs
from .tail import NOWHERE, Family, Identity, Part, Places, open_part

_BLOCK = 1 << 20


class Kept:
    """One file, the digest of all its whole lines, and the state that it was in when they were read."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.is_short = False  # something was written that was not there when it was to be read
        self._hash = blake2b()
        self._status = (0, 0, 0)

    def copy(self) -> Kept:
        other = copy(self)
        vars(other).update(part=self.part.copy(), _hash=self._hash.copy())
        return other

    def extend(self) -> int:
        """Take in what was added; how many lines."""
        before = self.part.passed
        for block in self.part.follow(maxsize):
            self._hash.update(block.data)
        self._status = self._now()
        return self.part.passed - before

    def grow(self) -> bool:
        """Take in what was appended while a program writes; False where it did something else.

        What stood there before is not read again: that is for the next look, whose business it stays.
        """
        if self.part.changed():
            return False
        if self.part.lacks_something():
            self.is_short = True
            return False
        for block in self.part.follow(maxsize):
            self._hash.update(block.data)
        return True

    @property
    def is_stirred(self) -> bool:
        """Whether anything happened to the file since it was last looked into."""
        return self.is_short or self._now() != self._status

    def change(self) -> str:
        """What happened to the lines that were taken in, if anything did."""
        size = os.fstat(self.part.file).st_size
        if size < self.part.offset:
            return f"was cut from {self.part.offset} to {size} bytes"
        if self._now() != self._status and not self.is_in(self.part):
            return f"was changed within its first {self.part.passed} lines"
        return ""

    def is_in(self, part: Part) -> bool:
        """Whether a file begins with all these lines."""
        digest, offset = blake2b(), 0
        while offset < self.part.offset:
            data = os.pread(part.file, min(_BLOCK, self.part.offset - offset), offset)
            if not data:
                return False
            digest.update(data)
            offset += len(data)
        return digest.digest() == self._hash.digest()

    def _now(self) -> tuple[int, int, int]:
        status = os.fstat(self.part.file)
        return (status.st_size, status.st_mtime_ns, status.st_ctime_ns)


class LossWatch(Watch[str]):
    """Reads what is added as it is written, and after a step all that was there, again, if it changed."""

    def __init__(self, logs: Logs, changes: Changes, name: str) -> None:
        super().__init__(logs.find(name).title)
        self._logs, self._name = logs, name
        self._family = Family(self._paths)
        self._kept: dict[Identity, Kept] = {}
        self._places: Places = {}
        self._following = Following(changes, logs.work, self._changed)
        with self._following.settled():
            self._following.update(logs.find(name), name)
            self._unit = "line" if self._following.live else "isolated line"
            self._inspect()

    def mark(self) -> Mark:
        put_back, kept = super().mark(), {key: one.copy() for key, one in self._kept.items()}

        def back() -> None:
            with self._following.settled():
                self._drop()
                put_back()
                self._kept = kept

        return back

    def look(self) -> None:
        with self._following.settled():
            if not self._following.tells_all or any(kept.is_stirred for kept in self._kept.values()):
                self._inspect()

    def close(self) -> None:
        self._following.close()
        self._drop()

    def _drop(self) -> None:
        for kept in self._kept.values():
            kept.part.close()
        self._kept = {}

    def _changed(self, path: Path, what: What) -> None:
        known = {*self._kept}
        kept = self._kept.get(self._places.get(path, NOWHERE))
        before = kept.part.passed if kept is not None else 0
        if kept is not None and what == "written" and kept.grow():
            self.count(self._unit, kept.part.passed - before)
            return
        self._inspect()
        if kept is None and is_missed(path, what, self._places, known):
            self.record(f"{self._logs.shown(path)} is gone; nobody knows what it had")

    def _inspect(self) -> None:
        now = {part.identity: part for part in self._open()}
        for identity, kept in [*self._kept.items()]:
            change = kept.change() if identity in now else "is gone"
            if not change:
                now.pop(identity).close()
                if kept.is_short:
                    self.record(f"{kept.part.name} was written to, but what was written is not there")
                kept.is_short = False
                continue
            others = [part for key, part in now.items() if key not in self._kept]
            if kept.part.passed and not any(kept.is_in(part) for part in others):
                lines = f"{kept.part.passed} line{'' if kept.part.passed == 1 else 's'}"
                self.record(f"{kept.part.name} {change}; it had {lines}")
            kept.part.close()
            del self._kept[identity]
        self._kept |= {identity: Kept(part) for identity, part in now.items()}
        self.count(self._unit, sum(kept.extend() for kept in self._kept.values()))

    def _paths(self) -> Sequence[Path]:
        artifact = self._logs.find(self._name)
        self._following.update(artifact, self._name)
        return artifact.paths

    def _open(self) -> Iterator[Part]:
        """Each file once, though it may have several names."""
        seen: set[Identity] = set()
        self._places = {}
        for path in self._family.now():
            part = open_part(path, self._logs.shown(path))
            if part is not None:
                self._places[path] = part.identity
            if part is not None and part.identity in seen:
                part.close()
            elif part is not None:
                seen.add(part.identity)
                yield part


def no_line_lost(journal: Journal[str]) -> list[Breach]:
    return [Breach(f"{journal.subject} lost lines: {loss}") for loss in journal.entries]
