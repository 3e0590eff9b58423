"""What /proc tells about running processes: who descends from whom, and who listens where."""

from __future__ import annotations

import os
import signal
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_LISTENING = "0A"
_ACCEPTS = 0x10000
_DATAGRAM = "0002"


@dataclass(frozen=True)
class Process:
    """A process and no other: a number is used again one day, but not with the same time of birth."""

    pid: int
    born: int


@dataclass(frozen=True)
class Status:
    """A line of the process table. `born` counts clock ticks since the machine was started."""

    process: Process
    parent: int
    session: int
    is_alive: bool
    name: str

    def __str__(self) -> str:
        return f"{self.process.pid} {self.name}"


@dataclass(frozen=True)
class Listener:
    """A socket that takes connections: a TCP port, or the path of a unix socket as its program gave it."""

    pid: int
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        return f"port {self.port}" if self.port else f"socket {self.path}"


def status(pid: int | str) -> Status | None:
    """None where there is no such process. One that has ended and was not reaped yet is not alive."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name stands in parentheses and may hold any sign, these included.
    begin, end = text.index("("), text.rindex(")")
    fields = text[end + 2 :].split()
    process = Process(int(text[:begin]), int(fields[19]))
    is_alive = fields[0] not in "ZXx"
    return Status(process, int(fields[1]), int(fields[3]), is_alive, text[begin + 1 : end])


def table() -> list[Status]:
    """All processes there are."""
    found = (status(entry) for entry in os.listdir(_PROC) if entry.isdecimal())  # noqa: PTH208 (names only)
    return [one for one in found if one is not None]


def family(leaders: Collection[Process], variable: str, marks: frozenset[str]) -> list[Status]:
    """The leaders and all that descend from them, as far as they are alive.

    A descendant is a child of one, or is in the session of a leader, or carries one of the marks in this
    variable of its environment. So a daemon is found that left its parent and its session behind, unless it
    has cleared its environment too.
    """
    processes = table()
    oldest = min((leader.born for leader in leaders), default=0)
    young = [one for one in processes if one.process.born >= oldest]
    members = {one.process.pid for one in young if one.process in leaders}
    sessions = frozenset(members)
    for one in young:
        if one.session in sessions or not marks.isdisjoint(_values(one.process.pid, variable)):
            members.add(one.process.pid)
    grown = -1
    while grown != len(members):
        grown = len(members)
        members |= {one.process.pid for one in young if one.parent in members}
    return [one for one in young if one.process.pid in members and one.is_alive]


def is_alive(process: Process) -> bool:
    now = status(process.pid)
    return now is not None and now.process == process and now.is_alive


def send(process: Process, number: int) -> bool:
    """Send a signal to this very process; whether it was there to get it."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:
        return False
    try:
        # The handle holds whoever has the number now: it may be used once that is known to be the one meant.
        if not is_alive(process):
            return False
        signal.pidfd_send_signal(handle, number)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def listeners(processes: Iterable[Process]) -> list[Listener]:
    """Where these processes, and nobody else, take connections; each network namespace has its own tables."""
    tables: dict[str, dict[str, tuple[int, str]]] = {}
    found: dict[Listener, None] = {}
    for process in processes:
        try:
            namespace = str((_PROC / str(process.pid) / "ns" / "net").readlink())
        except OSError:
            continue
        if namespace not in tables:
            tables[namespace] = dict(_listening(process.pid))
        for inode in _sockets(process.pid):
            if inode in tables[namespace]:
                port, path = tables[namespace][inode]
                found[Listener(process.pid, port, path)] = None
    return [*found]


def is_taken(port: int) -> bool:
    """Whether anybody on this machine listens on the TCP port."""
    return any(port == taken for _, (taken, _) in _listening(os.getpid()))


def _listening(pid: int) -> Iterator[tuple[str, tuple[int, str]]]:
    """By the inodes of the sockets: ports, and paths of unix sockets."""
    for name in ("tcp", "tcp6"):
        for line in _lines(pid, name):
            fields = line.split()
            if fields[3] == _LISTENING:
                yield fields[9], (int(fields[1].rpartition(":")[2], 16), "")
    for line in _lines(pid, "unix"):
        fields = line.split(maxsplit=7)
        # A datagram socket takes what is sent to it without ever listening.
        if len(fields) == 8 and (int(fields[3], 16) & _ACCEPTS or fields[4] == _DATAGRAM):
            yield fields[6], (0, fields[7])


def _lines(pid: int, name: str) -> list[str]:
    try:
        text = (_PROC / str(pid) / "net" / name).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return []
    return text.split("\n")[1:-1]


def _sockets(pid: int) -> Iterator[str]:
    """The inodes of the sockets that a process holds open."""
    folder = _PROC / str(pid) / "fd"
    try:
        entries = os.listdir(folder)  # noqa: PTH208 (names only)
    except OSError:
        return
    for entry in entries:
        try:
            target = os.readlink(folder / entry)  # noqa: PTH115 (it is no path)
        except OSError:
            continue
        if target.startswith("socket:["):
            yield target[8:-1]


def _values(pid: int, variable: str) -> list[str]:
    """The parts, between colons, of a variable in a process's environment."""
    try:
        environment = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return []
    prefix = f"{variable}=".encode()
    for entry in environment.split(b"\0"):
        if entry.startswith(prefix):
            return entry[len(prefix) :].decode("utf-8", "replace").split(":")
    return []
