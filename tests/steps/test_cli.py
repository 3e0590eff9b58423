"""The steps of steps/cli: what each accepts, and what it says where it does not."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import cli
from goalkeeper.steps.cli.command import Commands

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
