"""Lines of a description that Gherkin reads otherwise than their author."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.files import GoalFileText, parse
from goalkeeper.runner.lint import descriptions
from goalkeeper.runner.problem import Problem

HEAD = "@G1.1\nFeature: t\n"
SCENARIO = "\n  Scenario: a\n    When it acts\n"


def problems_of(text: str) -> list[Problem]:
    source = GoalFileText(Path("x.feature"), text)
    return [*descriptions.check(parse(source).unwrap(), source, lambda step: step == "it acts")]


def only(text: str) -> Problem:
    (problem,) = problems_of(text)
    assert problem.rule == "misread-line"
    return problem


@pytest.mark.parametrize("line", ["#12 is fixed", "#include this", '#"quoted"'])
@pytest.mark.parametrize(
    "where", ["{}" + SCENARIO, "{}\n  Rule: r" + SCENARIO, SCENARIO + "\n  Rule: r\n{}{}"]
)
def test_text_behind_a_hash(line: str, where: str) -> None:
    text = HEAD + where.format(f"  Some text.\n    {line}\n", "    Scenario: b\n      When it acts\n")
    problem = only(text)
    assert text.splitlines()[problem.place.line - 1] == f"    {line}"
    assert problem.place.column == 5
    assert problem.message.startswith("to Gherkin this is a comment")


@pytest.mark.parametrize(
    "comment",
    [
        "  Text.\n  # 12 is fixed\n",
        "  Text.\n\n  #12 alone\n",
        "  Text.\n  # first\n  #second\n",
        "  Text.\n  ######\n",
        "  Text.\n  #Scenario: old\n  #  When it acts\n",
        "  Text.\n  #@tag\n",
        "  Text.\n  #!shebang\n",
        "  Issue #12 is fixed\n",
        "",
    ],
)
def test_a_comment_that_is_meant_as_one(comment: str) -> None:
    assert problems_of(HEAD + comment + SCENARIO) == []


@pytest.mark.parametrize("word", ["Givn", "when", "Then:", "-", "Given"])
def test_a_step_that_became_text(word: str) -> None:
    problem = only(f"{HEAD}  {word} it acts\n{SCENARIO}")
    assert (problem.place.line, problem.place.column) == (3, 3)
    assert problem.message == "to Gherkin this is a line of a description, not a step"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  Scenario: a\n    Wehn it acts\n    When it acts\n", 4),
        ("  Scenario: a\n    When it acts\n  Scenario: b\n    Wehn it acts\n", 6),
        ("  Background:\n    Gven it acts\n    Given it acts\n" + SCENARIO, 4),
        ("  Rule: r\n    Given it acts\n" + SCENARIO, 4),
        ("  Rule: r\n    Background:\n      Gven it acts\n      Given it acts\n" + SCENARIO, 5),
    ],
)
def test_a_step_that_became_text_of_any_part(text: str, line: int) -> None:
    assert only(HEAD + text).place.line == line


def test_prose_is_no_step() -> None:
    text = (
        "  When in doubt, do what Ada says:\n  she knows that it acts.\n  Expect: it acts\n  Hook: it acts\n"
    )
    assert problems_of(HEAD + text + SCENARIO) == []


@pytest.mark.parametrize("line", ["Hook: none", "Expect: all is well", "Background:"])
@pytest.mark.parametrize("heading", ["Example: like this", "Scenario: like this"])
def test_a_line_of_the_feature_that_another_part_took(heading: str, line: str) -> None:
    problem = only(f"{HEAD}  Text.\n  {heading}\n\n  {line}\n  Scenario: a\n    When it acts\n")
    title = line.split(":")[0] + ":"
    assert (problem.place.line, problem.place.column, problem.span) == (6, 3, len(title))
    word = heading.split(":")[0]
    assert problem.message == f"this line is text of the {word}: in line 4: {title} stands above that"


def test_a_hook_that_a_rule_took() -> None:
    problem = only(f"{HEAD}  Rule: always\n  Hook: none\n{SCENARIO}")
    assert problem.message == "this line is text of the Rule: in line 3: Hook: stands above that"


def test_the_background_of_a_rule_is_no_mistake() -> None:
    assert (
        problems_of(f"{HEAD}  Rule: always\n    Text.\n    Background:\n      Given it acts\n{SCENARIO}")
        == []
    )


def test_the_background_of_another_language() -> None:
    text = "# language: fr\n@G1.1\nFonctionnalité: t\n  Exemple: ainsi\n  Contexte:\n    Soit it acts\n"
    assert "Contexte: stands above that" in only(text).message


def test_a_feature_without_anything_below() -> None:
    assert problems_of("@G1.1\nFeature: t\n") == []
    assert problems_of("@G1.1\nFeature: t") == []
