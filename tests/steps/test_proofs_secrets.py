"""steps/secrets: every violation of its negative steps is noticed, and by those alone that it concerns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goalkeeper.runner.never import Negative
from goalkeeper.steps.secrets import never, watch

Prove = Callable[..., list[dict[str, Any]]]

SYSTEMS = """
[systems.app]
command = ["sh"]
profile = "app.yaml"
"""
PROFILE = """
artifacts:
  log:
    main: {path: "logs/{run}.jsonl"}
"""
GOAL = """
    Scenario: all of them together, and of another library
      Given a secret "token" in environment variable "TOKEN"
      And a secret "key" in file "keys/key"
      And I start process "idle" with "sleep 600"
      When I run "sh -c 'mkdir logs; echo ok; echo {} > logs/r1.jsonl'"
      Then the output contains "ok"
      But secret "token" never appears
      And secret "token" never appears in files
      And secret "token" never appears in log "logs/r1.jsonl"
      And secret "token" never appears in the output
      And secret "key" never appears
      And secret "key" never appears in files
      And secret "key" never appears in the output
      And file "keys/key" never changes
      And directory "keys" never changes
      And file "lock" never exists

    Scenario: nothing has run that could print
      Given a secret "token"
      When I write file "a" containing "x"
      Then file "a" exists
      But secret "token" never appears

    Scenario: what is written
      Given a secret "token"
      When I run "sh -c 'mkdir d; echo ok'"
      Then the output contains "ok"
      But secret "token" never appears
      And nothing is ever written outside directory "d"
"""


def test_every_violation_is_noticed(prove: Prove) -> None:
    told = prove(GOAL, passed=3)
    assert [(proof["text"], proof["detail"]) for proof in told if proof["outcome"] != "proven"] == []
    steps = [step for step in vars(never).values() if isinstance(step, Negative)]
    known = {v.name for step in steps if step is not never.appears_in_logs for v in step.violations}
    assert {proof["violation"] for proof in told} >= known


def test_the_logs_of_a_system(prove: Prove, pytester: pytest.Pytester) -> None:
    (pytester.path / "goalkeeper.toml").write_text(SYSTEMS)
    (pytester.path / "app.yaml").write_text(PROFILE)
    told = prove(
        """
        Scenario: all logs
          Given a secret "token"
          When I run "sh -c 'mkdir logs; echo {} > logs/r1.jsonl'"
          Then file "logs/r1.jsonl" exists
          But secret "token" never appears in the logs
          And secret "token" never appears in log "main of r1"
        """,
        passed=1,
    )
    assert [proof["outcome"] for proof in told] == ["proven"] * 4


@pytest.mark.parametrize("sensor", [watch.FileWatch, watch.PrintWatch])
def test_a_sensor_that_sees_nothing_is_found_out(
    prove: Prove, monkeypatch: pytest.MonkeyPatch, sensor: type[Any]
) -> None:
    def look(self: Any) -> None:
        self.count("moment")

    monkeypatch.setattr(sensor, "look", look)
    monkeypatch.setattr(sensor, "_changed", lambda *_: None, raising=False)
    told = prove(
        """
        Scenario: blind
          Given a secret "token"
          When I run "echo ok"
          Then the output contains "ok"
          But secret "token" never appears in files
          And secret "token" never appears in the output
        """,
        passed=0,
    )
    outcomes = {(proof["text"].rpartition(" ")[2], proof["outcome"]) for proof in told}
    blind, seeing = ("files", "output") if sensor is watch.FileWatch else ("output", "files")
    assert outcomes == {(blind, "vacuous"), (seeing, "proven")}
