"""The `.feature` spelling, and that it means the same as the YAML one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalkeeper.runner.files import GoalFileText, Parsed, parse
from goalkeeper.runner.goal import Goal, Place, Step
from goalkeeper.runner.problem import GoalError

G0_1_FEATURE = """\
@G0.1 @tier0 @scope:run @owner:orchestration @ci:acceptance-local
Feature: A blocking budget prevents the merge
  Expect: a run over its token budget stops, fails, and merges nothing.
  Hook: toy repository, mock worker with token usage

  Background:
    Given a "toy" repository on branch "main"
    And "mycelium" is configured with
      | budgets.mode                | block |
      | budgets.max_tokens_per_task | 1     |
    And the mock worker uses 20 tokens per turn
    And project "toy" is planned

  Scenario: One task goes over its token budget
    When I start run "r1"
    Then run "r1" ends as failed
    And log "orchestrator" records "budget.block" with
      | scope | task |
    But branch "main" never moves
    And log "orchestrator" never records "batch.merging"
"""

G0_1_YAML = """\
goal: G0.1
tier: 0
title: A blocking budget prevents the merge
expect: a run over its token budget stops, fails, and merges nothing.
hook: toy repository, mock worker with token usage
scope: [run]
owner: orchestration
ci: [acceptance-local]
background:
  - given: a "toy" repository on branch "main"
  - given: '"mycelium" is configured with'
    table:
      - [budgets.mode, block]
      - [budgets.max_tokens_per_task, "1"]
  - given: the mock worker uses 20 tokens per turn
  - given: project "toy" is planned
scenarios:
  - name: One task goes over its token budget
    steps:
      - when: I start run "r1"
      - then: run "r1" ends as failed
      - then: log "orchestrator" records "budget.block" with
        table:
          - [scope, task]
      - never: branch "main" never moves
      - never: log "orchestrator" never records "batch.merging"
"""

EVERYTHING_FEATURE = """\
@THRUM-G1.4 @scope:send @scope:inbox @slow @window:5s
Feature: Everything at once
  Free text.

  Background: the ground
    Why it is there.
    Given a base

  Scenario: plain
    * it continues the background
    When both arguments
      | a \\| b | \\\\ | \\n |
      \"\"\"json
      {"a": 1}
        indented
      \"\"\"

  @wide
  Rule: second
    Because.
    Background:
      And a rule base
    @each
    Scenario Outline: row <x>
      When I use <x>
      Then it never breaks

      @first
      Examples: few
        Some of them.
        | x |
        | 1.10 |
      @rest @late
      Examples:
        | x |
        | true |
"""

EVERYTHING_YAML = """\
goal: THRUM-G1.4
title: Everything at once
description: |
  Free text.
scope: [send, inbox]
tags: [slow, "window:5s"]
background:
  name: the ground
  description: Why it is there.
  steps:
    - given: a base
scenarios:
  - name: plain
    steps:
      - given: it continues the background
      - when: both arguments
        table: [["a | b", '\\', "\\n"]]
        docstring: |-
          {"a": 1}
            indented
        media: json
rules:
  - name: second
    description: Because.
    tags: [wide]
    background:
      - given: a rule base
    scenarios:
      - name: row <x>
        tags: [each]
        steps:
          - when: I use <x>
          - never: it never breaks
        examples:
          - name: few
            description: Some of them.
            tags: [first]
            table: [[x], [1.10]]
          - tags: [rest, late]
            table: [[x], [true]]
"""


def parsed(text: str, name: str = "x.feature") -> Parsed:
    return parse(GoalFileText(Path(name), text))


def goal_of(text: str, name: str = "x.feature") -> Goal:
    return parsed(text, name).unwrap()


def steps_of(body: str, head: str = "@G1.1\nFeature: t\n") -> tuple[Step, ...]:
    return goal_of(head + body).scenarios[0].steps


def found(text: str) -> list[tuple[str, Place]]:
    return [(problem.rule, problem.place) for problem in parsed(text).problems]


@pytest.mark.parametrize(
    ("feature", "as_yaml"), [(G0_1_FEATURE, G0_1_YAML), (EVERYTHING_FEATURE, EVERYTHING_YAML)]
)
def test_both_spellings_give_the_same_goal(feature: str, as_yaml: str) -> None:
    assert goal_of(feature) == goal_of(as_yaml, "x.goal.yaml")


def test_both_spellings_give_the_same_keywords() -> None:
    feature, as_yaml = goal_of(G0_1_FEATURE), goal_of(G0_1_YAML, "x.goal.yaml")
    assert [s.keyword for s in feature.all_steps()] == [s.keyword for s in as_yaml.all_steps()]


def test_the_fields_of_the_template() -> None:
    goal = goal_of(G0_1_FEATURE)
    assert (goal.id, goal.tier, goal.title) == ("G0.1", 0, "A blocking budget prevents the merge")
    assert goal.statement == "a run over its token budget stops, fails, and merges nothing."
    assert goal.hook == "toy repository, mock worker with token usage"
    assert (goal.scope, goal.owner, goal.ci) == (("run",), "orchestration", ("acceptance-local",))
    assert (goal.tags, goal.description, goal.path) == ((), "", Path("x.feature"))
    assert goal.configuration == (("budgets.mode", "block"), ("budgets.max_tokens_per_task", "1"))
    assert [step.negative for step in goal.scenarios[0].steps] == [False, False, False, True, True]


def test_rule_background_outline_examples_and_tags() -> None:
    goal = goal_of(EVERYTHING_FEATURE)
    (rule,) = goal.rules
    (outline,) = rule.scenarios
    assert goal.background is not None
    assert (goal.background.name, goal.background.description) == ("the ground", "Why it is there.")
    assert rule.background is not None
    assert [(s.kind, s.text) for s in rule.background.steps] == [("given", "a rule base")]
    assert ([t.name for t in rule.tags], rule.description) == (["wide"], "Because.")
    assert outline.outline
    assert [[t.name for t in e.tags] for e in outline.examples] == [["first"], ["rest", "late"]]
    assert [e.rows for e in outline.examples] == [(("1.10",),), (("true",),)]
    assert (outline.examples[0].name, outline.examples[0].description) == ("few", "Some of them.")


def test_a_step_with_a_table_and_a_doc_string() -> None:
    step = goal_of(EVERYTHING_FEATURE).scenarios[0].steps[1]
    assert step.table is not None
    assert step.table.rows == (("a | b", "\\", "\n"),)
    assert step.docstring is not None
    assert (step.docstring.media, step.docstring.text) == ("json", '{"a": 1}\n  indented')


def test_an_empty_doc_string_is_a_doc_string() -> None:
    (step,) = steps_of('  Scenario: a\n    When x\n      """\n      """\n')
    assert step.docstring is not None
    assert (step.docstring.text, step.docstring.media) == ("", "")


def test_comments_are_no_part_of_the_goal() -> None:
    text = (
        "# top\n@G1.1\nFeature: t\n  Expect: one\n  # between\n  two\n"
        "  Scenario: a\n    # inside\n    When x\n"
    )
    goal = goal_of(text)
    assert goal.statement == "one two"
    assert [s.text for s in goal.scenarios[0].steps] == ["x"]


FRENCH = """\
# language: fr
@G0.2
Fonctionnalité: Budgets
  Contexte:
    Soit un dépôt
  Plan du scénario: le <n>
    Quand je lance <n>
    Alors il échoue
    Mais la branche bouge
    Exemples:
      | n |
      | 1 |
"""
GERMAN = """\
# language: de
@G0.2
Funktionalität: Budgets
  Grundlage:
    Angenommen ein Repository
  Szenariogrundriss: das <n>
    Wenn ich <n> starte
    Dann endet es
    Aber der Zweig bewegt sich
    Beispiele:
      | n |
      | 1 |
"""


@pytest.mark.parametrize(("text", "language"), [(FRENCH, "fr"), (GERMAN, "de")])
def test_other_languages(text: str, language: str) -> None:
    goal = goal_of(text)
    assert (goal.language, goal.id, goal.title) == (language, "G0.2", "Budgets")
    assert goal.background is not None
    assert goal.background.steps[0].kind == "given"
    (scenario,) = goal.scenarios
    assert scenario.outline
    assert [(s.kind, s.negative) for s in scenario.steps] == [
        ("when", False),
        ("then", False),
        ("then", True),
    ]
    assert len(list(goal.cases())) == 1


@pytest.mark.parametrize("text", [FRENCH, GERMAN, G0_1_FEATURE])
def test_a_step_knows_where_its_text_is(text: str) -> None:
    lines = text.splitlines()
    for step in goal_of(text).all_steps():
        assert lines[step.text_place.line - 1][step.text_place.column - 1 :] == step.text


def test_the_text_place_skips_every_space_after_the_keyword() -> None:
    (step,) = steps_of("  Scenario: a\n    When    x\n")
    assert step.text_place == Place(4, 13)


def test_an_outline_without_examples_is_still_an_outline() -> None:
    assert goal_of("@G1.1\nFeature: t\n  Scenario Outline: a\n    When x\n").scenarios[0].outline
    assert not goal_of("@G1.1\nFeature: t\n  Scenario: a\n    When x\n").scenarios[0].outline


def test_and_but_and_star_continue_the_kind_before_them() -> None:
    steps = steps_of(
        "  Scenario: a\n    Given a\n    And b\n    When c\n    * d\n    Then e\n    * f\n    But g\n"
    )
    assert [s.kind for s in steps] == ["given", "given", "when", "when", "then", "then", "then"]
    assert [s.negative for s in steps] == [False] * 6 + [True]
    assert [s.keyword for s in steps] == ["Given", "And", "When", "*", "Then", "*", "But"]


def test_but_is_negative_only_after_then() -> None:
    steps = steps_of("  Scenario: a\n    Given a\n    But b\n    Then c\n    But d\n    And e never f\n")
    assert [s.negative for s in steps] == [False, False, False, True, True]
    assert [s.declared_never for s in steps] == ["", "", "", "But", "And"]


def test_a_star_that_continues_nothing_is_a_given() -> None:
    assert [s.kind for s in steps_of("  Scenario: a\n    * x\n")] == ["given"]


def test_and_at_the_start_continues_the_background() -> None:
    body = "  Background:\n    Given a\n    When b\n  Scenario: s\n    And c\n"
    assert [s.kind for s in steps_of(body)] == ["when"]


def test_and_in_a_rule_continues_the_nearest_background() -> None:
    body = (
        "  Background:\n    Given a\n"
        "  Rule: r\n    Background:\n      When b\n    Scenario: s\n      And c\n"
        "  Rule: q\n    Scenario: t\n      And d\n"
    )
    goal = goal_of("@G1.1\nFeature: t\n" + body)
    assert [rule.scenarios[0].steps[0].kind for rule in goal.rules] == ["when", "given"]


def test_a_scenario_does_not_continue_the_one_before() -> None:
    text = "@G1.1\nFeature: t\n  Scenario: a\n    When x\n  Scenario: b\n    And y\n"
    assert found(text) == [("dangling-and", Place(6, 5))]


def test_a_dangling_and_is_marked() -> None:
    result = parsed("@G1.1\nFeature: t\n  Scenario: a\n    And b\n")
    assert result.problems[0].render("x.feature", result.source.lines) == (
        "x.feature:4:5: dangling-and\n    And b\n    ^^^\n"
        "And continues nothing here: begin with Given, When or Then"
    )


@pytest.mark.parametrize(
    ("description", "statement", "hook", "rest"),
    [
        ("  Expect: a\n    b\n  Hook: c\n    d\n", "a b", "c d", ""),
        ("  Expect:\n    a run\n    stops\n", "a run stops", "", ""),
        ("  Hook: c\n\n  Free text\n    indented\n", "", "c", "Free text\n  indented"),
        ("  Before.\n  Expect: a\n\n  After.\n", "a", "", "Before.\n\nAfter."),
        ("", "", "", ""),
    ],
)
def test_expect_and_hook(description: str, statement: str, hook: str, rest: str) -> None:
    goal = goal_of(f"@G1.1\nFeature: t\n{description}\n  Scenario: a\n    When x\n")
    assert (goal.statement, goal.hook, goal.description) == (statement, hook, rest)


def test_tags_become_fields_and_the_rest_stays() -> None:
    goal = goal_of("@G1.1 @scope:a @scope:b\n@owner:me @ci:x @ci:y @slow @window:5s\nFeature: t\n")
    assert (goal.scope, goal.owner, goal.ci) == (("a", "b"), "me", ("x", "y"))
    assert [(tag.name, tag.place) for tag in goal.tags] == [
        ("slow", Place(2, 23)),
        ("window:5s", Place(2, 29)),
    ]


@pytest.mark.parametrize(("tag", "tier"), [("@G0.1", 0), ("@G1.1", 1), ("@G2.7c", 2), ("@THRUM-G0.1", 0)])
def test_the_tier_is_derived(tag: str, tier: int) -> None:
    goal = goal_of(f"{tag}\nFeature: t\n")
    assert (goal.id, goal.tier) == (tag[1:], tier)


def test_missing_id() -> None:
    result = parsed("@slow\nFeature: t\n")
    (problem,) = result.problems
    assert (problem.rule, problem.place) == ("no-goal-id", Place(2, 1))
    assert problem.hints == ("write a tag above it, such as @G1.1",)
    with pytest.raises(GoalError, match=r"x\.feature:2:1: no-goal-id"):
        result.unwrap()


def test_two_ids() -> None:
    result = parsed("@G0.1 @G0.2\nFeature: t\n")
    shown = result.problems[0].render("x.feature", result.source.lines).splitlines()
    assert shown[:3] == ["x.feature:1:7: two-goal-ids", "    @G0.1 @G0.2", "          ^^^^^"]
    assert "this file is G0.1 already" in shown[3]
    assert result.goal is not None
    assert result.goal.id == "G0.1"


def test_tier_mismatch() -> None:
    (problem,) = parsed("@G0.1 @tier1\nFeature: t\n").problems
    assert problem.rule == "tier-mismatch"
    assert problem.message == "G0.1 is a goal of tier 0 by its id, but is marked as tier 1"


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_an_empty_file(text: str) -> None:
    assert found(text) == [("empty-file", Place(1))]


def test_a_form_feed_or_line_separator_ends_no_line() -> None:
    result = parsed("@G1.1\nFeature: t\n  a\x0cb\u2028c\n  Scenario: a\n    And x\n")
    assert "    And x\n    ^^^" in result.problems[0].render("x", result.source.lines)


def test_windows_line_ends() -> None:
    assert goal_of(G0_1_FEATURE.replace("\n", "\r\n")) == goal_of(G0_1_FEATURE)


_WORDS = st.sampled_from(
    ["@G0.1", "@a", "Feature:", "Rule:", "Background:", "Scenario:", "Scenario Outline:", "Examples:",
     "Given ", "When ", "And ", "But ", "* ", "|", "| a |", '"""', "```", "# language: fr", "# x", "\n",
     "\n  ",
     "\t", "\r", "<a>", "\\", "Expect:", "Hook:", "\x0c", "\u2028", "\ufeff"]
)  # fmt: skip


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text() | st.lists(_WORDS | st.text(max_size=5)).map("".join) | st.lists(_WORDS).map("\n".join))
def test_parsing_never_raises_and_every_result_can_be_shown(text: str) -> None:
    result = parsed(text)
    assert isinstance(result, Parsed)
    assert result.goal is not None or result.problems
    for problem in result.problems:
        assert problem.render("x", result.source.lines).startswith(f"x:{problem.place.line}:")
