"""What the Linux kernel tells of changes in directories: inotify, without a package for it."""

from __future__ import annotations

import ctypes
import os
import struct
from dataclasses import dataclass
from pathlib import Path

MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
OVERFLOW, IGNORED, IS_DIRECTORY = 0x4000, 0x8000, 0x40000000

_ONLY_DIRECTORIES = 0x01000000
_MASK = MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | _ONLY_DIRECTORIES
_HEAD = struct.Struct("iIII")
_BUFFER = 1 << 16


@dataclass(frozen=True, slots=True)
class Event:
    """One change of an entry called `name` in the directory that has been added as `watch`."""

    watch: int
    mask: int
    name: str


class Inotify:
    """One queue of the kernel. OSError where there are no more to be had."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._checked(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._watches: set[int] = set()

    def fileno(self) -> int:
        return self._descriptor

    def add(self, directory: Path) -> int:
        """Watch the entries of a directory. The same directory has the same number, however it is called."""
        watch = self._checked(self._libc.inotify_add_watch(self._descriptor, os.fsencode(directory), _MASK))
        self._watches.add(watch)
        return watch

    def remove(self, watch: int) -> None:
        """Watch it no more; the kernel has removed it already where the directory is gone."""
        self._watches.discard(watch)
        self._libc.inotify_rm_watch(self._descriptor, watch)

    def read(self) -> list[Event]:
        """All that has happened since it was last asked. It does not wait."""
        events: list[Event] = []
        while True:
            try:
                data = os.read(self._descriptor, _BUFFER)
            except BlockingIOError:
                return events
            start = 0
            while start < len(data):
                watch, mask, _, length = _HEAD.unpack_from(data, start)
                name = data[start + _HEAD.size : start + _HEAD.size + length].rstrip(b"\0")
                events.append(Event(watch, mask, os.fsdecode(name)))
                start += _HEAD.size + length

    def close(self) -> None:
        os.close(self._descriptor)

    def clear(self) -> None:
        """Watch nothing more, and forget what happened. Numbers of directories are not given out twice."""
        for watch in [*self._watches]:
            self.remove(watch)
        self.read()

    def _checked(self, result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result


_idle: list[Inotify] = []


def borrow() -> Inotify:
    """A queue that watches nothing. To close one takes the kernel 10 ms, so it is used again instead."""
    return _idle.pop() if _idle else Inotify()


def give_back(queue: Inotify) -> None:
    """Let go of a queue. Twice is once: it must not serve two at a time."""
    if queue not in _idle:
        queue.clear()
        _idle.append(queue)
