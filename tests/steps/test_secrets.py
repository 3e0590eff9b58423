"""steps/secrets: in which forms a secret is found, and where, and that it is shown nowhere."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from goalkeeper.runner.artifacts import Artifacts
from goalkeeper.runner.changes import Changes, inotify
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.names import Names
from goalkeeper.runner.never import Breach, Negative, Watch
from goalkeeper.runner.record.mask import Mask
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import cli, process, secrets
from goalkeeper.steps.cli.command import Commands
from goalkeeper.steps.process.manager import Processes
from goalkeeper.steps.secrets import never
from goalkeeper.steps.secrets.secret import Secret, Secrets

Arm = Callable[..., Watch[Any]]
WriteGoal = Callable[..., Path]
Encode = Callable[[str], str]

SECRET = Secret("token", "abcDEF+x1y/CoreCoreCore12345678=zzzz", "CoreCoreCore12345678")


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


FORMS: list[tuple[str, Encode]] = [
    ("as it is", str),
    ("as it is", lambda value: f"https://user:{value}@host/"),
    ("URL-encoded", lambda value: quote(value, safe="")),
    ("URL-encoded", lambda value: re.sub("%..", lambda code: code[0].lower(), quote_plus(value))),
    ("URL-encoded", lambda value: quote(value)),
    ("JSON-escaped", lambda value: json.dumps({"t": value}).replace("/", "\\/")),
    ("JSON-escaped", lambda value: value.replace("+", "\\u002b").replace("=", "\\u003D")),
    ("in part, or escaped", lambda value: value.replace("=", "&#61;")),
    ("in part, or escaped", lambda _: SECRET.core),
    ("in hexadecimal", lambda value: value.encode().hex()),
    ("in hexadecimal", lambda value: value.encode().hex().upper()),
    ("in hexadecimal", lambda value: value.encode().hex(":")),
    ("in hexadecimal", lambda value: textwrap.fill(value.encode().hex(" ", 2), 40)),
    ("in hexadecimal", lambda value: "".join(f"%{byte:02X}" for byte in value.encode())),
    *(("in base64", lambda value, n=n: encoded("x" * n + value)) for n in range(4)),
    *(("in base64", lambda value, n=n: encoded(f"Basic user:{value}{'y' * n}")) for n in range(3)),
    ("in base64", lambda value: base64.urlsafe_b64encode(f"?>~{value}".encode()).decode()),
    ("in base64", lambda value: textwrap.fill(encoded("some longer text " * 3 + value), 20)),
    ("in base64", lambda value: "\r\n".join(textwrap.wrap(encoded(value), 9))),
    ("in base64", lambda value: json.dumps("\n".join(textwrap.wrap(encoded(value), 9)))),
]
HARMLESS: list[Encode] = [
    lambda value: value[::-1],
    lambda _: SECRET.core[:-1],
    lambda value: value.swapcase(),
    lambda value: encoded(value.swapcase()),
    lambda value: gzip.compress(value.encode()).hex(),  # said to be unseen in the library's documentation
]


@pytest.mark.parametrize(("form", "encode"), FORMS)
def test_it_is_found_in_any_form(form: str, encode: Encode) -> None:
    text = encode(SECRET.value)
    hit = SECRET.find(f"first\nsecond {text} more\nthird".encode())
    assert hit is not None
    assert hit.form == form
    assert hit.line in range(2, 2 + 1 + text.count("\n"))
    assert "***" in hit.text
    shown = SECRET.conceal(f"before {text} after")
    assert SECRET.find(shown.encode()) is None
    assert not any(spelling in shown for spelling in SECRET.spellings())


@pytest.mark.parametrize("encode", HARMLESS)
def test_something_else_is_not_found(encode: Encode) -> None:
    text = encode(SECRET.value)
    assert SECRET.find(text.encode()) is None
    assert SECRET.conceal(text) == text


def test_it_is_made_anew_each_time() -> None:
    made = [Secret.new("a") for _ in range(100)]
    assert len({one.value for one in made}) == 100
    for one in made:
        assert quote(one.value, safe="") != one.value
        assert one.core.isalnum()
        assert one.core in one.value
        assert one.find(f"x{one.value}".encode()) is not None


@pytest.fixture
def made(planted_secrets: Secrets) -> Secret:
    return planted_secrets.make("token")


@pytest.fixture
def arm(
    planted_secrets: Secrets,
    sandbox: Sandbox,
    changes: Changes,
    commands: Commands,
    processes: Processes,
    artifacts: Artifacts,
) -> Iterator[Arm]:
    armed: list[Watch[Any]] = []
    given = {
        "planted_secrets": planted_secrets, "sandbox": sandbox, "changes": changes, "commands": commands,
        "processes": processes, "artifacts": artifacts, "name": "token",
    }  # fmt: skip
    asked = {
        never.appears_in_files: ("planted_secrets", "sandbox", "changes", "name"),
        never.appears_in_log: ("planted_secrets", "artifacts", "sandbox", "changes", "name"),
        never.appears_in_output: ("planted_secrets", "commands", "processes", "name"),
        never.appears: ("planted_secrets", "sandbox", "changes", "commands", "processes", "name"),
    }

    def arming(step: Negative, **arguments: object) -> Watch[Any]:
        armed.append(step.arm({**{name: given[name] for name in asked[step]}, **arguments}))
        return armed[-1]

    yield arming
    for watch in armed:
        watch.close()


def breaches(watch: Watch[Any]) -> list[Breach]:
    watch.look()
    return never.appears.judge(watch.journal())  # type: ignore[return-value]


def messages(watch: Watch[Any]) -> list[str]:
    return [breach.message.removeprefix('secret "token" stood in ') for breach in breaches(watch)]


@pytest.mark.parametrize("step", [never.appears_in_files, never.appears])
def test_files_anywhere_in_the_sandbox(arm: Arm, sandbox: Sandbox, made: Secret, step: Negative) -> None:
    watch = arm(step)
    (sandbox.work / "clean").write_text("x")
    assert breaches(watch) == []
    deep = sandbox.root / "home" / ".config" / "app"
    deep.mkdir(parents=True)
    (deep / "settings").write_text(f"a\nb\ntoken: {made.value}\n")
    (sandbox.root / "tmp" / "x").write_text(encoded(made.value))
    (sandbox.work / "link").symlink_to(made.value)
    (sandbox.root / "run" / "socket").write_text(made.value)
    first, second, third = breaches(watch)
    assert first.message.startswith('secret "token" stood in file "~/.config/app/settings" ')
    assert first.message.endswith(" a step, as it is")
    assert first.evidence == "line 3: token: ***"
    assert second.message == 'secret "token" stood in file "$TMPDIR/x" during a step, in base64'
    assert third.message == 'secret "token" stood in link "link" during a step, as it is'
    assert watch.journal().looked_at.startswith(f"{4 if step is never.appears else 3} moments, 3 files")


def test_names_of_files_that_come_and_go(arm: Arm, sandbox: Sandbox, made: Secret) -> None:
    watch = arm(never.appears_in_files)
    path = sandbox.work / f"x {quote(made.value, safe='')}.lock"
    path.touch()
    path.unlink()
    (sandbox.work / made.value).mkdir(parents=True)
    first, second = breaches(watch)
    assert first.message == 'secret "token" stood in the name of file "x ***" during a step, URL-encoded'
    assert second.message == 'secret "token" stood in the name of file "***" during a step, as it is'


def test_a_file_that_was_removed_at_once(arm: Arm, changes: Changes, sandbox: Sandbox, made: Secret) -> None:
    """It is read as soon as it is told of, and one that is open then is read though it is gone."""
    watch = arm(never.appears_in_files)
    (sandbox.work / "a").write_text(made.value)
    with changes.settled():
        pass
    (sandbox.work / "a").unlink()
    with (sandbox.work / "b").open("w") as file:
        with changes.settled():
            pass
        file.write(made.value)
        file.flush()
        with changes.settled():
            (sandbox.work / "b").unlink()
    assert messages(watch) == ['file "a" during a step, as it is', 'file "b" during a step, as it is']


@pytest.mark.usefixtures("made")
def test_one_that_could_not_be_read_is_counted(arm: Arm, changes: Changes, sandbox: Sandbox) -> None:
    watch = arm(never.appears_in_files)
    with changes.settled():
        for name in ("a", "empty"):
            (sandbox.work / name).write_text("x" if name == "a" else "")
            (sandbox.work / name).unlink()
    os.mkfifo(sandbox.work / "pipe")
    assert breaches(watch) == []
    assert watch.journal().looked_at == "2 moments, 1 unread file"


def test_a_file_that_grows_is_read_on(arm: Arm, changes: Changes, sandbox: Sandbox, made: Secret) -> None:
    watch = arm(never.appears_in_files)
    with (sandbox.work / "log").open("w") as log:
        for number in range(200):
            log.write(f"line {number} {'x' * 40}\n")
            log.flush()
        with changes.settled():
            pass
        log.write(made.value[:20])
        log.flush()
        with changes.settled():
            pass
        assert breaches(watch) == []
        log.write(f"{made.value[20:]}\n")
    [breach] = breaches(watch)[:1]
    assert breach.evidence == "line 201: ***"


def test_a_long_file(arm: Arm, sandbox: Sandbox, made: Secret) -> None:
    watch = arm(never.appears_in_files)
    for place in ((1 << 20) - 10, 3 << 20):
        long = sandbox.work / f"long {place}"
        long.write_bytes(b"x\n" * (place // 2) + made.value.encode() + b"\n" * 100)
        assert breaches(watch)[-1].evidence == f"line {place // 2 + 1}: ***"


def test_what_the_scenario_planted_may_stay(
    arm: Arm, sandbox: Sandbox, planted_secrets: Secrets, made: Secret
) -> None:
    secrets.put_in_file(planted_secrets, sandbox, "token", "keys\\token")
    planted, written = sandbox.work / "keys" / "token", sandbox.work / "app.toml"
    written.write_text(f"key = {made.value}\n")
    assert planted.stat().st_mode & 0o777 == 0o600
    watch = arm(never.appears_in_files)
    planted.read_text()
    planted.write_text(f"{made.value}\n")
    planted.touch()
    written.chmod(0o600)
    assert breaches(watch) == []
    planted.rename(sandbox.work / "moved")
    assert messages(watch)[0] == 'file "moved" during a step, as it is'
    (sandbox.work / "moved").rename(planted)
    with planted.open("a") as file:
        file.write("more\n")
    with written.open("a") as file:
        file.write("more\n")
    assert {*messages(watch)} >= {
        'file "keys/token" during a step, as it is',
        'file "app.toml" during a step, as it is',
    }


def test_output_of_commands_and_processes(
    arm: Arm, commands: Commands, processes: Processes, made: Secret
) -> None:
    cli.run(commands, f"echo {made.value}")
    watch, everywhere = arm(never.appears_in_output), arm(never.appears)
    assert breaches(watch) == []
    assert watch.journal().is_empty
    cli.run(commands, f"printf %s {made.value[:20]}")
    assert breaches(watch) == []
    cli.run(commands, f"sh -c 'echo fine; echo {made.value} >&2'")
    process.start(processes, "app", f"echo {encoded(made.value)}")
    process.exits(processes, "app", 30.0)
    assert breaches(watch) == [
        Breach(
            'secret "token" stood in what "sh -c \'echo fine; echo *** >&2\'" printed to stderr, as it is',
            "line 1: ***",
        ),
        Breach('secret "token" stood in what process "app" printed to stdout, in base64', "line 1: ***"),
    ]
    assert watch.journal().looked_at == "3 programs, 4 lines"
    assert breaches(everywhere) == breaches(watch)


def test_logs_and_what_was_rotated_away(arm: Arm, changes: Changes, sandbox: Sandbox, made: Secret) -> None:
    watch = arm(never.appears_in_log, log="logs\\app.log")
    assert breaches(watch) == []
    assert watch.journal().is_empty
    (sandbox.work / "logs").mkdir()
    log = sandbox.work / "logs" / "app.log"
    with changes.settled():
        pass
    log.write_text("started\n")
    (sandbox.work / "other.log").write_text(made.value)
    assert breaches(watch) == []
    assert watch.journal().looked_at == "1 file, 1 log"
    log.rename(log.with_name("app.log.1"))
    with log.with_name("app.log.1").open("a") as old:
        old.write(f"{made.value}\n")
    log.write_text("started\n")
    [breach] = breaches(watch)
    assert breach.message == 'secret "token" stood in file "logs/app.log.1" during a step, as it is'
    assert breach.evidence == "line 2: ***"


def test_without_inotify_they_look_after_each_step(
    sandbox: Sandbox, planted_secrets: Secrets, made: Secret, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left() -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(inotify, "borrow", none_left)
    (sandbox.work / "before").write_text(made.value)
    watch = never.appears_in_files.arm(
        {
            "planted_secrets": planted_secrets,
            "sandbox": sandbox,
            "changes": Changes(sandbox.root),
            "name": "token",
        }
    )
    (sandbox.work / "a").write_text(made.value)
    (sandbox.work / made.core).mkdir()
    assert {*messages(watch)} == {
        'file "a" after a step, as it is',
        'the name of file "***" after a step, in part, or escaped',
    }
    assert watch.journal().looked_at == "2 isolated moments, 1 file"


def test_a_secret_that_was_not_made(arm: Arm, planted_secrets: Secrets) -> None:
    planted_secrets.make("tokens")
    with pytest.raises(StepFailed) as caught:
        arm(never.appears)
    assert str(caught.value).splitlines() == [
        'there is no secret "token". Did you mean "tokens"?',
        'make one first: Given a secret "token"',
    ]


def test_the_same_name_is_the_same_secret(names: Names, planted_secrets: Secrets, commands: Commands) -> None:
    secrets.make_secret(planted_secrets, "token")
    secrets.put_in_environment(planted_secrets, commands, "token", "TOKEN")
    assert commands.environment["TOKEN"] == names.get("token") == planted_secrets.find("token").value


def test_a_file_that_can_not_be_written(planted_secrets: Secrets, sandbox: Sandbox) -> None:
    (sandbox.work / "d").mkdir()
    with pytest.raises(StepFailed, match='file "d" can\'t be written: Is a directory'):
        secrets.put_in_file(planted_secrets, sandbox, "token", "d")


def test_records_leave_out_what_a_scenario_made_up() -> None:
    mask = Mask({})
    assert mask.is_idle
    for spelling in SECRET.spellings():
        mask.plant("one", spelling)
    assert not mask.is_idle
    assert mask(f"a {SECRET.value} b") == mask.hide(f"a {SECRET.value} b") == "a *** b"
    assert mask.within({"line": [f"curl ?t={quote(SECRET.value, safe='')}"]}) == {"line": ["curl ?t=***"]}
    assert mask.concerns(SECRET.value)
    mask.plant("two", "another")
    assert mask.hide(f"{SECRET.value} another") == f"{SECRET.value} ***"


GOAL = """
    Scenario: a program that tells it
      Given a secret "token" in environment variable "API_TOKEN"
      When I run "sh -c 'echo ${token}; echo $API_TOKEN > leak; echo ${token} | base64 > encoded'"
      Then the output contains "nothing of it"
      But secret "token" never appears
      And secret "token" never appears in files
      And secret "token" never appears in the output
      And secret "token" never appears in log "leak"

    Scenario: no logs to look at
      Given a secret "token"
      When I run "echo fine"
      Then the output contains "fine"
      But secret "token" never appears in the logs

    Scenario: a command that takes too long
      Given a secret "token"
      When I run "sh -c 'sleep 600; : ${token}'" for at most 50 ms
      Then the output contains "fine"
      But secret "token" never appears
"""


def test_the_whole_way(pytester: pytest.Pytester, goal: WriteGoal, monkeypatch: pytest.MonkeyPatch) -> None:
    values: list[Secret] = []
    new = Secret.new

    def noted(name: str) -> Secret:
        values.append(new(name))
        return values[-1]

    goal(GOAL)
    monkeypatch.setattr(Secret, "new", noted)
    result = pytester.runpytest("scenarios", "-v", "--junitxml=junit.xml")
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(
        [
            '>   But secret "token" never appears',
            'E     secret "token" stood in file "leak" * a step, as it is',
            'E     and secret "token" stood in file "encoded" * a step, in base64',
            'E     and secret "token" stood in what * printed to stdout, as it is',
            "E     no profile of a system under test names a log",
            "E     *sleep 600; : [*][*][*]'* did not end within 0.05 s",
        ]
    )
    [record] = pytester.path.glob(".goalkeeper/runs/*/record.jsonl")
    kept = [path for path in pytester.path.glob(".goalkeeper/runs/*/evidence/*/*") if path.is_file()]
    told = [result.stdout.str(), (pytester.path / "junit.xml").read_text(), record.read_text()]
    for text in (*told, *(path.read_text() for path in kept)):
        for value in values:
            assert value.find(text.encode()) is None
    assert len(values) == 3
    assert kept
