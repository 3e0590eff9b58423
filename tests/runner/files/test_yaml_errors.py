"""What is said of a `.goal.yaml` file that is no YAML, or not the YAML that its author meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.files import GoalFileText, parse
from goalkeeper.runner.goal import Place
from goalkeeper.runner.problem import Problem

HEAD = "goal: G1.1\ntitle: t\n"
STEPS = HEAD + "scenarios:\n  - name: a\n    steps:\n"


def only(text: str) -> Problem:
    (problem,) = parse(GoalFileText(Path("x.goal.yaml"), text)).problems
    return problem


def shown(text: str) -> list[str]:
    return only(text).render("x.goal.yaml", text.splitlines()).splitlines()


def test_a_sentence_with_a_colon() -> None:
    assert shown(STEPS + '      - when: I run "x: y"\n') == [
        "x.goal.yaml:6:15: unquoted",
        '    - when: I run "x: y"',
        "            ^^^^^^^^^^^^",
        "YAML reads this sentence as something else than text: put all of it in quotes",
        "- when: 'I run \"x: y\"'",
    ]


@pytest.mark.parametrize(
    ("sentence", "quoted"),
    [
        ('"toy" is planned', "'\"toy\" is planned'"),
        ('"toy" isn\'t planned', "'\"toy\" isn''t planned'"),
        ("@owner is asked", "'@owner is asked'"),
        ("[a] b", "'[a] b'"),
    ],
)
def test_a_sentence_that_begins_with_a_sign_of_yaml(sentence: str, quoted: str) -> None:
    problem = only(STEPS + f"      - given: {sentence}\n      - when: x\n")
    assert (problem.rule, problem.place) == ("unquoted", Place(6, 16))
    assert problem.hints == (f"- given: {quoted}",)


@pytest.mark.parametrize("sentence", ['I run "x: y"', '"toy" is planned', "@owner is asked", "it isn't: so"])
def test_the_suggested_line_is_right(sentence: str) -> None:
    (hint,) = only(STEPS + f"      - given: {sentence}\n").hints
    (step,) = parse(GoalFileText(Path("x.goal.yaml"), STEPS + f"      {hint}\n")).unwrap().all_steps()
    assert step.text == sentence


def test_another_mistake_is_not_blamed_on_the_step_before_it() -> None:
    problem = only(STEPS + "      - when: I start\n     bad\n")
    assert (problem.rule, problem.place.line) == ("syntax", 7)
    assert problem.message.startswith("this is not YAML: ")


@pytest.mark.parametrize("key", ["title", "expect", "hook", "description"])
def test_any_other_sentence_with_a_colon(key: str) -> None:
    problem = only(f"goal: G1.1\n{key}: Note: it's late\n")
    assert (problem.rule, problem.place) == ("unquoted", Place(2, len(key) + 3))
    assert problem.hints == (f"{key}: 'Note: it''s late'",)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "\thook: x\n",
        HEAD + "scope:\n\t- a\n",
        HEAD + "scenarios:\n  - name: a\n  \tsteps: []\n",
        STEPS + '      - when: "x"\n\t    table: [[a]]\n',
        HEAD + "scope:\n  - a\n\t# a comment\nhook: x\n",
        HEAD + "description: |\n\ttext\n",
    ],
)
def test_a_tab_in_the_indent(text: str) -> None:
    problem = only(text)
    assert (problem.rule, problem.message) == (
        "syntax",
        "this is not YAML: tabs can't indent YAML, use spaces",
    )
    assert text.splitlines()[problem.place.line - 1][problem.place.column - 1] == "\t"


def test_a_tab_elsewhere_is_a_space() -> None:
    text = "goal:\tG1.1\ntitle: a\tb\nscenarios:\n  - name: a\n    steps:\n      - when:\tx\t\n"
    goal = parse(GoalFileText(Path("x.goal.yaml"), text)).unwrap()
    assert (goal.id, [step.text for step in goal.all_steps()]) == ("G1.1", ["x"])


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a: *nope\n", Place(1, 4), "a text that begins with * must be put in quotes"),
        ("a: b\n---\nc: d\n", Place(2, 1), "a second document begins here: one file, one goal"),
        ("ä: b\nc: d\x07\n", Place(2, 5), "control characters are not allowed (U+0007)"),
        ("a: 'x\nb: c\n", Place(1, 4), "this quote is never closed"),
        ("a: [b\nc: d\n", Place(1, 4), "this list is never closed with ], or lacks a comma"),
        ("a: {b: c\nd: e\n", Place(1, 4), "this mapping is never closed with }, or lacks a comma"),
        ("a: b\nhook\nc: d\n", Place(2, 1), 'this line is no "key: value"'),
        ("owner: @ada\n", Place(1, 8), "a text can't begin with @: put it in quotes"),
        ("a: - b\n", Place(1, 4), "a list begins on a line of its own"),
        ('a: "x\\q"\n', Place(1, 6), "in double quotes, a backslash is written \\\\"),
        ("- a\nb: c\n", Place(2, 1), "the lines of this list begin with -, and this one does not: indent it "
         "otherwise"),
        ("a:\n  - b\n c: d\n", Place(3, 2), "this does not belong to what is above it: indent it like its "
         "neighbours, or put the whole text in quotes"),
        ("a: b\n  c: d\n", Place(2, 4), 'a second ": " in this text, or a wrong indent: '
         "put the text in quotes, or indent the line like those it belongs to"),
        ("goal: [\n", Place(1, 8), "did not find expected node content"),
        ("%x\n", Place(1, 3), "found unknown directive name"),
    ],
)  # fmt: skip
def test_what_is_not_yaml(text: str, place: Place, message: str) -> None:
    problem = only(text)
    assert (problem.rule, problem.message) == ("syntax", f"this is not YAML: {message}")
    assert problem.place == place


def test_ragged_examples_are_a_problem_and_no_crash() -> None:
    text = STEPS + "      - when: <x>\n    examples:\n      - table: [[x], [1], [2, 3]]\n"
    parsed = parse(GoalFileText(Path("x.goal.yaml"), text))
    assert [(p.rule, p.place) for p in parsed.problems] == [("ragged-table", Place(8, 27))]
    assert parsed.goal is not None
    assert [case.values for case in parsed.goal.cases()] == [{"x": "1"}]
