"""The `.goal.yaml` spelling: what is taken, and how mistakes are explained."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalkeeper.runner.files import GoalFileText, Parsed, parse
from goalkeeper.runner.goal import Goal, Place
from goalkeeper.runner.problem import Problem

HEAD = "goal: G1.1\ntitle: t\n"
STEPS = HEAD + "scenarios:\n  - name: a\n    steps:\n"


def parsed(text: str) -> Parsed:
    return parse(GoalFileText(Path("x.goal.yaml"), text))


def goal_of(text: str) -> Goal:
    return parsed(text).unwrap()


def only(text: str) -> Problem:
    (problem,) = parsed(text).problems
    return problem


def shown(text: str) -> list[str]:
    return only(text).render("x.goal.yaml", text.splitlines()).splitlines()


def test_the_least_goal() -> None:
    goal = goal_of("goal: THRUM-G2.1\ntitle: t\n")
    assert (goal.id, goal.tier, goal.title, goal.language) == ("THRUM-G2.1", 2, "t", "en")
    assert (goal.scenarios, goal.background, goal.rules) == ((), None, ())


def test_an_unknown_key_with_a_suggestion() -> None:
    lines = shown(HEAD + "onwer: me\n")
    assert lines[:4] == [
        "x.goal.yaml:3:1: unknown-key",
        "    onwer: me",
        "    ^^^^^",
        'this file has no "onwer". Did you mean "owner"?',
    ]
    assert lines[4].startswith("known: goal, tier, title")


def test_an_unknown_key_of_a_step() -> None:
    problem = only(STEPS + "      - when: x\n        tabel: [[a]]\n")
    assert (problem.rule, problem.place) == ("unknown-key", Place(7, 9))
    assert 'Did you mean "table"?' in problem.message


def test_a_duplicate_key() -> None:
    assert shown(HEAD + "title: u\n") == [
        "x.goal.yaml:3:1: duplicate-key",
        "    title: u",
        "    ^^^^^",
        '"title" is here twice',
    ]


def test_a_key_that_is_a_list() -> None:
    problem = only(HEAD + "? [a]\n: b\n")
    assert (problem.rule, problem.place, problem.message) == (
        "wrong-type",
        Place(3, 3),
        "a key of this file must be text",
    )


@pytest.mark.parametrize("value", ["12", "1.10", "yes", "true", "0x1f"])
def test_a_wrong_type_with_the_quoted_form(value: str) -> None:
    problem = only(HEAD + f"owner: {value}\n")
    assert (problem.rule, problem.place) == ("wrong-type", Place(3, 8))
    assert problem.message == '"owner" must be text'
    assert problem.hints == (f'in quotes it is text: "{value}"',)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("owner: [a]", '"owner" must be text'),
        ("scope: run", '"scope" must be a list'),
        ("scope: [1]", 'each entry of "scope" must be text'),
        ("scenarios: {}", '"scenarios" must be a list'),
        ("background: x", '"background" must be a list or a mapping'),
        ("owner:", '"owner" must be text'),
        ("rules: [x]", 'each entry of "rules" must be a mapping'),
    ],
)
def test_wrong_types(line: str, message: str) -> None:
    problem = only(f"{HEAD}{line}\n")
    assert (problem.rule, problem.message) == ("wrong-type", message)


def test_a_sentence_that_became_a_mapping() -> None:
    problem = only(STEPS + "      - when: {a: b}\n")
    assert problem.rule == "wrong-type"
    assert problem.hints == ("a colon followed by a space makes a mapping: put the whole sentence in quotes",)


@pytest.mark.parametrize("tier", ["[0]", "[]", "{}", "'1'", "3", "1.0", "true", "one", ""])
def test_a_tier_that_is_none(tier: str) -> None:
    problem = only(f"{HEAD}tier: {tier}\n")
    assert (problem.rule, problem.message) == ("not-allowed", '"tier" must be one of 0, 1, 2')


def test_tier_mismatch() -> None:
    problem = only(HEAD + "tier: 0\n")
    assert (problem.rule, problem.place) == ("tier-mismatch", Place(3, 7))
    assert problem.message == "G1.1 is a goal of tier 1 by its id, but is marked as tier 0"


@pytest.mark.parametrize("goal_id", ["G3.1", "g0.1", "1.1x", '"G1.1\\n"', "G1"])
def test_a_malformed_id(goal_id: str) -> None:
    problem = only(f"goal: {goal_id}\ntitle: t\n")
    assert (problem.rule, problem.place) == ("malformed", Place(1, 7))
    assert problem.message == '"goal" is malformed; right would be G0.1 or THRUM-G1.4'


def test_malformed_tags() -> None:
    problems = parsed(HEAD + 'tags: ["@a", "b c", ok]\n').problems
    assert [(p.rule, p.place.column) for p in problems] == [("malformed", 8), ("malformed", 14)]


def test_missing_keys_are_all_named() -> None:
    problems = parsed("owner: me\n").problems
    assert [p.message for p in problems] == ['this file lacks "goal"', 'this file lacks "title"']


@pytest.mark.parametrize("step", ["{given: a, when: b}", "{table: [[a]]}", "{}"])
def test_a_step_has_one_kind(step: str) -> None:
    problem = only(STEPS + f"      - {step}\n")
    assert problem.rule == "step-kind"
    assert problem.message.endswith("must have exactly one of given, when, then, never")


@pytest.mark.parametrize(
    ("line", "rule"), [("when: ''", "empty-value"), ("when: x\n        table: []", "too-short")]
)
def test_empty_things(line: str, rule: str) -> None:
    assert only(STEPS + f"      - {line}\n").rule == rule


@pytest.mark.parametrize("space", [" ", "   "])
def test_text_cut_by_a_comment(space: str) -> None:
    text = STEPS + f'      - when: I say "a{space}# b"\n'
    lines = shown(text)
    assert lines[0].endswith("cut-by-comment")
    assert lines[1][lines[2].index("^") :] == '# b"'
    assert "put the sentence in quotes" in lines[3]


def test_a_comment_behind_a_whole_sentence_is_a_comment() -> None:
    text = STEPS + '      - when: I say "a"  # why\n      - then: "b \\" # c"  # why\n'
    assert [s.text for s in goal_of(text).all_steps()] == ['I say "a"', 'b " # c']


def test_an_alias() -> None:
    problem = only(HEAD + "scope: &a [x]\nci: *a\n")
    assert (problem.rule, problem.place.line) == ("alias", 3)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x]\n"
        + "".join(f"k{n}: &k{n} [{', '.join([f'*k{n - 1}' if n else '*a'] * 9)}]\n" for n in range(30)),
        "&a [*a]\n",
        "&a {b: *a}\n",
    ],
    ids=["billion laughs", "recursive list", "recursive mapping"],
)
def test_aliases_cost_nothing(text: str) -> None:
    start = time.process_time()
    assert only(text).rule == "alias"
    assert time.process_time() - start < 1


@pytest.mark.parametrize("opening", ["[", "- ", "{a: ", "? "])
def test_deep_nesting_is_refused_and_does_not_end_the_process(opening: str) -> None:
    problem = only(HEAD + "hook:\n  " + opening * 50_000)
    assert problem.rule == "too-deep"


def test_deep_nesting_in_a_key() -> None:
    assert only(HEAD + f"? {'[' * 900}{']' * 900}\n: a\n").rule == "wrong-type"


def test_a_long_file_is_no_deep_one() -> None:
    text = STEPS + "".join(
        f"      - when: I do the thing number {n}\n        table: [[a]]\n" for n in range(500)
    )
    assert len(list(goal_of(text).all_steps())) == 500


def test_a_ragged_table() -> None:
    result = parsed(STEPS + "      - when: x\n        table:\n          - [a, b]\n          - [c]\n")
    (problem,) = result.problems
    assert (problem.rule, problem.place) == ("ragged-table", Place(9, 13))
    assert problem.message == "this row has 1 cell, the first row has 2"


def test_cells_stay_as_they_are_written() -> None:
    text = (
        STEPS + '      - when: x\n        table: [[1.10, yes, True, 0x1F, 1e3, 007, 2024-01-01, "1", ~x]]\n'
    )
    (step,) = goal_of(text).all_steps()
    assert step.table is not None
    assert step.table.rows == (("1.10", "yes", "True", "0x1F", "1e3", "007", "2024-01-01", "1", "~x"),)


def test_an_empty_cell_needs_quotes() -> None:
    assert only(STEPS + "      - when: x\n        table: [[null]]\n").rule == "wrong-type"
    assert goal_of(STEPS + "      - when: x\n        table: [['']]\n").scenarios[0].steps[0].table is not None


def test_blocks_lose_the_line_end_that_yaml_adds() -> None:
    text = "goal: G1.1\ntitle: t\nexpect: >\n  one\n  two\nhook: |\n  h\ndescription: |\n  a\n\n  b\n"
    goal = goal_of(text)
    assert (goal.statement, goal.hook, goal.description) == ("one two", "h", "a\n\nb")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("|\n          a\n", "a"),
        ("|\n          a\n\n          b\n", "a\n\nb"),
        ("|-\n          a\n", "a"),
        ("|+\n          a\n\n", "a\n"),
        (">\n          a\n          b\n", "a b"),
        ("a\n", "a"),
        ('"a\\n"\n', "a\n"),
        ('""\n', ""),
    ],
)
def test_a_block_ends_with_its_last_line(written: str, read: str) -> None:
    (step,) = goal_of(f"{STEPS}      - when: x\n        docstring: {written}").all_steps()
    assert step.docstring is not None
    assert step.docstring.text == read


def test_never_is_a_negative_then() -> None:
    steps = goal_of(
        STEPS + "      - then: a\n      - never: b\n      - then: c never d\n      - then: e\n"
    ).all_steps()
    assert [(s.kind, s.negative, s.declared_never, s.keyword) for s in steps] == [
        ("then", False, "", "Then"),
        ("then", True, "never", "But"),
        ("then", True, "", "And"),
        ("then", False, "", "And"),
    ]


def test_places_of_rows_and_text() -> None:
    text = STEPS + "      - when: 'go <x>'\n    examples:\n      - table:\n          - [x]\n          - [1]\n"
    goal = goal_of(text)
    assert [case.place for case in goal.cases()] == [Place(10, 13)]
    assert goal.scenarios[0].steps[0].text_place == Place(6, 16)


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "''"])
def test_an_empty_file(text: str) -> None:
    assert parsed(text).goal is None
    assert (only(text).rule, only(text).place) == ("empty-file", Place(1))


_WORDS = st.sampled_from(
    ["goal: G0.1", "title: t", "tier: ", "scenarios:", "- name: a", "  steps:", "    - when: ", "- never: x",
     "\n", "\n  ", "[", "]", "{", "}", ": ", "- ", "? ", "&a ", "*a", "!!int ", "!x ", "'", '"', " # c",
     "|", ">-", "%", "---", "...", "<<: ", "\t", "\r", "\x07", "\x85", "\u2028", "\ufeff", "\ufffe",
     "background:", "rules: [",
     "table: [[a], [1.10]]", "examples:", "docstring: |", "~", "2024-01-01"]
)  # fmt: skip


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.text()
    | st.lists(_WORDS | st.text(max_size=5)).map("".join)
    | st.lists(_WORDS).map("\n".join)
    | st.lists(_WORDS).map(lambda words: STEPS + "      - when: " + "".join(words))
)
def test_parsing_never_raises_and_every_result_can_be_shown(text: str) -> None:
    result = parsed(text)
    assert isinstance(result, Parsed)
    assert result.goal is not None or result.problems
    for problem in result.problems:
        assert problem.render("x", result.source.lines).startswith(f"x:{problem.place.line}:")
