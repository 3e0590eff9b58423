"""The negative steps of steps/cli and steps/files: what they see, and how a scenario tells of it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.changes import Changes
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Breach, Journal
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import cli
from goalkeeper.steps.cli import never
from goalkeeper.steps.cli.command import Commands
from goalkeeper.steps.files.never import file_appears
from goalkeeper.steps.files.watch import never_there

WriteGoal = Callable[..., Path]


@pytest.fixture
def watch(commands: Commands) -> never.PhraseWatch:
    cli.run(commands, "echo SECRET before arming")
    armed = never.command_prints.arm({"commands": commands, "text": "SECRET"})
    assert isinstance(armed, never.PhraseWatch)
    return armed


def test_every_command_from_arming_on_is_read(commands: Commands, watch: never.PhraseWatch) -> None:
    watch.look()
    assert watch.journal().is_empty
    cli.run(commands, "echo clean")
    watch.look()
    assert never.not_printed(watch.journal()) == []
    out = shlex.join(["printf", r"a\fb\nmy SECRET\nc"])
    err = "sh -c 'echo fine; echo SECRET >&2'"
    cli.run(commands, out)
    cli.run(commands, err)
    watch.look()
    watch.look()
    journal = watch.journal()
    assert never.not_printed(journal) == [
        Breach(f'"{out}" printed "SECRET" to stdout', "line 2: my SECRET"),
        Breach(f'"{err}" printed "SECRET" to stderr', "line 1: SECRET"),
    ]
    assert journal.inspected == {"command": 3, "line": 7}


def test_a_phrase_of_several_lines(commands: Commands) -> None:
    watch = never.command_prints.arm({"commands": commands, "text": "b\nc"})
    cli.run(commands, r"printf 'x\nab\ncd\ny\n'")
    watch.look()
    [breach] = never.not_printed(watch.journal())
    assert breach.evidence == "line 2: ab\nline 3: cd"


def test_a_command_over_its_limit_is_read_too(commands: Commands, watch: never.PhraseWatch) -> None:
    with pytest.raises(StepFailed):
        cli.run_for(commands, "sleep 600", 0.05)
    watch.look()
    assert watch.journal().inspected == {"command": 1, "line": 0}


def test_what_a_child_prints_after_its_command_ended_is_seen(
    commands: Commands, sandbox: Sandbox, watch: never.PhraseWatch
) -> None:
    for name in ("gate", "done"):
        os.mkfifo(sandbox.work / name)
    line = "sh -c 'echo SEC; { read go; echo SECRET; echo >done; } <gate &'"
    cli.run(commands, line)
    watch.look()
    assert never.not_printed(watch.journal()) == []
    cli.run_for(commands, "sh -c 'echo go >gate; cat done'", 30.0)
    watch.look()
    watch.look()
    assert never.not_printed(watch.journal()) == [
        Breach(f'"{line}" printed "SECRET" to stdout', "line 2: SECRET")
    ]
    assert watch.journal().inspected == {"command": 2, "line": 3}


def test_a_breach_that_goes_on_is_told_once(commands: Commands, watch: never.PhraseWatch) -> None:
    cli.run(commands, "echo SECRET")
    watch.look()
    with commands.last.stdout_path.open("a") as late:
        late.write("more\n")
    watch.look()
    assert len(watch.journal().entries) == 2
    assert never.not_printed(watch.journal()) == [
        Breach('"echo SECRET" printed "SECRET" to stdout', "line 1: SECRET")
    ]


@pytest.mark.parametrize("kind", ["file", "directory", "link to nowhere", "circle of links"])
def test_nothing_of_a_name_may_be_there(sandbox: Sandbox, changes: Changes, kind: str) -> None:
    watch = file_appears.arm({"sandbox": sandbox, "changes": changes, "path": "lock"})
    path = sandbox.work / "lock"
    watch.look()
    assert never_there(watch.journal()) == []
    if kind == "file":
        path.touch()
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to("nowhere" if kind == "link to nowhere" else "lock")
    watch.look()
    watch.look()
    assert never_there(watch.journal()) == [Breach('file "lock" was there after a step')]
    assert watch.journal().inspected == {"moment": 4}


def test_a_file_that_was_there_from_the_start(sandbox: Sandbox, changes: Changes) -> None:
    (sandbox.work / "lock").touch()
    watch = file_appears.arm({"sandbox": sandbox, "changes": changes, "path": "lock"})
    (sandbox.work / "lock").unlink()
    watch.look()
    assert never_there(watch.journal()) == [Breach('file "lock" was there when the scenario began')]


def test_a_check_over_a_journal_without_entries() -> None:
    assert never_there(Journal('file "x"', ())) == []
    assert never.not_printed(Journal("x", ())) == []


GOAL = """
    Scenario: kept
      Given I run "echo SECRET"
      And a file "other" containing "x"
      When I run "echo fine"
      Then the output contains "fine"
      But the command never prints "SECRET"
      And file "lock" never exists

    Scenario: printed by the second command
      When I run "echo fine"
      And I run "sh -c 'echo SECRET; echo SECRET >&2'"
      Then the exit code is 0
      But the command never prints "SECRET"

    Scenario: nothing looked at
      When I write file "a" containing "SECRET"
      Then file "a" exists
      But the command never prints "SECRET"

    Scenario: gone again at the end
      When I write file "lock" containing "x"
      And I run "rm lock"
      Then the exit code is 0
      But file "lock" never exists

    Scenario: outside
      When I run "echo fine"
      Then the exit code is 0
      But file "../lock" never exists
"""


def test_the_whole_way(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(GOAL)
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(passed=1, failed=4)
    result.stdout.fnmatch_lines(
        [
            '>   But the command never prints "SECRET"',
            'E     "sh -c \'echo SECRET; echo SECRET >&2\'" printed "SECRET" to stdout',
            "E       line 1: SECRET",
            'E     and "sh -c \'echo SECRET; echo SECRET >&2\'" printed "SECRET" to stderr',
            '>   But the command never prints "SECRET"',
            "E     this check looked at nothing, so it could not have failed",
            '>   But file "lock" never exists',
            'E     file "lock" was there after a step',
            '    When I run "echo fine"    (not run)',
            'E     "../lock" lies outside of the sandbox: name a path inside it',
            "E     this negative step could not be armed",
        ]
    )
