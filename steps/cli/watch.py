"""Watches how commands end."""

from __future__ import annotations

from ...runner.never import Watch
from ...runner.programs import Program
from ...runner.programs.ending import Ended
from .command import Commands


class EndingWatch(Watch[Ended]):
    """How every command ends that runs while the watch is armed."""

    def __init__(self, subject: str, commands: Commands) -> None:
        super().__init__(subject)
        self._commands = commands
        self._before = {program for program in commands.started if not program.is_running}
        self._ended: set[Program] = set()

    def look(self) -> None:
        programs = [one for one in self._commands.started if one not in self._before]
        self.inspected["command"] = len(programs)
        for program in programs:
            ending = program.ending
            if ending is not None and program not in self._ended:
                self._ended.add(program)
                self.record(Ended(program.output.title, ending, program.output.shown(5)))
