"""The negative steps of this library."""

from __future__ import annotations

from typing import Any

from ...runner.define import never
from ...runner.never import Breach, Journal
from ...runner.programs.output import OutputWatch, Printed, line_printed, text_printed
from ...runner.programs.output import pattern as regular
from . import violations, watch
from .crowd import Census, Crowd, Inhabitant
from .manager import Processes
from .watch import End, EndWatch, LeftWatch, RunWatch, Started, Together, TogetherWatch

# A process that runs is one more, and may be like any pattern; one that goes on running is left.
_RUNS = ("process.too_many_run", "process.too_many_like_run", "process.such_process_runs")
_STAYS = (*_RUNS, "process.left_running", "process.left_running_but")
_PRINTS = (*_STAYS, "process.process_prints", "process.process_prints_line")


@never('process "{name}" never exits')
def process_exits(processes: Processes, name: str) -> EndWatch:
    """From the first When on the process does not end, however and by whomever; not even to be restarted."""
    return EndWatch(processes, name)


@process_exits.check
def no_exit(journal: Journal[End]) -> list[Breach]:
    return [end.ended.breach for end in journal.entries]


process_exits.violation("gross", implies=(*_RUNS, "process.process_exits_by_itself"))(violations.crash)
process_exits.violation("minimal", implies=_RUNS)(violations.end_when_told_to)


@never('process "{name}" never exits by itself')
def process_exits_by_itself(processes: Processes, name: str) -> EndWatch:
    """From the first When on the process ends only after the scenario asked for it.

    Asking is to stop or restart it, and a signal TERM, INT, QUIT or KILL. After any other signal it has to
    keep running.
    """
    return EndWatch(processes, name)


@process_exits_by_itself.check
def no_exit_by_itself(journal: Journal[End]) -> list[Breach]:
    return [end.ended.breach for end in journal.entries if not end.asked]


process_exits_by_itself.violation("gross", implies=(*_RUNS, "process.process_exits"))(
    violations.be_killed_by_others
)
process_exits_by_itself.violation("minimal", implies=(*_RUNS, "process.process_exits"))(
    violations.end_quietly
)


@never('process "{name}" never prints "{text}"')
def process_prints(processes: Processes, name: str, text: str) -> OutputWatch:
    """The process prints this text at no time from the first When on, before or after a restart."""
    return OutputWatch(text, "process", lambda: processes.runs(name), back=text.count("\n"))


@process_prints.check
def not_printed(journal: Journal[Printed]) -> list[Breach]:
    return text_printed(journal.subject, journal.entries)


process_prints.violation("gross", implies=_PRINTS)(violations.print_text)
process_prints.violation("minimal", implies=_PRINTS)(violations.print_text_in_two_parts_to_stderr)


@never('process "{name}" never prints a line that matches "{pattern}"')
def process_prints_line(processes: Processes, name: str, pattern: str) -> OutputWatch:
    """No line that the process prints from the first When on matches the regular expression, anywhere."""
    return OutputWatch(regular(pattern), "process", lambda: processes.runs(name))


@process_prints_line.check
def no_such_line(journal: Journal[Printed]) -> list[Breach]:
    return line_printed(journal.subject, journal.entries)


process_prints_line.violation("gross", implies=_PRINTS)(violations.print_line)
process_prints_line.violation("minimal", implies=_PRINTS)(violations.print_line_without_end_to_stderr)


@never("no process is left running")
def left_running(census: Census, processes: Processes, commands: Any) -> LeftWatch:
    """At the end of the scenario nothing runs any more of what it started.

    Commands in the background and processes by name count like all others, so the scenario has to stop them;
    so do their children, and daemons that left their parents behind. One that cleared its environment and
    prints elsewhere is not found. The end is when nothing has stirred for a while: see `@window:…`.
    """
    return LeftWatch(census, processes, _started(processes, commands), ())


@left_running.check
def none_left(journal: Journal[Crowd]) -> list[Breach]:
    return watch.left_running(journal.entries)


left_running.violation("gross", implies=(*_RUNS, "process.left_running_but"))(violations.leave_process)
left_running.violation("minimal", implies=(*_RUNS, "process.left_running_but"))(violations.leave_orphan)


@never('no process but "{names}" is left running')
def left_running_but(census: Census, processes: Processes, commands: Any, names: str) -> LeftWatch:
    """The same, except for processes that are meant to go on: names, with commas between them.

    A child of one of them may run for as long as that one does itself.
    """
    listed = [name.strip() for name in names.split(",")]
    return LeftWatch(census, processes, _started(processes, commands), listed)


left_running_but.check(none_left)
left_running_but.violation("gross", implies=(*_RUNS, "process.left_running"))(violations.leave_process)
left_running_but.violation("minimal", implies=(*_RUNS, "process.left_running"))(violations.leave_orphan)


@never("never more than {most:int} processes run at once")
def too_many_run(census: Census, processes: Processes, commands: Any, most: int) -> TogetherWatch:
    """At no moment from the first When on do more processes run than this, children and daemons included.

    All count that the scenario's programs start, also those that a Given left running. They are counted every
    2 ms, less often where there are dozens: that more ran at once for a shorter time may be missed.
    """
    return TogetherWatch(census, _started(processes, commands), most)


@too_many_run.check
def not_too_many(journal: Journal[Together]) -> list[Breach]:
    return watch.too_many(journal.entries)


too_many_run.violation("gross", implies=_STAYS)(violations.crowd)
too_many_run.violation("minimal", implies=_RUNS)(violations.crowd_for_a_moment)


@never('never more than {most:int} processes like "{pattern}" run at once')
def too_many_like_run(
    census: Census, processes: Processes, commands: Any, most: int, pattern: str
) -> TogetherWatch:
    """The same for processes like a pattern, which is held against names and command lines as below.

    A process that was just forked and still bears its parent's command line counts if it keeps it for 50 ms.
    """
    return TogetherWatch(census, _started(processes, commands), most, pattern)


too_many_like_run.check(not_too_many)
too_many_like_run.violation("gross", implies=_STAYS)(violations.crowd_of)
too_many_like_run.violation("minimal", implies=_RUNS)(violations.crowd_of_for_a_moment)


@never('no process like "{pattern}" ever runs')
def such_process_runs(census: Census, processes: Processes, commands: Any, pattern: str) -> RunWatch:
    """At no moment from the first When on does a process of the scenario run whose program or command line
    is like the pattern: `curl`, `git push*`, `*--force*`.

    `*` stands for anything, and the folder of the program may be left out. What the scenario itself starts is
    always seen. Other processes are looked for every 2 ms, less often where there are dozens: one that lives
    for less than about 5 ms may be missed.
    """
    return RunWatch(census, _started(processes, commands), pattern)


@such_process_runs.check
def none_such(journal: Journal[Inhabitant]) -> list[Breach]:
    return watch.such_run(journal.subject, journal.entries)


such_process_runs.violation("gross", implies=_STAYS)(violations.run_such)
such_process_runs.violation("minimal", implies=_RUNS)(violations.run_such_for_a_moment)


def _started(processes: Processes, commands: Any) -> Started:
    """All programs that the scenario has started until now."""
    return lambda: [*commands.started, *processes.programs]
