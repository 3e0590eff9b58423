"""Watches whether a process ends, and who runs at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...runner.never import Breach, Watch
from ...runner.never.marks import Mark
from ...runner.programs import Program, split
from ...runner.programs.ending import Ended
from ...runner.programs.proc import Process
from .crowd import Census, Crowd, Inhabitant
from .manager import Processes, Run

_SHOWN = 8
Started = Callable[[], Iterable[Program]]


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


class LeftWatch(Watch[Crowd]):
    """Who is alive; the last entry tells who is at the end.

    The processes of some names may be, with all that descends from them for as long as they run themselves.
    """

    def __init__(self, census: Census, processes: Processes, started: Started, names: Iterable[str]) -> None:
        super().__init__("the processes")
        self._census, self._processes, self._started = census, processes, started
        self._names = tuple(names)

    def look(self) -> None:
        self.inspected["program"] = sum(1 for _ in self._started())
        left = self._left()
        if left != (self.entries[-1] if self.entries else ()):
            self.record(left)

    def _left(self) -> Crowd:
        runs = [run for name in self._names for run in self._processes.runs(name) if run.is_running]
        own = {run.program.process for run in runs}
        left = tuple(one for one in self._census.glance() if one.process not in own)
        if left and runs:
            own = {status.process for run in runs for status in run.program.family()}
            left = tuple(one for one in left if one.process not in own)
        return left


class Reading:
    """Reads on in a census, from where it stood at arming."""

    def __init__(self, census: Census) -> None:
        self._census = census
        census.follow()
        self._next = len(census.crowds) - 1

    def more(self) -> list[Crowd]:
        self._census.glance()
        crowds = self._census.crowds[self._next :]
        self._next += len(crowds)
        return crowds

    def mark(self) -> Mark:
        """What was seen since is not seen again: a census does not forget."""
        return self._skip

    def _skip(self) -> None:
        self._next = len(self._census.crowds)


@dataclass(frozen=True)
class Together:
    """The processes that were alive at one moment, and how many may be."""

    most: int
    processes: Crowd

    @property
    def breach(self) -> Breach:
        told = [str(one) for one in reversed(self.processes[-_SHOWN:])]
        more = len(self.processes) - len(told)
        told += [f"and {more} more"] if more else []
        message = f"{len(self.processes)} processes ran at once, more than {self.most}"
        return Breach(message, "\n".join(told))


class TogetherWatch(Watch[Together]):
    """The most processes that are alive at once, all or those like a pattern."""

    def __init__(self, census: Census, started: Started, most: int, pattern: str = "*") -> None:
        super().__init__(f"processes like {pattern}")
        self._crowds = Reading(census)
        self._started, self._most, self._pattern = started, most, pattern
        self._before = {program.process for program in started()}
        self._seen: set[Process] = set()
        self._peak = 0

    def look(self) -> None:
        for crowd in self._crowds.more():
            self._seen.update(one.process for one in crowd)
            those = tuple(one for one in crowd if one.is_like(self._pattern))
            if len(those) > self._peak or (len(those) == self._peak and self._is_vague):
                self._peak = len(those)
                self.record(Together(self._most, those))
        started = {program.process for program in self._started()} - self._before
        self.inspected["process"] = len(self._seen | started)

    @property
    def _is_vague(self) -> bool:
        """Whether one of the most had no command line yet when they were seen."""
        return bool(self.entries) and not all(one.line for one in self.entries[-1].processes)


def too_many(entries: Iterable[Together]) -> list[Breach]:
    """A breach where there were more than may be, at the moment when there were most."""
    return [one.breach for one in [*entries][-1:] if len(one.processes) > one.most]


class RunWatch(Watch[Inhabitant]):
    """Every process that is alive, by each command line that it has meanwhile.

    A program that the scenario itself starts is known, however short it lives.
    """

    def __init__(self, census: Census, started: Started, pattern: str) -> None:
        super().__init__(pattern)
        self._crowds = Reading(census)
        self._started = started
        self._programs = {*started()}
        self._known: set[Inhabitant] = set()

    def look(self) -> None:
        seen = [one for crowd in self._crowds.more() for one in crowd]
        programs = [program for program in self._started() if program not in self._programs]
        self._programs.update(programs)
        for one in [*map(_inhabitant, programs), *seen]:
            if one not in self._known:
                self._known.add(one)
                self.record(one)
        self.inspected["process"] = len({one.process for one in self._known})


def _inhabitant(program: Program) -> Inhabitant:
    arguments = split(program.launch.line)
    return Inhabitant(program.process, arguments[0].rpartition("/")[2], " ".join(arguments))


def such_run(pattern: str, entries: Iterable[Inhabitant]) -> list[Breach]:
    """A breach for each process that was like the pattern once."""
    found = {one.process: Breach(f"{one} ran") for one in entries if one.is_like(pattern)}
    return [*found.values()]


def left_running(entries: Iterable[Crowd]) -> list[Breach]:
    """A breach for each process that is alive at the end."""
    return [Breach(f"{one} is left running") for crowd in [*entries][-1:] for one in crowd]
