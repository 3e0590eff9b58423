"""A log with a profile: schemas, formats, several files, and lines that are being written."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import logs as steps
from goalkeeper.steps.logs import log as module
from goalkeeper.steps.logs.log import Logs

Write = Callable[..., Path]
Profiled = Callable[..., Logs]
SCHEMA = {"type": "object", "required": ["run"], "properties": {"n": {"type": "integer"}}}


def failure(step: Callable[..., None], *arguments: object) -> str:
    with pytest.raises(StepFailed) as caught:
        step(*arguments)
    return str(caught.value)


def test_every_line_that_a_step_comes_by_is_held_against_the_schema(profiled: Profiled, write: Write) -> None:
    write("a.jsonl", '{"type": "x", "run": 1}', '{"type": "y", "run": 1, "n": "1"}', '{"type": "z"}')
    told = (
        "log \"a.jsonl\" has a line that its schema does not allow: n: '1' is not of type 'integer'\n"
        '  a.jsonl:2: {"type": "y", "run": 1, "n": "1"}'
    )
    logs = profiled(schema=SCHEMA)
    assert failure(steps.records, logs, "a.jsonl", "x") == told
    assert failure(steps.contains, logs, "a.jsonl", "x") == told
    assert failure(steps.matches, logs, "a.jsonl", "x") == told
    assert failure(steps.has_lines, logs, "a.jsonl", 3) == told
    assert failure(steps.every_line_is_valid, logs, "a.jsonl") == told
    steps.records(profiled(), "a.jsonl", "z")


def test_a_line_is_checked_once(
    profiled: Profiled, write: Write, observed: list[tuple[str, str, dict[str, Any]]]
) -> None:
    logs = profiled(schema=SCHEMA)
    write("a.jsonl", '{"type": "x", "run": 1}', "", '{"type": "x", "run": 1}')
    steps.records(logs, "a.jsonl", "x")
    steps.contains(logs, "a.jsonl", "x")
    write("a.jsonl", '{"type": "y", "run": 1}')
    steps.records(logs, "a.jsonl", "y")
    assert [(kind, outcome, facts["lines"], facts["checked"]) for kind, outcome, facts in observed] == [
        ("log", "ok", 3, 3),
        ("log", "ok", 3, 0),
        ("log", "ok", 4, 1),
    ]
    write("a.jsonl", "{}")
    failure(steps.records, logs, "a.jsonl", "x")
    assert observed[-1][1] == "failed"


def test_beyond_the_budget_only_what_is_looked_for_is_checked(
    profiled: Profiled, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    from goalkeeper.steps.logs import tail

    monkeypatch.setattr(tail, "_BLOCK", 64)
    write("a.jsonl", *['{"type": "x", "run": 1}'] * 8, '{"type": "y"}', '{"type": "z", "run": 1}')
    logs = profiled(schema=SCHEMA)
    with logs.open("a.jsonl", budget=10) as log:
        assert [entry.line.number for entry in log.entries("z")] == [10]
    with logs.open("a.jsonl", budget=0) as log, pytest.raises(StepFailed, match=r"a\.jsonl:9"):
        [*log.entries("y")]
    assert "a.jsonl:9" in failure(steps.every_line_is_valid, logs, "a.jsonl")


def test_a_line_that_is_no_json(logs: Logs, write: Write) -> None:
    write("a.jsonl", '{"type": "x"}', "", "oops", '{"type": "y"}')
    told = 'log "a.jsonl" has a line that is no JSON: expecting value at column 1\n  a.jsonl:3: oops'
    assert failure(steps.records, logs, "a.jsonl", "x") == told
    assert failure(steps.records, logs, "a.jsonl", "x") == told
    assert failure(steps.every_line_is_valid, logs, "a.jsonl") == told
    steps.contains(logs, "a.jsonl", "oops")


def test_the_last_line_without_newline(logs: Logs, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.jsonl", '{"type": "x"}', b'{"type": "y"}')
    steps.records(logs, "a.jsonl", "y")
    steps.has_lines(logs, "a.jsonl", 2)
    monkeypatch.setattr(module, "_PATIENCE", 0.0)
    write("b.log", '{"type": "x"}', b'{"type": "y')
    steps.records(logs, "b.log", "x")
    assert 'b.log:2: {"type": "y' in failure(steps.records, logs, "b.log", "y")
    assert 'b.log:2: {"type": "y' in failure(steps.records_exactly, logs, "b.log", "x", 1)
    write("c.log", b'{"type": "y')
    assert 'c.log:1: {"type": "y' in failure(steps.records, logs, "c.log", "y")


def test_a_step_lets_a_line_be_finished(logs: Logs, write: Write) -> None:
    write("a.jsonl", b'{"type": ')
    late = threading.Timer(0.05, write, ("a.jsonl", b'"x"}\n'))
    late.start()
    steps.records(logs, "a.jsonl", "x")
    late.join()


def test_waiting_goes_on_through_rotation(logs: Logs, write: Write, sandbox: Sandbox) -> None:
    path = write("a.jsonl", '{"type": "x"}')

    def rotated() -> None:
        path.rename(sandbox.work / "a.jsonl.1")
        write("a.jsonl", '{"type": "y"}')

    late = threading.Timer(0.05, rotated)
    late.start()
    steps.records(logs, "a.jsonl", "y", 30.0)
    late.join()
    steps.records_in_order(logs, "a.jsonl", [["x"], ["y"]])


def test_what_was_cut_off_while_a_step_waited_is_told(logs: Logs, write: Write) -> None:
    path = write("a.jsonl", '{"type": "x"}', '{"type": "x"}')
    with logs.open("a.jsonl") as log:
        assert len([*log.entries()]) == 2
        path.write_text('{"type": "y"}\n')
        assert len([*log.entries()]) == 1
        assert log.absence("z").notes[-1] == (
            "a.jsonl was cut from 28 to 14 bytes between two looks: lines may be missing"
        )


@pytest.mark.parametrize(
    ("name", "told", "first", "is_json"),
    [
        ("a.jsonl", {}, '{"type": "x"}', True),
        ("a.log", {}, '{"type": "x"}', True),
        ("a.log", {}, '\ufeff{"type": "x"}', True),
        ("a.log", {"format": "text"}, '{"type": "x"}', False),
        ("a.log", {}, "2026-01-01 x", False),
        ("a.log", {}, "[x] y", False),
    ],
)
def test_the_format_of_a_log(
    profiled: Profiled, write: Write, name: str, told: dict[str, Any], first: str, is_json: bool
) -> None:
    write(name, first, '{"type": "x"}')
    logs = profiled(**told)
    if is_json:
        steps.records_exactly(logs, name, "x", 2)
    else:
        assert failure(steps.records, logs, name, "x") == (
            f'log "{name}" is plain text, so it records no events\n'
            f'  {name}:1: {first}\nsay what it holds: log "{name}" contains "…"'
        )


def test_a_profile_names_the_field_of_the_event(profiled: Profiled, write: Write) -> None:
    write("a.jsonl", '{"type": "log", "fields": {"code": "E1"}}')
    steps.records(profiled(event="fields.code"), "a.jsonl", "E1")
    assert "it records E1" in failure(steps.records, profiled(event="fields.code"), "a.jsonl", "log")


def test_a_handle_for_several_files(profiled: Profiled, write: Write) -> None:
    write("run-2/o.jsonl", '{"type": "b"}')
    write("run-1/o.jsonl", '{"type": "a"}')
    steps.records_before(profiled(), "run-*/o.jsonl", "a", "b")
    assert failure(steps.records, profiled(), "run-*/o.jsonl", "c").splitlines() == [
        'log "run-*/o.jsonl" does not record "c".',
        "it records a, b",
        "looked at 2 lines in run-1/o.jsonl, run-2/o.jsonl",
    ]
