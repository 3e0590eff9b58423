"""What the watcher process does: listen until the harness is gone, then remove what it left.

A handle on the harness process tells its end, so that a child which inherits the pipe can't hide it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal

from . import cleaner, processes

READY = b"ready\n"
# Messages end with a NUL, the one character that no path holds.
GUARD, RELEASE, END = "+", "-", "."
_STOP = f"\0{END}\0".encode()


def watch(harness: int, pipe: int, ready: int) -> None:
    """`harness` is a handle on the process to outlive, `pipe` tells which sandboxes there are."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.write(ready, READY)
    os.close(ready)
    for root in guarded(_listen(harness, pipe)):
        with contextlib.suppress(Exception):
            # A program that was being started as the harness died has no environment to be known by for a
            # moment: so look once before the look that cleaning takes.
            processes.end(root)
            cleaner.clean(root)


def _listen(harness: int, pipe: int) -> str:
    """Everything that was told until the harness took its leave, closed the pipe or died."""
    poll = select.poll()
    poll.register(harness, select.POLLIN)
    poll.register(pipe, select.POLLIN | select.POLLHUP)
    told = b"\0"
    while not told.endswith(_STOP):
        events = dict(poll.poll())
        part = os.read(pipe, 65536) if pipe in events else b""
        told += part
        if harness in events or (pipe in events and not part):
            break
    os.set_blocking(pipe, False)
    with contextlib.suppress(BlockingIOError):
        while part := os.read(pipe, 65536):
            told += part
    return told.decode(errors="surrogateescape")


def guarded(told: str) -> list[str]:
    """The sandboxes that were never taken back, the newest first; a torn last message counts as nothing."""
    kept: dict[str, None] = {}
    for message in told.split("\0")[:-1]:
        sign, root = message[:1], message[1:]
        if sign == GUARD:
            kept[root] = None
        elif sign == RELEASE:
            kept.pop(root, None)
    return [*reversed(kept)]
