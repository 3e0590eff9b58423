"""The harness's side: starts the watcher with the first sandbox and tells it of every one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from .life import READY


class Watcher:
    """Told of a sandbox before anything is put into it, and again when it has been removed."""

    def __init__(self) -> None:
        pipe, self._pipe = os.pipe()
        answer, ready = os.pipe()
        harness = os.pidfd_open(os.getpid())
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-E", "-s", "-S", "-c", _program(), *map(str, (harness, pipe, ready))],
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
        """Before a sandbox is used."""
        self._tell("+", root)

    def release(self, root: str) -> None:
        """After it has been removed."""
        self._tell("-", root)

    def close(self) -> None:
        """Let the watcher end; it removes what was not released."""
        os.close(self._pipe)
        self._process.wait()

    def _tell(self, sign: str, root: str) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._pipe, f"{sign}{root}\n".encode(errors="surrogateescape"))


def _program() -> str:
    """The watcher's main program: the package is found where ours was, without reading site-packages."""
    name = __name__.rpartition(".")[0] + ".life"
    home = Path(sys.modules[__name__.partition(".")[0]].__path__[0]).parent
    return (
        f"import sys; sys.path.insert(0, {str(home)!r})\n"
        f"from {name} import watch; watch(*map(int, sys.argv[1:]))"
    )
