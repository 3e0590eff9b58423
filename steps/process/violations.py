"""Does what the negative steps of this library forbid: real processes, which end with the violation.

Those that have a name stand in for the one that the scenario started, which is held still meanwhile. All
others are started by plain means, with the environment of the sandbox.
"""

from __future__ import annotations

import os
import secrets
import select
import shlex
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ...runner.never import Witness
from ...runner.never.sample import matching
from ...runner.sandbox import Sandbox
from ...runner.wait import until
from .crowd import Census
from .manager import Processes

_LONG = 600
_PATIENCE = 10.0
# How long to wait until somebody has glanced at what lives for a moment; longer, and nobody looks.
_MOMENT = 1.0

Acts = Iterator[Witness]


def crash(processes: Processes, name: str) -> Acts:
    """It ends with an exit code of failure."""
    line = _shell("exit 70")
    with processes.stand_in(name, line) as run:
        yield _ended(run.program.process.pid, os.CLD_EXITED, 70, "exit code 70")


def end_when_told_to(processes: Processes, name: str) -> Acts:
    """It ends at once when the scenario asks it to, without a word."""
    line = _shell(f"exec sleep {_LONG}")
    with processes.stand_in(name, line) as run:
        processes.send(run, signal.SIGTERM)
        yield _ended(run.program.process.pid, os.CLD_KILLED, signal.SIGTERM, "killed by SIGTERM")


def be_killed_by_others(processes: Processes, name: str) -> Acts:
    """Somebody who is not the scenario kills it."""
    line = _shell(f"exec sleep {_LONG}")
    with processes.stand_in(name, line) as run:
        pid = run.program.process.pid
        os.kill(pid, signal.SIGKILL)  # it is not reaped before the end, so the number is its own
        yield _ended(pid, os.CLD_KILLED, signal.SIGKILL, "killed by SIGKILL")


def end_quietly(processes: Processes, name: str) -> Acts:
    """It ends well, at once and without a word."""
    line = _shell(":")
    with processes.stand_in(name, line) as run:
        yield _ended(run.program.process.pid, os.CLD_EXITED, 0, "exit code 0")


def print_text(processes: Processes, name: str, text: str) -> Acts:
    """The text in the middle of a line of standard output."""
    word = secrets.token_hex(8)
    yield from _print(processes, name, text, (f"{word} {text} {word}\n",), "stdout", word)


def print_text_in_two_parts_to_stderr(processes: Processes, name: str, text: str) -> Acts:
    """Nothing but the text, to standard error, in two writes and without an end of line."""
    yield from _print(processes, name, text, _halves(text), "stderr")


def print_line(processes: Processes, name: str, pattern: str) -> Acts:
    """A line that matches, among others."""
    word, line = secrets.token_hex(8), _line_like(pattern)
    if line is None:
        yield Witness(f"no line is known that matches {pattern}", effect=False)
        return
    yield from _print(processes, name, line, (f"{word}\n{line}\n{word}\n",), "stdout")


def print_line_without_end_to_stderr(processes: Processes, name: str, pattern: str) -> Acts:
    """Nothing but a line that matches, to standard error, in two writes and without its end."""
    line = _line_like(pattern)
    if line is None:
        yield Witness(f"no line is known that matches {pattern}", effect=False)
        return
    yield from _print(processes, name, line, _halves(line), "stderr")


def leave_process(sandbox: Sandbox) -> Acts:
    """A process that goes on, as a child that somebody forgot."""
    with _processes(sandbox, 1) as (pids, word):
        yield Witness(f"{_states(pids)} is the state of process {pids[0]}", _alive(pids) == 1, word)


def leave_orphan(sandbox: Sandbox) -> Acts:
    """A daemon in a session of its own, whose parent is gone and whose outputs are closed."""
    script = "exec 3<&0; { read x <&3; } >&- 2>&- & echo $!"
    entry, held = os.pipe()
    with ExitStack() as undo:
        undo.callback(os.close, held)
        with os.fdopen(entry) as source:
            parent = subprocess.run(
                ["/bin/sh", "-c", script],
                stdin=source,
                stdout=subprocess.PIPE,
                env=sandbox.environment(),
                start_new_session=True,
                check=True,
            )
        pid = int(parent.stdout)
        undo.callback(_end, os.pidfd_open(pid))
        yield Witness(f"{_states([pid])} is the state of orphan {pid}", _alive([pid]) == 1, f"process {pid}:")


def crowd(sandbox: Sandbox, most: int) -> Acts:
    """One process more than may run, and they go on."""
    with _processes(sandbox, most + 1) as (pids, word):
        yield _many(pids, most, word)


def crowd_for_a_moment(sandbox: Sandbox, census: Census, most: int) -> Acts:
    """One process more than may run, all gone again after two glances."""
    with _processes(sandbox, most + 1) as (pids, word):
        witness = _many(pids, most, word)
        _wait_for_glances(census)
    yield witness


def crowd_of(sandbox: Sandbox, most: int, pattern: str) -> Acts:
    """One process of the kind more than may run, and they go on."""
    with _processes(sandbox, most + 1, pattern) as (pids, _):
        yield _many(pids, most, f"process {pids[-1]}:")


def crowd_of_for_a_moment(sandbox: Sandbox, census: Census, most: int, pattern: str) -> Acts:
    """One process of the kind more than may run, all gone again after two glances."""
    with _processes(sandbox, most + 1, pattern) as (pids, _):
        witness = _many(pids, most, f"process {pids[-1]}:")
        _wait_for_glances(census)
    yield witness


def run_such(sandbox: Sandbox, pattern: str) -> Acts:
    """A process of the kind that goes on."""
    with _processes(sandbox, 1, pattern) as (pids, _):
        yield _such(pids[0])


def run_such_for_a_moment(sandbox: Sandbox, census: Census, pattern: str) -> Acts:
    """A process of the kind that is gone again after two glances."""
    with _processes(sandbox, 1, pattern) as (pids, _):
        witness = _such(pids[0])
        _wait_for_glances(census)
    yield witness


def _print(
    processes: Processes, name: str, text: str, parts: Sequence[str], stream: str, trace: str = ""
) -> Acts:
    """A process that prints the parts, each by a write of its own, and goes on."""
    to = " >&2" if stream == "stderr" else ""
    script = f'for part do printf %s "$part"{to}; done; exec sleep {_LONG}'
    line = _shell(script, *parts)
    whole = "".join(parts)
    with processes.stand_in(name, line) as run:
        path = Path(getattr(run.output, stream))
        until(lambda: path.read_text(encoding="utf-8") == whole or None, _PATIENCE)
        printed = path.read_text(encoding="utf-8")
        effect = text in printed and bool(printed)
        yield Witness(f"its {stream} is {printed[:80]!r}", effect, trace or f"to {stream}")


@contextmanager
def _processes(sandbox: Sandbox, number: int, pattern: str = "") -> Iterator[tuple[list[int], str]]:
    """So many processes that wait until they are ended: their numbers, and a word on their command lines.

    Each is a shell without a word to say, under the name that it is given.
    """
    word = secrets.token_hex(8)
    arguments = [_like(pattern, word)] if pattern else ["sh", "-c", "read x", word]
    environment = sandbox.environment()
    with ExitStack() as undo:
        pids: list[int] = []
        for _ in range(number):
            process = subprocess.Popen(
                arguments,
                executable="/bin/sh",
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd=sandbox.root,
                start_new_session=True,
            )
            undo.enter_context(process)
            undo.callback(_end, os.pidfd_open(process.pid))
            pids.append(process.pid)
        # One that has just been started is not called by its name yet.
        until(lambda: all(map(_line, pids)) or None, _PATIENCE)
        yield pids, word


def _end(handle: int) -> None:
    """Kill a process, and wait until it is gone."""
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.poll(_PATIENCE * 1000)
    finally:
        os.close(handle)


def _wait_for_glances(census: Census) -> None:
    """Live for two more glances: the first of them may have begun before."""
    enough = census.glances + 2
    until(lambda: census.glances >= enough or None, _MOMENT)


def _many(pids: Sequence[int], most: int, trace: str) -> Witness:
    alive = _alive(pids)
    return Witness(f"{alive} processes are in states {_states(pids)}", alive > most, trace)


def _such(pid: int) -> Witness:
    line = _line(pid)
    return Witness(f'process {pid} is called "{line}"', bool(line) and _alive([pid]) == 1, f"process {pid}:")


def _line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").decode()


def _alive(pids: Sequence[int]) -> int:
    return sum(state in "RSD" for state in _states(pids))


def _states(pids: Sequence[int]) -> str:
    """As ps shows them: S for one that waits."""
    return "".join(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1] for pid in pids)


def _ended(pid: int, how: int, status: int, trace: str) -> Witness:
    """What the kernel says of its end, without taking it from anybody else."""
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert ended is not None
    told = f"waitid says {'exit' if ended.si_code == os.CLD_EXITED else 'signal'} {ended.si_status}"
    return Witness(told, (ended.si_code, ended.si_status) == (how, status), trace)


def _shell(script: str, *arguments: str) -> str:
    return shlex.join(["/bin/sh", "-c", script, "sh", *arguments])


def _halves(text: str) -> tuple[str, str]:
    middle = len(text) // 2
    return text[:middle], text[middle:]


def _line_like(pattern: str) -> str | None:
    found = matching(pattern)
    return None if found is None or "\n" in found else found


def _like(pattern: str, word: str) -> str:
    """A text like the pattern: the first `*` becomes a word, a choice in brackets its first sign."""
    made, rest, star = "", pattern, word
    while rest:
        sign, rest = rest[0], rest[1:]
        if sign == "*":
            made, star = made + star, ""
        elif sign == "?":
            made += "x"
        elif sign == "[" and "]" in rest[1:]:
            end = rest.index("]", 1)
            choice, rest = rest[:end], rest[end + 1 :]
            others = (one for one in "x0-" if one not in choice)
            made += next(others, "~") if choice.startswith("!") else choice[0]
        else:
            made += sign
    return made
