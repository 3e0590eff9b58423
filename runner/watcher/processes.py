"""The processes of a sandbox: found by what they carry, ended by handle and never by number alone."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from time import monotonic

MARK = "GOALKEEPER_SANDBOX"
EVIDENCE = "evidence"
_PATIENCE = 5.0
_CHUNK = 65536
_STARTED = 19  # the field of /proc/N/stat, counted from the state on, that tells when it started
_Identity = tuple[int, bytes]  # number and start: a number alone may be given to another


def members(root: str) -> set[int]:
    """The processes that belong to a sandbox, and all that descend from them.

    What tells them is the mark that every program of a scenario is started with; where a program has thrown
    its environment away, it is that its output goes to the sandbox's evidence. A stranger who merely works in
    one of our directories (a person who looks around there) has neither.
    """
    return {number for number, _ in _members(root)}


def belongs(number: int, root: str) -> bool:
    """Whether a process carries what tells that it belongs to a sandbox."""
    return _belongs((number, b""), root)


def end(root: str, patience: float = _PATIENCE) -> tuple[int, list[int]]:
    """Kill every process of a sandbox: how many were killed, and which ones did not go.

    Each is stopped when it is found, and all are killed when no more are found: so none starts another
    meanwhile, and none loses the parent by which it is found.
    """
    held: dict[_Identity, int] = {}
    try:
        while _hold(root, held):
            pass
        sent = {number for (number, _), handle in held.items() if _signal(handle, signal.SIGKILL)}
        limit = monotonic() + patience
        left = [number for (number, _), handle in held.items() if not _gone(handle, limit)]
    finally:
        for handle in held.values():
            os.close(handle)
    return len(sent - {*left}), left


class Still:
    """Holds every process of a sandbox still, until `release`. One that stood still before stays so."""

    def __init__(self, root: str, patience: float = _PATIENCE) -> None:
        self._held: dict[_Identity, int] = {}
        stopped = {process for process in _members(root) if _state(process[0]) == b"T"}
        while _hold(root, self._held):
            pass
        limit = monotonic() + patience
        for number, _ in self._held:
            # A signal is sent before it is felt.
            while _state(number) not in (b"T", b"t", b"Z", b"X", b"") and monotonic() < limit:
                select.select((), (), (), 0.001)
        for process in stopped & self._held.keys():
            os.close(self._held.pop(process))

    def release(self) -> None:
        for handle in self._held.values():
            _signal(handle, signal.SIGCONT)
            os.close(handle)
        self._held.clear()


def stirring(root: str) -> tuple[tuple[_Identity, ...], bool]:
    """The processes of a sandbox with the time that each has worked, and whether one is at work just now."""
    found = sorted(_members(root))
    told = [(process, _told(process[0])) for process in found]
    work = tuple((number, b" ".join([start, *state[11:13]])) for (number, start), state in told)
    return work, any(state[:1] in ([b"R"], [b"D"]) for _, state in told)


def _state(number: int) -> bytes:
    return (_told(number) or [b""])[0]


def _hold(root: str, held: dict[_Identity, int]) -> bool:
    """Stop what is not held yet; whether there was anything."""
    more = False
    for process in _members(root):
        if process in held:
            continue
        more = True
        handle = _open(process)
        if handle is not None:
            held[process] = handle
            _signal(handle, signal.SIGSTOP)
    return more


def _members(root: str) -> Iterator[_Identity]:
    """What is marked at once, as the table is read; then what descends from it."""
    children: dict[int, list[_Identity]] = {}
    unsure: list[_Identity] = []
    found: set[_Identity] = set()
    for process, parent in _living():
        children.setdefault(parent, []).append(process)
        if _belongs(process, root, unsure):
            found.add(process)
            yield process
    found.update(process for process in unsure if _belongs(process, root))
    yield from found.intersection(unsure)
    waiting = [*found]
    while waiting:
        for child in children.get(waiting.pop()[0], ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
                yield child


def _living() -> Iterator[tuple[_Identity, int]]:
    """Every other process with the number of its parent.

    One that ends while the table is read may have started another just before, so the table is read until it
    holds nothing new. A zombie only waits for its parent to ask for it.
    """
    known = {str(os.getpid())}
    while fresh := [name for name in os.listdir("/proc") if name not in known]:
        known.update(fresh)
        for number in (int(name) for name in fresh if name.isdecimal()):
            told = _told(number)
            if told and told[0] not in (b"Z", b"X"):
                yield (number, told[_STARTED]), int(told[1])


def _told(number: int) -> list[bytes]:
    """The state of a process, its parent, and more; nothing where there is no such process."""
    try:
        return _read(f"/proc/{number}/stat").rpartition(b")")[2].split()
    except OSError:
        return []


def _belongs(process: _Identity, root: str, unsure: list[_Identity] | None = None) -> bool:
    """Whether a process carries the mark of a sandbox, or of one inside of it, or prints into its evidence.

    While a process turns into another program its environment seems empty: look again at `unsure`.
    """
    number = process[0]
    try:
        own = _read(f"/proc/{number}/environ")
    except OSError:
        return False
    if not own and unsure is not None:
        unsure.append(process)
    _, found, after = (b"\0" + own).partition(os.fsencode(f"\0{MARK}={root}"))
    return bool(found and after[:1] in (b"", b"\0", b"/")) or _prints_into(number, f"{root}/{EVIDENCE}/")


def _prints_into(number: int, folder: str) -> bool:
    for output in (1, 2):
        try:
            if os.readlink(f"/proc/{number}/fd/{output}").startswith(folder):
                return True
        except OSError:
            continue
    return False


def _read(path: str) -> bytes:
    """All of a file in /proc; `open` would take three times as long, and there are hundreds of them."""
    file = os.open(path, os.O_RDONLY)
    try:
        whole = part = os.read(file, _CHUNK)
        while len(part) == _CHUNK:
            part = os.read(file, _CHUNK)
            whole += part
        return whole
    finally:
        os.close(file)


def _open(process: _Identity) -> int | None:
    """A handle on the process that is meant, not on a stranger who was given its number since."""
    number, started = process
    try:
        handle = os.pidfd_open(number)
    except OSError:
        return None
    if _told(number)[_STARTED : _STARTED + 1] == [started]:
        return handle
    os.close(handle)
    return None


def _signal(handle: int, number: int) -> bool:
    try:
        signal.pidfd_send_signal(handle, number)
    except OSError:
        return False
    return True


def _gone(handle: int, limit: float) -> bool:
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(max(0.0, limit - monotonic()) * 1000))
