"""The harness's side: starts the watcher with the first sandbox and tells it of every one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from .life import END, GUARD, READY, RELEASE

# The package of the watcher alone: it is ready in half the time that all of ours would take to import.
_PROGRAM = f"""\
import sys; sys.path.insert(0, {str(Path(__file__).parent.parent)!r})
from watcher.life import watch; watch(*map(int, sys.argv[1:]))"""


class Watcher:
    """Told of a sandbox before it is made, and again when it has been removed."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        pipe, self._pipe = os.pipe()
        answer, ready = os.pipe()
        harness = os.pidfd_open(os.getpid())
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-E", "-s", "-S", "-c", _PROGRAM, *map(str, (harness, pipe, ready))],
                pass_fds=(harness, pipe, ready),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
            )
        finally:
            for end in (harness, pipe, ready):
                os.close(end)
        with os.fdopen(answer, "rb") as answered:
            if answered.readline() != READY:
                raise RuntimeError("the watcher that removes what a killed run leaves could not be started")

    def guard(self, root: str) -> None:
        """Before a sandbox is made. A watcher that has died gets a successor, for it guards nothing."""
        try:
            self._tell(GUARD, root)
        except BrokenPipeError:
            self.close()
            self._start()
            self._tell(GUARD, root)

    def release(self, root: str) -> None:
        """After it has been removed."""
        with contextlib.suppress(BrokenPipeError):
            self._tell(RELEASE, root)

    def close(self) -> None:
        """Let the watcher end; it removes what was not released.

        It is told so, for a forked child of ours may hold the pipe open.
        """
        with contextlib.suppress(BrokenPipeError):
            self._tell(END)
        os.close(self._pipe)
        self._process.wait()

    def _tell(self, sign: str, root: str = "") -> None:
        os.write(self._pipe, os.fsencode(f"{sign}{root}\0"))
