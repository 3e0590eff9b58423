"""The steps of steps/cli: what each accepts, and what it says where it does not."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Breach
from goalkeeper.runner.programs import free_port
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import cli
from goalkeeper.steps.cli import never
from goalkeeper.steps.cli.command import Commands

DEADLINE = 30.0
Step = Callable[..., None]


def prints(stdout: str = "", stderr: str = "") -> str:
    """A command that prints these texts to the byte."""
    return shlex.join(["sh", "-c", 'printf %s "$1"; printf %s "$2" >&2', "-", stdout, stderr])


def failure(step: Step, *arguments: object) -> str:
    with pytest.raises(StepFailed) as caught:
        step(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("run", "arguments", "printed"),
    [
        (cli.run, (), "<set>\n"),
        (cli.run_in, ("sub",), "sub <set>\n"),
        (cli.run_with_input, ("line 1\nline 2",), "<set>\nline 1\nline 2\n"),
        (cli.run_for, (30.0,), "<set>\n"),
        (cli.run_with, ([],), "<set>\n"),
        (
            cli.run_with,
            ([["directory", "sub"], ["input", "typed"], ["limit", "30 s"], ["env.A", "own"]],),
            "sub <own>\ntyped",
        ),
        (cli.run_with, ([["input", ""], ["env.A", ""]],), "<>\n"),
    ],
)
def test_ways_to_run_a_command(
    commands: Commands, sandbox: Sandbox, run: Step, arguments: tuple[object, ...], printed: str
) -> None:
    (sandbox.work / "sub").mkdir()
    (sandbox.work / "sub" / "here").write_text("sub ")
    cli.set_variable(commands, "A", "set")
    run(commands, """sh -c 'cat here 2>/dev/null; echo "<$A>"; cat'""", *arguments)
    assert commands.last.stdout == printed


@pytest.mark.parametrize(
    ("run", "arguments"),
    [
        (cli.run, ()),
        (cli.run_in, (".",)),
        (cli.run_with_input, ("x",)),
        (cli.run_with, ([["env.A", "1"]],)),
    ],
)
def test_the_scenarios_limit_holds_for_every_way_to_run(
    commands: Commands, run: Step, arguments: tuple[object, ...]
) -> None:
    cli.set_limit(commands, 0.05)
    assert failure(run, commands, "sleep 600", *arguments) == '"sleep 600" did not end within 0.05 s'


@pytest.mark.parametrize(
    ("run", "arguments"), [(cli.run_for, (0.05,)), (cli.run_with, ([["limit", "50 ms"]],))]
)
def test_a_limit_for_one_command(commands: Commands, run: Step, arguments: tuple[object, ...]) -> None:
    assert failure(run, commands, "sleep 600", *arguments) == '"sleep 600" did not end within 0.05 s'


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [["limits", "5 s"]],
            'a command has no option "limits". Did you mean "limit"?\n'
            "known: directory, input, limit, env.NAME",
        ),
        ([["user", "me"]], 'a command has no option "user".\nknown: directory, input, limit, env.NAME'),
        (
            [["limit", "5 parsecs"]],
            '"5 parsecs" is not a duration: write it as 200 ms, 5 s, 2 min or 1 h',
        ),
        ([["input"]], "this table needs two columns, a name and a value: | input |"),
        ([["a", "b", "c"]], "this table needs two columns, a name and a value: | a | b | c |"),
        ([["directory", "../.."]], '"../.." lies outside of the sandbox: name a path inside it'),
    ],
)
def test_options_that_a_command_does_not_have(
    commands: Commands, rows: list[list[str]], message: str
) -> None:
    assert failure(cli.run_with, commands, "true", rows) == message
    assert commands.results == []


@pytest.mark.parametrize(
    ("step", "arguments", "stdout", "stderr"),
    [
        (cli.exit_code_is, (0,), "", ""),
        (cli.exit_code_is_not, (1,), "", ""),
        (cli.output_contains, ("lo wo",), "hello world", ""),
        (cli.output_contains, ("a\nb",), "a\nb\n", ""),
        (cli.error_output_contains, ("oops",), "", "oops\n"),
        (cli.output_matches, (r"^b\d$",), "a\nb1\nc\n", ""),
        (cli.error_output_matches, ("^(warn|err)",), "", "x\nerr"),
        (cli.output_is, ("a\nb",), "a\nb\n", ""),
        (cli.output_is, ("a\nb",), "a\nb", ""),
        (cli.output_is, ("",), "", "noise"),
        (cli.output_is_empty, (), "", "noise"),
    ],
)
def test_a_then_that_holds(
    commands: Commands, step: Step, arguments: tuple[Any, ...], stdout: str, stderr: str
) -> None:
    cli.run(commands, prints(stdout, stderr))
    step(commands, *arguments)


@pytest.mark.parametrize(
    ("step", "arguments", "stdout", "stderr", "message"),
    [
        (
            cli.exit_code_is,
            (2,),
            "",
            "",
            "the command ended otherwise\n  expected: exit code 2\n  actual:   exit code 0",
        ),
        (
            cli.output_contains,
            ("b",),
            "a\nc\n",
            "b",
            'the output does not contain "b"\n  the output is\n  | a\n  | c',
        ),
        (cli.output_contains, ("b",), "", "", 'the output does not contain "b"\n  the output is empty'),
        (
            cli.error_output_contains,
            ("b",),
            "b",
            "a",
            'the error output does not contain "b"\n  the error output is\n  | a',
        ),
        (cli.output_matches, ("^b",), "ab", "b", "the output does not match ^b\n  the output is\n  | ab"),
        (
            cli.output_matches,
            ("(",),
            "(",
            "",
            "this is not a regular expression: missing ), unterminated subpattern at position 0\n  (",
        ),
        (
            cli.error_output_matches,
            ("a.c",),
            "abc",
            "",
            "the error output does not match a.c\n  the error output is empty",
        ),
        (cli.output_is, ("a",), "b", "a", "the output differs\n  expected: a\n  actual:   b"),
        (cli.output_is, ("a",), "a\r\n", "", "the output differs\n  expected: 'a'\n  actual:   'a\\r\\n'"),
        (cli.output_is, ("a",), "a\n\n", "", "the output differs\n  --- expected\n  +++ actual\n"
         "  @@ -1 +1,2 @@\n   a\n  +"),
        (cli.output_is_empty, (), " ", "", "the output is not empty\n  expected: \n  actual:    "),
    ],
)  # fmt: skip
def test_a_then_that_does_not_hold(
    commands: Commands, step: Step, arguments: tuple[Any, ...], stdout: str, stderr: str, message: str
) -> None:
    cli.run(commands, prints(stdout, stderr))
    assert failure(step, commands, *arguments) == message


def test_the_exit_code_that_must_not_be(commands: Commands) -> None:
    cli.run(commands, "sh -c 'exit 3'")
    assert failure(cli.exit_code_is_not, commands, 3) == "\"sh -c 'exit 3'\" ended with exit code 3"


def test_a_killed_command_has_no_exit_code(commands: Commands) -> None:
    cli.run(commands, "sh -c 'kill -TERM $$'")
    cli.exit_code_is_not(commands, 0)
    assert failure(cli.exit_code_is, commands, 143).endswith("actual:   killed by SIGTERM")


@pytest.mark.parametrize(
    ("step", "arguments"),
    [
        (cli.exit_code_is, (0,)),
        (cli.exit_code_is_not, (0,)),
        (cli.output_contains, ("",)),
        (cli.error_output_contains, ("",)),
        (cli.output_matches, ("",)),
        (cli.error_output_matches, ("",)),
        (cli.output_is, ("",)),
        (cli.output_is_empty, ()),
        (cli.output_is_json, ([],)),
    ],
)
def test_a_then_before_any_command(commands: Commands, step: Step, arguments: tuple[Any, ...]) -> None:
    assert failure(step, commands, *arguments).startswith("no command has been run")


def test_a_then_looks_at_the_last_command(commands: Commands) -> None:
    cli.run(commands, prints("first"))
    cli.run(commands, prints("second"))
    cli.output_contains(commands, "second")
    assert 'does not contain "first"' in failure(cli.output_contains, commands, "first")


def test_a_failure_shows_the_end_of_long_output(commands: Commands) -> None:
    cli.run(commands, "seq 1000")
    lines = failure(cli.output_contains, commands, "x").splitlines()
    assert lines[2:4] == ["  | … 990 lines before this", "  | 991"]
    assert lines[-1] == "  | 1000"


DOCUMENT = '{"n": 1, "s": "1", "t": true, "e": "é", "l": [{"name": "a"}, [true]], "o": {"k": null}, "f": 1.0}'


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("n", "1"),
        ("n", "1.0"),
        ("f", "1"),
        ("s", '"1"'),
        ("t", "true"),
        ("e", "é"),
        ("e", '"é"'),
        ("l.0.name", "a"),
        ("l.1", "[true]"),
        ("l.1.0", "true"),
        ("o.k", "null"),
        ("o", '{"k": null}'),
    ],
)
def test_json_that_agrees(commands: Commands, path: str, value: str) -> None:
    cli.run(commands, prints(DOCUMENT))
    cli.output_is_json(commands, [[path, value]])


@pytest.mark.parametrize(
    ("path", "value", "note"),
    [
        ("n", '"1"', 'expected "1", got 1'),
        ("n", "true", "expected true, got 1"),
        ("s", "1", 'expected 1, got "1"'),
        ("t", "1", "expected 1, got true"),
        ("l.1", "[1]", "expected [1], got [true]"),
        ("l.1", "[true, true]", "expected [true, true], got [true]"),
        ("o", '{"k": 0}', 'expected {"k": 0}, got {"k": null}'),
        ("o", "{}", 'expected {}, got {"k": null}'),
        ("e", "è", 'expected "è", got "é"'),
        ("l.0.nam", "a", 'there is no nam. Did you mean "name"?'),
        ("l.2", "a", "there is no 2."),
        ("l.-1", "a", "there is no -1."),
        ("l.first", "a", "there is no first."),
        ("n.deep", "1", "there is no deep."),
        ("zzz", "1", "there is no zzz."),
    ],
)
def test_json_that_differs(commands: Commands, path: str, value: str, note: str) -> None:
    cli.run(commands, prints(DOCUMENT))
    assert failure(cli.output_is_json, commands, [["n", "1"], [path, value]]) == (
        f"the JSON output differs\n  {path}: {note}"
    )


def test_every_row_that_differs_is_named(commands: Commands) -> None:
    cli.run(commands, prints(DOCUMENT))
    text = failure(cli.output_is_json, commands, [["n", "2"], ["t", "true"], ["s", "x"]])
    assert text.splitlines()[1:] == ["  n: expected 2, got 1", '  s: expected "x", got "1"']


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ("{} {}", "Extra data: line 1 column 4 (char 3)"),
        ("[" * 200_000, ""),
    ],
)
def test_output_that_is_not_json(commands: Commands, sandbox: Sandbox, output: str, reason: str) -> None:
    (sandbox.work / "out").write_text(output)
    cli.run(commands, "cat out")
    message = failure(cli.output_is_json, commands, [["a", "1"]])
    assert message.startswith(f"the output is not JSON: {reason}")


def test_a_json_table_has_two_columns(commands: Commands) -> None:
    cli.run(commands, prints("{}"))
    assert failure(cli.output_is_json, commands, [["a"]]).startswith("this table needs two columns")


def test_a_command_in_the_background(commands: Commands, sandbox: Sandbox) -> None:
    os.mkfifo(sandbox.work / "gate")
    cli.set_variable(commands, "A", "set")
    cli.run_in_background(commands, "sh -c 'echo $A; read x <gate; echo done >&2; exit 3'")
    cli.background_prints(commands, "set", DEADLINE)
    assert failure(cli.exit_code_is, commands, 0).startswith("no command has been run")
    cli.run(commands, "sh -c 'echo >gate; echo between'")
    cli.background_ends(commands, DEADLINE)
    cli.exit_code_is(commands, 3)
    cli.error_output_contains(commands, "done")
    cli.run(commands, "true")
    cli.background_ends(commands, 0)
    cli.exit_code_is(commands, 3)
    assert [result.exit_code for result in commands.results] == [0, 0, 3]


def test_a_command_in_the_background_that_goes_on(commands: Commands) -> None:
    line = "sh -c 'echo busy; exec sleep 600'"
    cli.run_in_background(commands, line)
    cli.background_prints(commands, "busy", DEADLINE)
    assert failure(cli.background_ends, commands, 0.01) == (
        f'"{line}" did not end within 0.01 s\n  stdout:\n  busy'
    )
    assert failure(cli.background_prints, commands, "done", 0.01) == (
        f'"{line}" did not print "done" within 0.01 s\n  stdout:\n  busy'
    )


def test_a_command_in_the_background_that_dies(commands: Commands, sandbox: Sandbox) -> None:
    cli.run_in_background(commands, "sh -c 'echo why >&2; exit 2'")
    line = commands.background.output.title
    why = "\n  stderr:\n  why"
    assert failure(cli.background_prints, commands, "x", 600.0) == (
        f'{line} ended (exit code 2) and did not print "x"{why}'
    )
    assert failure(cli.background_listens_on, commands, 1, 600.0) == (
        f"{line} ended (exit code 2) and did not listen on port 1{why}"
    )
    assert failure(cli.background_listens_at, commands, sandbox, "s", 600.0) == (
        f'{line} ended (exit code 2) and did not listen at socket "s"{why}'
    )


def test_a_command_in_the_background_that_listens(commands: Commands, sandbox: Sandbox) -> None:
    port = free_port()
    script = f"""
import signal, socket
tcp = socket.create_server(("127.0.0.1", {port}))
unix = socket.socket(socket.AF_UNIX)
unix.bind("s")
unix.listen()
signal.pause()
"""
    cli.run_in_background(commands, shlex.join([sys.executable, "-c", script]))
    cli.background_listens_on(commands, port, DEADLINE)
    cli.background_listens_on(commands, str(port), DEADLINE)
    cli.background_listens_at(commands, sandbox, "s", DEADLINE)


@pytest.mark.parametrize(
    ("step", "arguments"),
    [
        (cli.background_prints, ("x", 1.0)),
        (cli.background_listens_on, (1, 1.0)),
        (cli.background_ends, (1.0,)),
    ],
)
def test_waiting_for_a_command_that_is_not_in_the_background(
    commands: Commands, step: Step, arguments: tuple[object, ...]
) -> None:
    cli.run(commands, "true")
    message = "no command has been run in the background: this step waits for one that was"
    assert failure(step, commands, *arguments) == message


# Each copy takes a number of its own, from 1 on, prints its parity, and ends with it.
COUNT = "sh -c 'n=1; until mkdir $n 2>/dev/null; do n=$((n+1)); done; echo parity $((n%2)); exit $((n%2))'"


def test_copies_at_once(commands: Commands) -> None:
    cli.run_copies(commands, COUNT, 5)
    cli.exactly_exit_with(commands, 3, 1)
    cli.exactly_exit_with(commands, 2, 0)
    cli.exactly_exit_with(commands, 0, 7)
    cli.at_least_exit_with(commands, 3, 1)
    cli.at_least_exit_with(commands, 2, 1)
    cli.exactly_print(commands, 3, "parity 1")
    cli.all_print(commands, "parity")
    message = failure(cli.exactly_exit_with, commands, 1, 0).splitlines()
    assert message[:3] == [
        "not as many with exit code 0 as there should be",
        "  expected: exactly 1 of 5",
        "  actual:   2 of 5",
    ]
    assert [line.partition(":")[0] for line in message[3:]] == [f"  copy {n}" for n in range(1, 6)]
    assert {line.partition(": ")[2] for line in message[3:]} == {"exit code 0", "exit code 1"}
    assert failure(cli.all_exit_codes, commands, 1).splitlines()[1:3] == [
        "  expected: all 5 of 5",
        "  actual:   3 of 5",
    ]
    assert failure(cli.at_least_exit_with, commands, 4, 1).splitlines()[1] == "  expected: at least 4 of 5"
    assert "the outputs of copy " in failure(cli.outputs_are_the_same, commands)
    assert failure(cli.outputs_are_different, commands).splitlines()[0].endswith(" are the same")
    assert failure(cli.all_print, commands, "parity 1").splitlines()[0] == (
        'not as many with "parity 1" in the output as there should be'
    )
    assert failure(cli.exactly_print, commands, 9, "parity").splitlines()[3].startswith("  copy 1: parity ")


def test_outputs_that_are_the_same_and_different(commands: Commands) -> None:
    cli.run_copies(commands, "echo same", 3)
    cli.outputs_are_the_same(commands)
    cli.all_exit_codes(commands, 0)
    assert failure(cli.outputs_are_different, commands) == (
        "the outputs of copy 1 and copy 2 are the same\n  same"
    )
    cli.run_together(commands, [["echo a"], ["echo b"], ["true"]])
    cli.outputs_are_different(commands)
    assert failure(cli.outputs_are_the_same, commands) == (
        'the outputs of 1. "echo a" and 2. "echo b" differ\n'
        "  --- expected\n  +++ actual\n  @@ -1 +1 @@\n  -a\n  +b"
    )


def test_a_then_about_one_command_after_several_at_once(commands: Commands) -> None:
    cli.run_copies(commands, "true", 2)
    assert failure(cli.exit_code_is, commands, 0) == (
        "2 commands ran at once: which of them is meant?\n"
        'say it of all: "all exit codes are 0", "exactly 1 of them exits with 0"'
    )
    cli.run(commands, "false")
    cli.exit_code_is(commands, 1)
    cli.all_exit_codes(commands, 0)


@pytest.mark.parametrize(
    ("step", "arguments"),
    [
        (cli.all_exit_codes, (0,)),
        (cli.exactly_exit_with, (1, 0)),
        (cli.at_least_exit_with, (1, 0)),
        (cli.all_print, ("",)),
        (cli.exactly_print, (1, "")),
        (cli.outputs_are_the_same, ()),
        (cli.outputs_are_different, ()),
    ],
)
def test_comparing_what_did_not_run_at_once(
    commands: Commands, step: Step, arguments: tuple[object, ...]
) -> None:
    cli.run(commands, "true")
    message = "no commands have been run at once: this step compares those that were"
    assert failure(step, commands, *arguments) == message


@pytest.mark.parametrize(
    ("step", "arguments", "message"),
    [
        (cli.run_copies, ("true", 1), "1 can't run at once: it takes at least 2"),
        (cli.run_copies, ("true", -3), "-3 can't run at once: it takes at least 2"),
        (cli.run_together, ([["true"]],), "one command can't run at once with nothing: name at least 2"),
        (cli.run_together, ([["true", "x"], ["true", "y"]],), "this table needs one column, the command"),
        (cli.run_copies, ("nope", 2), 'there is no program "nope": is it installed, and on the PATH?'),
    ],
)
def test_what_can_not_run_at_once(
    commands: Commands, step: Step, arguments: tuple[object, ...], message: str
) -> None:
    assert failure(step, commands, *arguments) == message
    assert commands.results == []


def test_copies_over_their_limit(commands: Commands) -> None:
    cli.set_limit(commands, 0.5)
    message = failure(cli.run_together, commands, [["sleep 600"], ["true"], ["sleep 601"]])
    assert message == "2 of 3 commands did not end within 0.5 s\n  sleep 600\n  sleep 601"
    assert [result.exit_code for result in commands.together] == [-9, 0, -9]


def test_a_command_of_a_given_is_watched_from_the_first_when_on(commands: Commands, sandbox: Sandbox) -> None:
    os.mkfifo(sandbox.work / "gate")
    cli.run_in_background(commands, "sh -c 'echo SECRET; read x <gate; echo more; exec sleep 600'")
    cli.background_prints(commands, "SECRET", DEADLINE)
    watch = never.command_prints.arm({"commands": commands, "text": "SECRET"})
    lines = never.command_prints_line.arm({"commands": commands, "pattern": "^m"})
    (sandbox.work / "gate").write_text("\n")
    cli.background_prints(commands, "more", DEADLINE)
    watch.look()
    lines.look()
    assert never.not_printed(watch.journal()) == []
    assert watch.journal().inspected == {"command": 1, "line": 1}
    line = commands.background.output.title
    assert never.no_such_line(lines.journal()) == [
        Breach(f"{line} printed a line that matches ^m to stdout", "line 2: more")
    ]


def test_endings_that_must_not_be(commands: Commands) -> None:
    cli.run(commands, "sh -c 'exit 3'")
    code = never.command_exits.arm({"commands": commands, "code": 3})
    death = never.command_dies.arm({"commands": commands})
    for watch in (code, death):
        watch.look()
        assert watch.journal().is_empty
    cli.run_in_background(commands, "sleep 600")
    for watch in (code, death):
        watch.look()
    assert code.journal().inspected == {"command": 1}
    assert (never.no_such_exit(code.journal()), never.no_death(death.journal())) == ([], [])
    cli.run(commands, "sh -c 'echo x; exit 3'")
    cli.run(commands, "sh -c 'kill -SEGV $$'")
    commands.background.send(signal.SIGTERM)
    cli.background_ends(commands, DEADLINE)
    for watch in (code, death):
        watch.look()
        watch.look()
    assert never.no_such_exit(code.journal()) == [
        Breach("\"sh -c 'echo x; exit 3'\" ended (exit code 3)", "stdout:\nx")
    ]
    assert never.no_death(death.journal()) == [
        Breach('"sleep 600" ended (killed by SIGTERM)', "it printed nothing"),
        Breach("\"sh -c 'kill -SEGV $$'\" ended (killed by SIGSEGV)", "it printed nothing"),
    ]
    assert code.journal().inspected == {"command": 3}


def test_a_pattern_that_can_not_be_armed(commands: Commands) -> None:
    with pytest.raises(StepFailed) as caught:
        never.command_prints_line.arm({"commands": commands, "pattern": "["})
    assert str(caught.value).startswith("this is not a regular expression")
