"""The files of a log, read from where they were left: what was added, and what was rotated away or cut off.

Files are read in blocks of whole lines, never as a whole. Each stays open while it is followed, so that the
rest of one that was renamed or deleted is read all the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from time import time

from ...runner.evidence import shorten
from ...runner.failure import StepFailed
from ...runner.never.marks import Mark
from ...runner.wait import until
from .line import Line

_BLOCK = 1 << 20
_MARK = 256
_MOMENT = 0.01  # longer than a write takes
_PACKED = (".gz", ".bz2", ".xz", ".zst")
_SHOWN = 10

# Device and inode, by which a file is the same under another name.
Identity = tuple[int, int]
Places = dict[Path, Identity]
NOWHERE: Identity = (0, 0)

# Device, inode and first line: tells apart files that had the same name, or inode, one after the other.
Source = tuple[int, int, bytes]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of one file. `first` is the number of the first, `count` how many, `offset` where they begin."""

    file: str
    first: int
    count: int
    offset: int
    data: bytes
    source: Source

    def lines(self) -> Iterator[Line]:
        """All that are not blank."""
        for number, raw in enumerate(self.data.split(b"\n"), self.first):
            if raw and not raw.isspace():
                yield Line(self.file, number, raw.rstrip(b"\r"))

    def lines_at(self, starts: Sequence[int]) -> Iterator[Line]:
        """The lines that begin at these places in the block, which are in order."""
        number, counted = self.first, 0
        for start in starts:
            number += self.data.count(b"\n", counted, start)
            counted, end = start, self.data.find(b"\n", start)
            yield Line(self.file, number, self.data[start : None if end < 0 else end].rstrip(b"\r"))


class Part:
    """One open file of a log; all before `offset` was read: `passed` lines, of which `seen` is the end.

    Of a file that is followed, `torn` is what there was of the next line, up to `extent`, at `mtime`.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        status = os.fstat(self.file)
        self.identity: Identity = (status.st_dev, status.st_ino)
        self.offset = self.passed = 0
        self.seen = self.torn = b""
        self.extent = self.mtime = 0

    def blocks(self) -> Iterator[Block]:
        """The whole lines that were added since."""
        size = _BLOCK
        while data := os.pread(self.file, size, self.offset):
            end = data.rfind(b"\n") + 1
            if end:
                block = self._block(data[:end])
                self.offset += end
                self.passed += block.count
                self.seen = (self.seen + block.data[-_MARK:])[-_MARK:]
                yield block
            elif len(data) < size:
                return
            else:
                size *= 2

    def follow(self, room: int) -> Iterator[Block]:
        """As above, of a file that is followed; the line that is being written is remembered.

        It stops when so many bytes were read.
        """
        before = os.fstat(self.file)
        data = os.pread(self.file, _BLOCK, self.extent) if self.extent > self.offset else b""
        if not data or b"\n" in data or len(data) == _BLOCK:
            for block in self.blocks():
                yield block
                room -= len(block.data)
                if room <= 0:
                    self.torn, self.extent = b"", self.offset
                    return
            self.torn = os.pread(self.file, max(0, before.st_size - self.offset), self.offset)
        else:
            self.torn += data
        self.extent = self.offset + len(self.torn)
        grew = self.extent > before.st_size
        self.mtime = os.fstat(self.file).st_mtime_ns if grew else before.st_mtime_ns

    def lacks_something(self) -> bool:
        """Whether the file was written to, and yet is as long as it was; asked after a word of the kernel.

        A write in progress looks the same for a moment after it began. Who sets the time of a file to another
        than that of his doing so, as programs do that unpack or copy one, has not written to it last.
        """
        age = 0.0

        def there() -> bool | None:
            nonlocal age
            now = os.fstat(self.file)
            age = time() - now.st_mtime
            is_written = now.st_mtime_ns > self.mtime and now.st_mtime_ns == now.st_ctime_ns
            return None if is_written and now.st_size == self.extent else True

        return there() is None and until(there, min(_MOMENT, max(0.0, _MOMENT - age))) is None

    def salvaged(self) -> Block | None:
        """What there was of a line that was cut off before it was whole."""
        return self._block(self.torn) if self.torn.strip() else None

    def rest(self) -> Block | None:
        """The line at the end that has no newline yet."""
        data = os.pread(self.file, max(0, os.fstat(self.file).st_size - self.offset), self.offset)
        return self._block(data) if data and b"\n" not in data else None

    def unfinished(self) -> bytes:
        """What stands after the last newline of the file, whether or not it was read up to there."""
        end = os.fstat(self.file).st_size
        size = min(_BLOCK, end)
        while b"\n" not in (data := os.pread(self.file, size, end - size)) and size < end:
            size = min(size * 2, end)
        return data.rpartition(b"\n")[2]

    def skip(self, is_whole: Callable[[Block], bool]) -> int:
        """Pass over all whole lines, and a last one without newline that is whole all the same; how many."""
        for _ in self.blocks():
            pass
        rest = self.rest()
        if rest is None or not is_whole(rest):
            return self.passed
        self.offset += len(rest.data)
        self.seen = (self.seen + rest.data[-_MARK:])[-_MARK:]
        return self.passed + 1

    def continue_at(self, other: Part) -> bool:
        """Go on in this file where the other was left, if this is a copy of it."""
        found = os.pread(self.file, len(other.seen), other.offset - len(other.seen))
        if not other.offset or found != other.seen:
            return False
        self.offset, self.passed, self.seen = other.offset, other.passed, other.seen
        return True

    def changed(self) -> str:
        """How what was read already has changed, if it has; empty where it is as it was."""
        size, known = os.fstat(self.file).st_size, max(self.offset, self.extent)
        if size < known:
            return f"was cut from {known} to {size} bytes"
        return "" if self._is_kept() else "was written anew from its beginning"

    def recover(self) -> None:
        """Go on after such a change: where the whole lines are still there, after them."""
        if self._is_kept():
            self.extent, self.torn, self.mtime = self.offset, b"", os.fstat(self.file).st_mtime_ns
        else:
            self.restart()

    def copy(self) -> Part:
        """The same file, at the same place, held open on its own."""
        other = copy(self)
        other.file = os.dup(self.file)
        return other

    def restart(self) -> None:
        self.offset, self.passed, self.seen = 0, 0, b""
        self.extent, self.torn, self.mtime = 0, b"", os.fstat(self.file).st_mtime_ns

    def close(self) -> None:
        os.close(self.file)

    def _is_kept(self) -> bool:
        return os.pread(self.file, len(self.seen), self.offset - len(self.seen)) == self.seen

    def _block(self, data: bytes) -> Block:
        head = os.pread(self.file, _MARK, 0).partition(b"\n")[0]
        count = data.count(b"\n") + (not data.endswith(b"\n"))
        return Block(self.name, self.passed + 1, count, self.offset, data, (*self.identity, head))


class Tail:
    """Follows all files of a log. `lost` says what can't be read any more, though it may have been there."""

    def __init__(self, find: Callable[[], Sequence[Path]], name: Callable[[Path], str]) -> None:
        self._family = Family(find)
        self.name = name
        self._parts: list[Part] = []
        self.lost: list[str] = []
        self.gone: list[Part] = []
        self.places: Places = {}
        self.salvaged: list[Block] = []

    @property
    def parts(self) -> Sequence[Part]:
        """Every file that was met, in the order in which they are read."""
        return [*self.gone, *self._parts]

    def mark(self) -> Mark:
        """What is returned goes back to here, though files were closed since or others opened."""
        kept = [[part.copy() for part in parts] for parts in (self.gone, self._parts)]
        lost = len(self.lost)

        def put_back() -> None:
            self._drop()
            self.gone, self._parts = kept
            del self.lost[lost:]

        return put_back

    def skip(self, is_whole: Callable[[Block], bool]) -> int:
        """Leave out what is there already; how many lines that is."""
        self.refresh()
        return sum(part.skip(is_whole) for part in self._parts)

    def blocks(self) -> Iterator[Block]:
        """What was added since the last time; files that are no longer there are read to their end first."""
        self.refresh()
        for part in self.parts:
            yield from part.blocks()

    def rests(self) -> list[Block]:
        return [rest for part in self.parts if (rest := part.rest()) is not None]

    def unfinished(self) -> list[bytes]:
        """The line without newline at the end of each file that is there now."""
        self.refresh()
        return [data for part in self.parts if (data := part.unfinished())]

    def ending(self) -> str:
        """The last lines of the file that is read last."""
        parts = [part for part in self.parts if os.fstat(part.file).st_size]
        if not parts:
            return ""
        start = max(0, os.fstat(parts[-1].file).st_size - (_BLOCK >> 4))
        text = os.pread(parts[-1].file, _BLOCK >> 4, start).decode("utf-8", errors="replace")
        return shorten("\n".join(text.split("\n")[-_SHOWN - 1 :]), _SHOWN)

    def close(self) -> None:
        self._drop()

    def _drop(self) -> None:
        for part in self.parts:
            part.close()
        self.gone, self._parts = [], []

    def refresh(self) -> None:
        """Look which files there are now: new ones are read from their beginning, a copy from where it ends.

        A copy begins as a file did that is gone or was cut, up to where that was read: so do `x.log.1` where
        a log is copied and then emptied, and a file that is written anew and moved into place.
        """
        known = {part.identity: part for part in self.parts}
        now: dict[Identity, Part] = {}
        self.places = {}
        for path in self._family.now():
            part = open_part(path, self.name(path))
            if part is None:
                continue
            self.places[path] = part.identity
            if part.identity in now or part.identity in known:
                part.close()
            if part.identity in now:
                continue
            if part.identity in known:
                known[part.identity].name = part.name
            now[part.identity] = known.get(part.identity, part)
        lost = [part for part in known.values() if part.identity not in now or part.changed()]
        for part in now.values():
            copied = next((old for old in lost if part not in known.values() and part.continue_at(old)), None)
            if copied is not None:
                lost.remove(copied)
                known.pop(copied.identity)
                copied.restart() if copied.identity in now else copied.close()
        self.gone = [part for part in known.values() if part.identity not in now]
        self._parts = [*now.values()]
        for part in lost:
            if change := part.changed():
                self.lost.append(f"{part.name} {change} between two looks")
                self.salvaged += [torn for torn in [part.salvaged()] if torn is not None]
                part.recover()


def open_part(path: Path, name: str) -> Part | None:
    """None where the file is gone by now."""
    try:
        return Part(path, name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StepFailed(f"{name} can't be read: {error.strerror}") from error


class Family:
    """The files of a log with those that were rotated away: `x.log.2`, `x.log.1`, `x.log`, oldest first.

    A path is remembered, since between being moved away and being made anew it is not there.
    """

    def __init__(self, find: Callable[[], Sequence[Path]]) -> None:
        self._find = find
        self._paths: set[Path] = set()

    def now(self) -> list[Path]:
        self._paths.update(self._find())
        return [*dict.fromkeys(file for path in sorted(self._paths) for file in (*_rotated(path), path))]


def _rotated(path: Path) -> list[Path]:
    expression = re.compile(re.escape(path.name) + r"\.(\d+)(\.\w+)?")
    older: list[tuple[int, Path]] = []
    for sibling in _siblings(path.parent):
        match = expression.fullmatch(sibling.name)
        if match is not None and match[2] in _PACKED:
            raise StepFailed(
                f"a part of {path.name} is compressed and can't be read: {sibling.name}",
                notes=["let the program keep its old logs as they are, or look at one file by its path"],
            )
        if match is not None and match[2] is None and sibling.is_file():
            older.append((int(match[1]), sibling))
    return [file for _, file in sorted(older, reverse=True)]


def _siblings(folder: Path) -> list[Path]:
    try:
        return [*folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StepFailed(f"{folder} can't be read: {error.strerror}") from error
