"""Structural rules, one test each, on goals written as people write them."""

from __future__ import annotations

from pathlib import Path

from goalkeeper.runner import rules
from goalkeeper.runner.files import GoalFileText, parse
from goalkeeper.runner.problem import Problem

HEAD = "@G1.1\nFeature: t\n"


def problems_of(body: str) -> list[Problem]:
    return rules.check(parse(GoalFileText(Path("x.feature"), HEAD + body)).unwrap())


def only(body: str) -> Problem:
    (problem,) = problems_of(body)
    return problem


def marked(body: str, problem: Problem) -> str:
    """The text under the marker, to the end of the line where the rule names no span."""
    line = (HEAD + body).splitlines()[problem.place.line - 1]
    start = problem.place.column - 1
    return line[start : start + problem.span] if problem.span else line[start:]


def test_a_good_goal_has_no_problem() -> None:
    assert (
        problems_of(
            """\
  Background:
    Given a <b> in the background
  Scenario: one
    When I write <b> without Examples
  Scenario Outline: two
    When I run <a>
      | <a> | b |
    Then it says
      \"\"\"
      <a>
      \"\"\"
    Examples:
      | a |
      | 1 |
      | 2 |
  Rule: r
    Scenario: three
      When x
"""
        )
        == []
    )


def test_no_scenario() -> None:
    problem = only("")
    assert (problem.rule, problem.place.line) == ("no-scenario", 2)


def test_a_rule_without_a_scenario_shows_nothing_either() -> None:
    problem = only("  Rule: r\n    Background:\n      Given x\n")
    assert (problem.rule, problem.place.line) == ("empty-rule", 3)
    assert problem.hints == (
        'to Gherkin "Rule:" begins a new part: in a description, begin the line with another word',
    )


def test_a_rule_without_a_scenario_beside_others() -> None:
    problem = only("  Scenario: a\n    When x\n  Rule: r\n  Rule: q\n    Scenario: b\n      When x\n")
    assert (problem.rule, problem.place.line) == ("empty-rule", 5)


def test_unnamed_scenario() -> None:
    problem = only("  Scenario:\n    When x\n")
    assert (problem.rule, problem.place.line, problem.place.column) == ("unnamed-scenario", 3, 3)


def test_two_unnamed_scenarios_are_not_duplicates() -> None:
    found = problems_of("  Scenario:\n    When x\n  Scenario:\n    When x\n")
    assert [p.rule for p in found] == ["unnamed-scenario", "unnamed-scenario"]


def test_duplicate_scenario() -> None:
    problem = only("  Scenario: a\n    When x\n  Scenario: a\n    When y\n")
    assert (problem.rule, problem.place.line) == ("duplicate-scenario", 5)
    assert '"a" is the name of the scenario in line 3 too' in problem.message


def test_duplicate_scenario_across_rules() -> None:
    body = "  Rule: r\n    Scenario: a\n      When x\n  Rule: q\n    Scenario: a\n      When x\n"
    problem = only(body)
    assert (problem.rule, problem.place.line) == ("duplicate-scenario", 7)
    assert "line 4" in problem.message


def test_empty_scenario() -> None:
    problem = only("  Scenario: a\n")
    assert (problem.rule, problem.place.line) == ("empty-scenario", 3)


def test_a_line_of_a_description_that_begins_a_scenario_is_explained() -> None:
    problem = only("  Free text.\n  Example: like this\n\n  Scenario: a\n    When x\n")
    assert (problem.rule, problem.place.line) == ("empty-scenario", 4)
    assert problem.hints == (
        'to Gherkin "Example:" begins a new part: in a description, begin the line with another word',
    )


def test_in_yaml_a_description_can_hold_any_line() -> None:
    text = (
        "goal: G1.1\ntitle: t\nscenarios:\n  - {name: a, steps: []}\nrules:\n  - {name: r, scenarios: []}\n"
    )
    found = rules.check(parse(GoalFileText(Path("x.goal.yaml"), text)).unwrap())
    assert [(p.rule, p.hints) for p in found] == [("empty-rule", ()), ("empty-scenario", ())]


def test_empty_background_of_feature_and_rule() -> None:
    found = problems_of("  Background:\n  Rule: r\n    Background:\n    Scenario: a\n      When x\n")
    assert [(p.rule, p.place.line) for p in found] == [("empty-background", 3), ("empty-background", 5)]


def test_no_examples() -> None:
    assert only("  Scenario Outline: a\n    When x\n").rule == "no-examples"
    assert only("  Scenario Outline: a\n    When x\n    Examples:\n      | a |\n").rule == "no-examples"


def test_each_examples_without_a_row_is_told() -> None:
    examples = "    Examples:\n      | a |\n"
    body = f"  Scenario: a\n    When <a>\n{examples}{examples}      | 1 |\n    Examples:\n"
    found = problems_of(body)
    assert [(p.rule, p.place.line) for p in found] == [("no-examples", 5), ("no-examples", 10)]


def test_duplicate_column() -> None:
    body = "  Scenario: a\n    When <a>\n    Examples:\n      | a | a |\n      | 1 | 2 |\n"
    problem = only(body)
    assert (problem.rule, problem.place.line) == ("duplicate-column", 6)
    assert problem.message == 'two columns are called "a": give each its own name'


def test_duplicate_example_also_across_tables() -> None:
    body = (
        "  Scenario: a\n    When <a>\n    Examples:\n      | a |\n      | 1 |\n      | 1 |\n"
        "    Examples:\n      | a |\n      | 1 |\n"
    )
    found = problems_of(body)
    assert [(p.rule, p.place.line) for p in found] == [("duplicate-example", 8), ("duplicate-example", 11)]
    assert all(p.message == "the same row stands in line 7" for p in found)


def test_unknown_placeholder_in_the_text() -> None:
    body = (
        "  Scenario: a\n    When I run <comand> now\n    Examples:\n      | command | n |\n      | x | 1 |\n"
    )
    problem = only(body)
    assert problem.rule == "unknown-placeholder"
    assert marked(body, problem) == "<comand>"
    assert problem.message == '<comand> has no column in the Examples of line 5. Did you mean "command"?'
    assert problem.hints == ("columns: command, n",)


def test_the_marker_is_right_behind_a_keyword_with_more_than_one_space() -> None:
    body = "  Scenario: a\n    When    I run <x>\n    Examples:\n      | y |\n      | 1 |\n"
    assert marked(body, only(body)) == "<x>"


def test_unknown_placeholder_in_a_cell_points_at_the_table() -> None:
    body = "  Scenario: a\n    When x\n      | <b> |\n    Examples:\n      | zzz |\n      | 1 |\n"
    problem = only(body)
    assert (problem.rule, problem.place.line) == ("unknown-placeholder", 5)
    assert problem.message == "<b> has no column in the Examples of line 6."
    assert problem.hints == ("columns: zzz",)


def test_unknown_placeholder_in_a_doc_string_points_at_it() -> None:
    body = (
        '  Scenario: a\n    When x\n      """\n      <b>\n      """\n'
        "    Examples:\n      | c |\n      | 1 |\n"
    )
    problem = only(body)
    assert (problem.rule, problem.place.line) == ("unknown-placeholder", 5)


def test_a_column_must_be_in_every_table_of_examples() -> None:
    body = (
        "  Scenario: a\n    When <a>\n    Examples:\n      | a |\n      | 1 |\n"
        "    Examples:\n      | b |\n      | 2 |\n"
    )
    problem = only(body)
    assert problem.message.startswith("<a> has no column in the Examples of line 8.")
    assert problem.hints == ("columns: a, b",)


def test_in_yaml_the_marker_stands_under_quoted_text_too() -> None:
    text = (
        "goal: G1.1\ntitle: t\nscenarios:\n  - name: a\n    steps:\n      - when: '\"x\" is <b>'\n"
        "    examples:\n      - table: [[c], [1]]\n"
    )
    (problem,) = rules.check(parse(GoalFileText(Path("x.goal.yaml"), text)).unwrap())
    line = text.splitlines()[problem.place.line - 1]
    assert line[problem.place.column - 1 :][: problem.span] == "<b>"
