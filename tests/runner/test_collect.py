"""`pytest scenarios/` finds goal files, names their scenarios, and says what is wrong before it runs any."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

WriteGoal = Callable[..., Path]


def collected(pytester: pytest.Pytester, *args: str) -> list[str]:
    result = pytester.runpytest("--collect-only", "-q", *args)
    return [line for line in result.outlines if "::" in line]


def test_both_spellings_are_collected_without_glue(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(
        """
        Scenario: It runs
          When I run "true"
          Then the exit code is 0
        """
    )
    goal(
        """
        goal: G1.2
        title: The other spelling
        scenarios:
          - name: It runs too
            steps:
              - when: I run "true"
              - then: the exit code is 0
              - never: the command never prints "x"
        """,
        "scenarios/b.goal.yaml",
    )
    assert collected(pytester) == ["scenarios/a.feature::It runs", "scenarios/b.goal.yaml::It runs too"]
    pytester.runpytest("scenarios").assert_outcomes(passed=2)


def test_outline_rows_are_items_with_their_values(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(
        """
        Scenario Outline: Echo <word>
          When I run "echo <word>"
          Then the output contains "<word>"

          Examples: short
            | word |
            | a    |

          @slow
          Examples: long
            | word |
            | bb   |
        """
    )
    pytester.makeini("[pytest]\nmarkers = slow\naddopts = --strict-markers")
    assert collected(pytester) == ["scenarios/a.feature::Echo a[a]", "scenarios/a.feature::Echo bb[bb]"]
    assert collected(pytester, "-m", "slow") == ["scenarios/a.feature::Echo bb[bb]"]
    pytester.runpytest("scenarios/a.feature::Echo bb[bb]").assert_outcomes(passed=1)


def test_rules_backgrounds_and_another_language_run(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(
        """
        # language: fr
        @G1.1
        Fonctionnalité: Deux règles
          Contexte:
            Soit a file "a" containing "one"

          Règle: La première
            Contexte:
              Soit a file "b" containing "two"

            Scénario: Elles s'ajoutent
              Quand I run "cat a b"
              Alors the output is
                \"\"\"
                one
                two
                \"\"\"
              Mais the command never prints "three"
        """
    )
    pytester.runpytest("scenarios").assert_outcomes(passed=1)


def test_tags_select_and_metadata_is_no_mark(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeini("[pytest]\naddopts = --strict-markers --strict-config -W error")
    goal(
        """
        @G0.1 @owner:someone @scope:run
        Feature: Safety
          Scenario: Safe
            When I run "true"
            Then the exit code is 0

          @docker
          Scenario: Safe in a container
            When I run "true"
            Then the exit code is 0
        """
    )
    goal(
        """
        @G2.1 @tier2
        Feature: Edge
          Scenario: Edge case
            When I run "true"
            Then the exit code is 0
        """,
        "scenarios/edge.feature",
    )
    assert collected(pytester, "-m", "tier0 and not docker") == ["scenarios/a.feature::Safe"]
    assert collected(pytester, "-m", "G2.1") == ["scenarios/edge.feature::Edge case"]
    assert collected(pytester, "-k", "container") == ["scenarios/a.feature::Safe in a container"]
    assert len(collected(pytester, "-m", "G0.1 or tier2")) == 3


def test_an_unregistered_tag_is_pointed_at(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeini("[pytest]\naddopts = --strict-markers")
    goal(
        """
        @sloow
        Scenario: Tagged
          When I run "true"
          Then the exit code is 0
        """
    )
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["scenarios/a.feature:3:3: unknown-mark", "*@sloow", "*^^^^^^", "*'sloow' not found*"]
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            """
            Scenario: x
              When I ran "cat"
              Then the exit code is 0
            """,
            [
                "scenarios/a.feature:4:10: unknown-step",
                '    When I ran "cat"',
                "         ^^^^^^^^^^^",
                "no step matches this line. Did you mean",
                '    I run "{command}" *steps/cli',
                "see all steps: goalkeeper steps*",
            ],
            id="unknown",
        ),
        pytest.param(
            """
            Scenario: x
              When I run "cat"
              Then I run "cat"
            """,
            [
                "scenarios/a.feature:5:10: wrong-kind",
                "this is a Given or When step, but stands here as a Then:",
            ],
            id="wrong-kind",
        ),
        pytest.param(
            """
            Scenario: x
            Scenario: y
              When I run "true"
            Scenario: y
              When I run "true"
            """,
            [
                "scenarios/a.feature:3:3: empty-scenario",
                "scenarios/a.feature:7:3: duplicate-scenario",
                '"y" is the name of the scenario in line 4 too*',
            ],
            id="duplicate-and-empty",
        ),
        pytest.param(
            """
            Scenario Outline: x
              When I run "echo <wrod>"
              Examples:
                | word |
                | a    |
            """,
            [
                "scenarios/a.feature:4:22: unknown-placeholder",
                "                     ^^^^^^",
                '<wrod> has no column in the Examples of line 6. Did you mean "word"?',
            ],
            id="placeholder",
        ),
        pytest.param(
            """
            Scenario: x
              When I run "cat" with
              Then the exit code is 0
                | a | b |
            """,
            [
                "scenarios/a.feature:4:10: missing-argument",
                "this step needs a table below it",
                "scenarios/a.feature:6:7: extra-argument",
                "this step takes no table: it would be ignored",
            ],
            id="arguments",
        ),
    ],
)
def test_a_mistake_is_a_collection_error_of_its_file(
    pytester: pytest.Pytester, goal: WriteGoal, text: str, expected: list[str]
) -> None:
    goal(text)
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([line.replace("[", "[[]") for line in expected])


def test_an_ambiguous_step_names_both_definitions(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(
        """
        from pytest_bdd import parsers, when

        @when(parsers.parse("{a} and {b}"))
        def both(a, b): pass

        @when(parsers.parse("salt and {b}"))
        def salt(b): pass
        """
    )
    goal("Scenario: x\n  When salt and pepper\n  Then the exit code is 0\n")
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*ambiguous-step", "*salt and {b} *conftest.py:*", "*{a} and {b} *conftest.py:*"]
    )


def test_other_files_still_run_beside_a_wrong_one(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal('Scenario: good\n  When I run "true"\n  Then the exit code is 0\n')
    goal("@G1.2\nFeature: bad\n  Scenario: bad\n    When nobody knows\n", "scenarios/bad.feature")
    for options in ([], ["-n", "2"]):
        result = pytester.runpytest("scenarios", *options)
        result.assert_outcomes(passed=1, errors=1)
        assert result.ret == pytest.ExitCode.TESTS_FAILED
    stopped = pytester.runpytest("scenarios", "-x")
    stopped.assert_outcomes(errors=1)


def test_a_broken_python_module_stops_the_run_as_ever(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal('Scenario: good\n  When I run "true"\n  Then the exit code is 0\n')
    pytester.makepyfile(test_broken="import nowhere_to_be_found")
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_two_files_may_not_share_an_id(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal('Scenario: one\n  When I run "true"\n')
    goal('Scenario: two\n  When I run "true"\n', "scenarios/b.feature")
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["scenarios/b.feature:2:1: duplicate-id", "*G1.1 is the id of scenarios/a.feature too*"]
    )


def test_never_in_yaml_must_be_a_negative_step(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(
        """
        goal: G1.1
        title: x
        scenarios:
          - name: x
            steps:
              - when: I run "true"
              - never: the exit code is 0
        """,
        "scenarios/a.goal.yaml",
    )
    result = pytester.runpytest("scenarios")
    result.stdout.fnmatch_lines(["scenarios/a.goal.yaml:7:16: not-negative"])


def test_goal_files_says_which_files_are_goals(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    """Beside a suite that binds its features with pytest-bdd itself."""
    goal('Scenario: mine\n  When I run "true"\n')
    goal("Feature: no goal\n  Scenario: theirs\n    Given something\n", "features/theirs.feature")
    pytester.makeini("[pytest]\ngoal_files = scenarios/*.feature\n")
    assert collected(pytester) == ["scenarios/a.feature::mine"]


def test_an_empty_tree_does_not_pass(pytester: pytest.Pytester) -> None:
    pytester.mkdir("scenarios")
    assert pytester.runpytest("scenarios").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_last_failed_runs_the_failed_scenario_alone(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(
        """
        Scenario: passes
          When I run "true"
          Then the exit code is 0
        Scenario: fails
          When I run "false"
          Then the exit code is 0
        """
    )
    pytester.runpytest("scenarios").assert_outcomes(passed=1, failed=1)
    again = pytester.runpytest("scenarios", "--lf")
    again.assert_outcomes(failed=1)


def test_steps_are_found_in_the_nearest_conftest(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    """A user's step overrides ours, and a deeper conftest.py one above it."""
    pytester.makeconftest(
        """
        from pytest_bdd import when, given, parsers

        @when(parsers.parse('I run "{command}"'), target_fixture="ran")
        def run(command):
            return f"root {command}"
        """
    )
    goal('Scenario: root\n  When I run "x"\n  Then it ran as "root x"\n  But file "core" never exists\n')
    goal(
        '@G1.2\nFeature: b\n  Scenario: deep\n    When I run "x"\n    Then it ran as "deep x"\n'
        '    But file "core" never exists\n',
        "scenarios/d/b.feature",
    )
    then = """
        from goalkeeper import then

        @then('it ran as "{text}"')
        def ran_as(ran: str, text: str) -> None:
            assert ran == text
        """
    (pytester.path / "scenarios" / "conftest.py").write_text(
        "\n".join(line[8:] for line in then.splitlines())
    )
    (pytester.path / "scenarios" / "d" / "conftest.py").write_text(
        "from goalkeeper import when\n"
        "@when('I run \"{command}\"', target_fixture='ran')\n"
        "def run(command):\n    return f'deep {command}'\n"
    )
    pytester.runpytest("scenarios").assert_outcomes(passed=2)
