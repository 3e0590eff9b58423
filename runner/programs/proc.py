"""What /proc tells about running processes: who descends from whom, and who listens where."""

from __future__ import annotations

import os
import signal
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

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
    text = _read(f"/proc/{pid}/stat")
    if not text:
        return None
    # The name stands in parentheses and may hold any sign, these included.
    name, _, rest = text.partition(b" (")[2].rpartition(b") ")
    fields = rest.split(None, 20)
    process = Process(int(pid), int(fields[19]))
    is_alive = fields[0] not in (b"Z", b"X", b"x")
    return Status(process, int(fields[1]), int(fields[3]), is_alive, name.decode("utf-8", "replace"))


def table() -> list[Status]:
    """All processes there are."""
    found = (status(entry) for entry in os.listdir("/proc") if entry.isdecimal())  # noqa: PTH208
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


def is_held(process: Process) -> bool:
    """Whether a signal has stopped the process, so that it neither works nor waits."""
    return _read(f"/proc/{process.pid}/stat").rpartition(b") ")[2][:1] in (b"T", b"t")


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
            namespace = os.readlink(f"/proc/{process.pid}/ns/net")  # noqa: PTH115
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
    """A table of the network as a process sees it, without its heading."""
    text = _read(f"/proc/{pid}/net/{name}").decode("utf-8", "surrogateescape")
    return text.split("\n")[1:-1]


def _sockets(pid: int) -> Iterator[str]:
    """The inodes of the sockets that a process holds open."""
    folder = f"/proc/{pid}/fd"
    try:
        entries = os.listdir(folder)  # noqa: PTH208
    except OSError:
        return
    for entry in entries:
        try:
            target = os.readlink(f"{folder}/{entry}")  # noqa: PTH115
        except OSError:
            continue
        if target.startswith("socket:["):
            yield target[8:-1]


def _values(pid: int, variable: str) -> list[str]:
    """The parts, between colons, of a variable in a process's environment."""
    prefix = f"{variable}=".encode()
    for entry in _read(f"/proc/{pid}/environ").split(b"\0"):
        if entry.startswith(prefix):
            return entry[len(prefix) :].decode("utf-8", "replace").split(":")
    return []


def _read(path: str) -> bytes:
    """Nothing where a process is gone or is not ours to look into. Not by way of Path: there are many."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            return file.readall()
    except OSError:
        return b""
