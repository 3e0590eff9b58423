"""The goal model: cases of an outline, placeholders, and what is derived from the steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.files import GoalFileText, parse
from goalkeeper.runner.goal import (
    DocString,
    Goal,
    Place,
    Scenario,
    Step,
    Table,
    Tag,
    fill,
    reads_negative,
    tier_of,
)

OUTLINE = """\
@G1.1 @slow
Feature: Budgets
  Background:
    Given a <size> repository
      | size   |
      | <size> |

  Scenario: Plain
    When I <verb> nothing

  @wide
  Rule: Every size
    Background:
      Given a worker

    @each
    Scenario Outline: A <size> one
      When I run "<verb>"
        \"\"\"
        <verb> <other>
        \"\"\"

      @first
      Examples:
        | size  | verb  |
        | small | start |
        | large | stop  |

      @second @late
      Examples: more
        | size | verb |
        | huge | halt |
"""


def goal_of(text: str) -> Goal:
    return parse(GoalFileText(Path("x.feature"), text)).unwrap()


def test_cases_come_in_the_order_of_the_file_and_carry_their_row() -> None:
    names = [case.name for case in goal_of(OUTLINE).cases()]
    assert names == ["Plain", "A small one[small-start]", "A large one[large-stop]", "A huge one[huge-halt]"]


def test_background_steps_stand_first_feature_before_rule_and_are_rendered() -> None:
    _, small, *_ = goal_of(OUTLINE).cases()
    assert [step.text for step in small.steps] == ["a small repository", "a worker", 'I run "start"']
    table, docstring = small.steps[0].table, small.steps[2].docstring
    assert table is not None
    assert docstring is not None
    assert table.rows == (("size",), ("small",))
    assert docstring.text == "start <other>"


def test_a_plain_scenario_is_not_rendered() -> None:
    plain = next(goal_of(OUTLINE).cases())
    assert [step.text for step in plain.steps] == ["a <size> repository", "I <verb> nothing"]
    assert plain.values is None
    assert plain.rule is None


def test_tags_are_joined_from_the_outside_in() -> None:
    plain, small, large, huge = goal_of(OUTLINE).cases()
    assert [tag.name for tag in plain.tags] == ["slow"]
    assert [tag.name for tag in small.tags] == ["slow", "wide", "each", "first"]
    assert large.tags == small.tags
    assert [tag.name for tag in huge.tags] == ["slow", "wide", "each", "second", "late"]


def test_a_case_is_placed_at_its_row_or_at_its_scenario() -> None:
    goal = goal_of(OUTLINE)
    lines = OUTLINE.splitlines()
    placed = [lines[case.place.line - 1].strip() for case in goal.cases()]
    assert placed == ["Scenario: Plain", "| small | start |", "| large | stop  |", "| huge | halt |"]


def test_values_and_rule_belong_to_the_case() -> None:
    *_, huge = goal_of(OUTLINE).cases()
    assert huge.values == {"size": "huge", "verb": "halt"}
    assert huge.rule is not None
    assert huge.rule.name == "Every size"


def test_an_outline_without_rows_has_no_case() -> None:
    goal = Goal("G1.1", 1, "t", (Scenario("s", (Step("when", "x"),), outline=True),))
    assert list(goal.cases()) == []


def test_all_steps_are_as_written_with_backgrounds_first() -> None:
    assert [step.text for step in goal_of(OUTLINE).all_steps()] == [
        "a <size> repository",
        "a worker",
        "I <verb> nothing",
        'I run "<verb>"',
    ]


def test_texts_give_everything_that_may_hold_a_placeholder() -> None:
    table, docstring = Table((("a", "b"),), Place(2)), DocString("c", place=Place(3))
    step = Step("given", "x", table=table, docstring=docstring, text_place=Place(1, 7))
    assert list(step.texts()) == [("x", Place(1, 7)), ("a", Place(2)), ("b", Place(2)), ("c", Place(3))]


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("<a>", "1"),
        ("<a><b c>", "12"),
        ("<unknown> <a>", "<unknown> 1"),
        ("a < b > c", "a < b > c"),
        ("<>", "<>"),
        ("<<a>>", "<1>"),
        ("no placeholder", "no placeholder"),
    ],
)
def test_fill(text: str, filled: str) -> None:
    assert fill(text, {"a": "1", "b c": "2"}) == filled


def test_a_value_is_not_filled_again() -> None:
    assert fill("<a>", {"a": "<b>", "b": "no"}) == "<b>"


@pytest.mark.parametrize(
    ("goal_id", "tier"),
    [("G0.1", 0), ("G1.12", 1), ("G2.3b", 2), ("THRUM-G0.1", 0), ("A1-G2.9", 2)],
)
def test_the_tier_is_in_the_id(goal_id: str, tier: int) -> None:
    assert tier_of(goal_id) == tier


@pytest.mark.parametrize(
    "word", ["G3.1", "G0", "g0.1", "thrum-G0.1", "-G0.1", "G0.1bb", "G0.1\n", "G0.\u0661", ""]
)
def test_what_is_no_id_has_no_tier(word: str) -> None:
    assert tier_of(word) is None


def test_only_a_then_that_says_never_reads_negative() -> None:
    assert reads_negative("then", "branch Never moves")
    assert not reads_negative("then", "nevertheless it moves")
    assert not reads_negative("given", "it never rains")


def test_a_tag_with_a_colon_is_no_mark() -> None:
    assert Tag("slow").is_mark
    assert not Tag("window:5s").is_mark


def test_places_and_keywords_do_not_take_part_in_comparison() -> None:
    assert Step("given", "x", keyword="And", place=Place(4)) == Step("given", "x", keyword="Given")
    assert Step("given", "x") != Step("when", "x")
    assert Step("then", "x", negative=True) != Step("then", "x")


def test_derived_fields() -> None:
    goal = goal_of(
        """\
@G0.1
Feature: t
  Background:
    Given it is configured with
      | mode | block |
      | max  | 1     |
    And a list
      | one | two | three |
    When it has
      | not | this |
  Scenario: s
    Then log "orchestrator" records "x"
    And log   "orchestrator" records "y"
    And state "run" is there
    But branch "main" never moves
    And branch "main" never moves
"""
    )
    assert goal.configuration == (("mode", "block"), ("max", "1"))
    assert goal.artifacts == ('log "orchestrator"', 'state "run"', 'branch "main"')
    assert goal.never_list() == ('branch "main" never moves',)
    assert goal.never_list(lambda step: "state" in step.text) == ('state "run" is there',)
