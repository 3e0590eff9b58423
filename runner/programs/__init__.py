"""Programs that a scenario starts: with their output in files, signalled and waited for by handle.

A program that has ended is not reaped before the scenario ends. That keeps its number, and so the number of
its process group and session, from being given to anyone else: neither a signal nor a look at its descendants
can hit a stranger.
"""

from __future__ import annotations

import errno
import os
import secrets
import select
import shlex
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from .. import values
from ..failure import StepFailed
from ..sandbox import Sandbox
from ..values import Rows
from ..wait import allowed, until
from . import proc
from .ending import Ending
from .gate import Gate
from .output import STREAMS, Output
from .proc import Listener, Process, Status

MARK = "GOALKEEPER_PROGRAM"
_LONGEST_POLL = 2**31 - 1
# How long a killed program may take to be gone; one of another user can't be killed at all.
PATIENCE = 10.0


@dataclass(frozen=True)
class Launch:
    """What to start, and how. `directory` is relative to the sandbox's working directory."""

    line: str
    directory: str = "."
    environment: Mapping[str, str] = field(default_factory=dict)
    stdin: str | None = None


class Program:
    """A program that was started. `began` is when by the monotonic clock, `born_ns` by the clock of files."""

    def __init__(
        self,
        launch: Launch,
        directory: Path,
        output: Output,
        process: subprocess.Popen[bytes],
        mark: str,
        born_ns: int,
    ) -> None:
        self.launch = launch
        self.directory = directory
        self.output = output
        self.began = monotonic()
        self.born_ns = born_ns
        self.sign = mark
        self._popen = process
        self._handle = os.pidfd_open(process.pid)
        status = proc.status(process.pid)
        assert status is not None, "it is not reaped, so it is in the table"
        self.process = status.process
        self.known: set[Process] = {status.process}
        self._ending: Ending | None = None
        self._ended: float | None = None

    @property
    def ending(self) -> Ending | None:
        """How it ended, or None while it runs."""
        return self.wait(0)

    @property
    def is_running(self) -> bool:
        return self.ending is None

    @property
    def seconds(self) -> float:
        """How long it ran until its end was seen, or until now."""
        return (self._ended or monotonic()) - self.began

    def date_back(self, seconds: float) -> None:
        """Let it count as started so much earlier: to show what a long run looks like without waiting."""
        self.began -= seconds

    def wait(self, limit: float) -> Ending | None:
        """How it ends within so many seconds; it is not reaped."""
        wait_for_all([self], limit)
        return self._ending

    def fileno(self) -> int:
        """The handle, which can be read from when the program has ended."""
        return self._handle

    @property
    def has_ended(self) -> bool:
        """Whether its end was seen already, without a look."""
        return self._ending is not None

    def take_ending(self) -> None:
        """See that it has ended, or wait until it has."""
        ended = os.waitid(os.P_PIDFD, self._handle, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        status = ended.si_status
        self._ending = Ending(status if ended.si_code == os.CLD_EXITED else -status)
        self._ended = monotonic()
        os.close(self._handle)  # its number stays taken until it is reaped, and handles are few

    def send(self, number: int) -> bool:
        """Send a signal to the program alone; whether it was running and so could get it."""
        if not self.is_running:
            return False
        signal.pidfd_send_signal(self._handle, number)
        if number == signal.SIGSTOP:
            until(self._has_stopped, PATIENCE)
        return True

    def send_all(self, number: int) -> int:
        """Send a signal to the program and all its descendants; to how many."""
        return sum(proc.send(one.process, number) for one in self.family())

    def _has_stopped(self) -> bool | None:
        """A signal is sent before it is felt: whoever freezes a program counts on it being frozen."""
        stopped = os.waitid(os.P_PIDFD, self._handle, os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return True if stopped is not None else None

    def family(self) -> list[Status]:
        """The program and all its descendants that are alive; those met before are not lost sight of."""
        found = proc.family(self.known, MARK, frozenset([self.sign]))
        self.known.update(one.process for one in found)
        return found

    def children(self) -> list[Status]:
        """All descendants that are alive."""
        return [one for one in self.family() if one.process != self.process]

    def listeners(self) -> list[Listener]:
        """Where the program or a descendant takes connections."""
        return proc.listeners(one.process for one in self.family())

    def kill_group(self) -> None:
        """Kill its process group, whose number is taken as long as the program is not reaped."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return

    def reap(self) -> None:
        """Let go of it once it has ended, if it ends at all."""
        if self.wait(PATIENCE) is not None:
            self._popen.wait()


class Programs:
    """The programs that a part of a scenario started, in this order. Output is in files, not in pipes, so
    that a child which outlives its parent keeps nobody waiting.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._gates: list[Gate] = []
        self.started: list[Program] = []

    def start(self, launch: Launch, title: str, stem: str) -> Program:
        """Start a program in a session of its own; the files of its output are named after the stem."""
        return self._start(launch, split(launch.line), title, stem)

    def start_at_once(self, launches: Sequence[Launch], stem: str) -> list[Program]:
        """Start several that begin together: each waits in a shell until all are there, and then is one."""
        lines = [split(launch.line) for launch in launches]
        for launch, arguments in zip(launches, lines, strict=True):
            self._must_be_there(launch, arguments[0])
        gate = Gate(self._sandbox.files / f"{stem}.gate")
        self._gates.append(gate)
        programs = [
            self._start(launch, gate.before(arguments), f'"{launch.line}"', f"{stem}.{number}")
            for number, (launch, arguments) in enumerate(zip(launches, lines, strict=True), 1)
        ]
        gate.open(len(programs))
        for program in programs:
            program.began = monotonic()
        return programs

    def close(self) -> None:
        """End all of it, also descendants that have left their process groups. Then let go."""
        for program in self.started:
            program.kill_group()
        marks = frozenset(program.sign for program in self.started)
        leaders = {process for program in self.started for process in program.known}

        def none_left() -> bool | None:
            alive = proc.family(leaders, MARK, marks)
            return None if [one for one in alive if proc.send(one.process, signal.SIGKILL)] else True

        if self.started:
            until(none_left, PATIENCE)
        while self.started:
            self.started.pop().reap()
        while self._gates:
            self._gates.pop().close()

    def forget(self, programs: Sequence[Program]) -> None:
        """End some of them, as far as they are in their process groups, and let nothing of them be left.

        Their output is removed as well.
        """
        for program in programs:
            program.kill_group()
        for program in programs:
            program.reap()
            self.started.remove(program)
            for stream in STREAMS:
                path = program.output.path(stream)
                path.unlink(missing_ok=True)
                path.with_suffix(".stdin").unlink(missing_ok=True)

    def _start(self, launch: Launch, arguments: Sequence[str], title: str, stem: str) -> Program:
        directory, environment = self._directory(launch), self._environment(launch)
        mark = secrets.token_hex(8)
        environment[MARK] = ":".join(filter(None, [os.environ.get(MARK), mark]))
        self._sandbox.files.mkdir(parents=True, exist_ok=True)  # a command may have removed it
        stdin, *paths = (self._sandbox.files / f"{stem}.{name}" for name in ("stdin", *STREAMS))
        try:
            stdin.write_text(launch.stdin or "", encoding="utf-8")
            born_ns = stdin.stat().st_ctime_ns
            # Appending: a program that opens /dev/stdout once more does not write over what stands there.
            with stdin.open("rb") as source, paths[0].open("ab") as out, paths[1].open("ab") as err:
                process = subprocess.Popen(
                    arguments,
                    cwd=directory,
                    env=environment,
                    stdin=source,
                    stdout=out,
                    stderr=err,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            raise StepFailed(_not_started(arguments[0], directory, error)) from error
        program = Program(launch, directory, Output(title, *paths), process, mark, born_ns)
        self.started.append(program)
        return program

    def _directory(self, launch: Launch) -> Path:
        directory = self._sandbox.path(launch.directory)
        if not directory.is_dir():
            raise StepFailed(f'there is no directory "{launch.directory}" to run in')
        return directory

    def _environment(self, launch: Launch) -> dict[str, str]:
        return {**self._sandbox.environment(), **launch.environment}

    def _must_be_there(self, launch: Launch, program: str) -> None:
        """A shell in between would turn a program that is missing into an exit code."""
        directory, path = self._directory(launch), self._environment(launch).get("PATH")
        found = shutil.which(str(directory / program) if "/" in program else program, path=path)
        if found is None:
            is_there = "/" in program and (directory / program).exists()
            error = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            raise StepFailed(_not_started(program, directory, error if is_there else FileNotFoundError()))


def wait_for_all(programs: Iterable[Program], limit: float) -> None:
    """Take the endings of programs as they come, until all have ended or the time is up."""
    poll, running = select.poll(), {}
    for program in programs:
        if not program.has_ended:
            running[program.fileno()] = program
            poll.register(program, select.POLLIN)
    end = monotonic() + allowed(limit)
    while running:
        ready = poll.poll(min(max(0.0, end - monotonic()) * 1000, _LONGEST_POLL))
        for handle, _ in ready:
            poll.unregister(handle)
            running.pop(handle).take_ending()
        if not ready:
            return


def split(line: str) -> list[str]:
    """A command line as a shell would split it; nothing is expanded."""
    try:
        arguments = shlex.split(line)
    except ValueError as error:
        raise StepFailed(f"this command line can't be split: {error}", notes=[f"  {line}"]) from error
    if not arguments:
        raise StepFailed("there is no command to run")
    return arguments


def options(rows: Rows, known: Sequence[str], what: str) -> tuple[dict[str, str], dict[str, str]]:
    """A table of options for `what`, and the variables among them, which are called env.NAME."""
    return values.options(rows, known, what, "env.")


def free_port() -> int:
    """A TCP port that nobody uses. It is not held: take it soon."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _not_started(program: str, directory: Path, error: OSError | ValueError) -> str:
    if not isinstance(error, FileNotFoundError):
        return f'"{program}" can\'t be started: {getattr(error, "strerror", error)}'
    if "/" in program and (directory / program).exists():
        return f'"{program}" can\'t be started: the interpreter in its #! line does not exist'
    return f'there is no program "{program}": is it installed, and on the PATH?'
