"""Watches whether a process ends."""

from __future__ import annotations

from dataclasses import dataclass

from ...runner.never import Watch
from ...runner.programs.ending import Ended
from .manager import Processes, Run


@dataclass(frozen=True)
class End:
    """An end of a process, and whether the scenario had asked for it."""

    ended: Ended
    asked: bool


class EndWatch(Watch[End]):
    """Every end of a process while it is armed; one that was started again since is seen too."""

    def __init__(self, processes: Processes, name: str) -> None:
        super().__init__(f'process "{name}"')
        self._processes, self._name = processes, name
        self._seen = {run for run in processes.runs(name) if not run.is_running}

    def look(self) -> None:
        runs = [run for run in self._processes.runs(self._name) if run not in self._seen]
        if runs:
            self.count("moment")
        for run in runs:
            if run.ending is not None:
                self._note(run)

    def _note(self, run: Run) -> None:
        self._seen.add(run)
        assert run.ending is not None
        self.record(End(Ended(run.title, run.ending, run.output.shown(10)), run.asked))
