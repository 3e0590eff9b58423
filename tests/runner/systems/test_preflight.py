"""Commands that a system lacks: found beforehand, once, and told as gaps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.sandbox import Sandboxes
from goalkeeper.runner.systems.preflight import Preflight
from goalkeeper.runner.systems.profile import Probe, Profile
from goalkeeper.runner.systems.system import System

WriteGoal = Callable[..., Path]
WriteProfile = Callable[..., Path]

PROFILE = """
    preflight:
      - {run: --help}
      - {run: fly --help, for: fly}
      - {run: start --help, for: start}
    phrases:
      - when: I fly
        run: fly away
      - when: I start and fly
        steps:
          - when: I run "tool start r1"
          - when: I fly
"""
GOAL = """
    Scenario: walks
      When I run "tool show x"
      Then the exit code is 0
    Scenario: flies
      When I fly
      Then the exit code is 0
    Scenario: does both
      When I start and fly
      Then the exit code is 0
    Scenario: says it
      When I run "tool fly high"
    Scenario: other
      When I run "true"
"""
GAP = 'a gap of tool: no "tool fly" ("tool fly --help" ended with 2: wings are missing)'


@pytest.fixture
def sandboxes() -> Iterator[Sandboxes]:
    made = Sandboxes()
    yield made
    made.close()


def system(tmp_path: Path, script: str, *probes: Probe, name: str = "tool") -> System:
    program = tmp_path / name
    program.write_text(f"#!/bin/sh\necho run >> {tmp_path}/count\n{script}\n")
    program.chmod(0o755)
    return System(name, (str(program),), {"MODE": "test"}, Profile(preflight=probes))


def test_each_command_is_tried_once_and_only_for_who_uses_the_system(
    tmp_path: Path, sandboxes: Sandboxes
) -> None:
    tool = system(tmp_path, 'test "$1" != fly', Probe(("fly", "-h"), ("fly",)), Probe(("walk",), ("walk",)))
    preflight = Preflight([tool], sandboxes)
    assert preflight.gap(['I run "other fly"', 'I run "tooling fly"']) is None
    assert not (tmp_path / "count").exists()
    assert preflight.gap(['I run "tool walk"']) is None
    gap = preflight.gap(['I run "tool walk"', 'I run "tool fly high" in "x"'])
    assert str(gap) == 'a gap of tool: no "tool fly" ("tool fly -h" ended with 1)'
    assert preflight.gap(['I run "tool flyer"']) is None
    assert (tmp_path / "count").read_text() == "run\n" * 2


def test_a_probe_for_nothing_in_particular_is_for_everything(tmp_path: Path, sandboxes: Sandboxes) -> None:
    preflight = Preflight([system(tmp_path, 'echo "$MODE  a"; pwd >&2; exit 3', Probe(("-v",)))], sandboxes)
    told = str(preflight.gap(['I run "tool"']))
    assert told.startswith('a gap of tool: no "tool -v" ("tool -v" ended with 3: test a /')


def test_a_command_that_does_not_end_or_can_not_be_started(
    tmp_path: Path, sandboxes: Sandboxes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goalkeeper.runner.systems.preflight._LIMIT", 0.05)
    slow = system(tmp_path, "exec sleep 600", Probe(("x",)))
    assert "did not end within 0.05 s" in str(Preflight([slow], sandboxes).gap(['"tool"']))
    gone = System("tool", (str(tmp_path / "gone"),), profile=Profile(preflight=(Probe(("x",)),)))
    assert "can't be started: No such file or directory" in str(Preflight([gone], sandboxes).gap(['"tool"']))


def test_a_system_without_probes_has_no_gaps(tmp_path: Path, sandboxes: Sandboxes) -> None:
    assert Preflight([system(tmp_path, "exit 1")], sandboxes).gap(['I run "tool"']) is None
    assert not (tmp_path / "count").exists()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_scenarios_that_need_what_is_missing_are_skipped_and_the_run_is_red(
    pytester: pytest.Pytester, goal: WriteGoal, project: WriteProfile, workers: tuple[str, ...]
) -> None:
    root = project(PROFILE)
    goal(GOAL)
    result = pytester.runpytest_subprocess("scenarios", "-rs", *workers)
    result.assert_outcomes(passed=2, skipped=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    lines = result.outlines
    start = next(n for n, line in enumerate(lines) if "gaps of systems" in line)
    assert lines[start + 1] == f"{GAP}; not run for it:"
    assert {*lines[start + 2 : start + 5]} == {
        f"  scenarios/a.feature::{name}" for name in ("flies", "does both", "says it")
    }
    told = [line for line in lines if line.startswith("SKIPPED")]
    assert sorted(line.partition(": ")[0] for line in told) == [
        f"SKIPPED [1] scenarios/a.feature:{line}" for line in (11, 15, 7)
    ]
    assert all(line.endswith(GAP) for line in told)
    (record,) = root.glob(".goalkeeper/runs/*/record.jsonl")
    events = [json.loads(line) for line in record.read_text().splitlines()]
    assert events[-1]["status"] == 1


def test_a_system_that_has_everything(
    pytester: pytest.Pytester, goal: WriteGoal, project: WriteProfile
) -> None:
    project(PROFILE.replace("fly --help", "soar --help"))
    goal(GOAL)
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(passed=5)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*gaps of systems*")
