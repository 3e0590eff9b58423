"""What is said of a `.feature` file that Gherkin can't read: one problem for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.files import GoalFileText, parse
from goalkeeper.runner.goal import Place
from goalkeeper.runner.problem import Problem

HEAD = "@G1.1\nFeature: t\n"
SCENARIO = HEAD + "  Scenario: a\n    When x\n"


def problems_of(text: str) -> tuple[Problem, ...]:
    parsed = parse(GoalFileText(Path("x.feature"), text))
    assert parsed.goal is None
    return parsed.problems


def only(text: str) -> Problem:
    (problem,) = problems_of(text)
    return problem


def test_every_syntax_error_is_reported() -> None:
    text = SCENARIO + "    Thn y\n  Scenario: b\n    When z\n    Adn w\n"
    found = problems_of(text)
    assert [(p.rule, p.place) for p in found] == [("syntax", Place(5, 5)), ("syntax", Place(8, 5))]
    assert [p.hints for p in found] == [('did you mean "Then"?',), ('did you mean "And"?',)]
    assert found[0].message == (
        "this line can't stand here; expected "
        'a table row, a doc string ("""), a step, a tag, Examples:, Scenario:, Rule:'
    )


def test_two_lines_one_below_the_other_are_two_mistakes() -> None:
    assert [p.place.line for p in problems_of(SCENARIO + "    Thn y\n    Adn z\n")] == [5, 6]


def test_a_word_that_is_right_is_not_suggested() -> None:
    assert (
        only(SCENARIO + "      | a |\n    Examples: x\n      When y\n      | b |\n    When y\n").hints == ()
    )


def test_a_ragged_table() -> None:
    problem = only(SCENARIO + "      | a | b |\n      | c |\n")
    assert (problem.rule, problem.place) == ("ragged-table", Place(6, 7))
    assert "write | inside a cell as \\|" in problem.message


@pytest.mark.parametrize("quotes", ['"""', "```"])
def test_a_doc_string_left_open_is_shown_where_it_begins(quotes: str) -> None:
    problem = only(SCENARIO + f"      {quotes}\n      open\n\n  Scenario: b\n")
    assert (problem.rule, problem.place) == ("syntax", Place(5, 7))
    assert problem.message == "this doc string is never closed"


def test_tags_at_the_end() -> None:
    problem = only(SCENARIO + "\n  @slow\n\n")
    assert (problem.rule, problem.place) == ("syntax", Place(6, 3))
    assert problem.message == "tags at the end of the file: no Scenario, Rule or Examples follows"


def test_a_file_of_a_language_only() -> None:
    problem = only("# language: fr\n")
    assert (problem.rule, problem.message) == ("syntax", "the file ends too early: it needs a Feature")


@pytest.mark.parametrize("text", ["hello\nworld\n\nagain\n", "# language: en\nhello\nworld\n"])
def test_a_file_that_is_something_else_is_told_once(text: str) -> None:
    problem = only(text)
    assert problem.rule == "syntax"
    assert problem.message.startswith("this line can't stand here; expected ")
    assert problem.message.endswith("a tag, Feature:")


def test_a_second_feature() -> None:
    assert only(SCENARIO + "\nFeature: u\n").message == (
        "a second Feature: one file, one goal. Give it a file of its own"
    )


def test_a_heading_is_known_in_the_language_of_the_file() -> None:
    text = "# language: fr\n@G1.1\nFonctionnalité: t\n  Scénario: a\n    Quand x\n  Contexte:\n    Soit y\n"
    assert only(text).message.startswith("a Background stands before the first Scenario")


def test_examples_in_a_background() -> None:
    problem = only(HEAD + "  Background:\n    Given y\n    Examples:\n")
    assert problem.message == "Examples stand below the steps of a Scenario Outline"


def test_a_tag_in_a_description() -> None:
    problem = only(HEAD + "  Text.\n  @ada says so.\n  Scenario: a\n    When x\n")
    assert (problem.rule, problem.place) == ("misread-line", Place(4, 3))
    assert problem.message == (
        "to Gherkin this is a line of tags, each of which must be one word with an @ of its own: "
        "in a description, begin the line with another word"
    )


def test_tags_in_a_description_are_told_once_and_not_with_every_line_below() -> None:
    problem = only(HEAD + "  @ada\n  says so.\n\n  Scenario: a\n    When x\n    Then y\n")
    assert (problem.rule, problem.place) == ("misread-line", Place(3, 3))
    assert "a line of tags, but no Scenario, Rule or Examples follows them" in problem.message


def test_a_tag_of_two_words_above_the_feature_is_no_text() -> None:
    problem = only("@G1.1 @tier 1\nFeature: t\n")
    assert (problem.rule, problem.place) == ("syntax", Place(1, 7))
    assert problem.message == "this is a line of tags, each of which must be one word with an @ of its own"


def test_a_line_between_tags_and_feature() -> None:
    problem = only("@G1.1\nhello\nFeature: t\n")
    assert (problem.place, problem.message) == (
        Place(2, 1),
        "this line can't stand here; expected a tag, Feature:",
    )


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("french", 'Gherkin does not know the language "french". Did you mean "fr"?'),
        ("fr_FR", 'Gherkin does not know the language "fr_FR". Did you mean "fr"?'),
        ("pt-BR", 'Gherkin does not know the language "pt-BR". Did you mean "pt"?'),
        ("en-pirat", 'Gherkin does not know the language "en-pirat". Did you mean "en"?'),
        ("xx", 'Gherkin does not know the language "xx".'),
    ],
)
def test_an_unknown_language(name: str, advice: str) -> None:
    text = f"# language: {name}\nFeature: t\n"
    problem = only(text)
    assert (problem.rule, problem.place, problem.span) == ("unknown-language", Place(1, 13), len(name))
    assert problem.message == advice
    assert bool(problem.hints) == ("Did you mean" not in advice)
    as_yaml = GoalFileText(Path("x.goal.yaml"), f"goal: G1.1\ntitle: t\nlanguage: {name}\n")
    (same,) = parse(as_yaml).problems
    assert (same.rule, same.place, same.message) == (problem.rule, Place(3, 11), advice)
