"""The steps of steps/remember: what each remembers, and what it says where there is nothing to remember."""

from __future__ import annotations

import shlex
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.names import Names
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import cli, remember
from goalkeeper.steps.cli.command import Commands
from goalkeeper.steps.logs.log import Logs
from goalkeeper.steps.state.states import States

WriteGoal = Callable[..., Path]


def prints(commands: Commands, text: str) -> None:
    cli.run(commands, shlex.join(["printf", "%s", text]))


def failure(step: Callable[..., None], *arguments: object) -> str:
    with pytest.raises(StepFailed) as caught:
        step(*arguments)
    return str(caught.value)


def test_a_value_and_the_working_directory(names: Names, sandbox: Sandbox) -> None:
    remember.remember_value(names, "", "a")
    remember.remember_directory(names, sandbox, "b")
    assert (names.get("a"), names.get("b")) == ("", str(sandbox.work))


def test_a_free_port_can_be_listened_on(names: Names) -> None:
    remember.remember_port(names, "port")
    with socket.create_server(("127.0.0.1", int(names.get("port") or 0))) as server:
        assert server.getsockname()[1] > 0


@pytest.mark.parametrize(
    ("printed", "value"), [("a b\n", "a b"), ("a\nb\r\n\n", "a\nb"), (" a ", " a "), ("ü", "ü")]
)
def test_the_output(names: Names, commands: Commands, printed: str, value: str) -> None:
    prints(commands, printed)
    remember.remember_output(names, commands, "x")
    assert names.get("x") == value


@pytest.mark.parametrize(
    ("pattern", "value"),
    [(r"\d+", "17"), (r"run (\w+)", "r"), (r"(r)-(\d+)", "r"), ("^port.*$", "port 80"), ("(no)?run", "")],
)
def test_the_first_match(names: Names, commands: Commands, pattern: str, value: str) -> None:
    prints(commands, "run r-17\nport 80\nrun r-18\n")
    if value:
        remember.remember_match(names, commands, pattern, "x")
        assert names.get("x") == value
    else:
        assert failure(remember.remember_match, names, commands, pattern, "x") == (
            f"there is nothing to remember: {pattern} matches nothing but emptiness"
        )


def test_output_without_what_is_asked_for(names: Names, commands: Commands) -> None:
    assert failure(remember.remember_output, names, commands, "x")
    prints(commands, "\n")
    assert failure(remember.remember_output, names, commands, "x") == (
        "there is nothing to remember: the output is empty"
    )
    assert failure(remember.remember_match, names, commands, "run", "x").startswith(
        "the output does not match run"
    )
    assert "this is not a regular expression" in failure(remember.remember_match, names, commands, "(", "x")
    assert names.get("x") is None


DOCUMENT = '{"run": {"id": "r1", "n": 5, "half": 0.5, "open": true, "none": null, "list": ["a", {"b": 1}]}}'


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("run.id", "r1"),
        ("run.n", "5"),
        ("run.half", "0.5"),
        ("run.open", "true"),
        ("run.none", "null"),
        ("run.list.0", "a"),
        ("run.list", '["a", {"b": 1}]'),
        ("$.run.list[1].b", "1"),
    ],
)
def test_values_of_documents(
    names: Names, commands: Commands, states: States, sandbox: Sandbox, path: str, value: str
) -> None:
    prints(commands, DOCUMENT)
    (sandbox.work / "s.json").write_text(DOCUMENT)
    remember.remember_output_value(names, commands, path, "x")
    remember.remember_state_value(names, states, path, "s.json", "y")
    assert (names.get("x"), names.get("y")) == (value, value)


def test_values_that_are_not_there(
    names: Names, commands: Commands, states: States, sandbox: Sandbox
) -> None:
    prints(commands, DOCUMENT)
    (sandbox.work / "s.json").write_text(DOCUMENT)
    told = failure(remember.remember_output_value, names, commands, "run.ids", "x")
    assert told.startswith("the output has no value run.ids: ")
    told = failure(remember.remember_state_value, names, states, "ran.id", "s.json", "x")
    assert told.startswith('state "s.json" has no value ran.id: ')
    assert failure(remember.remember_state_value, names, states, "a", "t.json", "x") == (
        'state "t.json" is not there'
    )
    prints(commands, "{")
    assert failure(remember.remember_output_value, names, commands, "a", "x").startswith(
        "the output is not JSON: "
    )


def test_a_field_of_the_last_event(names: Names, logs: Logs, sandbox: Sandbox) -> None:
    lines = ['{"event": "up", "port": 1}', '{"event": "up", "port": 2}', '{"event": "down", "port": 3}']
    (sandbox.work / "a.jsonl").write_text("\n".join(lines) + "\n")
    remember.remember_field(names, logs, "port", "up", "a.jsonl", "x")
    assert names.get("x") == "2"
    assert '"upp"' in failure(remember.remember_field, names, logs, "port", "upp", "a.jsonl", "x")
    assert failure(remember.remember_field, names, logs, "prot", "up", "a.jsonl", "x").startswith(
        '"up" in log "a.jsonl" has no value prot: '
    )
    assert names.get("x") == "2"


def test_the_content_of_a_file(names: Names, sandbox: Sandbox) -> None:
    (sandbox.work / "a.txt").write_bytes("ä\r\nb\r\n".encode())
    remember.remember_content(names, sandbox, "a.txt", "x")
    assert names.get("x") == "ä\r\nb"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none.txt", 'file "none.txt" can\'t be read: No such file or directory'),
        (".", 'file "." can\'t be read: Is a directory'),
        ("empty.txt", 'there is nothing to remember: file "empty.txt" is empty'),
        ("latin.txt", 'file "latin.txt" is no text: '),
        ("../x", '"../x" lies outside of the sandbox'),
    ],
)
def test_a_file_without_content(names: Names, sandbox: Sandbox, path: str, message: str) -> None:
    (sandbox.work / "empty.txt").write_text("\n\n")
    (sandbox.work / "latin.txt").write_bytes(b"\xff")
    assert failure(remember.remember_content, names, sandbox, path, "x").startswith(message)


def test_comparing() -> None:
    remember.values_are_equal("a", "a")
    remember.values_differ("5", "5.0")
    assert failure(remember.values_are_equal, "a", "b") == ("the values differ\n  expected: b\n  actual:   a")
    assert failure(remember.values_differ, "a", "a") == 'both values are "a"'


def test_names_that_nothing_remembers_are_found_before_anything_runs(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    goal("""
        Scenario: x
          Given I remember "a" as "word"
          When I run "echo ${wrod}"
          Then "${word}" is "a"
    """)
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["scenarios/a.feature:5:22: unknown-name", '*remembers "wrod". Did you mean "word"[?]']
    )


def test_a_name_must_be_a_word(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal('Scenario: x\n  When I remember "a" as "two words"\n')
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["scenarios/a.feature:4:10: unknown-step"])
