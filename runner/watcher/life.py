"""What the watcher process does: listen until the harness is gone, then remove what it left.

A handle on the harness process tells its end, so that a child which inherits the pipe can't hide it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal

from . import cleaner

READY = b"ready\n"


def watch(harness: int, pipe: int, ready: int) -> None:
    """`harness` is a handle on the process to outlive, `pipe` tells which sandboxes there are."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.write(ready, READY)
    os.close(ready)
    poll = select.poll()
    poll.register(harness, select.POLLIN)
    poll.register(pipe, select.POLLIN | select.POLLHUP)
    told = b""
    while True:
        events = dict(poll.poll())
        part = os.read(pipe, 65536) if pipe in events else b""
        told += part
        if harness in events or (pipe in events and not part):
            break
    os.set_blocking(pipe, False)
    with contextlib.suppress(BlockingIOError):
        while part := os.read(pipe, 65536):
            told += part
    for root in guarded(told.decode(errors="surrogateescape")):
        with contextlib.suppress(Exception):
            cleaner.clean(root)


def guarded(told: str) -> list[str]:
    """The sandboxes that were never taken back, the newest first; a torn last line counts as nothing."""
    kept: dict[str, None] = {}
    for line in told.splitlines(keepends=True):
        root = line[1:].rstrip("\n")
        if not line.endswith("\n"):
            continue
        if line.startswith("+"):
            kept[root] = None
        else:
            kept.pop(root, None)
    return [*reversed(kept)]
