"""Programs that keep running: started by name, waited for, signalled, restarted, and seen to end.

A process is started in a session of its own, as `steps/cli` starts commands, and ended with the scenario.
What waits for a process fails at once when it dies, and shows the end of its output. Its children are all
processes that descend from it, also those that outlive it. A signal is named with or without SIG: TERM, KILL,
STOP, CONT, HUP, INT, USR1. What is marked as Step below may stand as Given, When or Then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ...runner.define import given, step, then, when
from ...runner.evidence import Evidence
from ...runner.failure import StepFailed
from ...runner.programs import Launch, options, ready
from ...runner.programs.ending import Ending, signal_number
from ...runner.programs.output import contains, matches
from ...runner.sandbox import Sandbox
from ...runner.values import Rows
from ...runner.wait import until
from .crowd import Census
from .manager import Processes


@pytest.fixture
def processes(sandbox: Sandbox, evidence: Evidence, commands: Any) -> Iterator[Processes]:
    """The processes of the scenario by name; all are ended with it. Variables set for commands hold here."""
    started = Processes(sandbox, evidence, commands.environment)
    yield started
    started.close()


@pytest.fixture
def census(sandbox: Sandbox) -> Iterator[Census]:
    """Who lives in the sandbox, for as long as somebody wants to know."""
    taken = Census(str(sandbox.root))
    yield taken
    taken.close()


@given('I start process "{name}" with "{command}"')
@when('I start process "{name}" with "{command}"')
def start(processes: Processes, name: str, command: str) -> None:
    """Start a program and go on with the next step. The name is free again when the program has ended."""
    processes.start(name, Launch(command))


@given('I start process "{name}" with')
@when('I start process "{name}" with')
def start_with(processes: Processes, name: str, datatable: Rows) -> None:
    """Start a program with a table of options: command, directory, input, and env.NAME for a variable."""
    found, environment = options(datatable, ("command", "directory", "input"), "a process")
    if "command" not in found:
        raise StepFailed("this table does not say which command to start: add a row | command | … |")
    launch = Launch(found["command"], found.get("directory", "."), environment, found.get("input"))
    processes.start(name, launch)


@given('I restart process "{name}"')
@when('I restart process "{name}"')
def restart(processes: Processes, name: str) -> None:
    """Start a program anew as it was started before. If it still runs, it gets TERM and 10 s to end.

    Children that it left behind are left alone. Steps after this one look at the new process and its output.
    """
    processes.restart(name)


@given('I stop process "{name}" within {limit:duration}')
@when('I stop process "{name}" within {limit:duration}')
def stop(processes: Processes, name: str, limit: float) -> None:
    """Send TERM to a running process, which must then end in time, with whatever exit code."""
    processes.stop(processes.running(name), limit)


@given('I send signal {signal} to process "{name}"')
@when('I send signal {signal} to process "{name}"')
def send(processes: Processes, signal: str, name: str) -> None:
    """Send a signal to the process alone, not to its children. After STOP it is frozen when the step ends."""
    number = signal_number(signal)
    processes.send(processes.find(name), number)


@given('I send signal {signal} to process "{name}" and its children')
@when('I send signal {signal} to process "{name}" and its children')
def send_to_all(processes: Processes, signal: str, name: str) -> None:
    """Send a signal to the process and all that descends from it, also if only such children are left."""
    number = signal_number(signal)
    processes.send(processes.find(name), number, everyone=True)


@step('process "{name}" prints "{text}" within {limit:duration}')
def prints(processes: Processes, name: str, text: str, limit: float) -> None:
    """Wait until the process has printed this since it was started, to standard output or standard error."""
    ready.prints(processes.find(name).program, text, limit)


@step('process "{name}" prints "{text}" after the signal within {limit:duration}')
def prints_after_signal(processes: Processes, name: str, text: str, limit: float) -> None:
    """Wait until the process has printed this since it was sent a signal last; earlier output is left out."""
    run = processes.find(name)
    if run.since is None:
        raise StepFailed(f"{run.title} was not sent a signal since it was started")
    ready.prints(run.program, text, limit, run.since)


@step('process "{name}" listens on port {port:int} within {limit:duration}')
@step('process "{name}" listens on port "{port}" within {limit:duration}')
def listens_on(processes: Processes, name: str, port: int | str, limit: float) -> None:
    """Wait until the process or a child of it takes connections on a TCP port.

    Nothing is connected to find out, and somebody else who listens on that port does not count. A value that
    an earlier step has found out stands in quotes.
    """
    ready.listens_on(processes.find(name).program, port, limit)


@step('process "{name}" listens at socket "{path}" within {limit:duration}')
def listens_at(processes: Processes, sandbox: Sandbox, name: str, path: str, limit: float) -> None:
    """Wait until the process or a child of it takes connections at a unix socket; a stale file is not enough.

    The path is one in the sandbox or an absolute one, and `@name` a socket without a file. It must be the
    path that the program bound, under which it was not moved to another name since.
    """
    ready.listens_at(processes.find(name).program, sandbox, path, limit)


@step('process "{name}" writes file "{path}" within {limit:duration}')
def writes(processes: Processes, sandbox: Sandbox, name: str, path: str, limit: float) -> None:
    """Wait until there is a file that was made or changed since the process was started, by whomever."""
    ready.writes(processes.find(name).program, sandbox.path(path), path, limit)


@then('process "{name}" is running')
def is_running(processes: Processes, name: str) -> None:
    """The process that was started last by this name has not ended. One that is frozen by STOP counts."""
    processes.running(name)


@then('process "{name}" keeps running for {time:duration}')
def keeps_running(processes: Processes, name: str, time: float) -> None:
    """Wait so long; the process must not end meanwhile."""
    run = processes.running(name)
    if run.program.wait(time) is not None:
        raise processes.ended(run, f"did not keep running for {time:g} s")


@step('process "{name}" exits within {limit:duration}')
def exits(processes: Processes, name: str, limit: float) -> None:
    """Wait for the end of the process, with whatever exit code, or by a signal."""
    _end(processes, name, limit)


@step('process "{name}" exits with code {code:int} within {limit:duration}')
def exits_with(processes: Processes, name: str, code: int, limit: float) -> None:
    """Wait for the end of the process, which must come by itself and with this exit code."""
    _ends_as(processes, name, Ending(code), limit)


@step('process "{name}" is killed by {signal} within {limit:duration}')
def is_killed_by(processes: Processes, name: str, signal: str, limit: float) -> None:
    """Wait for the end of the process, which must be by this signal: one that it did not catch."""
    _ends_as(processes, name, Ending(-signal_number(signal)), limit)


@then('all children of process "{name}" are gone within {limit:duration}')
def children_are_gone(processes: Processes, name: str, limit: float) -> None:
    """Wait until no process is left that descends from it, whether it has ended itself or not.

    Children are also found that made themselves independent of it (daemons), unless they have cleared their
    environment before anybody looked.
    """
    run = processes.find(name)
    if until(lambda: None if run.program.children() else True, limit) is None:
        left = [f"  {child}" for child in run.program.children()]
        raise StepFailed(f"{run.title} still has children after {limit:g} s", notes=left)


@then('the output of process "{name}" contains "{text}"')
def output_contains(processes: Processes, name: str, text: str) -> None:
    """The process has printed this text to standard output until now."""
    contains(f'output of process "{name}"', processes.find(name).output.text("stdout"), text)


@then('the error output of process "{name}" contains "{text}"')
def error_output_contains(processes: Processes, name: str, text: str) -> None:
    """The process has printed this text to standard error until now."""
    contains(f'error output of process "{name}"', processes.find(name).output.text("stderr"), text)


@then('the output of process "{name}" matches "{pattern}"')
def output_matches(processes: Processes, name: str, pattern: str) -> None:
    """The regular expression (Python's) matches somewhere in standard output; ^ and $ match at lines."""
    matches(f'output of process "{name}"', processes.find(name).output.text("stdout"), pattern)


@then('the error output of process "{name}" matches "{pattern}"')
def error_output_matches(processes: Processes, name: str, pattern: str) -> None:
    """The regular expression matches somewhere in standard error."""
    matches(f'error output of process "{name}"', processes.find(name).output.text("stderr"), pattern)


def _end(processes: Processes, name: str, limit: float) -> Ending:
    run = processes.find(name)
    ending = run.program.wait(limit)
    if ending is None:
        raise StepFailed(f"{run.title} did not end within {limit:g} s", notes=run.output.notes())
    processes.note_ends()
    return ending


def _ends_as(processes: Processes, name: str, wanted: Ending, limit: float) -> None:
    ending = _end(processes, name, limit)
    if ending != wanted:
        run = processes.find(name)
        raise StepFailed(
            f"{run.title} ended otherwise", expected=str(wanted), actual=str(ending), notes=run.output.notes()
        )
