"""steps/logs: every violation of its negative steps is noticed, and by those alone that it concerns."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from goalkeeper.runner.never import Negative
from goalkeeper.steps.logs import never
from goalkeeper.steps.logs.log import Log
from goalkeeper.steps.logs.loss import LossWatch

Prove = Callable[..., list[dict[str, Any]]]

ALL = """
      But log "<log>" never records "run.failed"
      And log "<log>" never records "task.end" with
        | task.id   | "003" |
        | $.who[0]  | Bob   |
        | x.y.1.z   | 1     |
      And log "<log>" never records "task.start" after "run.end"
      And log "<log>" never records "run.end" before "task.end"
      And log "<log>" never records "task.end" more than 1 times
      And log "<log>" never records "task.retry" more than 0 times
      And log "<log>" never records "run.start" more than 3 times
      And log "<log>" never has a line without field "run"
      And log "<log>" never has a line without field "type"
      And log "<log>" never contains "pass\\wörd"
      And log "<log>" never matches "run_id.*r2"
      And log "<log>" never matches "^.*\\"level\\": ?\\"(error|fatal)\\""
      And log "<log>" never loses a line
"""
GOAL = f"""
    Scenario Outline: events in <log>
      Given a file "<log>" with
        \"\"\"
        {{"type": "run.start", "run": "r0"}}
        \"\"\"
      When I run "tee -a <log>" with input
        \"\"\"
        {{"type": "task.start", "run": "r1", "task": {{"id": "1"}}, "who": ["Ada"]}}
        {{"type": "task.end", "run": "r1", "task": {{"id": "1"}}, "who": ["Ada"]}}
        {{"type": "run.end", "run": "r1", "task": null, "who": []}}
        \"\"\"
      Then log "<log>" records "run.end"
{ALL}
      And file "other" never exists

      Examples:
        | log       |
        | run.jsonl |
        | run.log   |

    Scenario: plain text
      Given a file "a.log" containing "starting"
      When I run "tee -a a.log" with input
        \"\"\"
        port 8080 open
        \"\"\"
      Then log "a.log" contains "open"
      But log "a.log" never contains "password"
      And log "a.log" never matches "^(ERROR|FATAL): \\d+$"
      And log "a.log" never loses a line

    Scenario: a log that nobody writes to
      Given a file "a.log" containing "starting"
      And a file "b.jsonl" containing "{{\\"type\\": \\"start\\"}}"
      When I run "touch done"
      Then file "done" exists
      But log "a.log" never grows
      And log "b.jsonl" never grows
      And log "b.jsonl" never loses a line
      And log "b.jsonl" never records "end"
      And log "b.jsonl" never has a line without field "type"
      And file "a.log" never changes
      And file "b.jsonl" never contains "end"
      And file "b.jsonl" never disappears
"""


def bad(told: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    own = [proof for proof in told if proof["text"].startswith("log ")]
    return [(p["text"], p["violation"], p["outcome"], p["detail"]) for p in own if p["outcome"] != "proven"]


def test_every_violation_is_noticed(prove: Prove) -> None:
    told = prove(GOAL, passed=4)
    assert bad(told) == []
    steps = [step for step in vars(never).values() if isinstance(step, Negative)]
    assert {proof["violation"] for proof in told} >= {v.name for step in steps for v in step.violations}


PROFILE = """
artifacts:
  log:
    run: {path: "runs/{run}/log.jsonl", schema: line.json, event: what.kind}
"""
SCHEMA = {
    "type": "object",
    "required": ["at", "what", "run"],
    "additionalProperties": False,
    "properties": {
        "at": {"type": "string", "pattern": "^\\d{4}-"},
        "run": {"type": "string"},
        "note": {"type": "string"},
        "what": {
            "type": "object",
            "required": ["kind"],
            "additionalProperties": False,
            "properties": {"kind": {"enum": ["start", "stop", "merge"]}},
        },
    },
}


def test_lines_are_such_as_a_schema_allows(prove: Prove, pytester: pytest.Pytester) -> None:
    """As far as can be: no schema allows what the goal has forbidden together with it."""
    pytester.path.joinpath("tool.yaml").write_text(PROFILE)
    pytester.path.joinpath("line.json").write_text(json.dumps(SCHEMA))
    pytester.path.joinpath("goalkeeper.toml").write_text(
        '[systems.tool]\ncommand = ["true"]\nprofile = "tool.yaml"\n'
    )
    told = prove(
        """
        Scenario: a strict one
          When I run "sh -c 'mkdir -p runs/r1; cat > runs/r1/log.jsonl'" with input
            \"\"\"
            {"at": "2026-01-01", "run": "r1", "what": {"kind": "start"}}
            {"at": "2026-01-02", "run": "r1", "what": {"kind": "stop"}}
            \"\"\"
          Then log "run" records "stop"
          But log "run" never records "merge"
          And log "run of r1" never records "crash"
          And log "run" never records "start" with
            | run | r2 |
          And log "run" never records "start" after "stop"
          And log "run" never records "stop" more than 1 times
          And log "run" never has a line without field "run"
          And log "run" never has a line without field "what.kind"
          And log "run" never contains "secret"
          And log "run" never matches "secret \\d+"
          And log "run" never loses a line
        """,
        passed=1,
    )
    assert bad(told) == []


BLIND = """
    Scenario: blind
      Given a file "a.jsonl" containing "{\\"type\\": \\"start\\", \\"run\\": 1}"
      When I run "touch done"
      Then file "done" exists
      But log "a.jsonl" never records "end"
      And log "a.jsonl" never records "end" with
        | a | 1 |
      And log "a.jsonl" never records "x" after "y"
      And log "a.jsonl" never records "x" before "y"
      And log "a.jsonl" never records "x" more than 2 times
      And log "a.jsonl" never has a line without field "run"
      And log "a.jsonl" never contains "secret"
      And log "a.jsonl" never matches "sec"
      And log "a.jsonl" never grows
      And log "a.jsonl" never loses a line
"""


def test_a_sensor_that_sees_nothing_is_found_out(prove: Prove, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Log, "lost", [])
    for name in ("entries", "holding", "matching", "added"):
        monkeypatch.setattr(Log, name, lambda *_: iter(()))
    monkeypatch.setattr(LossWatch, "look", lambda _: None)
    monkeypatch.setattr(LossWatch, "_changed", lambda *_: None)
    told = prove(BLIND, passed=0)
    assert {proof["outcome"] for proof in told} == {"vacuous"}
    assert len(told) == 20


def test_a_line_for_another_reason_does_not_count(prove: Prove, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that fires at any line says nothing of the one that was meant."""
    for violation in never.event_recorded.violations:
        if violation.strength == "gross":
            monkeypatch.setattr(violation.act, "__code__", _write_garbage.__code__)
    told = prove(
        """
        Scenario: x
          Given a file "a.jsonl" containing "{}"
          When I run "touch done"
          Then file "done" exists
          But log "a.jsonl" never records "end"
        """,
        passed=0,
    )
    assert [proof["outcome"] for proof in told] == ["wrong-reason", "proven"]


def _write_garbage(whereabouts: Any, log: str, event: str) -> Any:
    book = Book(whereabouts, log)  # type: ignore[name-defined]  # noqa: F821
    return book.added("garbage", event)
