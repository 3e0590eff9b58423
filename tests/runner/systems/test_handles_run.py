"""Handles of a profile in goals: variables, what is current, and schemas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

WriteGoal = Callable[..., Path]
WriteProfile = Callable[..., Path]

PROFILE = """
    artifacts:
      state:
        run: {path: "runs/{run}/state.json", schema: state.schema.json}
      log:
        orchestrator:
          path: "runs/{run}/log.jsonl"
          schema: line.schema.json
          event: kind
    phrases:
      - when: I start run "{run}"
        run: start {run}
      - when: I begin run "{run}"
        steps:
          - when: I run "true"
          - when: I start run "{run}"
      - when: I begin both
        steps:
          - when: I begin run "r1"
          - when: I begin run "r2"
"""


@pytest.fixture
def tool(project: WriteProfile) -> Path:
    root = project(PROFILE)
    (root / "state.schema.json").write_text(
        '{"required": ["phase"], "properties": {"phase": {"enum": ["open"]}}}'
    )
    (root / "line.schema.json").write_text('{"type": "object", "required": ["kind"]}')
    return root


def failed(pytester: pytest.Pytester, *lines: str) -> None:
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([*lines])


@pytest.mark.usefixtures("tool")
def test_a_handle_stands_for_what_is_current(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal("""
        Scenario: a parameter of a phrase makes it current
          When I start run "r1"
          And I start run "r2"
          Then state "run" has
            | id | r2 |
          And state "run of r1" has
            | id | r1 |
          And log "orchestrator of r1" records "started" exactly once
          And log "orchestrator" records "started" exactly once
        Scenario: an inner phrase does, too
          When I begin both
          Then state "run" has
            | id | r2 |
        Scenario: a remembered value does
          Given I remember "r1" as "run"
          When I run "tool start r1"
          And I run "tool start r2"
          Then state "run" has
            | id | r1 |
          And "${run}" is "r1"
        Scenario: a phrase takes remembered values
          Given I remember "r3" as "mine"
          When I begin run "${mine}"
          Then state "run" has
            | id | r3 |
          And "${run}" is "${mine}"
    """)
    pytester.runpytest("scenarios").assert_outcomes(passed=4)


@pytest.mark.usefixtures("tool")
def test_several_matches(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal("""
        Scenario: x
          When I run "tool start r1"
          And I run "tool start r2"
          Then state "run" has
            | id | r2 |
    """)
    failed(
        pytester, 'E     state "run" is not one file, but 2', "E*/runs/r1/state.json", "E*/runs/r2/state.json"
    )


def test_two_systems_with_the_same_handle(pytester: pytest.Pytester, goal: WriteGoal, tool: Path) -> None:
    (tool / "other.yaml").write_text("artifacts: {state: {run: other.json}}\n")
    with (tool / "goalkeeper.toml").open("a") as toml:
        toml.write('[systems.other]\ncommand = "true"\nprofile = "other.yaml"\n')
    goal("""
        Scenario: x
          When I start run "r1"
          Then state "tool.run" has
            | id | r1 |
          And state "run" has
            | id | r1 |
    """)
    failed(
        pytester,
        '>   And state "run" has',
        'E     more than one system has a state "run": write "tool.run" or "other.run"',
    )


@pytest.mark.usefixtures("tool")
def test_what_is_read_is_held_against_the_profiles_schema(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(
        """
        Scenario: x
          Given a file "runs/r1/log.jsonl" with
            \"\"\"
            {"kind": "a"}
            {"kinds": "b"}
            5
            {"kind": "c"}
            \"\"\"
          And a file "runs/r1/state.json" with
            \"\"\"
            {"phase": "shut"}
            \"\"\"
          When I run "true"
          Then log "orchestrator" records "c"
          And state "run" has
            | phase | shut |
        """
    )
    failed(
        pytester,
        '>   Then log "orchestrator" records "c"',
        'E     log "orchestrator" has a line that its schema does not allow: *kind* is a required property',
        'E       runs/r1/log.jsonl:2: {"kinds": "b"}',
        '>   And state "run" has',
        'E     state "run" does not satisfy its schema',
        "E*'shut' is not one of*",
    )
