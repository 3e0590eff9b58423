"""Negative steps that a conftest.py makes in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goalkeeper.runner.lint import Linter

CONFTEST = """
from goalkeeper import never_event, never_file, never_output, never_ref

lock_left = never_file('a lock is never left in "{folder}"', "{folder}/*.lock")
core_left = never_file("there is never a core", "core")
merged = never_event('nothing of "{log}" is ever merged', log="{log}", event="batch.merging")
leaked = never_output("a password is never printed", pattern="password=.+")
shouted = never_output('nobody ever says "{word}"', "{word}")
touched = never_ref('nobody ever touches "{branch}"', "{branch}")
never_ref("there is never a release", "release", appears=True)
"""
GOAL = '''@G0.1 @scope:pay @owner:billing
Feature: A payment
  Expect: it is made.
  Hook: a shell

  Scenario: It is made
    Given a "toy" repository on branch "main"
    And a file "run/lines.txt" with
      """
      {"event": "planned"}
      """
    When I run "sh -c 'cat run/lines.txt > run.jsonl; echo done'"
    Then file "run.jsonl" exists
    But a lock is never left in "run"
    And there is never a core
    And nothing of "run.jsonl" is ever merged
    And a password is never printed
    And nobody ever says "oops"
    And nobody ever touches "main"
    And there is never a release
'''


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    pytester.makeconftest(CONFTEST)
    (pytester.path / "scenarios").mkdir()
    (pytester.path / "scenarios" / "a.feature").write_text(GOAL)
    return pytester.path


def test_each_is_armed_judged_and_proved(project: Path, pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["7 nevers, 7 proved"])
    [record] = project.glob(".goalkeeper/runs/*/record.jsonl")
    events = [json.loads(line) for line in record.read_text().splitlines()]
    proofs = {(event["step"], event["strength"]) for event in events if event["event"] == "proof"}
    assert proofs == {(step, strength) for step in range(4, 11) for strength in ("gross", "minimal")}


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("touch run/a.lock", "had run/a.lock"),
        ("touch core; rm core", '*file "core" was there*'),
        ("echo password=x", "*printed a line that matches password=.+*"),
        ("echo oops", '*printed "oops"*'),
        ("git branch release", "*release*appeared*"),
    ],
)
def test_what_they_forbid_is_caught(
    project: Path, pytester: pytest.Pytester, command: str, told: str
) -> None:
    path = project / "scenarios" / "a.feature"
    path.write_text(GOAL.replace("echo done", command))
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E*{told}*"])


def test_lint_knows_them_without_running_anything(project: Path) -> None:
    result = Linter(project).check(project / "scenarios" / "a.feature")
    assert [*result.problems] == []


def test_a_place_is_where_it_was_made(project: Path, pytester: pytest.Pytester) -> None:
    path = project / "scenarios" / "a.feature"
    path.write_text(GOAL.replace("there is never a core", "there is never a cor"))
    result = pytester.runpytest("scenarios")
    result.stdout.fnmatch_lines(["*there is never a core*conftest.py:4"])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('never_file("never", "{folder}/x")', "{folder} is no parameter of the wording: never"),
        ('never_output("never")', "needs a text or a pattern"),
        ('never_output("never", "a", pattern="b")', "needs a text or a pattern"),
    ],
)
def test_a_mistake_is_told_at_once(pytester: pytest.Pytester, line: str, told: str) -> None:
    pytester.makeconftest(f"from goalkeeper import never_file, never_output\n{line}\n")
    result = pytester.runpytest_subprocess()
    assert told in result.stderr.str() + result.stdout.str()
