"""Phrases in goals, from the profile to the report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

WriteGoal = Callable[..., Path]
WriteProfile = Callable[..., Path]


def outcome(pytester: pytest.Pytester, *arguments: str, **expected: int) -> pytest.RunResult:
    result = pytester.runpytest("scenarios", *arguments)
    result.assert_outcomes(**expected)
    return result


def test_a_phrase_is_a_command_with_all_that_belongs_to_it(
    pytester: pytest.Pytester, goal: WriteGoal, project: WriteProfile
) -> None:
    project("""
        environment: {MODE: plain}
        phrases:
          - when: I show "{what}" in "{where}"
            run: show {what} 'two words'
            in: "{where}"
            input: "from {where}"
            environment: {MODE: "mode {what}"}
            exit: 0
          - when: I show it
            run: show
    """)
    goal("""
        Scenario: x
          Given a directory "sub"
          When I show "a 'b'" in "sub"
          Then the output is
            \"\"\"
            sub mode a 'b' a 'b' two words from sub
            \"\"\"
        Scenario: y
          When I show it
          Then the output contains "work plain"
    """)
    outcome(pytester, passed=2)


def test_limit_and_exit_code_of_a_command(
    pytester: pytest.Pytester, goal: WriteGoal, project: WriteProfile
) -> None:
    (
        project("""
        phrases:
          - when: I fail with {code:int}
            run: fail {code}
            exit: 3
          - when: I hang
            run: hang
            limit: 50 ms
    """)
        / "tool.py"
    ).write_text(
        "import select, sys\n"
        "if sys.argv[1] == 'hang': select.select((), (), ())\n"
        "sys.exit(int(sys.argv[2]))\n"
    )
    goal("""
        Scenario: right
          When I fail with 3
        Scenario: wrong
          When I fail with 4
        Scenario: slow
          When I hang
    """)
    result = outcome(pytester, passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            ">   When I fail with 4",
            "E     the command ended otherwise",
            "E       expected: exit code 3",
            "E       actual:   exit code 4",
            "E     in: the exit code is 3",
            ">   When I hang",
            'E     "tool hang" did not end within 0.05 s',
        ]
    )


def test_a_phrase_of_several_steps_says_which_of_them_failed(
    pytester: pytest.Pytester, goal: WriteGoal, project: WriteProfile
) -> None:
    project("""
        phrases:
          - when: I start "{run}"
            run: start {run}
          - given: a started run "{run}"
            steps:
              - given: a directory "logs"
              - when: I start "{run}"
              - then: file "runs/{run}/state.json" exists
          - then: run "{run}" is {phase} within {limit:duration}
            steps:
              - then: file "runs/{run}/state.json" exists
              - then: state "runs/{run}/state.json" has within {limit}
                table:
                  - [phase, "{phase}"]
    """)
    goal("""
        Scenario: right
          Given a started run "r1"
          When I run "true"
          Then run "r1" is open within 5 s
        Scenario: wrong
          Given a started run "r1"
          When I run "true"
          Then run "r1" is closed within 0 s
          And file "logs" exists
        Scenario: early
          Given a started run "../../../out"
          When I run "touch x"
    """, tier=2)  # fmt: skip
    result = outcome(pytester, passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            '>   Then run "r1" is closed within 0 s',
            "E*phase*closed*open*",
            'E     in: state "runs/r1/state.json" has within 0 s',
            "    scenarios/a.feature:*",
            '>   Given a started run "../../../out"',
            'E*in: file "runs/../../../out/state.json" exists',
        ]
    )


def test_negative_phrases_watch_and_judge(
    pytester: pytest.Pytester, goal: WriteGoal, project: WriteProfile
) -> None:
    project("""
        phrases:
          - when: I start "{run}"
            run: start {run}
          - never: run "{run}" never appears
            steps:
              - never: file "runs/{run}/state.json" never exists
    """)
    goal("""
        Scenario: right
          When I start "r1"
          Then the exit code is 0
          But run "r2" never appears
        Scenario: wrong
          When I start "r2"
          And I run "rm -r runs"
          Then the exit code is 0
          But run "r2" never appears
    """)
    result = outcome(pytester, passed=1, failed=1)
    result.stdout.fnmatch_lines(['>   But run "r2" never appears', "E*runs/r2/state.json*"])


def test_mistakes_about_phrases_are_collection_errors_at_the_goals_line(
    pytester: pytest.Pytester, goal: WriteGoal, project: WriteProfile
) -> None:
    project("""
        phrases:
          - when: I go
            run: go
          - when: I {verb}
            run: "{verb}"
          - when: we turn
            steps:
              - when: we turn round
          - when: we turn round
            steps:
              - when: we turn
          - when: they dance
            steps:
              - when: they dannce together
          - then: it never rains
            steps:
              - then: the exit code is 0
    """)
    goal("""
        Scenario: x
          When I go
          And we turn
          And they dance
          And they dance
            | a |
          Then the exit code is 0
          But it never rains
    """)
    result = outcome(pytester, errors=1)
    result.stdout.fnmatch_lines(
        [
            "scenarios/a.feature:4:10: ambiguous-step",
            "    When I go",
            "    I go    tool.yaml:2",
            "    I {verb}    tool.yaml:4",
            "scenarios/a.feature:5:9: phrase",
            "*this phrase stands for itself: tool.yaml:6",
            "scenarios/a.feature:6:9: unknown-step",
            "in the phrase at tool.yaml:12: no step matches this line.*",
            "    they dannce together",
            "scenarios/a.feature:7:9: extra-argument",
            "scenarios/a.feature:10:9: not-negative",
            "in the phrase at tool.yaml:15: this is no negative step*",
        ]
    )
    linted = pytester.run(sys.executable, "-m", "goalkeeper.cli", "lint")
    assert linted.ret == 1
    linted.stdout.fnmatch_lines(
        ["*scenarios/a.feature:4:10: ambiguous-step", "*scenarios/a.feature:5:9: phrase"]
    )


@pytest.mark.parametrize("arguments", [(), ("-n", "2")], ids=["alone", "workers"])
def test_a_wrong_profile_is_a_usage_error_with_its_place(
    pytester: pytest.Pytester, goal: WriteGoal, project: WriteProfile, arguments: tuple[str, ...]
) -> None:
    project("""
        phrases:
          - when: I go
            run: go {where}
    """)
    goal("Scenario: x\n  When I go\n")
    result = pytester.runpytest_subprocess("scenarios", *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            "*tool.yaml:2:11: profile",
            "*  - when: I go",
            "*{where} is no parameter of this sentence",
            "*known: it has none",
        ]
    )
    assert "Traceback" not in result.stderr.str() + result.stdout.str()


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (
            '[systems.a]\ncommand = "x"\nprofile = "no.yaml"\n',
            ["*no.yaml:1:1: unreadable", "*can't be read: No such file*"],
        ),
        ('[systems.a]\nprofile = "x"\n', ["*goalkeeper.toml:1:*", '*lacks "command"*']),
        ('[systems."a/b"]\ncommand = "x"\n', ['*"a/b" is no name for a system*']),
    ],
)
def test_a_wrong_configuration_is_a_usage_error(
    pytester: pytest.Pytester, goal: WriteGoal, toml: str, message: list[str]
) -> None:
    (pytester.path / "goalkeeper.toml").write_text(toml)
    goal('Scenario: x\n  When I run "true"\n')
    result = pytester.runpytest_subprocess("scenarios")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(message)
