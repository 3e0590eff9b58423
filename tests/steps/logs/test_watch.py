"""The negative steps of steps/logs: what they see, and what keeps them from being green for nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Journal, Negative
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import logs as steps
from goalkeeper.steps.logs import log as module
from goalkeeper.steps.logs import not_seen
from goalkeeper.steps.logs.log import Logs
from goalkeeper.steps.logs.watch import LogWatch

Write = Callable[..., Path]
SPARE = '{"type": "spare"}'


def arm(negative: Negative, logs: Logs, **arguments: Any) -> LogWatch:
    watch = negative.arm({"logs": logs, "log": "a.jsonl", **arguments})
    assert isinstance(watch, LogWatch)
    return watch


def told(watch: LogWatch) -> list[str]:
    return [f"{breach.message} | {breach.evidence}" for breach in not_seen(watch.journal())]


@pytest.mark.parametrize(
    ("negative", "arguments", "allowed", "forbidden", "what"),
    [
        (steps.event_recorded, {"event": "x"}, ['{"type": "xx", "m": "x"}'], '{"type": "x"}', 'records "x"'),
        (
            steps.event_recorded_with,
            {"event": "x", "datatable": [["a.b", "1"], ["c", "d"]]},
            ['{"type": "x", "a": {"b": 1}}', '{"type": "x", "a": {"b": "1"}, "c": "d"}'],
            '{"type": "x", "a": {"b": 1}, "c": "d"}',
            'records "x"',
        ),
        (
            steps.event_recorded_before,
            {"event": "x", "other": "y"},
            ['{"type": "z"}'],
            '{"type": "x"}',
            'records "x" before "y"',
        ),
        (
            steps.text_logged,
            {"text": 'a"b'},
            ['{"m": "ab"}'],
            '{"m": "a\\u0022b"}',
            'contains "a"b"',
        ),
        (steps.pattern_logged, {"pattern": "^.x+}"}, ['{"x": "x"}'], '"xx}"', "matches ^.x+}"),
    ],
)
def test_a_forbidden_line_from_arming_on(
    logs: Logs,
    write: Write,
    negative: Negative,
    arguments: dict[str, Any],
    allowed: list[str],
    forbidden: str,
    what: str,
) -> None:
    write("a.jsonl", forbidden)
    watch = arm(negative, logs, **arguments)
    watch.look()
    assert told(watch) == []
    assert watch.journal().looked_at == "0 lines, 1 earlier line"
    write("a.jsonl", *allowed)
    watch.look()
    assert told(watch) == []
    write("a.jsonl", forbidden)
    watch.look()
    write("a.jsonl", SPARE)
    watch.look()
    place = f"a.jsonl:{2 + len(allowed)}"
    assert told(watch) == [f'log "a.jsonl" {what} | {place}: {forbidden}']
    assert watch.journal().inspected == {"line": 2 + len(allowed), "earlier line": 1}
    watch.close()


def test_an_event_after_another(logs: Logs, write: Write) -> None:
    write("a.jsonl", '{"type": "stop"}')
    watch = arm(steps.event_recorded_after, logs, event="start", other="stop")
    write("a.jsonl", '{"type": "start"}')
    watch.look()
    write("a.jsonl", '{"type": "stop"}')
    watch.look()
    assert told(watch) == []
    write("a.jsonl", '{"type": "start"}')
    watch.look()
    [breach] = told(watch)
    message, evidence = breach.split(" | ")
    assert message == 'log "a.jsonl" records "start" after "stop"'
    assert evidence.splitlines() == ['a.jsonl:3: {"type": "stop"}', 'a.jsonl:4: {"type": "start"}']


def test_an_event_before_another_that_came_in_time(logs: Logs, write: Write) -> None:
    watch = arm(steps.event_recorded_before, logs, event="merge", other="pass")
    write("a.jsonl", '{"type": "pass"}', '{"type": "merge"}')
    watch.look()
    assert told(watch) == []


def test_an_event_that_may_be_recorded_once(logs: Logs, write: Write) -> None:
    watch = arm(steps.event_recorded_after, logs, event="x", other="x")
    write("a.jsonl", '{"type": "x"}')
    watch.look()
    assert told(watch) == []
    write("a.jsonl", '{"type": "x"}')
    assert len(told(watch)) == 1


@pytest.mark.parametrize("exists", ["never", "empty"])
def test_a_log_without_lines_is_nothing_to_look_at(logs: Logs, sandbox: Sandbox, exists: str) -> None:
    watch = arm(steps.event_recorded, logs, event="x")
    if exists == "empty":
        (sandbox.work / "a.jsonl").touch()
    watch.look()
    assert watch.journal().is_empty


def test_a_log_that_comes_to_be_is_read_from_its_beginning(logs: Logs, write: Write) -> None:
    watch = arm(steps.event_recorded, logs, event="x")
    watch.look()
    write("a.jsonl", '{"type": "x"}')
    watch.look()
    assert told(watch) == ['log "a.jsonl" records "x" | a.jsonl:1: {"type": "x"}']


def test_files_that_a_pattern_finds_later(profiled: Callable[..., Logs], write: Write) -> None:
    write("run-1.jsonl", '{"type": "x"}')
    watch = arm(steps.event_recorded, profiled(), log="run-*.jsonl", event="x")
    write("run-0.jsonl", SPARE, '{"type": "x"}')
    watch.look()
    assert told(watch) == ['log "run-*.jsonl" records "x" | run-0.jsonl:2: {"type": "x"}']


def test_nothing_is_missed_when_a_log_is_rotated(logs: Logs, write: Write, sandbox: Sandbox) -> None:
    path = write("a.jsonl", '{"type": "x"}')
    watch = arm(steps.event_recorded, logs, event="x")
    write("a.jsonl", '{"type": "x", "n": 1}')
    path.rename(sandbox.work / "a.jsonl.1")
    write("a.jsonl", '{"type": "x", "n": 2}')
    path.unlink()
    write("a.jsonl", '{"type": "x", "n": 3}')
    watch.look()
    assert [breach.partition(" | ")[2] for breach in told(watch)] == [
        'a.jsonl.1:2: {"type": "x", "n": 1}',
        'a.jsonl:1: {"type": "x", "n": 3}',
    ]


def test_a_log_that_was_cut_can_not_be_vouched_for(logs: Logs, write: Write) -> None:
    path = write("a.jsonl", SPARE)
    watch = arm(steps.event_recorded, logs, event="x")
    path.write_text("")
    watch.look()
    watch.look()
    assert told(watch) == [
        "a.jsonl was cut from 18 to 0 bytes between two looks, so nobody knows what it held in between | "
    ]


def test_lines_that_are_not_valid_are_breaches_beside_the_others(
    profiled: Callable[..., Logs], write: Write
) -> None:
    watch = arm(steps.event_recorded, profiled(schema={"required": ["run"]}), event="x")
    write("a.jsonl", "oops", '{"type": "x", "run": 1}', '{"type": "x"}')
    watch.look()
    assert sorted(told(watch)) == [
        'log "a.jsonl" has a line that is no JSON: expecting value at column 1 | a.jsonl:1: oops',
        "log \"a.jsonl\" has a line that its schema does not allow: 'run' is a required property | "
        'a.jsonl:3: {"type": "x"}',
        'log "a.jsonl" records "x" | a.jsonl:2: {"type": "x", "run": 1}',
    ]


def test_the_last_line_counts_at_the_end(logs: Logs, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.0)
    write("a.jsonl", b'{"type": ')
    watch = arm(steps.event_recorded, logs, event="x")
    watch.look()
    assert watch.entries == []
    assert told(watch) == [
        'log "a.jsonl" has a line that is no JSON: expecting value at column 9 | a.jsonl:1: {"type":'
    ]
    other = arm(steps.event_recorded, logs, event="x")
    write("a.jsonl", b'"x"}')
    other.look()
    assert told(other) == ['log "a.jsonl" records "x" | a.jsonl:1: {"type": "x"}']


def test_a_text_in_a_line_that_is_being_written(logs: Logs, write: Write) -> None:
    write("server.log", b"the secret was told before")
    watch = arm(steps.text_logged, logs, log="server.log", text="secret")
    watch.look()
    assert told(watch) == []
    write("server.log", "", b"a secret")
    watch.look()
    assert told(watch) == ['log "server.log" contains "secret" | server.log:2: a secret']


def test_a_log_that_grows(logs: Logs, write: Write) -> None:
    write("a.jsonl", SPARE, b"half")
    watch = arm(steps.log_grows, logs)
    watch.look()
    assert told(watch) == []
    assert watch.journal().looked_at == "0 lines, 2 earlier lines"
    write("a.jsonl", b" more")
    assert told(watch) == ['log "a.jsonl" has grown | a.jsonl:2: more']


def test_of_many_breaches_the_first_are_told(logs: Logs, write: Write) -> None:
    watch = arm(steps.event_recorded, logs, event="x")
    write("a.jsonl", *['{"type": "x"}'] * 300)
    watch.look()
    assert len(watch.entries) == 100
    assert [breach.partition(" | ")[2][:9] for breach in told(watch)] == [
        *(f"a.jsonl:{number}" for number in range(1, 6)),
        "",
    ]
    assert told(watch)[-1] == "at least 95 times more | "


def test_what_can_not_be_armed_or_watched(logs: Logs, write: Write) -> None:
    with pytest.raises(StepFailed, match="not a regular expression"):
        arm(steps.pattern_logged, logs, pattern="(")
    with pytest.raises(StepFailed, match="line by line"):
        arm(steps.text_logged, logs, text="")
    with pytest.raises(StepFailed, match="needs two columns"):
        arm(steps.event_recorded_with, logs, event="x", datatable=[["a"]])
    watch = arm(steps.event_recorded, logs, log="b.log", event="x")
    write("b.log", "plain text")
    with pytest.raises(StepFailed, match="is plain text, so it records no events"):
        watch.look()


def test_a_check_over_a_journal_without_entries() -> None:
    assert not_seen(Journal("x", ())) == []
