"""The negative steps of steps/logs: what they see, and what keeps them from being green for nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.changes import Changes, inotify
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Journal, Negative
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps.logs import follow
from goalkeeper.steps.logs import log as module
from goalkeeper.steps.logs import never as steps
from goalkeeper.steps.logs.log import Logs
from goalkeeper.steps.logs.watch import LogWatch, not_seen

Write = Callable[..., Path]
Arm = Callable[..., LogWatch]
SPARE = '{"type": "spare"}'


@pytest.fixture
def arm(changes: Changes) -> Iterator[Arm]:
    armed: list[LogWatch] = []

    def arming(negative: Negative, logs: Logs, **arguments: Any) -> LogWatch:
        watch = negative.arm({"logs": logs, "changes": changes, "log": "a.jsonl", **arguments})
        assert isinstance(watch, LogWatch)
        armed.append(watch)
        return watch

    yield arming
    for watch in armed:
        watch.close()


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
    arm: Arm,
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


def test_an_event_after_another(arm: Arm, logs: Logs, write: Write) -> None:
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


def test_an_event_before_another_that_came_in_time(arm: Arm, logs: Logs, write: Write) -> None:
    watch = arm(steps.event_recorded_before, logs, event="merge", other="pass")
    write("a.jsonl", '{"type": "pass"}', '{"type": "merge"}')
    watch.look()
    assert told(watch) == []


def test_an_event_that_may_be_recorded_once(arm: Arm, logs: Logs, write: Write) -> None:
    watch = arm(steps.event_recorded_after, logs, event="x", other="x")
    write("a.jsonl", '{"type": "x"}')
    watch.look()
    assert told(watch) == []
    write("a.jsonl", '{"type": "x"}')
    assert len(told(watch)) == 1


@pytest.mark.parametrize("exists", ["never", "empty"])
def test_a_log_without_lines_is_nothing_to_look_at(
    arm: Arm, logs: Logs, sandbox: Sandbox, exists: str
) -> None:
    watch = arm(steps.event_recorded, logs, event="x")
    if exists == "empty":
        (sandbox.work / "a.jsonl").touch()
    watch.look()
    assert watch.journal().is_empty


def test_a_log_that_comes_to_be_is_read_from_its_beginning(arm: Arm, logs: Logs, write: Write) -> None:
    watch = arm(steps.event_recorded, logs, event="x")
    watch.look()
    write("a.jsonl", '{"type": "x"}')
    watch.look()
    assert told(watch) == ['log "a.jsonl" records "x" | a.jsonl:1: {"type": "x"}']


def test_files_that_a_pattern_finds_later(arm: Arm, profiled: Callable[..., Logs], write: Write) -> None:
    write("run-1.jsonl", '{"type": "x"}')
    watch = arm(steps.event_recorded, profiled(), log="run-*.jsonl", event="x")
    write("run-0.jsonl", SPARE, '{"type": "x"}')
    watch.look()
    assert told(watch) == ['log "run-*.jsonl" records "x" | run-0.jsonl:2: {"type": "x"}']


@pytest.mark.parametrize("name", ["runs/r1/log.jsonl", "runs/r1/log.jsonl.1"])
def test_a_file_of_a_pattern_that_came_and_went(
    arm: Arm, profiled: Callable[..., Logs], changes: Changes, write: Write, name: str
) -> None:
    watch = arm(steps.event_recorded, profiled(), log="runs/*/log.jsonl", event="x")
    write("runs/r1/other.jsonl", '{"type": "x"}')
    write("runs/r1/log.jsonl", SPARE)
    with changes.settled():
        pass
    path = write(name, '{"type": "x"}')
    with changes.settled():
        path.unlink()
    watch.look()
    [breach] = told(watch)
    assert breach.startswith(f'log "runs/*/log.jsonl" records "x" | {name}:')


def test_a_log_behind_a_link(arm: Arm, logs: Logs, changes: Changes, write: Write, sandbox: Sandbox) -> None:
    path = write("runs/r1.jsonl", SPARE)
    (sandbox.work / "a.jsonl").symlink_to("runs/r1.jsonl")
    watch = arm(steps.event_recorded, logs, event="x")
    write("runs/r1.jsonl", '{"type": "x"}')
    with changes.settled():
        os.truncate(path, 18)
    watch.look()
    assert told(watch)[0] == 'log "a.jsonl" records "x" | a.jsonl:2: {"type": "x"}'
    (sandbox.work / "a.jsonl").unlink()
    write("runs/r2.jsonl", '{"type": "x"}')
    (sandbox.work / "a.jsonl").symlink_to("runs/r2.jsonl")
    watch.look()
    assert len(told(watch)) == 3


def test_nothing_is_missed_when_a_log_is_rotated(
    arm: Arm, logs: Logs, changes: Changes, write: Write, sandbox: Sandbox
) -> None:
    path = write("a.jsonl", '{"type": "x"}')
    watch = arm(steps.event_recorded, logs, event="x")
    write("a.jsonl", '{"type": "x", "n": 1}')
    path.rename(sandbox.work / "a.jsonl.1")
    write("a.jsonl", '{"type": "x", "n": 2}')
    with changes.settled():
        path.unlink()
    write("a.jsonl", '{"type": "x", "n": 3}')
    watch.look()
    assert [breach.rpartition(":")[2] for breach in told(watch)] == [" 1}", " 2}", " 3}"]


CUT = "so nobody knows what it held in between | "
GONE = f"a.jsonl was there between two looks, and is not any more, {CUT}"


def test_a_log_that_was_cut_can_not_be_vouched_for(arm: Arm, logs: Logs, write: Write) -> None:
    path = write("a.jsonl", SPARE)
    watch = arm(steps.event_recorded, logs, event="x")
    path.write_text("")
    watch.look()
    watch.look()
    assert told(watch) == [f"a.jsonl was cut from 18 to 0 bytes between two looks, {CUT}"]


@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_line_that_came_and_went_was_read(
    arm: Arm, logs: Logs, changes: Changes, write: Write, end: bytes
) -> None:
    path = write("a.jsonl", SPARE)
    watches = [arm(steps.text_logged, logs, text="x!"), arm(steps.pattern_logged, logs, pattern="x!")]
    write("a.jsonl", b'{"type": "x!"}' + end)
    with changes.settled():
        os.truncate(path, 18)
    for watch in watches:
        watch.look()
        [line, cut] = sorted(told(watch), reverse=True)
        assert line.endswith('| a.jsonl:2: {"type": "x!"}')
        assert cut == f"a.jsonl was cut from {32 + len(end)} to 18 bytes between two looks, {CUT}"


def test_a_line_that_came_and_went_unread(arm: Arm, logs: Logs, changes: Changes, write: Write) -> None:
    path = write("a.jsonl", SPARE)
    negatives = [
        arm(steps.event_recorded, logs, event="x"),
        arm(steps.event_repeated, logs, event="x", n=5),
        arm(steps.log_grows, logs),
    ]
    with changes.settled():
        write("a.jsonl", '{"type": "x"}')
        os.truncate(path, 18)
    for watch in negatives:
        watch.look()
        what = "was written to between two looks, but what was written is not there"
        assert told(watch) == [f"a.jsonl {what}, {CUT}"]


@pytest.mark.parametrize("way", ["made", "moved"])
def test_a_file_that_came_and_went(
    arm: Arm, logs: Logs, changes: Changes, write: Write, sandbox: Sandbox, way: str
) -> None:
    seen, unseen = arm(steps.event_recorded, logs, event="x"), arm(steps.event_recorded, logs, event="x")
    (sandbox.work / "a.jsonl").touch()
    (sandbox.work / "a.jsonl").unlink()
    seen.look()
    assert told(seen) == []
    path = write("other" if way == "moved" else "a.jsonl", '{"type": "x"}')
    if way == "moved":
        path = path.rename(sandbox.work / "a.jsonl")
    with changes.settled():
        path.unlink()
    seen.look()
    assert told(seen) == ['log "a.jsonl" records "x" | a.jsonl:1: {"type": "x"}']
    assert told(unseen) == told(seen)
    late = arm(steps.event_recorded, logs, event="y")
    with changes.settled():
        path = write("other" if way == "moved" else "a.jsonl", '{"type": "x"}')
        if way == "moved":
            path = path.rename(sandbox.work / "a.jsonl")
        path.unlink()
    late.look()
    assert told(late) == [GONE]


def test_what_is_no_loss(arm: Arm, logs: Logs, write: Write, sandbox: Sandbox) -> None:
    """Lines in many small writes, a new time, another name, other files beside."""
    path = write("a.jsonl", SPARE)
    watch = arm(steps.event_recorded, logs, event="x")
    with path.open("ab", buffering=0) as log:
        for number in range(50):
            log.write(b'{"n": ')
            log.write(f"{number}}}\n".encode())
    path.touch()
    os.utime(path, ns=(5, 5))
    path.chmod(0o600)
    watch.look()
    path.rename(sandbox.work / "a.jsonl.1")
    write("a.jsonl", SPARE)
    write("a.jsonl.x", "no")
    watch.look()
    assert told(watch) == []
    assert watch.journal().inspected == {"line": 51, "earlier line": 1}


def test_a_program_that_writes_fast(arm: Arm, logs: Logs, sandbox: Sandbox) -> None:
    watches = [arm(steps.event_recorded, logs, event="x") for _ in range(3)]
    lines = "for n in range(20000): print('{\"n\":', n, '}', flush=n % 7 == 0)"
    with (sandbox.work / "a.jsonl").open("wb") as log:
        subprocess.run([sys.executable, "-c", lines], stdout=log, check=True)
    for watch in watches:
        watch.look()
        assert told(watch) == []
        assert watch.journal().inspected["line"] == 20000


def test_more_than_is_held_in_memory(
    arm: Arm, logs: Logs, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "_ROOM", 100)
    watch = arm(steps.event_recorded, logs, event="x")
    for _ in range(5):
        write("a.jsonl", *[SPARE] * 20, '{"type": "x"}')
    watch.look()
    places = [line.partition(" | ")[2].partition(": ")[0] for line in told(watch)]
    assert places == [f"a.jsonl:{number}" for number in (21, 42, 63, 84, 105)]
    assert watch.journal().inspected["line"] == 105


def test_without_a_word_of_the_kernel(
    arm: Arm, logs: Logs, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left() -> None:
        raise OSError

    monkeypatch.setattr(inotify, "borrow", none_left)
    watch = arm(steps.event_recorded, logs, event="x")
    write("a.jsonl", '{"type": "x"}')
    watch.look()
    assert told(watch) == ['log "a.jsonl" records "x" | a.jsonl:1: {"type": "x"}']
    assert watch.journal().looked_at == "1 isolated line, 0 earlier lines"


def test_a_watch_is_put_back(arm: Arm, logs: Logs, write: Write, sandbox: Sandbox) -> None:
    path = write("a.jsonl", '{"type": "y"}')
    watch = arm(steps.event_recorded_after, logs, event="x", other="y")
    write("a.jsonl", '{"type": "y"}')
    watch.look()
    content, time = path.read_bytes(), path.stat().st_mtime_ns
    for _ in range(2):
        put_back = watch.mark()
        path.rename(sandbox.work / "a.jsonl.1")
        write("a.jsonl", '{"type": "x"}')
        watch.look()
        assert len(told(watch)) == 1
        path.unlink()
        (sandbox.work / "a.jsonl.1").rename(path)
        path.write_bytes(content)
        os.utime(path, ns=(time, time))
        watch.look()
        put_back()
        watch.look()
        assert told(watch) == []
        assert watch.journal().inspected == {"line": 1, "earlier line": 1}
    write("a.jsonl", '{"type": "x"}')
    assert len(told(watch)) == 1


def test_more_than_so_many_times(arm: Arm, logs: Logs, changes: Changes, write: Write) -> None:
    path = write("a.jsonl", '{"type": "x", "n": 0}')
    watch = arm(steps.event_repeated, logs, event="x", n=2)
    write("a.jsonl", '{"type": "x", "n": 1}')
    with changes.settled():
        path.rename(path.with_name("a.jsonl.1"))
    write("a.jsonl", '{"type": "x", "n": 2}')
    watch.look()
    assert told(watch) == []
    write("a.jsonl", '{"type": "x", "n": 3}')
    watch.look()
    assert told(watch) == [
        'log "a.jsonl" records "x" 3 times, and may 2 times | a.jsonl:2: {"type": "x", "n": 3}'
    ]


def test_a_cut_does_not_set_the_count_back(arm: Arm, logs: Logs, changes: Changes, write: Write) -> None:
    path = write("a.jsonl", b"")
    watch = arm(steps.event_repeated, logs, event="x", n=1)
    write("a.jsonl", '{"type": "x", "n": 1}')
    with changes.settled():
        os.truncate(path, 0)
    write("a.jsonl", '{"type": "x", "n": 2}')
    watch.look()
    assert told(watch)[0] == (
        'log "a.jsonl" records "x" 2 times, and may once | a.jsonl:1: {"type": "x", "n": 2}'
    )


@pytest.mark.parametrize(
    ("field", "with_it", "without"),
    [
        ("run", {"run": 0}, [{}, {"run": None}, {"run": ""}, {"Run": 1}]),
        ("a.b", {"a": {"b": False}}, [{"a": 1}, {"a": {"b": None}}, {"b": 1}]),
        ("$.a[1]", {"a": [1, 2]}, [{"a": [1]}, {"a": []}]),
        ("$.a[*].b", {"a": [{"b": 1}]}, [{"a": [{}]}, {}]),
    ],
)
def test_a_line_without_a_field(
    arm: Arm, logs: Logs, write: Write, field: str, with_it: object, without: list[object]
) -> None:
    write("a.jsonl", "{}")
    watch = arm(steps.field_missing, logs, field=field)
    write("a.jsonl", json.dumps(with_it))
    watch.look()
    assert told(watch) == []
    write("a.jsonl", *map(json.dumps, without))
    watch.look()
    assert told(watch) == [
        f'log "a.jsonl" has a line without field "{field}" | a.jsonl:{number}: {json.dumps(one)}'
        for number, one in enumerate(without, 3)
    ]


def test_lines_that_are_not_valid_are_breaches_beside_the_others(
    arm: Arm, profiled: Callable[..., Logs], write: Write
) -> None:
    watch = arm(steps.event_recorded, profiled(schema={"required": ["run"]}), event="x")
    write("a.jsonl", "oops", '{"type": "x", "run": 1}', '{"type": "x"}')
    watch.look()
    assert sorted(told(watch)) == [
        'log "a.jsonl" has a line that is no JSON: expecting value at column 1 | a.jsonl:1: oops',
        "log \"a.jsonl\" has a line that its schema does not allow: 'run' is a required property | "
        'a.jsonl:3: {"type": "x"}',
        'log "a.jsonl" records "x" | a.jsonl:2: {"type": "x", "run": 1}',
        'log "a.jsonl" records "x" | a.jsonl:3: {"type": "x"}',
    ]


def test_the_last_line_counts_at_the_end(
    arm: Arm, logs: Logs, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_text_in_a_line_that_is_being_written(arm: Arm, logs: Logs, write: Write) -> None:
    write("server.log", b"the secret was told before")
    watch = arm(steps.text_logged, logs, log="server.log", text="secret")
    watch.look()
    assert told(watch) == []
    write("server.log", "", b"a secret")
    watch.look()
    assert told(watch) == ['log "server.log" contains "secret" | server.log:2: a secret']


def test_a_log_that_grows(arm: Arm, logs: Logs, write: Write) -> None:
    write("a.jsonl", SPARE, b"half")
    watch = arm(steps.log_grows, logs)
    watch.look()
    assert told(watch) == []
    assert watch.journal().looked_at == "0 lines, 2 earlier lines"
    write("a.jsonl", b" more")
    assert told(watch) == ['log "a.jsonl" has grown | a.jsonl:2: more']


def test_of_many_breaches_the_first_are_told(arm: Arm, logs: Logs, write: Write) -> None:
    watch = arm(steps.event_recorded, logs, event="x")
    write("a.jsonl", *['{"type": "x"}'] * 300)
    watch.look()
    assert len(watch.entries) == 100
    assert [breach.partition(" | ")[2][:9] for breach in told(watch)] == [
        *(f"a.jsonl:{number}" for number in range(1, 6)),
        "",
    ]
    assert told(watch)[-1] == "at least 95 times more | "


def test_what_can_not_be_armed_or_watched(arm: Arm, logs: Logs, write: Write) -> None:
    with pytest.raises(StepFailed, match="not a regular expression"):
        arm(steps.pattern_logged, logs, pattern="(")
    with pytest.raises(StepFailed, match="line by line"):
        arm(steps.text_logged, logs, text="")
    with pytest.raises(StepFailed, match="less than 0 times"):
        arm(steps.event_repeated, logs, event="x", n=-1)
    with pytest.raises(StepFailed, match="needs two columns"):
        arm(steps.event_recorded_with, logs, event="x", datatable=[["a"]])
    watch = arm(steps.event_recorded, logs, log="b.log", event="x")
    write("b.log", "plain text")
    with pytest.raises(StepFailed, match="is plain text, so it records no events"):
        watch.look()


def test_a_check_over_a_journal_without_entries() -> None:
    assert not_seen(Journal("x", ())) == []
