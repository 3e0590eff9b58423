"""Who lives in a sandbox, from glance to glance.

The kernel tells the number that it gave out last. As long as that stays the same nobody was born, and where
it has grown only the new numbers are looked at: so a glance costs next to nothing, and there can be hundreds
of them in a second.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from threading import Event, Lock, Thread
from time import monotonic, thread_time

from ...runner.programs import gate
from ...runner.programs.proc import Process
from ...runner.watcher import processes

PAUSE = 0.002
# At most a tenth of the time is spent on looking, whatever a glance costs.
_REST = 9
# More new numbers than this are not looked at one by one.
_MANY = 256
# How long a process that somebody has just forked may take to become the program it is to be.
_FORKING = 0.05
# How long a process may take to be there after its number was given out.
_APPEARING = 0.01
_NEWEST = "/proc/sys/kernel/ns_last_pid"


@dataclass(frozen=True)
class Inhabitant:
    """A process that is alive, with its command line; `name` is what the kernel calls it.

    It has neither as long as it may still become another program: just forked, or held at a gate of ours.
    """

    process: Process
    name: str
    line: str

    def __str__(self) -> str:
        return f"process {self.process.pid}: {self.line or self.name or 'just begun'}"

    def is_like(self, pattern: str) -> bool:
        """Whether its name is like the pattern, or its command line, with or without the folder in front."""
        program, space, arguments = self.line.partition(" ")
        base = program.rpartition("/")[2]
        return any(
            fnmatchcase(one, pattern) for one in (self.name, base, base + space + arguments, self.line)
        )


Crowd = tuple[Inhabitant, ...]


class Census:
    """The processes of a sandbox. `crowds` are those that were alive together, one for each change.

    By itself it looks when it is asked to; `follow` lets it look all the time.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._lock = Lock()
        self._alive: dict[int, Inhabitant] = {}
        self._unsure: dict[int, float] = {}
        self._forked: dict[int, tuple[str, float]] = {}
        self._newest = 0
        self._stop = Event()
        self._thread: Thread | None = None
        self._error: Exception | None = None
        self.crowds: list[Crowd] = []
        self.glances = 0
        self._is_reliable = _is_reliable()

    def glance(self) -> Crowd:
        """Look now; who is alive."""
        with self._lock:
            if self._error is not None:
                raise self._error
            return self._glance()

    def follow(self) -> None:
        """Look every two milliseconds from now on, in a thread of its own."""
        if self._thread is None:
            self.glance()
            self._thread = Thread(target=self._go_on, name="goalkeeper-census", daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _go_on(self) -> None:
        cost = 0.0
        while not self._stop.wait(max(PAUSE, _REST * cost)):
            started = thread_time()
            try:
                with self._lock:
                    self._glance()
            except Exception as error:
                self._error = error
                return
            cost += (thread_time() - started - cost) / 10

    def _glance(self) -> Crowd:
        fresh, sure = self._born()
        for number in sorted({*self._unsure, *fresh}):
            self._meet(number, number in sure)
        for inhabitant in [*self._alive.values()]:
            self._visit(inhabitant)
        crowd = tuple(self._alive.values())
        if not self.crowds or crowd != self.crowds[-1]:
            self.crowds.append(crowd)
        self.glances += 1
        return crowd

    def _born(self) -> tuple[Collection[int], Collection[int]]:
        """Numbers that may be new processes of the sandbox, and those that are for sure."""
        if self._is_reliable:
            before, self._newest = self._newest, _newest()
            if before and 0 <= self._newest - before <= _MANY:
                return range(before + 1, self._newest + 1), ()
        # At first, where the numbers have begun anew, and where they tell nothing: all there are.
        members = processes.members(self._root)
        return members | _own_children(), members

    def _meet(self, number: int, is_sure: bool) -> None:
        """Take in a process that belongs here; one that may still be turning into another is met again."""
        now = monotonic()
        since = self._unsure.pop(number, now)
        told = _told(number)
        if told is None and now - since < _APPEARING and not _is_there(number):
            self._unsure[number] = since
        if told is None or _is_thread(number):
            return
        process, parent, _ = told
        if number in self._alive and self._alive[number].process == process:
            return
        if is_sure or parent in self._alive or processes.belongs(number, self._root):
            self._alive[number] = Inhabitant(process, "", "")
            if parent in self._alive:
                self._visit(self._alive[parent])  # it may have become what it is since the last glance
            if parent in self._alive:
                self._forked[number] = (self._alive[parent].line, now)
            self._visit(self._alive[number])
        elif self._may_become(number, parent) or (now - since < _FORKING and not _read(number, "environ")):
            self._unsure[number] = since

    def _may_become(self, number: int, parent: int) -> bool:
        """Whether it is a child of ours that is not yet the program it is to be, however long that takes."""
        return parent == os.getpid() and _read(number, "cmdline") == _read("self", "cmdline")

    def _visit(self, known: Inhabitant) -> None:
        """See whether it still lives, and what it is by now."""
        number = known.process.pid
        line = _read(number, "cmdline").rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")
        if line and line == known.line:
            return
        told = _told(number)
        if told is None or told[0] != known.process:
            del self._alive[number]
            self._forked.pop(number, None)
        # While a process turns into another program it has no command line: it is what it was until then.
        elif line and not self._is_beginning(number, line):
            self._alive[number] = Inhabitant(known.process, told[2], line)

    def _is_beginning(self, number: int, line: str) -> bool:
        """Whether a process bears a command line that is not its own: its parent's, or that of a gate."""
        parents, since = self._forked.get(number, ("", 0.0))
        return gate.WAIT in line or (line == parents and monotonic() - since < _FORKING)


def _is_reliable() -> bool:
    """Whether the newest number is told: a thread gets one too."""
    try:
        before = _newest()
        thread = Thread(target=lambda: None)
        thread.start()
        thread.join()
        return _newest() != before
    except (OSError, ValueError):
        return False


def _newest() -> int:
    file = os.open(_NEWEST, os.O_RDONLY)
    try:
        return int(os.read(file, 32))
    finally:
        os.close(file)


def _own_children() -> set[int]:
    """Those that we have forked; one may not have become the program yet that it is to be."""
    threads = os.listdir("/proc/self/task")  # noqa: PTH208
    return {int(one) for thread in threads for one in _read(f"self/task/{thread}", "children").split()}


def _told(number: int) -> tuple[Process, int, str] | None:
    """A process that is alive, its parent and its name."""
    before, found, after = _read(number, "stat").rpartition(b") ")
    fields = after.split(None, 20)
    if not found or fields[0] in (b"Z", b"X", b"x"):
        return None
    return (
        Process(number, int(fields[19])),
        int(fields[1]),
        before.partition(b" (")[2].decode("utf-8", "replace"),
    )


def _is_there(number: int) -> bool:
    return os.path.isdir(f"/proc/{number}")  # noqa: PTH112


def _is_thread(number: int) -> bool:
    """A thread has a number of its own, under which its process can be looked at too."""
    return f"\nTgid:\t{number}\n".encode() not in _read(number, "status")


def _read(number: int | str, name: str) -> bytes:
    """A file of a process; nothing where it is gone or not ours to look into."""
    with suppress(OSError):
        file = os.open(f"/proc/{number}/{name}", os.O_RDONLY)
        try:
            parts = [os.read(file, 65536)]
            while len(parts[-1]) == 65536:
                parts.append(os.read(file, 65536))
            return b"".join(parts)
        finally:
            os.close(file)
    return b""
