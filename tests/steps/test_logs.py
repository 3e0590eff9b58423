"""The steps of steps/logs: what each accepts, and what it says where it does not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import logs as steps
from goalkeeper.steps.logs.log import Logs

Step = Callable[..., None]
WriteGoal = Callable[..., Path]

RUN = """\
{"ts": 10, "type": "start", "run": "r", "n": 1, "task": {"id": "1"}}
{"ts": 11, "type": "step", "run": "r", "n": 2, "task": {"id": "1"}, "ok": true}
{"ts": 14.5, "type": "step", "run": "r", "n": 3, "task": {"id": "2"}, "ok": false}
{"ts": 15, "type": "end", "run": "r", "n": 4, "task": {"id": "1"}}
"""
START, FIRST, SECOND, END = (f"  run.jsonl:{n}: {line}" for n, line in enumerate(RUN.splitlines(), 1))
READ = "looked at 4 lines in run.jsonl"


@pytest.fixture(autouse=True)
def run(sandbox: Sandbox) -> None:
    (sandbox.work / "run.jsonl").write_text(RUN)
    (sandbox.work / "server.log").write_bytes(b"starting\r\nport 8080 open\r\ncaf\xc3\xa9 \xff\n")
    (sandbox.work / "empty.log").touch()


def failure(step: Step, *arguments: object) -> str:
    with pytest.raises(StepFailed) as caught:
        step(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("step", "arguments"),
    [
        (steps.records, ("end",)),
        (steps.records_with, ("step", [["ok", "false"], ["task.id", '"2"']])),
        (steps.records_with, ("step", [])),
        (steps.records_exactly, ("step", 2)),
        (steps.records_exactly, ("start",)),
        (steps.records_exactly, ("crash", 0)),
        (steps.records_exactly_with, ("step", [["ok", "true"]])),
        (steps.records_exactly_with, ("step", [["ok", "null"]], 0)),
        (steps.records_at_least, ("step", 1)),
        (steps.records_at_least, ("step", 2)),
        (steps.records_at_least_with, ("step", [["run", "r"]], 2)),
        (steps.records_at_most, ("step", 2)),
        (steps.records_at_most, ("crash", 0)),
        (steps.records_at_most_with, ("step", [["ok", "true"]], 1)),
        (steps.records_before, ("start", "step")),
        (steps.records_before, ("step", "step")),
        (steps.records_in_order, ([["start"], ["step"], ["step"], ["end"]],)),
        (steps.records_between, ("step", "start", "end")),
        (steps.records_none_between, ("end", "start", "step")),
        (steps.is_followed, ("step", "end")),
        (steps.is_followed, ("step", "end", 4.0)),
        (steps.is_followed_by_its_like, ("start", "end", "task.id", 5.0)),
        (steps.every_line_has, ([["ts"], ["run", "r"], ["task.id"]],)),
        (steps.every_event_has, ("step", [["ok"]])),
        (steps.every_line_has_the_same, ("run",)),
        (steps.every_line_differs, ("n",)),
        (steps.every_line_rises, ("n",)),
        (steps.every_line_is_valid, ()),
        (steps.has_lines, (4,)),
        (steps.has_at_least_lines, (4,)),
        (steps.does_not_grow, (0.01,)),
        (steps.contains, ('"ok": true',)),
        (steps.matches, (r'^\{.*"end".*\}$',)),
    ],
)
def test_a_step_that_holds(logs: Logs, step: Step, arguments: tuple[Any, ...]) -> None:
    step(logs, "run.jsonl", *arguments)


ABSENT = ["it records start, step ×2, end", READ]


@pytest.mark.parametrize(
    ("step", "arguments", "message"),
    [
        (steps.records, ("stepp",), [
            'log "run.jsonl" does not record "stepp". Did you mean "step"?', *ABSENT]),
        (
            steps.records_with,
            ("step", [["ok", "false"], ["task.id", "2"], ["who", "me"]]),
            [
                'log "run.jsonl" records "step", but with other fields',
                '  task.id: expected 2, got "2"',
                "  who: there is no who.",
                SECOND,
                READ,
            ],
        ),
        (
            steps.records_exactly,
            ("step", 1),
            [
                'log "run.jsonl" records "step" otherwise',
                "  expected: once",
                "  actual:   2 times",
                FIRST,
                SECOND,
                READ,
            ],
        ),
        (steps.records_exactly, ("crash", 2), ['log "run.jsonl" does not record "crash".', *ABSENT]),
        (
            steps.records_exactly_with,
            ("step", [["ok", "1"]]),
            [
                'log "run.jsonl" records "step", but with other fields',
                "  ok: expected 1, got true",
                FIRST,
                READ,
            ],
        ),
        (
            steps.records_at_least,
            ("step", 3),
            [
                'log "run.jsonl" records "step" otherwise',
                "  expected: at least 3 times",
                "  actual:   2 times",
                FIRST,
                SECOND,
                READ,
            ],
        ),
        (
            steps.records_at_most,
            ("step", 0),
            [
                'log "run.jsonl" records "step" otherwise',
                "  expected: at most 0 times",
                "  actual:   2 times",
                FIRST,
                SECOND,
                READ,
            ],
        ),
        (steps.records_at_most, ("step", -1), ["an event can't be recorded less than 0 times"]),
        (steps.records_before, ("end", "step"), ['log "run.jsonl" records "step" before "end"', FIRST, END]),
        (steps.records_before, ("end", "gone"), ['log "run.jsonl" does not record "gone".', *ABSENT]),
        (
            steps.records_in_order,
            ([["step"], ["step"], ["start"]],),
            ['log "run.jsonl" does not record "start" after "step"', FIRST, SECOND, READ],
        ),
        (steps.records_in_order, ([["ends"]],), [
            'log "run.jsonl" does not record "ends". Did you mean "end"?', *ABSENT]),
        (steps.records_in_order, ([["a", "b"]],), ["this table needs one column, of events"]),
        (steps.records_in_order, ([],), ["this table needs one column, of events"]),
        (
            steps.records_between,
            ("crash", "start", "end"),
            ['log "run.jsonl" does not record "crash" between "start" and "end"', START, END],
        ),
        (
            steps.records_none_between,
            ("step", "start", "end"),
            ['log "run.jsonl" records "step" between "start" and "end"', START, FIRST, END],
        ),
        (
            steps.records_none_between,
            ("crash", "end", "start"),
            ['log "run.jsonl" never records "end" and then "start", so nothing is between them', READ],
        ),
        (steps.is_followed, ("end", "step"), ['a "end" in log "run.jsonl" is not followed by "step"', END]),
        (steps.is_followed, ("crash", "end"), ['log "run.jsonl" does not record "crash".', *ABSENT]),
        (
            steps.is_followed,
            ("step", "end", 1.5),
            [
                'a "step" in log "run.jsonl" is not followed by "end" in time',
                "  expected: within 1.5 s",
                "  actual:   after 4.000 s",
                FIRST,
                END,
            ],
        ),
        (
            steps.is_followed_by_its_like,
            ("step", "end", "task.id"),
            ['a "step" in log "run.jsonl" is not followed by "end" with the same "task.id"', SECOND],
        ),
        (
            steps.is_followed_by_its_like,
            ("start", "end", "ok"),
            ['this line has no "ok", so nothing can be told to follow it', START],
        ),
        (steps.every_line_has, ([["ts"], ["okay"]],), ['a line of log "run.jsonl" has no okay.', START]),
        (
            steps.every_line_has,
            ([["task.id", "1"]],),
            ['a line of log "run.jsonl" has another task.id', "  expected: 1", '  actual:   "1"', START],
        ),
        (
            steps.every_line_has,
            ([],),
            ["this table needs the names of fields, and beside them the values, if any are meant"],
        ),
        (steps.every_event_has, ("step", [["task.name"]]), [
            'a line of log "run.jsonl" has no task.name. Did you mean "task"?', FIRST]),
        (steps.every_event_has, ("crash", [["ts"]]), ['log "run.jsonl" does not record "crash".', *ABSENT]),
        (
            steps.every_line_has_the_same,
            ("task.id",),
            [
                'task.id is not the same on every line of log "run.jsonl"',
                '  expected: "1", as on the first line',
                '  actual:   "2"',
                START,
                SECOND,
            ],
        ),
        (steps.every_line_differs, ("run",), ['two lines of log "run.jsonl" have the run "r"',
                                              "  run.jsonl:1", FIRST]),
        (
            steps.every_line_rises,
            ("task.id",),
            [
                'task.id does not rise from line to line in log "run.jsonl"',
                '  expected: more than "1"',
                '  actual:   "1"',
                START,
                FIRST,
            ],
        ),
        (
            steps.has_lines,
            (3,),
            [
                'log "run.jsonl" has another number of lines',
                "  expected: 3",
                "  actual:   4",
                *(f"  | {line}" for line in RUN.splitlines()),
            ],
        ),
        (
            steps.has_at_least_lines,
            (5,),
            [
                'log "run.jsonl" has fewer lines',
                "  expected: at least 5",
                "  actual:   4",
                *(f"  | {line}" for line in RUN.splitlines()),
            ],
        ),
        (
            steps.contains,
            ("crash",),
            ['log "run.jsonl" does not contain "crash"', READ, *(f"  | {line}" for line in RUN.splitlines())],
        ),
        (
            steps.matches,
            ("^crash",),
            ['log "run.jsonl" does not match ^crash', READ, *(f"  | {line}" for line in RUN.splitlines())],
        ),
        (steps.matches, ("(",), [
            "this is not a regular expression: missing ), unterminated subpattern at position 0", "  ("]),
    ],
)  # fmt: skip
def test_a_step_that_does_not_hold(
    logs: Logs, step: Step, arguments: tuple[Any, ...], message: list[str]
) -> None:
    assert failure(step, logs, "run.jsonl", *arguments).splitlines() == message


TABLE = [["a"]]


@pytest.mark.parametrize(
    ("step", "arguments"),
    [
        (steps.records, ("x",)),
        (steps.records_with, ("x", [])),
        (steps.records_exactly, ("x", 0)),
        (steps.records_at_least, ("x", 0)),
        (steps.records_at_most, ("x", 9)),
        (steps.records_before, ("x", "y")),
        (steps.records_in_order, (TABLE,)),
        (steps.records_between, ("x", "y", "z")),
        (steps.records_none_between, ("x", "y", "z")),
        (steps.is_followed, ("x", "y")),
        (steps.every_line_has, (TABLE,)),
        (steps.every_event_has, ("x", TABLE)),
        (steps.every_line_has_the_same, ("a",)),
        (steps.every_line_differs, ("a",)),
        (steps.every_line_rises, ("a",)),
        (steps.every_line_is_valid, ()),
        (steps.has_lines, (1,)),
        (steps.has_at_least_lines, (1,)),
        (steps.does_not_grow, (0.0,)),
        (steps.contains, ("x",)),
        (steps.matches, ("x",)),
    ],
)
def test_a_log_that_is_not_there_or_empty(logs: Logs, step: Step, arguments: tuple[Any, ...]) -> None:
    expected = 'log "gone.log" is not there'
    assert failure(step, logs, "gone.log", *arguments) == expected
    assert failure(step, logs, "empty.log", *arguments) == 'log "empty.log" is empty'


def test_an_empty_log_has_no_lines(logs: Logs) -> None:
    steps.has_lines(logs, "empty.log", 0)
    assert "is not there" in failure(steps.has_lines, logs, "gone.log", 0)


@pytest.mark.parametrize("text", ["port 8080 open", "café"])
def test_plain_text(logs: Logs, text: str) -> None:
    steps.contains(logs, "server.log", text)
    steps.matches(logs, "server.log", f"^{text}")
    steps.matches(logs, "server.log", "^port.*open$")
    steps.has_lines(logs, "server.log", 3)


@pytest.mark.parametrize(
    ("step", "arguments"),
    [
        (steps.records, ("late",)),
        (steps.records_with, ("late", [["ok", "true"]])),
        (steps.records_at_least, ("late", 1)),
        (steps.records_at_least_with, ("late", [["ok", "true"]], 1)),
        (steps.records_in_order, ([["start"], ["late"]],)),
        (steps.has_at_least_lines, (5,)),
        (steps.contains, ("late",)),
        (steps.matches, ("late",)),
    ],
)
def test_a_step_waits_for_what_is_recorded_later(
    logs: Logs, sandbox: Sandbox, step: Step, arguments: tuple[Any, ...]
) -> None:
    def write() -> None:
        with (sandbox.work / "run.jsonl").open("a") as log:
            log.write('{"type": "late", "ok": true}\n')

    late = threading.Timer(0.03, write)
    late.start()
    step(logs, "run.jsonl", *arguments, 30.0)
    late.join()


def test_a_log_that_comes_to_be_while_a_step_waits(logs: Logs, sandbox: Sandbox) -> None:
    late = threading.Timer(0.03, (sandbox.work / "new.log").write_text, ("Listening",))
    late.start()
    steps.contains(logs, "new.log", "Listening", 30.0)
    late.join()


def test_a_log_that_grows(logs: Logs, sandbox: Sandbox) -> None:
    with (sandbox.work / "server.log").open("ab", buffering=0) as log:
        late = threading.Timer(0.03, log.write, (b"more",))
        late.start()
        message = failure(steps.does_not_grow, logs, "server.log", 30.0)
        late.join()
    assert message == 'log "server.log" has grown\n  server.log:4: more'


@pytest.mark.parametrize(("first", "second"), [("{}", '{"ts": "soon"}'), ('{"time": "x"}', '{"ts": 1}')])
def test_a_line_that_does_not_tell_its_time(logs: Logs, sandbox: Sandbox, first: str, second: str) -> None:
    lines = [line.replace("}", f'{sep}"type": "{name}"}}') for line, name, sep in (
        (first, "a", "" if first == "{}" else ", "), (second, "b", ", "))]  # fmt: skip
    (sandbox.work / "x.jsonl").write_text("\n".join(lines) + "\n")
    steps.is_followed(logs, "x.jsonl", "a", "b", inf)
    assert failure(steps.is_followed, logs, "x.jsonl", "a", "b", 1.0).startswith(
        "this line does not tell its time in any of ts, timestamp, "
    )


def test_every_task_has_its_own_answer(logs: Logs, sandbox: Sandbox) -> None:
    rows = [("ask", 1), ("ask", 2), ("answer", 2), ("ask", 2), ("answer", 2), ("answer", 1), ("answer", 3)]
    text = "".join(
        f'{{"event": "{event}", "id": {task}, "ts": {n}}}\n' for n, (event, task) in enumerate(rows)
    )
    (sandbox.work / "x.jsonl").write_text(text)
    steps.is_followed_by_its_like(logs, "x.jsonl", "ask", "answer", "id", 5.0)
    told = failure(steps.is_followed_by_its_like, logs, "x.jsonl", "ask", "answer", "id", 4.0)
    assert "actual:   after 5.000 s" in told


def test_a_span_that_has_no_end_is_none(logs: Logs, sandbox: Sandbox) -> None:
    events = ["open", "x", "close", "open", "open", "close", "open", "x"]
    text = "".join(f'{{"event": "{event}", "n": {n}}}\n' for n, event in enumerate(events, 1))
    (sandbox.work / "x.jsonl").write_text(text)
    told = failure(steps.records_between, logs, "x.jsonl", "x", "open", "close").splitlines()
    assert [line.split(": ")[0].strip() for line in told[1:]] == ["x.jsonl:4", "x.jsonl:6"]
    told = failure(steps.records_none_between, logs, "x.jsonl", "x", "open", "close").splitlines()
    assert [line.split(": ")[0].strip() for line in told[1:]] == ["x.jsonl:1", "x.jsonl:2", "x.jsonl:3"]


GOAL = """
    Scenario: kept
      Given a file "a.jsonl" containing "{\\"type\\": \\"merge\\"}"
      When I run "tee -a a.jsonl" with input
        '''
        {"type": "end"}
        '''
      Then log "a.jsonl" records "end"
      But log "a.jsonl" never records "merge"
      And log "a.jsonl" never loses a line

    Scenario: merged and covered up
      When I run "tee a.jsonl" with input
        '''
        {"type": "merge"}
        '''
      And I run "rm a.jsonl"
      Then the exit code is 0
      But log "a.jsonl" never records "merge"
      And log "a.jsonl" never loses a line

    Scenario: never there
      When I run "true"
      Then the exit code is 0
      But log "a.jsonl" never records "merge"
      And log "a.jsonl" never loses a line
"""


def test_the_whole_way(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(GOAL.replace("'''", '"""'))
    result = pytester.runpytest("scenarios", "-v")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            '*log "a.jsonl" never records "merge" * looked at 1 line, 1 earlier line',
            '*log "a.jsonl" never loses a line * looked at 2 lines',
            'E     log "a.jsonl" records "merge"',
            'E       a.jsonl:1: {"type": "merge"}',
            'E     log "a.jsonl" lost lines: a.jsonl is gone; it had 1 line',
            "E     this check looked at nothing, so it could not have failed",
            "E     this check looked at nothing, so it could not have failed",
        ]
    )
