"""The canonical layout, and comments that keep their place in it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from goalkeeper.runner.files import GoalFileText, parse
from goalkeeper.runner.problem import GoalError
from goalkeeper.runner.writing import formatted, rewritten

FEATURE, YAML = Path("a.feature"), Path("a.goal.yaml")

UNTIDY = """\
# Who owns this?
@ci:nightly @tier1   @G1.1 @owner:me
@slow
Feature:   Bread
      Hook:   an oven
      Expect: brown,
        not black

      A few words.
  # before the background
  Background:
        Given an oven
           | degrees | 230 |
           # more
           | long setting | on |

    @a @b
    Scenario Outline: <n> loaves
      # the first step
      When <n> loaves are baked
      Then "<n>" are brown
      # Then the rest is sold

      Examples:
      | n |
      | 1 |
      | 12 |
    # a block of its own

    # above the rule
    Rule: Sourdough
      Scenario: Overnight
        * time passes
          ```text
          a "quoted" \"\"\" word

            indented
          ```
# the end
"""

TIDY = """\
# Who owns this?
@G1.1 @tier1 @owner:me @ci:nightly @slow
Feature: Bread
  Expect: brown, not black
  Hook: an oven

  A few words.

  # before the background
  Background:
    Given an oven
      | degrees      | 230 |
      # more
      | long setting | on  |

  @a @b
  Scenario Outline: <n> loaves
    # the first step
    When <n> loaves are baked
    Then "<n>" are brown
    # Then the rest is sold

    Examples:
      | n  |
      | 1  |
      | 12 |
      # a block of its own

  # above the rule
  Rule: Sourdough

    Scenario: Overnight
      * time passes
        ```text
        a "quoted" \"\"\" word

          indented
        ```
        # the end
"""


def feature(text: str) -> str:
    return formatted(parse(GoalFileText(FEATURE, text)))


def yaml(text: str) -> str:
    return formatted(parse(GoalFileText(YAML, text)))


def test_a_feature_file() -> None:
    assert feature(UNTIDY) == TIDY
    assert feature(TIDY) == TIDY


def test_a_yaml_file() -> None:
    untidy = """\
        # yaml-language-server: $schema=goal.schema.json

        title:   'Bread'    # the daily one
        goal: "G1.1"
        scope:
          - oven
          - "230"
        scenarios:
        - steps:
          # first
          - when: >
              bread is
              baked
            table: [["a", '1'], [b, "x, y"]]
          - then: "it is \\"brown\\": all of it"
          - never: it never burns
            # last
            docstring: "one\\ntwo"

          name: A loaf
        # between
        - {name: Two loaves, steps: [when: more]}
        """
    tidy = """\
        # yaml-language-server: $schema=goal.schema.json
        goal: G1.1
        title: Bread  # the daily one
        scope: [oven, "230"]
        scenarios:
          - name: A loaf
            steps:
              # first
              - when: bread is baked
                table:
                  - [a, 1]
                  - [b, "x, y"]
              - then: 'it is "brown": all of it'
              - never: it never burns
                # last
                docstring: |
                  one
                  two

          # between
          - name: Two loaves
            steps:
              - when: more
        """
    assert yaml(textwrap.dedent(untidy)) == textwrap.dedent(tidy)
    assert yaml(textwrap.dedent(tidy)) == textwrap.dedent(tidy)


def test_line_ends_and_a_missing_last_one() -> None:
    assert feature("@G1.1\r\nFeature: x\r\n  Scenario: s\r\n    When y") == (
        "@G1.1\nFeature: x\n\n  Scenario: s\n    When y\n"
    )


def test_wide_characters_are_aligned_by_what_they_take_on_a_terminal() -> None:
    text = "@G1.1\nFeature: x\n\n  Scenario: s\n    When y\n      | 日本 | a |\n      | abcd | b |\n"
    assert feature(text) == text


def test_a_keyword_stays_in_its_language() -> None:
    text = (
        "# language: fr\n@G1.1\nFonctionnalité: x\n\n  Scénario: s\n    Étant donné que a\n    Quand b\n"
        "    Alors c\n    Mais d\n"
    )
    assert feature(text) == text
    japanese = "# language: ja\n@G1.1\n機能: x\n\n  シナリオ: s\n    前提a\n    もしb\n"
    assert feature(japanese) == japanese


def test_comments_go_with_a_goal_into_the_other_spelling() -> None:
    translated = rewritten(parse(GoalFileText(FEATURE, TIDY)), YAML)
    comments = [line.strip() for line in TIDY.splitlines() if line.strip().startswith("#")]
    assert [line.strip() for line in translated.splitlines() if line.strip().startswith("#")] == comments
    lines = [line.strip() for line in translated.splitlines()]
    assert lines[lines.index("# the first step") + 1] == "- when: <n> loaves are baked"
    back = rewritten(parse(GoalFileText(YAML, translated)), FEATURE)
    assert [line.strip() for line in back.splitlines() if line.strip().startswith("#")] == comments
    assert parse(GoalFileText(FEATURE, back)).goal == parse(GoalFileText(FEATURE, TIDY)).goal


@pytest.mark.parametrize("cell", ['" a"', '"a "'])
def test_a_cell_that_gherkin_would_trim_is_refused(cell: str) -> None:
    head = "goal: G1.1\ntitle: t\nscenarios:\n  - name: s\n    steps:\n      - when: x\n"
    text = f"{head}        table: [[{cell}]]\n"
    with pytest.raises(GoalError, match=r'a\.goal\.yaml:4:5: not-expressible[\s\S]*scenario "s"'):
        rewritten(parse(GoalFileText(YAML, text)), FEATURE)


def test_a_file_with_a_mistake_is_not_written() -> None:
    with pytest.raises(GoalError, match="no-goal-id"):
        feature("Feature: x\n  Scenario: s\n    When y\n")


def test_a_then_that_only_has_the_word_stays_a_then() -> None:
    head = "@G1.1\nFeature: x\n\n  Scenario: s\n    When y\n"
    then = "    Then the word never is shown\n    But it never burns\n    And it never smokes\n"
    text = f"{head}{then}    Then never is done\n"
    translated = rewritten(parse(GoalFileText(FEATURE, text)), YAML)
    assert [line.strip() for line in translated.splitlines()][-4:] == [
        "- then: the word never is shown",
        "- never: it never burns",
        "- never: it never smokes",
        "- then: never is done",
    ]
    assert rewritten(parse(GoalFileText(YAML, translated)), FEATURE) == text
