"""A gate that programs wait at until all of them have come, so that they begin at the same moment."""

from __future__ import annotations

import os
import select
from collections.abc import Sequence
from pathlib import Path

from ..wait import until

_LONGEST_GATHERING = 10.0
# Says that it is there, waits for a line of its own, and becomes the program.
WAIT = 'echo >"$0.ready"; read -r _ <"$0"; exec "$@"'


class Gate:
    """Two named pipes: one to wait at, one to tell that one does."""

    def __init__(self, path: Path) -> None:
        self._path = path
        ready = path.with_name(f"{path.name}.ready")
        for pipe in (path, ready):
            os.mkfifo(pipe)
        # Open both ways for as long as anyone may come, so that nobody waits for a partner.
        self._entry, self._ready = (os.open(pipe, os.O_RDWR | os.O_NONBLOCK) for pipe in (path, ready))

    def before(self, arguments: Sequence[str]) -> list[str]:
        return ["/bin/sh", "-c", WAIT, str(self._path), *arguments]

    def open(self, expected: int) -> None:
        come = 0

        def all_here() -> bool | None:
            nonlocal come
            while come < expected and select.select([self._ready], (), (), 0)[0]:
                come += len(os.read(self._ready, expected))
            return True if come >= expected else None

        until(all_here, _LONGEST_GATHERING)
        os.write(self._entry, b"\n" * expected)

    def close(self) -> None:
        os.close(self._entry)
        os.close(self._ready)
