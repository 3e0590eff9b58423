"""The processes of a sandbox: found by what they carry, ended by handle and never by number alone."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from typing import NamedTuple

MARK = "GOALKEEPER_SANDBOX"
_PATIENCE = 5.0


def members(root: str) -> set[int]:
    """The processes that belong to a sandbox, and all that descend from them.

    What tells them is the mark that every program of a scenario is started with. A stranger who merely works
    in one of our directories (a person who looks around there) does not carry it.
    """
    table = {process.number: process for process in _table()}
    found = {number for number in table if _belongs(number, root)}
    children: dict[int, list[int]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process.number)
    waiting = [*found]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return {number for number in found if not table[number].is_dead} - {os.getpid()}


def end(root: str, patience: float = _PATIENCE) -> tuple[int, list[int]]:
    """Kill every process of a sandbox: how many were killed, and which ones did not go.

    A process may start another while it is being killed, so it goes on until none is found.
    """
    killed = 0
    while handles := {number: handle for number in members(root) if (handle := _open(number)) is not None}:
        try:
            # A number may have been given to a stranger between the look and the handle: look again.
            meant = members(root) & handles.keys()
            sent = [handles[number] for number in meant if _kill(handles[number])]
            left = [number for number in meant if not _gone(handles[number], patience)]
        finally:
            for handle in handles.values():
                os.close(handle)
        killed += len(sent)
        if left:
            return killed - len(left), left
    return killed, []


class _Process(NamedTuple):
    number: int
    parent: int
    is_dead: bool  # a zombie can do nothing; its parent has only not asked for it yet


def _table() -> Iterator[_Process]:
    for entry in os.scandir("/proc"):
        if not entry.name.isdecimal():
            continue
        try:
            with open(f"/proc/{entry.name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except OSError:
            continue
        yield _Process(int(entry.name), int(parent), state in (b"Z", b"X"))


def _belongs(number: int, root: str) -> bool:
    """Whether the environment of a process carries the mark of a sandbox, or of one inside of it."""
    try:
        with open(f"/proc/{number}/environ", "rb") as file:
            _, found, after = (b"\0" + file.read()).partition(f"\0{MARK}={root}".encode())
    except OSError:
        return False
    return bool(found) and after[:1] in (b"", b"\0", b"/")


def _open(number: int) -> int | None:
    try:
        return os.pidfd_open(number)
    except OSError:
        return None


def _kill(handle: int) -> bool:
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except OSError:
        return False
    return True


def _gone(handle: int, patience: float) -> bool:
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(patience * 1000))
