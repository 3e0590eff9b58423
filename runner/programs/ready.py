"""Waiting until a program is ready: it prints, listens, or has written a file.

Each of these fails at once, with the end of the program's output, when the program dies before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ..failure import StepFailed
from ..sandbox import Sandbox
from ..wait import until
from . import Program, proc
from .ending import Ending
from .output import Search


def prints(program: Program, text: str, limit: float, start: Sequence[int] = (0, 0)) -> None:
    """Wait until the text was printed, to either stream, `start` bytes of which do not count."""
    search = Search(program.output, text, start)
    _wait(program, search.look, limit, f'print "{text}"')


def listens_on(program: Program, port: int | str, limit: float) -> None:
    """Wait until the program or a descendant of it, and nobody else, takes connections on a TCP port."""
    if not (str(port).isdecimal() and 0 < int(port) < 65536):
        raise StepFailed(f'"{port}" is not a port: write a number from 1 to 65535')
    port = int(port)

    def look() -> bool:
        return any(listener.port == port for listener in program.listeners())

    def taken() -> list[str]:
        return [f"  another program listens on port {port}"] if proc.is_taken(port) and not look() else []

    _wait(program, look, limit, f"listen on port {port}", taken)


def listens_at(program: Program, sandbox: Sandbox, name: str, limit: float) -> None:
    """Wait until the program or a descendant of it takes connections at a unix socket.

    The name is a path in the sandbox, or an absolute one; `@name` is a socket without a file.
    """
    path = name if name.startswith(("@", "/")) else str(sandbox.path(name))

    def stale() -> list[str]:
        is_there = not path.startswith("@") and Path(path).exists()
        return [f'  there is a file "{name}", but the program does not listen there'] if is_there else []

    _wait(program, lambda: _is_bound(program, path), limit, f'listen at socket "{name}"', stale)


def writes(program: Program, path: Path, name: str, limit: float) -> None:
    """Wait until there is a file that was made or changed since the program was started, by whomever.

    File times come from a clock that ticks some hundred times a second, so they are compared with one of
    their own kind.
    """

    def changed() -> int | None:
        try:
            return path.stat().st_ctime_ns
        except OSError:
            return None

    def look() -> bool:
        last = changed()
        return last is not None and last >= program.born_ns

    def old() -> list[str]:
        return [f'  file "{name}" is older than the program'] if changed() is not None else []

    _wait(program, look, limit, f'write file "{name}"', old)


def _is_bound(program: Program, path: str) -> bool:
    """A program may have named a path from where it is, or from where it was started."""
    for listener in program.listeners():
        if path.startswith("@") or listener.path.startswith("@") or not listener.path:
            found = bool(listener.path) and listener.path == path
        else:
            bases = (Path(f"/proc/{listener.pid}/cwd"), program.directory)
            paths = [os.path.realpath(base / listener.path) for base in bases]
            found = os.path.realpath(path) in paths and Path(path).is_socket()
        if found:
            return True
    return False


def _wait(
    program: Program,
    look: Callable[[], bool],
    limit: float,
    wanted: str,
    instead: Callable[[], list[str]] = list,
) -> None:
    """`wanted` completes the sentence "it did not …"; `instead` adds what there is instead."""
    title = program.output.title

    def notes() -> list[str]:
        return [*_state(program), *instead(), *program.output.notes()]

    def once() -> bool | None:
        ending = _over(program)  # before the look, so that what it did at last is seen
        if look():
            return True
        if ending is not None:
            raise StepFailed(f"{title} ended ({ending}) and did not {wanted}", notes=notes())
        return None

    if until(once, limit) is None:
        raise StepFailed(f"{title} did not {wanted} within {limit:g} s", notes=notes())


def _over(program: Program) -> Ending | None:
    """How it ended, where no more can come of it: one that ended well may have left a daemon behind."""
    ending = program.ending
    return None if ending is None or (ending.code == 0 and program.children()) else ending


def _state(program: Program) -> list[str]:
    """What became of the program instead of what was waited for."""
    places = ", ".join(sorted({str(listener) for listener in program.listeners()}))
    listens = [f"  it listens on {places}"] if places else []
    ending = program.ending
    left = [f"  it has ended ({ending}), and left children behind"] if ending and program.children() else []
    return [*left, *listens]
