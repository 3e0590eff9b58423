"""Watches how commands end, and how long they run."""

from __future__ import annotations

import os
import select
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Thread
from time import monotonic

from ...runner.never import Breach, Watch
from ...runner.programs import Program, proc
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


@dataclass(frozen=True)
class Took:
    """How long a command ran, or has run so far. `number` tells it from others of the same line."""

    number: int
    title: str
    seconds: float
    has_ended: bool

    def breach(self, limit: float) -> Breach:
        told = f"took {self.seconds:.3f} s" if self.has_ended else f"still ran after {self.seconds:.3f} s"
        return Breach(f"{self.title} {told}, longer than {limit:g} s")


class TimeWatch(Watch[Took]):
    """How long every command runs that is started while the watch is armed.

    One that is held still by a signal is judged when it goes on or has ended.
    """

    def __init__(self, commands: Commands, limit: float) -> None:
        super().__init__(f"{limit}")
        self._commands, self._limit = commands, limit
        self._before = {*commands.started}
        self._told: dict[Program, bool] = {}
        self._vigil = Vigil()

    def look(self) -> None:
        programs = [one for one in self._commands.started if one not in self._before]
        self.inspected["command"] = len(programs)
        for number, program in enumerate(programs):
            if not self._told.get(program):
                self._look_at(number, program)

    def _look_at(self, number: int, program: Program) -> None:
        has_ended = not program.is_running
        seconds = (self._vigil.end_of(program) if has_ended else monotonic()) - program.began
        if not has_ended:
            self._vigil.keep(program)
            if program in self._told or seconds <= self._limit or proc.is_held(program.process):
                return
        self._told[program] = has_ended
        self.record(Took(number, program.output.title, seconds, has_ended))

    def close(self) -> None:
        self._vigil.close()


class Vigil:
    """Waits for the ends of programs, so that each is known by its time and not by when somebody looked."""

    def __init__(self) -> None:
        self._ends: dict[Program, float] = {}
        self._kept: dict[int, Program] = {}
        self._known: set[Program] = set()
        self._poll: select.epoll | None = None
        self._thread = Thread(target=self._wait, name="goalkeeper-vigil", daemon=True)
        self._wake = -1

    def keep(self, program: Program) -> None:
        """From now on the end of a program that still ran just now is waited for."""
        if program in self._known:
            return
        self._known.add(program)
        if self._poll is None:
            self._wake, self._poll = os.eventfd(0), select.epoll()
            self._poll.register(self._wake, select.EPOLLIN)
            self._thread.start()
        # A handle of our own: the program lets go of its own when somebody sees its end.
        handle = os.pidfd_open(program.process.pid)
        self._kept[handle] = program
        self._poll.register(handle, select.EPOLLIN)

    def end_of(self, program: Program) -> float:
        """When a program ended that has; without a vigil, when that was seen first."""
        seen = program.began + program.seconds
        return min(seen, self._ends.get(program, seen))

    def close(self) -> None:
        if self._poll is not None:
            os.eventfd_write(self._wake, 1)
            self._thread.join()
            self._poll.close()
            _close([self._wake, *self._kept])
            self._kept.clear()
            self._poll = None

    def _wait(self) -> None:
        assert self._poll is not None
        while True:
            ready = self._poll.poll()
            now = monotonic()
            for handle, _ in ready:
                if handle == self._wake:
                    return
                self._poll.unregister(handle)
                self._ends[self._kept.pop(handle)] = now
                os.close(handle)


def _close(handles: Iterable[int]) -> None:
    for handle in handles:
        os.close(handle)


def too_long(limit: float, entries: Iterable[Took]) -> list[Breach]:
    """A breach for each command, by what was seen of it last."""
    last = {one.number: one for one in entries}
    return [one.breach(limit) for one in last.values() if one.seconds > limit]
