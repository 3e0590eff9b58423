"""Runs one program and keeps all that it printed."""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import monotonic

from ...runner.evidence import Evidence, shorten
from ...runner.failure import StepFailed
from ...runner.sandbox import Sandbox

DEFAULT_LIMIT = 60.0
_LONGEST_POLL = 2**31 - 1
_SIGNALS = {int(known) for known in signal.Signals}


@dataclass(frozen=True)
class Options:
    """How a command is run. `directory` is relative to the sandbox's working directory."""

    directory: str = "."
    environment: Mapping[str, str] = field(default_factory=dict)
    stdin: str | None = None
    limit: float = DEFAULT_LIMIT


@dataclass(frozen=True)
class Result:
    """A command that has ended. Its output is on disk and read when asked for."""

    line: str
    exit_code: int
    seconds: float
    stdout_path: Path
    stderr_path: Path

    @cached_property
    def stdout(self) -> str:
        return self._read(self.stdout_path)

    @cached_property
    def stderr(self) -> str:
        return self._read(self.stderr_path)

    @property
    def size(self) -> int:
        """Bytes printed until now: a child left in the background may still add to them."""
        return self.stdout_path.stat().st_size + self.stderr_path.stat().st_size

    def _read(self, path: Path) -> str:
        """As it was printed, carriage returns included."""
        try:
            return path.read_bytes().decode("utf-8", errors="replace")
        except OSError as error:
            raise StepFailed(f'what "{self.line}" printed can\'t be read: {error.strerror}') from error

    def printed(self) -> str:
        """Both outputs, labelled, as a failure shows them."""
        parts = [
            f"{label}:\n{shorten(text, 30).rstrip()}"
            for label, text in (("stdout", self.stdout), ("stderr", self.stderr))
            if text
        ]
        return "\n".join(parts) or "it printed nothing"

    @property
    def ending(self) -> str:
        if self.exit_code >= 0:
            return f"exit code {self.exit_code}"
        number = -self.exit_code
        return f"killed by {signal.Signals(number).name if number in _SIGNALS else f'signal {number}'}"


class Commands:
    """The commands of one scenario, in the order they ran.

    Output goes to files, not pipes, so that a child which outlives its parent can't keep us waiting. A
    program that has ended is not reaped before the scenario ends: that keeps its process group's number from
    being given to anyone else, so the group, background children included, can be killed without hitting a
    stranger.
    """

    def __init__(self, sandbox: Sandbox, evidence: Evidence) -> None:
        self._sandbox = sandbox
        self._evidence = evidence
        self._started: list[subprocess.Popen[bytes]] = []
        self.results: list[Result] = []
        self.environment: dict[str, str] = {}
        self.limit = DEFAULT_LIMIT

    @property
    def last(self) -> Result:
        if not self.results:
            raise StepFailed("no command has been run: this step looks at the output of the last one")
        return self.results[-1]

    def run(self, line: str, options: Options) -> Result:
        """Run a command line, split as a shell would, but with no shell to expand it."""
        arguments = _split(line)
        directory = self._sandbox.path(options.directory)
        if not directory.is_dir():
            raise StepFailed(f'there is no directory "{options.directory}" to run in')
        number = len(self._started) + 1
        paths = [self._sandbox.files / f"{number:02}.{name}" for name in ("stdout", "stderr")]
        stdin = self._sandbox.files / f"{number:02}.stdin"
        stdin.write_text(options.stdin or "", encoding="utf-8")
        begun = monotonic()
        with stdin.open("rb") as source, paths[0].open("wb") as out, paths[1].open("wb") as err:
            try:
                process = subprocess.Popen(
                    arguments,
                    cwd=directory,
                    env={**self._sandbox.environment(), **self.environment, **options.environment},
                    stdin=source,
                    stdout=out,
                    stderr=err,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                raise StepFailed(_not_started(arguments[0], directory, error)) from error
        self._started.append(process)
        code = _wait(process, options.limit)
        result = Result(line, code if code is not None else -signal.SIGKILL, monotonic() - begun, *paths)
        self.results.append(result)
        ending = result.ending if code is not None else f"not done after {options.limit:g} s, killed"
        self._evidence.attach(f"$ {line}    ({ending})", result.printed)
        if code is None:
            raise StepFailed(f'"{line}" did not end within {options.limit:g} s')
        return result

    def close(self) -> None:
        """Kill what the commands left running in their process groups, then let go of them."""
        while self._started:
            process = self._started.pop()
            _kill_group(process)
            process.wait()


def _split(line: str) -> list[str]:
    try:
        arguments = shlex.split(line)
    except ValueError as error:
        raise StepFailed(f"this command line can't be split: {error}", notes=[f"  {line}"]) from error
    if not arguments:
        raise StepFailed("there is no command to run")
    return arguments


def _not_started(program: str, directory: Path, error: OSError | ValueError) -> str:
    if not isinstance(error, FileNotFoundError):
        return f'"{program}" can\'t be started: {getattr(error, "strerror", error)}'
    if "/" in program and (directory / program).exists():
        return f'"{program}" can\'t be started: the interpreter in its #! line does not exist'
    return f'there is no program "{program}": is it installed, and on the PATH?'


def _wait(process: subprocess.Popen[bytes], limit: float) -> int | None:
    """The exit code as subprocess gives it, without reaping; None where the limit passed: all killed."""
    handle = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        in_time = bool(poll.poll(min(limit * 1000, _LONGEST_POLL)))
        if not in_time:
            _kill_group(process)
            poll.poll()
        ended = os.waitid(os.P_PIDFD, handle, os.WEXITED | os.WNOWAIT)
    finally:
        os.close(handle)
    if not in_time or ended is None:
        return None
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
