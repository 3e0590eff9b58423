"""A write-ahead log, read without SQLite: which pages each of its transactions wrote.

The format is that of https://sqlite.org/fileformat2.html#the_write_ahead_log.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEAD, _FRAME = 32, 24


@dataclass(frozen=True)
class Transaction:
    """The pages that it wrote, by number, and how many the database had after it."""

    pages: dict[int, bytes]
    count: int
    size: int

    def apply(self, state: bytes) -> bytes:
        """A database after it that was this before."""
        length = self.count * self.size
        changed = bytearray(state[:length].ljust(length, b"\0"))
        for number, page in self.pages.items():
            if number <= self.count:
                changed[(number - 1) * self.size : number * self.size] = page
        return bytes(changed)


class WriteAheadLog:
    """One log, held open and thus read even when it is deleted. `transactions` goes on where it ended."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._head, self._length, self._end, self._last = b"", 0, 0, b""
        self._begin()

    @property
    def identity(self) -> tuple[int, int]:
        found = os.fstat(self._file)
        return (found.st_dev, found.st_ino)

    @property
    def head(self) -> bytes:
        """Has other random numbers in it each time that the log is begun anew; empty before it is begun."""
        return self._head

    def is_kept(self) -> bool:
        """Whether all that was read is still there; False where the log was begun anew, or cut."""
        if self._head != os.pread(self._file, _HEAD, 0)[: len(self._head)]:
            return False
        return not self._last or os.pread(self._file, _FRAME, self._end - self._length) == self._last

    def restart(self) -> None:
        self._begin()

    def transactions(self) -> Iterator[Transaction]:
        """Those that are whole by now: the last page of each says so, and a sum that it is all there."""
        while self._head and (end := self._next_end()):
            frames = os.pread(self._file, end - self._end, self._end)
            if len(frames) < end - self._end:
                return
            starts = range(0, len(frames), self._length)
            last = starts[-1]
            before = frames[last - self._length :][16:_FRAME] if last else self._last[16:] or self._head[24:]
            told, page = frames[last : last + _FRAME], frames[last + _FRAME :]
            # It may have been begun anew while it was read.
            if self._summed(told[:8] + page, before) != told[16:] or not self.is_kept():
                return
            self._end, self._last = end, told
            pages = {
                int.from_bytes(frames[at : at + 4]): frames[at + _FRAME : at + self._length] for at in starts
            }
            yield Transaction(pages, int.from_bytes(told[4:8]), self._length - _FRAME)

    def _next_end(self) -> int:
        """Where the next transaction ends, or 0. Only when its end is there, what is before it stays."""
        at = self._end
        while len(told := os.pread(self._file, _FRAME, at)) == _FRAME and told[8:16] == self._head[16:24]:
            at += self._length
            if told[4:8] != bytes(4):
                return at
        return 0

    def close(self) -> None:
        os.close(self._file)

    def _begin(self) -> None:
        head = os.pread(self._file, _HEAD, 0)
        self._head = head if len(head) == _HEAD else b""
        self._length = _FRAME + (struct.unpack(">I", head[8:12])[0] if self._head else 0)
        self._end, self._last = _HEAD, b""

    def _summed(self, data: bytes, before: bytes) -> bytes:
        """The sum over all frames, from that of the frame before; the head says in which order of bytes."""
        order = ">" if self._head[3] & 1 else "<"
        one, two = struct.unpack(">II", before)
        words = struct.unpack(f"{order}{len(data) // 4}I", data)
        for at in range(0, len(words), 2):
            one = (one + words[at] + two) & 0xFFFFFFFF
            two = (two + words[at + 1] + one) & 0xFFFFFFFF
        return struct.pack(">II", one, two)


def opened(path: Path) -> WriteAheadLog | None:
    """None where there is no log."""
    try:
        return WriteAheadLog(path)
    except OSError:
        return None
