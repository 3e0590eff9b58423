"""The processes of a scenario by name, each with all the times it was started."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ...runner.evidence import Evidence
from ...runner.failure import StepFailed
from ...runner.problem import did_you_mean
from ...runner.programs import Launch, Program, Programs
from ...runner.programs.ending import Ending, signal_name
from ...runner.programs.output import Output
from ...runner.sandbox import Sandbox
from ...runner.wait import is_only_asked

# How long a process may take to end before it is started again.
GRACE = 10.0
_STOPS = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGKILL}


@dataclass(eq=False)
class Run:
    """A process from one start to its end.

    `asked` says that the scenario wanted it to end, `since` how much it had printed before its last signal.
    """

    name: str
    program: Program
    asked: bool = False
    since: tuple[int, ...] | None = None
    noted: bool = False

    @property
    def output(self) -> Output:
        return self.program.output

    @property
    def ending(self) -> Ending | None:
        return self.program.ending

    @property
    def is_running(self) -> bool:
        return self.program.is_running

    @property
    def title(self) -> str:
        return self.program.output.title


class Processes:
    """Started, found, signalled and started again by name."""

    def __init__(self, sandbox: Sandbox, evidence: Evidence, environment: Mapping[str, str]) -> None:
        self._programs = Programs(sandbox)
        self._evidence = evidence
        self._environment = environment
        self._runs: dict[str, list[Run]] = {}

    def start(self, name: str, launch: Launch) -> None:
        """Start a process; a name is free again once its process has ended."""
        runs = self.runs(name)
        if runs and runs[-1].is_running:
            notes = [f"  {runs[-1].program.launch.line}", 'stop it first, or write: I restart process "…"']
            raise StepFailed(f'process "{name}" is running already', notes=notes)
        self._start(name, replace(launch, environment={**self._environment, **launch.environment}))

    def restart(self, name: str) -> None:
        """End a process if it still runs, and start it as it was started before."""
        run = self.find(name)
        self.stop(run, GRACE)
        self._start(name, run.program.launch)

    @contextmanager
    def stand_in(self, name: str, line: str) -> Iterator[Run]:
        """While the block runs, another program under a name that may be taken; then nothing of it is left.

        It is for those who show that a negative step can fail, and is no part of the scenario.
        """
        self.note_ends()
        with self._evidence.aside():
            run = self._start(name, Launch(line))
            try:
                yield run
            finally:
                self._programs.forget([run.program])
                self._runs[name].remove(run)
                if not self._runs[name]:
                    del self._runs[name]

    def stop(self, run: Run, limit: float) -> None:
        """Ask a process to end, which it must do in time."""
        if run.is_running:
            self.send(run, signal.SIGTERM)
        if run.program.wait(limit) is None:
            message = f"{run.title} did not end within {limit:g} s of SIGTERM"
            raise StepFailed(message, notes=run.output.notes())
        self.note_ends()

    def find(self, name: str) -> Run:
        """The process as it was started last."""
        runs = self.runs(name)
        if not runs:
            known = ", ".join(f'"{one}"' for one in self._runs) or "none"
            message = f'no process "{name}" was started.{did_you_mean(name, self._runs)}'
            raise StepFailed(message, notes=[f"  started: {known}"])
        return runs[-1]

    def running(self, name: str) -> Run:
        """The process, which must be running."""
        run = self.find(name)
        if not run.is_running:
            raise self.ended(run, "is not running")
        return run

    def runs(self, name: str) -> Sequence[Run]:
        """Each time that the process was started, as far as it was."""
        self.note_ends()
        return self._runs.get(name, [])

    def send(self, run: Run, number: int, *, everyone: bool = False) -> None:
        """Send a signal to the process, or to it and all its descendants."""
        name, since = signal_name(number), run.output.sizes
        got = run.program.send_all(number) if everyone else int(run.program.send(number))
        if not got:
            raise self.ended(run, f"could not be sent {name}")
        run.since = since
        run.asked = run.asked or number in _STOPS
        self._evidence.observe("process", "ok", event="signal", name=run.name, signal=name, processes=got)
        self._evidence.attach(f"{run.title}    (sent {name})", run.output.shown, run.title)

    def ended(self, run: Run, what: str) -> StepFailed:
        """The failure of a step for which a process should have been running."""
        left = len(run.program.children())
        children = [f"  {left} of its children still running"] if left else []
        return StepFailed(f"{run.title} {what}: {run.ending}", notes=[*children, *run.output.notes()])

    def note_ends(self) -> None:
        """Put on record what has ended since the last time."""
        if is_only_asked():
            return
        for run in self._all():
            ending = run.ending
            if ending is not None and not run.noted:
                self._observe_end(run, ending)
                self._evidence.attach(f"{run.title}    ({ending})", run.output.shown, run.title)

    @property
    def programs(self) -> Sequence[Program]:
        """All that was started, whatever its name."""
        return self._programs.started

    def close(self) -> None:
        """End all of them, and let go."""
        for run in self._all():
            if not run.noted:
                self._observe_end(run, run.ending)
        self._programs.close()

    def _all(self) -> list[Run]:
        return [run for runs in self._runs.values() for run in runs]

    def _start(self, name: str, launch: Launch) -> Run:
        word = re.sub(r"[^\w.-]+", "_", name)[:40]
        stem = f"process-{len(self._programs.started) + 1:02}-{word}"
        program = self._programs.start(launch, f'process "{name}"', stem)
        run = Run(name, program)
        self._runs.setdefault(name, []).append(run)
        pid = program.process.pid
        self._evidence.observe("process", "ok", event="start", name=name, line=launch.line, pid=pid)
        title = f'process "{name}": {launch.line}    (started)'
        self._evidence.attach(title, program.output.shown, run.title)
        return run

    def _observe_end(self, run: Run, ending: Ending | None) -> None:
        run.noted = True
        self._evidence.observe(
            "process",
            "unknown" if ending is None else ending.outcome,
            event="exit",
            name=run.name,
            exit_code=None if ending is None else ending.exit_code,
            ending="still running, killed" if ending is None else str(ending),
            seconds=round(run.program.seconds, 6),
        )
