"""Sentences of a profile: what stands behind a line, at the line's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.goal import DocString, Place, Step, Table
from goalkeeper.runner.systems.phrase import Command, Phrase, fill, unknown_parameters

PATH = Path("/project/tool.yaml")


def phrase(wording: str, *steps: Step, command: Command | None = None, never: bool = False) -> Phrase:
    return Phrase("when", wording, "tool", PATH, 7, steps, command, is_never=never)


def spelled(one: Phrase, text: str, **fields: str) -> tuple[Step, ...]:
    step = Step("when", text, keyword="And", place=Place(3, 5), text_place=Place(3, 9), **fields)  # type: ignore[arg-type]
    values = one.match(text)
    assert values is not None
    return one.spelled_out(step, values)


def test_the_steps_stand_where_the_line_stands() -> None:
    inner = Step("then", 'file "{name}" exists', place=Place(1, 1))
    (found,) = spelled(phrase('I make "{name}"', inner), 'I make "a b"')
    assert (found.kind, found.text) == ("then", 'file "a b" exists')
    assert (found.keyword, found.place, found.text_place) == ("And", Place(3, 5), Place(3, 9))


def test_parameters_are_filled_into_table_and_text_as_they_are_written() -> None:
    inner = Step("when", "x", table=Table((("a", "{t}"), ("{n}", "{z}"))), docstring=DocString("{t} {z}"))
    (found,) = spelled(
        phrase("it takes {t:duration} for {n:number} of {w}", inner), "it takes 5 s for 07 of w"
    )
    assert found.table is not None
    assert found.docstring is not None
    assert found.table.rows == (("a", "5 s"), ("07", "{z}"))
    assert found.docstring.text == "5 s {z}"


def test_a_quote_stays_escaped_where_a_sentence_needs_it() -> None:
    inner = Step("when", 'I say "{it}"', docstring=DocString("{it}"))
    (found,) = spelled(phrase('I tell "{it}"', inner), r'I tell "a \"b\" \d"')
    assert found.text == r'I say "a \"b\" \d"'
    assert found.docstring is not None
    assert found.docstring.text == r'a "b" \d'


def test_a_command_comes_first_and_each_parameter_is_one_word() -> None:
    one = phrase(
        'I add "{x}"', Step("then", "the exit code is 0"), command=Command(("add", "--to={x}", "{x}"))
    )
    run, check = spelled(one, """I add "a; rm *" """.strip())
    assert run.text == """I run "tool add '--to=a; rm *' 'a; rm *'\""""
    assert run.table is None
    assert check.text == "the exit code is 0"


def test_what_is_remembered_is_left_for_later() -> None:
    (found,) = spelled(phrase("I wait {t:duration}", Step("when", "within {t}: ${t}")), "I wait ${limit}")
    assert found.text == "within ${limit}: ${t}"


@pytest.mark.parametrize(
    ("never", "declared", "expected"), [(False, "", ""), (False, "But", "But"), (True, "", "never")]
)
def test_the_word_for_a_negative_step_is_passed_on(never: bool, declared: str, expected: str) -> None:
    one = phrase("it never rains", Step("then", "it is dry"), never=never)
    (found,) = spelled(one, "it never rains", declared_never=declared)
    assert found.declared_never == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("{a}{a}", "11"), ("${a}", "${a}"), ("{b} {a b}", "{b} {a b}"), ("{{a}}", "{1}"), ("{c}", "{a}")],
)
def test_filling(text: str, expected: str) -> None:
    assert fill(text, {"a": "1", "c": "{a}"}) == expected


def test_parameters_that_a_sentence_lacks() -> None:
    steps = Step("when", "{a} ${b}", table=Table((("{c}",),)), docstring=DocString("{d}"))
    assert unknown_parameters(phrase("x {a}", steps)) == {"c"}
    command = Command(("{e}",), (("limit", "{f}"),))
    assert unknown_parameters(phrase("x {a:int}", command=command)) == {"e", "f"}


def test_how_it_is_named() -> None:
    one = phrase('I start "{run}" of {n:int}')
    assert one.origin(Path("/project")) == "phrase of tool"
    assert one.place(Path("/project")) == "tool.yaml:7"
    assert one.place(Path("/elsewhere")) == "/project/tool.yaml:7"
    assert one.prefix == 'i start "'
    assert one.match('I stop "x" of 1') is None
