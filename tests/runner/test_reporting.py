"""What people and machines get to see of a run."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

WriteGoal = Callable[..., Path]

TWO = """
    Rule: A rule
      Scenario: passes
        When I run "true"
        Then the exit code is 0
      Scenario: fails
        When I run "sh -c 'seq 100; echo bad >&2; exit 3'"
        Then the exit code is 0
"""


def test_a_failure_shows_line_values_output_and_evidence(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(TWO)
    for options in ([], ["-n", "1"]):
        result = pytester.runpytest("scenarios", *options)
        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(
            [
                "G1.1 A goal",
                "scenarios/a.feature:8",
                ">   Then the exit code is 0",
                "E       expected: exit code 0",
                "E       actual:   exit code 3",
                "    scenarios/a.feature:10",
                "$ sh -c *    (exit code 3)",
                "*… 70 lines before this",
                "  100",
                "  stderr:",
                "  bad",
                "evidence: *",
                "FAILED scenarios/a.feature::fails - Then the exit code is 0: *",
            ]
        )
        shown = result.stdout.str()
        assert "runner/" not in shown
        assert "pytest_bdd" not in shown
        [line] = [line for line in result.outlines if line.startswith("evidence: ")]
        kept = pytester.path / line.removeprefix("evidence: ") / "01.stdout"
        assert kept.read_text().splitlines() == [str(n) for n in range(1, 101)]


def test_a_users_assertion_is_shown_from_the_step_on(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(
        """
        from pytest_bdd import when, then

        def helper(a, b):
            assert a == b

        @when("it acts")
        def act(): pass

        @then("lists are equal")
        def equal(): helper([1, 2], [1, 3])
        """
    )
    goal("Scenario: x\n  When it acts\n  Then lists are equal\n")
    result = pytester.runpytest("scenarios")
    result.stdout.fnmatch_lines(
        [
            ">   Then lists are equal",
            "*conftest.py:*: in equal",
            "*conftest.py:*: in helper",
            "*E *[[]1, 2[]] == [[]1, 3[]]",
        ]
    )
    assert "runner/execute" not in result.stdout.str()
    full = pytester.runpytest("scenarios", "--full-trace")
    assert "runner/execute" in full.stdout.str()


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_cucumber_json(pytester: pytest.Pytester, goal: WriteGoal, workers: list[str]) -> None:
    goal(TWO)
    pytester.runpytest("scenarios", "--cucumberjson=report.json", *workers)
    [feature] = json.loads((pytester.path / "report.json").read_text())
    assert feature["name"] == "A goal"
    assert feature["uri"] == "scenarios/a.feature"
    elements = sorted(feature["elements"], key=lambda element: str(element["name"]))
    assert [(e["name"], e["line"]) for e in elements] == [("fails", 8), ("passes", 4)]
    failed = elements[0]["steps"][1]
    assert failed["result"]["status"] == "failed"
    assert "expected: exit code 0" in failed["result"]["error_message"]
    assert [step["result"]["status"] for step in elements[1]["steps"]] == ["passed", "passed", "passed"]


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_gherkin_terminal_reporter(pytester: pytest.Pytester, goal: WriteGoal, workers: list[str]) -> None:
    goal(TWO)
    result = pytester.runpytest("scenarios", "--gherkin-terminal-reporter", "-vv", *workers)
    result.stdout.re_match_lines_random(
        [
            r".*Feature: A goal",
            r".*Rule: A rule",
            r".*Scenario: passes",
            r' +When I run "true"',
            r" +Then the exit code is 0",
            r" +PASSED",
            r" +FAILED",
        ]
    )


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_junit_names_goal_file_and_line(
    pytester: pytest.Pytester, goal: WriteGoal, workers: list[str]
) -> None:
    goal(TWO)
    pytester.runpytest("scenarios", "--junitxml=junit.xml", *workers)
    cases = {case.get("name"): case for case in ET.parse(pytester.path / "junit.xml").iter("testcase")}
    properties = {p.get("name"): p.get("value") for p in cases["fails"].iter("property")}
    never = {"never": "nothing ever goes wrong", "proof": "unproven"}
    assert properties == {"goal": "G1.1", "tier": "1", "file": "scenarios/a.feature", "line": "8", **never}
    [failure] = cases["fails"].iter("failure")
    assert (failure.get("message") or "").startswith("Then the exit code is 0: ")
    pytester.runpytest("scenarios", "--junitxml=junit.xml", "-o", "junit_family=xunit1", *workers)
    old = {case.get("name"): case for case in ET.parse(pytester.path / "junit.xml").iter("testcase")}
    assert (old["fails"].get("file"), old["fails"].get("line")) == ("scenarios/a.feature", "7")


def test_verbose_shows_steps_with_their_time(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal('Scenario: x\n  When I run "true"\n  Then the exit code is 1\n  But the command never prints "a"\n')
    result = pytester.runpytest_subprocess("scenarios", "-v")
    result.stdout.re_match_lines(
        [
            r"scenarios/a\.feature::x",
            r'    When I run "true" +\d+\.\d\d s',
            r"  x Then the exit code is 1 +\d+\.\d\d s",
            r'    But the command never prints "a" +\d+\.\d\d s  looked at 1 command, 0 lines',
            r"FAILED.*",
        ]
    )
    quiet = pytester.runpytest_subprocess("scenarios")
    assert "0.00 s" not in quiet.stdout.str()


def test_one_line_per_failure_with_tb_line(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(TWO)
    result = pytester.runpytest("scenarios", "--tb=line")
    result.stdout.fnmatch_lines(["scenarios/a.feature:10: Then the exit code is 0: *"])


def test_a_fixture_that_is_not_there_is_named(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest("from pytest_bdd import when\n@when('it acts')\ndef acts(oven): pass\n")
    goal("Scenario: x\n  When it acts\n")
    result = pytester.runpytest("scenarios")
    result.stdout.fnmatch_lines(['E     the step function asks for the fixture "oven", which is not there'])
    assert "_pytest" not in result.stdout.str()
