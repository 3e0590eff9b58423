"""The negative steps of this library."""

from __future__ import annotations

from ...runner.define import never
from ...runner.never import Breach, Journal
from ...runner.programs.ending import Ended
from ...runner.programs.output import (
    OutputWatch,
    Printed,
    Stream,
    anything_printed,
    line_printed,
    text_printed,
)
from ...runner.programs.output import pattern as regular
from . import violations
from .command import Commands
from .watch import EndingWatch, TimeWatch, Took, too_long

# A command is a process, and what it prints may be forbidden in other words too.
_RUNS = ("process.too_many_run", "process.too_many_like_run", "process.such_process_runs")
_STAYS = (*_RUNS, "process.left_running", "process.left_running_but")
_PRINTS = (*_RUNS, "cli.command_prints", "cli.command_prints_line")
_OUTPUT = (*_PRINTS, "cli.output_comes_to_contain")
_ERRORS = (*_PRINTS, "cli.error_output_comes_to_contain", "cli.error_output_is_written")


class PhraseWatch(OutputWatch):
    """All that commands print, with the forbidden text as its subject."""

    def __init__(self, commands: Commands, text: str) -> None:
        super().__init__(text, "command", lambda: commands.started, back=text.count("\n"))


@never('the command never prints "{text}"')
def command_prints(commands: Commands, text: str) -> PhraseWatch:
    """No command prints this text from the first When on, to standard output or standard error.

    One that a Given started in the background is read from there on. What a program prints and then takes
    back, by emptying the file that its output is, may be missed.
    """
    return PhraseWatch(commands, text)


@command_prints.check
def not_printed(journal: Journal[Printed]) -> list[Breach]:
    return text_printed(journal.subject, journal.entries)


command_prints.violation("gross", implies=_OUTPUT)(violations.print_text)
command_prints.violation("minimal", implies=_ERRORS)(violations.print_text_in_two_parts_to_stderr)


@never('the command never prints a line that matches "{pattern}"')
def command_prints_line(commands: Commands, pattern: str) -> OutputWatch:
    """No line that a command prints from the first When on matches the regular expression, anywhere."""
    return OutputWatch(regular(pattern), "command", lambda: commands.started)


@command_prints_line.check
def no_such_line(journal: Journal[Printed]) -> list[Breach]:
    return line_printed(journal.subject, journal.entries)


command_prints_line.violation("gross", implies=_OUTPUT)(violations.print_line)
command_prints_line.violation("minimal", implies=_ERRORS)(violations.print_line_without_end_to_stderr)


@never('the output never contains "{text}"')
def output_comes_to_contain(commands: Commands, text: str) -> PhraseWatch:
    """No command prints this text to standard output from the first When on; to standard error it may."""
    return PhraseWatch(commands, text)


@output_comes_to_contain.check
def not_in_output(journal: Journal[Printed]) -> list[Breach]:
    return text_printed(journal.subject, _to("stdout", journal))


output_comes_to_contain.violation("gross", implies=_OUTPUT)(violations.print_text)
output_comes_to_contain.violation("minimal", implies=_OUTPUT)(violations.print_text_in_two_parts)


@never('the error output never contains "{text}"')
def error_output_comes_to_contain(commands: Commands, text: str) -> PhraseWatch:
    """No command prints this text to standard error from the first When on; to standard output it may."""
    return PhraseWatch(commands, text)


@error_output_comes_to_contain.check
def not_in_error_output(journal: Journal[Printed]) -> list[Breach]:
    return text_printed(journal.subject, _to("stderr", journal))


error_output_comes_to_contain.violation("gross", implies=_ERRORS)(violations.print_text_to_stderr)
error_output_comes_to_contain.violation("minimal", implies=_ERRORS)(
    violations.print_text_in_two_parts_to_stderr
)


@never("the command never prints to the error output")
def error_output_is_written(commands: Commands) -> OutputWatch:
    """No command prints anything to standard error from the first When on, be it a single byte."""
    return OutputWatch("the error output", "command", lambda: commands.started)


@error_output_is_written.check
def nothing_in_error_output(journal: Journal[Printed]) -> list[Breach]:
    return anything_printed(_to("stderr", journal))


error_output_is_written.violation("gross", implies=_ERRORS)(violations.complain)
error_output_is_written.violation("minimal", implies=_ERRORS)(violations.print_one_byte_to_stderr)


@never("the command never exits with code {code:int}")
def command_exits(commands: Commands, code: int) -> EndingWatch:
    """No command that ends after the first When ends with this exit code, in the background or not."""
    return EndingWatch(str(code), commands)


@command_exits.check
def no_such_exit(journal: Journal[Ended]) -> list[Breach]:
    return [ended.breach for ended in journal.entries if ended.ending.exit_code == int(journal.subject)]


command_exits.violation("gross", implies=(*_RUNS, "cli.command_succeeds"))(violations.exit_with)
command_exits.violation("minimal", implies=(*_RUNS, "cli.command_succeeds"))(violations.exit_unnoticed_with)


@never("the command never succeeds")
def command_succeeds(commands: Commands) -> EndingWatch:
    """No command that ends after the first When ends with exit code 0, in the background or not."""
    return EndingWatch("0", commands)


command_succeeds.check(no_such_exit)
command_succeeds.violation("gross", implies=(*_RUNS, "cli.command_exits"))(violations.succeed)
command_succeeds.violation("minimal", implies=(*_RUNS, "cli.command_exits"))(violations.succeed_unnoticed)


@never("the command never dies of a signal")
def command_dies(commands: Commands) -> EndingWatch:
    """No command that ends after the first When is killed or crashes: SEGV and ABRT are signals too.

    That a child of a command is killed is for the command to tell.
    """
    return EndingWatch("the commands", commands)


@command_dies.check
def no_death(journal: Journal[Ended]) -> list[Breach]:
    return [ended.breach for ended in journal.entries if ended.ending.exit_code is None]


command_dies.violation("gross", implies=_RUNS)(violations.be_killed)
command_dies.violation("minimal", implies=_RUNS)(violations.die_of_a_broken_pipe)


@never("the command never runs longer than {limit:duration}")
def command_runs_long(commands: Commands, limit: float) -> TimeWatch:
    """No command that is started after the first When runs longer than this, in the background or not.

    What counts is its own time from its start to its end, by the clock on the wall; one that does not end is
    judged by how long it has run until the scenario's end. Children that it leaves behind are not counted.
    """
    return TimeWatch(commands, limit)


@command_runs_long.check
def in_time(journal: Journal[Took]) -> list[Breach]:
    return too_long(float(journal.subject), journal.entries)


command_runs_long.violation("gross", implies=(*_STAYS, "cli.command_runs_long"))(violations.run_on)
command_runs_long.violation("minimal", implies=(*_RUNS, "cli.command_runs_long"))(violations.end_too_late)


def _to(stream: Stream, journal: Journal[Printed]) -> list[Printed]:
    return [printed for printed in journal.entries if printed.stream == stream]
