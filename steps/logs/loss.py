"""Whether a log keeps what was written to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import blake2b

from ...runner.never import Watch
from ...runner.never.marks import Mark
from .log import Logs
from .tail import Family, Part, open_part

_BLOCK = 1 << 20


class Kept:
    """One file, the digest of all its whole lines, and the state that it was in when they were read."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self._hash = blake2b()
        self._status = (0, 0, 0)

    def copy(self) -> Kept:
        other = Kept(self.part.copy())
        other._hash, other._status = self._hash.copy(), self._status
        return other

    def extend(self) -> int:
        """Take in what was added; how many lines."""
        before = self.part.passed
        for block in self.part.blocks():
            self._hash.update(block.data)
        self._status = self._now()
        return self.part.passed - before

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
    """Reads all that was there before, again, whenever a file has changed."""

    def __init__(self, logs: Logs, name: str) -> None:
        super().__init__(logs.find(name).title)
        self._shown = logs.shown
        self._family = Family(lambda: logs.find(name).paths)
        self._kept: dict[tuple[int, int], Kept] = {}
        self.look()

    def mark(self) -> Mark:
        put_back, kept = super().mark(), {key: one.copy() for key, one in self._kept.items()}

        def back() -> None:
            self.close()
            put_back()
            self._kept = kept

        return back

    def look(self) -> None:
        now = {part.identity: part for part in self._open()}
        for identity, kept in [*self._kept.items()]:
            change = kept.change() if identity in now else "is gone"
            if not change:
                now.pop(identity).close()
                continue
            others = [part for key, part in now.items() if key not in self._kept]
            if kept.part.passed and not any(kept.is_in(part) for part in others):
                lines = f"{kept.part.passed} line{'' if kept.part.passed == 1 else 's'}"
                self.record(f"{kept.part.name} {change}; it had {lines}")
            kept.part.close()
            del self._kept[identity]
        self._kept |= {identity: Kept(part) for identity, part in now.items()}
        self.count("line", sum(kept.extend() for kept in self._kept.values()))

    def close(self) -> None:
        for kept in self._kept.values():
            kept.part.close()
        self._kept = {}

    def _open(self) -> Iterator[Part]:
        """Each file once, though it may have several names."""
        seen: set[tuple[int, int]] = set()
        for path in self._family.now():
            part = open_part(path, self._shown(path))
            if part is not None and part.identity in seen:
                part.close()
            elif part is not None:
                seen.add(part.identity)
                yield part
