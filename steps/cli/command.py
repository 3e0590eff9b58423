"""Runs commands, one by one, in the background or several at once, and keeps all that they printed."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ...runner.evidence import Evidence
from ...runner.failure import StepFailed
from ...runner.pattern import seconds
from ...runner.programs import PATIENCE, Launch, Program, Programs, options, wait_for_all
from ...runner.programs.ending import Ending
from ...runner.programs.output import Output
from ...runner.sandbox import Sandbox
from ...runner.values import Rows
from ...runner.wait import is_only_asked

DEFAULT_LIMIT = 60.0


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
    output: Output

    @cached_property
    def stdout(self) -> str:
        return self.output.text("stdout")

    @cached_property
    def stderr(self) -> str:
        return self.output.text("stderr")

    @property
    def stdout_path(self) -> Path:
        return self.output.stdout

    @property
    def stderr_path(self) -> Path:
        return self.output.stderr

    def printed(self) -> str:
        """Both outputs, labelled, as a failure shows them."""
        return self.output.shown()

    @property
    def ending(self) -> str:
        return str(Ending(self.exit_code))


class Commands:
    """The commands of one scenario. `results` are those that were waited for, in the order of their ends."""

    def __init__(self, sandbox: Sandbox, evidence: Evidence) -> None:
        self._evidence = evidence
        self._programs = Programs(sandbox)
        self._background: Program | None = None
        self._together: list[Result] = []
        self._observed: set[Program] = set()
        self.results: list[Result] = []
        self.environment: dict[str, str] = {}
        self.limit = DEFAULT_LIMIT

    @property
    def started(self) -> Sequence[Program]:
        """All that was started until now."""
        return self._programs.started

    @property
    def last(self) -> Result:
        if not self.results:
            raise StepFailed("no command has been run: this step looks at the output of the last one")
        last = self.results[-1]
        if last in self._together:
            count = len(self._together)
            notes = ['say it of all: "all exit codes are 0", "exactly 1 of them exits with 0"']
            raise StepFailed(f"{count} commands ran at once: which of them is meant?", notes=notes)
        return last

    @property
    def together(self) -> Sequence[Result]:
        """The commands that ran at once the last time."""
        if not self._together:
            raise StepFailed("no commands have been run at once: this step compares those that were")
        return self._together

    @property
    def background(self) -> Program:
        """The command that was started in the background last."""
        if self._background is None:
            raise StepFailed("no command has been run in the background: this step waits for one that was")
        return self._background

    def run(self, line: str, how: Options) -> Result:
        """Run a command line, split as a shell would, but with no shell to expand it."""
        program = self._start(line, how)
        in_time = program.wait(how.limit) is not None
        [result] = self._results([program])
        ending = result.ending if in_time else f"not done after {how.limit:g} s, killed"
        self._evidence.attach(f"$ {line}    ({ending})", result.printed)
        if not in_time:
            raise StepFailed(f'"{line}" did not end within {how.limit:g} s')
        return result

    def start(self, line: str, how: Options) -> Program:
        """Run a command in the background."""
        program = self._background = self._start(line, how)
        self._evidence.attach(f"$ {line}    (in the background)", program.output.shown, line)
        return program

    def finish(self, limit: float) -> None:
        """Wait for the end of the command in the background, which is the last command from then on."""
        program = self.background
        if program.wait(limit) is None:
            message = f"{program.output.title} did not end within {limit:g} s"
            raise StepFailed(message, notes=program.output.notes())
        if is_only_asked():
            return
        known = [result for result in self.results if result.output == program.output]
        if known:
            self.results.remove(known[0])
            self.results += known
            return
        [result] = self._results([program])
        self._evidence.attach(f"$ {result.line}    ({result.ending})", result.printed, result.line)

    def run_at_once(self, lines: Sequence[str], how: Options) -> Sequence[Result]:
        """Run several commands that begin at the same moment, and wait for the end of all."""
        launches = [self._launch(line, how) for line in lines]
        programs = self._programs.start_at_once(launches, self._stem)
        wait_for_all(programs, how.limit)
        late = [program for program in programs if not program.has_ended]
        self._together = together = self._results(programs)
        endings = Counter(result.ending for result in together)
        told = ", ".join(f"{count} × {ending}" for ending, count in endings.items())
        self._evidence.attach(f"$ {len(lines)} commands at once    ({told})", lambda: _printed(together))
        if late:
            notes = [f"  {program.launch.line}" for program in late[:8]]
            message = f"{len(late)} of {len(programs)} commands did not end within {how.limit:g} s"
            raise StepFailed(message, notes=notes)
        return together

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is run in the block is no part of the scenario, and nothing of it is left afterwards.

        It is for those who show that a negative step can fail. What they run must not leave its process
        group.
        """
        before, results = len(self.started), [*self.results]
        background, together = self._background, self._together
        with self._evidence.aside():
            try:
                yield
            finally:
                mine = self.started[before:]
                self._programs.forget(mine)
                self._observed.difference_update(mine)
                self._background, self._together = background, together
                self.results[:] = results

    def close(self) -> None:
        """Kill what the commands left running, then let go of them."""
        for program in self.started:
            if program not in self._observed:
                self._observe(program, program.ending)
        self._programs.close()

    @property
    def _stem(self) -> str:
        """The beginning of the names of the next command's files."""
        return f"{len(self.started) + 1:02}"

    def _start(self, line: str, how: Options) -> Program:
        return self._programs.start(self._launch(line, how), f'"{line}"', self._stem)

    def _launch(self, line: str, how: Options) -> Launch:
        environment = {**self.environment, **how.environment}
        return Launch(line, how.directory, environment, how.stdin)

    def _results(self, programs: Sequence[Program]) -> list[Result]:
        """Of programs that had their time: one that still runs is killed."""
        results: list[Result] = []
        for program in programs:
            ending = program.ending
            self._observe(program, ending)
            if ending is None:
                program.kill_group()
                program.wait(PATIENCE)
                ending = Ending(-signal.SIGKILL)
            results.append(Result(program.launch.line, ending.code, program.seconds, program.output))
        self.results += results
        return results

    def _observe(self, program: Program, ending: Ending | None) -> None:
        self._observed.add(program)
        self._evidence.observe(
            "command",
            "unknown" if ending is None else ending.outcome,
            line=program.launch.line,
            exit_code=None if ending is None else ending.exit_code,
            ending="still running, killed" if ending is None else str(ending),
            seconds=round(program.seconds, 6),
        )


def labels(results: Sequence[Result]) -> list[str]:
    """How to tell commands apart that ran at once: copies of one by their number alone."""
    if len({result.line for result in results}) == 1:
        return [f"copy {number}" for number, _ in enumerate(results, 1)]
    return [f'{number}. "{result.line}"' for number, result in enumerate(results, 1)]


def _printed(results: Sequence[Result]) -> str:
    parts = [
        f"{label} ({result.ending})\n{result.output.shown(5)}"
        for label, result in zip(labels(results), results, strict=True)
    ]
    return "\n".join(parts)


def options_of(rows: Rows, limit: float) -> Options:
    """A table of options; without a word on it, the limit is the scenario's."""
    found, environment = options(rows, ("directory", "input", "limit"), "a command")
    if "limit" in found:
        limit = _limit(found["limit"])
    return Options(found.get("directory", "."), environment, found.get("input"), limit)


def _limit(text: str) -> float:
    try:
        return seconds(text)
    except ValueError as error:
        raise StepFailed(str(error)) from error
