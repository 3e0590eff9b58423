"""What the negative steps of steps/cli see, and what their violations leave behind."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Callable, Iterator

import pytest

from goalkeeper.runner import wait
from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.never import Breach, Negative, Witness
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.runner.wait import until
from goalkeeper.steps import cli
from goalkeeper.steps.cli import never, violations
from goalkeeper.steps.cli.command import Commands
from goalkeeper.steps.cli.watch import TimeWatch

DEADLINE = 30.0


@pytest.mark.parametrize(
    ("negative", "arguments", "breaches"),
    [
        (never.output_comes_to_contain, {"text": "b"}, 0),
        (never.output_comes_to_contain, {"text": "a"}, 1),
        (never.error_output_comes_to_contain, {"text": "a"}, 0),
        (never.error_output_comes_to_contain, {"text": "b"}, 1),
        (never.error_output_is_written, {}, 1),
    ],
)
def test_each_output_on_its_own(
    commands: Commands, negative: Negative, arguments: dict[str, str], breaches: int
) -> None:
    watch = negative.arm({"commands": commands, **arguments})
    cli.run(commands, "sh -c 'echo a; echo b >&2; echo b >&2'")
    watch.look()
    assert len(negative.judge(watch.journal())) == breaches


def test_an_error_output_that_is_not_empty(commands: Commands) -> None:
    watch = never.error_output_is_written.arm({"commands": commands})
    cli.run(commands, "echo fine")
    watch.look()
    assert never.nothing_in_error_output(watch.journal()) == []
    cli.run(commands, "sh -c 'echo oops >&2'")
    watch.look()
    assert never.nothing_in_error_output(watch.journal()) == [
        Breach("\"sh -c 'echo oops >&2'\" printed to stderr", "oops\n")
    ]


@pytest.fixture
def watch(commands: Commands) -> Iterator[TimeWatch]:
    cli.run_in_background(commands, "sleep 600")
    armed = never.command_runs_long.arm({"commands": commands, "limit": 60.0})
    assert isinstance(armed, TimeWatch)
    yield armed
    armed.close()


def messages(watch: TimeWatch) -> list[str]:
    watch.look()
    return [breach.message for breach in never.in_time(watch.journal())]


def test_how_long_commands_run(commands: Commands, watch: TimeWatch) -> None:
    commands.background.date_back(1000)
    assert messages(watch) == []
    assert watch.journal().is_empty, "a command of the Givens is none of its business"
    cli.run(commands, "true")
    assert messages(watch) == []
    cli.run_in_background(commands, "sleep 601")
    assert messages(watch) == []
    commands.background.date_back(100)
    assert [message[:29] for message in messages(watch)] == ['"sleep 601" still ran after 1']
    commands.background.send(signal.SIGTERM)
    cli.background_ends(commands, DEADLINE)
    assert [message[:19] for message in messages(watch)] == ['"sleep 601" took 10'], "it is told once"
    assert watch.journal().inspected == {"command": 2}


def test_the_end_of_a_command_that_nobody_waits_for(
    commands: Commands, sandbox: Sandbox, watch: TimeWatch
) -> None:
    os.mkfifo(sandbox.work / "gate")
    cli.run_in_background(commands, "sh -c 'read x <gate'")
    program = commands.background
    watch.look()
    (sandbox.work / "gate").write_text("\n")
    seen = watch._vigil
    assert until(lambda: program in seen._ends or None, DEADLINE)
    assert not program.has_ended
    watch.look()
    [took] = watch.entries
    assert took.seconds == seen._ends[program] - program.began
    assert took.has_ended


def test_time_does_not_count_while_a_command_is_held(commands: Commands, watch: TimeWatch) -> None:
    cli.run_in_background(commands, "sleep 601")
    commands.background.send(signal.SIGSTOP)
    commands.background.date_back(100)
    assert messages(watch) == []
    commands.background.send(signal.SIGCONT)
    assert until(lambda: messages(watch) or None, DEADLINE)


def acts(act: Callable[..., Iterator[Witness]], commands: Commands, **arguments: object) -> Iterator[Witness]:
    return act(commands, **arguments)


@pytest.mark.parametrize("act", [violations.run_on, violations.end_too_late])
@pytest.mark.parametrize("limit", [0.01, 3600.0])
def test_a_run_that_is_too_long(
    commands: Commands, act: Callable[..., Iterator[Witness]], limit: float
) -> None:
    watch = never.command_runs_long.arm({"commands": commands, "limit": limit})
    violation = acts(act, commands, limit=limit)
    witness = next(violation)
    watch.look()
    [breach] = never.in_time(watch.journal())
    assert witness.effect
    assert witness.trace in breach.message
    next(violation, None)
    watch.close()


@pytest.mark.parametrize("code", [256, -1])
def test_an_exit_code_that_no_program_has(commands: Commands, code: int) -> None:
    for act in (violations.exit_with, violations.exit_unnoticed_with):
        violation = acts(act, commands, code=code)
        assert not next(violation).effect
        next(violation, None)


def test_a_pattern_for_which_no_line_is_found(commands: Commands) -> None:
    for act in (violations.print_line, violations.print_line_without_end_to_stderr):
        assert [witness.effect for witness in acts(act, commands, pattern="a(?<!a)")] == [False]


@pytest.mark.parametrize("text", ["x", "two\nlines", 'it\'s "$HOME" \\n %s', "grün", ""])
@pytest.mark.parametrize(
    "act",
    [
        violations.print_text,
        violations.print_text_in_two_parts,
        violations.print_text_to_stderr,
        violations.print_text_in_two_parts_to_stderr,
    ],
)
def test_texts_of_all_kinds(commands: Commands, act: Callable[..., Iterator[Witness]], text: str) -> None:
    watch = never.command_prints.arm({"commands": commands, "text": text})
    violation = acts(act, commands, text=text)
    witness = next(violation)
    watch.look()
    breaches = [*never.not_printed(watch.journal())]
    is_nothing = not text and "parts" in act.__name__
    assert (witness.effect, len(breaches)) == ((False, 0) if is_nothing else (True, 1))
    next(violation, None)


def test_a_violation_leaves_nothing_behind(commands: Commands, sandbox: Sandbox, evidence: Evidence) -> None:
    cli.run(commands, "echo before")
    cli.run_in_background(commands, shlex.join(["sleep", "600"]))
    told: list[object] = []
    evidence.sink = lambda *facts: told.append(facts)

    def everything() -> list[object]:
        programs, results = [*commands.started], [*commands.results]
        files = sorted(path.name for path in sandbox.files.iterdir())
        return [programs, results, commands.background, [*evidence.entries], files]

    before = everything()
    for name, arguments in (("exit_with", {"code": 1}), ("run_on", {"limit": 1.0}), ("complain", {})):
        violation = acts(getattr(violations, name), commands, **arguments)
        next(violation)
        assert everything() != before
        next(violation, None)
        assert everything() == before
    assert told == []


def test_a_background_command_that_is_only_asked_for_its_end(commands: Commands) -> None:
    cli.run_in_background(commands, "true")
    cli.run(commands, "echo last")
    assert commands.background.wait(DEADLINE) is not None
    with wait.at_once():
        cli.background_ends(commands, DEADLINE)
    cli.output_contains(commands, "last")
