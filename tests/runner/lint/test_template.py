"""What a goal needs besides being runnable."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.files import GoalFileText, parse
from goalkeeper.runner.lint import template
from goalkeeper.runner.problem import Problem

FEATURE = """\
@G1.1 @scope:greet
Feature: t
  Expect: it greets.
  Hook: none

  Scenario: a
    When I greet
    Then file "a" exists
    But file "core" never exists
"""
YAML = """\
goal: G1.1
title: t
expect: it greets.
hook: none
scope: [greet]
scenarios:
  - name: a
    steps:
      - when: I greet
      - then: file "a" exists
      - never: file "core" never exists
"""


def problems_of(text: str, name: str) -> list[Problem]:
    goal = parse(GoalFileText(Path(name), text)).unwrap()
    return [*template.check(goal, lambda step: step.negative)]


def rules_of(text: str, name: str = "x.feature") -> list[str]:
    return [problem.rule for problem in problems_of(text, name)]


@pytest.mark.parametrize(("text", "name"), [(FEATURE, "x.feature"), (YAML, "x.goal.yaml")])
def test_a_complete_goal(text: str, name: str) -> None:
    assert problems_of(text, name) == []


@pytest.mark.parametrize(
    ("feature", "yaml", "rule", "hints"),
    [
        ("  Expect: it greets.\n", "expect: it greets.\n", "no-expect",
         ("    Expect: what should happen", "    expect: what should happen")),
        (" @scope:greet", "scope: [greet]\n", "no-scope", ("    @scope:run", "    scope: [run]")),
        ("  Hook: none\n", "hook: none\n", "no-hook",
         ("    Hook: what the scenarios need", "    hook: what the scenarios need")),
        ("    When I greet\n", "      - when: I greet\n", "no-when",
         ('    When I run "make"', '    - when: I run "make"')),
        ('    But file "core" never exists\n', '      - never: file "core" never exists\n', "no-negative",
         ('    But file "core" never exists', '    - never: file "core" never exists')),
    ],
)  # fmt: skip
def test_what_is_missing_with_what_would_be_right(
    feature: str, yaml: str, rule: str, hints: tuple[str, str]
) -> None:
    (in_feature,) = problems_of(FEATURE.replace(feature, ""), "x.feature")
    (in_yaml,) = problems_of(YAML.replace(yaml, ""), "x.goal.yml")
    assert (in_feature.rule, in_yaml.rule) == (rule, rule)
    assert (in_feature.hints[0], in_yaml.hints[0]) == hints


def test_no_artifact() -> None:
    text = FEATURE.replace('file "a" exists', "it is well").replace(
        'file "core" never exists', "it never breaks"
    )
    (problem,) = problems_of(text, "x.feature")
    assert (problem.rule, problem.hints) == ("no-artifact", ('    Then file "report.txt" exists',))


def test_an_artifact_in_the_background_is_one() -> None:
    text = FEATURE.replace('file "a" exists', "it is well").replace(
        'file "core" never exists', "it never breaks"
    )
    assert rules_of(text.replace("  Scenario", '  Background:\n    Given log "a"\n\n  Scenario', 1)) == []


def test_what_a_background_does_counts_for_its_scenarios() -> None:
    text = FEATURE.replace("    When I greet\n", "").replace('    But file "core" never exists\n', "")
    background = "  Background:\n    When I greet\n    Then it never breaks\n\n"
    assert rules_of(text) == ["no-when", "no-negative"]
    assert rules_of(text.replace("  Scenario", f"{background}  Scenario", 1)) == []


def test_what_the_background_of_one_rule_does_counts_for_no_other() -> None:
    scenario = '    Scenario: {}\n      Then file "a" exists\n'
    text = FEATURE[: FEATURE.index("  Scenario")] + "  Rule: r\n    Background:\n      When x\n"
    text += "      Then it never breaks\n" + scenario.format("b") + "  Rule: q\n" + scenario.format("c")
    found = problems_of(text, "x.feature")
    assert [(p.rule, p.place.line) for p in found] == [("no-when", 13), ("no-negative", 13)]


def test_a_scenario_with_only_a_negative_step_lacks_one_thing_and_is_told_once() -> None:
    text = FEATURE.replace("    When I greet\n", "").replace('    Then file "a" exists\n    But', "    Then")
    assert rules_of(text) == ["no-when"]


def test_no_then_is_no_negative_step_either() -> None:
    text = FEATURE.replace('    Then file "a" exists\n    But file "core" never exists\n', "")
    assert rules_of(text) == ["no-artifact", "no-then", "no-negative"]


def test_an_empty_scenario_is_not_told_what_else_it_lacks() -> None:
    assert rules_of(FEATURE + "\n  Scenario: b\n") == []


def test_a_definition_has_the_last_word_on_what_is_negative() -> None:
    goal = parse(GoalFileText(Path("x.feature"), FEATURE)).unwrap()
    assert [p.rule for p in template.check(goal, lambda _step: False)] == ["no-negative"]
