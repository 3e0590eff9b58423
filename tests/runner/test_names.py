"""Remembered values: putting them in, and finding names that nothing remembers."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from goalkeeper import Watch
from goalkeeper.runner.bdd import StepFunctionContext
from goalkeeper.runner.binding import BoundStep
from goalkeeper.runner.define import Wording
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.goal import DocString, Kind, Place, Step, Table
from goalkeeper.runner.library import Definition
from goalkeeper.runner.names import Names, unknown_names, used
from goalkeeper.runner.never import Negative


def function() -> None: ...


def arms() -> Watch[str]:
    return Watch("x")


def remembering(**values: str) -> Names:
    names = Names()
    for name, value in values.items():
        names.remember(name, value)
    return names


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("${a} and ${a}", "1 and 1"),
        ("${a}${b}", "1${a}"),
        ("$a {a} $(a) ${a b} ${}", "$a {a} $(a) ${a b} ${}"),
        ("$${a} $${unknown}", "${a} ${unknown}"),
        ("", ""),
    ],
)
def test_values_in_the_place_of_names(text: str, filled: str) -> None:
    """A value is not looked into: it may come from a program."""
    assert remembering(a="1", b="${a}").fill(text) == filled


def test_a_name_may_get_a_new_value() -> None:
    names = remembering(a="1")
    names.remember("a", "2")
    assert (names.get("a"), names.get("b")) == ("2", None)


def test_a_name_that_nothing_is_remembered_as() -> None:
    with pytest.raises(StepFailed) as caught:
        remembering(run="1", port="2").fill("${ruN}")
    assert str(caught.value) == 'nothing is remembered as "ruN". Did you mean "run"? Remembered: run, port'
    with pytest.raises(StepFailed, match=r'^nothing is remembered as "a"\.$'):
        Names().fill("${a}")


def test_names_that_a_text_speaks_of() -> None:
    assert used("${a} $${b} ${c} $d ${a}") == ["a", "c", "a"]


def bound(
    text: str,
    kind: Kind = "when",
    wording: str = "",
    library: str = "cli",
    negative: bool = False,
    line: int = 1,
    sets: dict[str, str] | None = None,
    table: Table | None = None,
    docstring: DocString | None = None,
    parts: tuple[BoundStep[Definition], ...] = (),
) -> BoundStep[Definition]:
    parser = Wording(wording or text)
    context = StepFunctionContext(kind, Negative(arms) if negative else function, parser)
    definition = Definition(context, library)
    step = Step(
        kind, text, place=Place(line, 5), text_place=Place(line, 10), table=table, docstring=docstring
    )
    late = any("${" in t for t, _ in step.texts())
    arguments = parser.parse_arguments(text) if wording else {}
    return BoundStep(step, definition, arguments or {}, sets=sets or {}, late=late, parts=parts)


def remember(name: str, kind: Kind = "when") -> BoundStep[Definition]:
    return bound(f'I remember as "{name}"', kind, 'I remember as "{x:name}"')


def found(steps: Iterable[BoundStep[Definition]]) -> list[str]:
    return [f"{p.place.line}:{p.place.column} {p.message}" for p in unknown_names([*steps])]


def test_a_name_is_known_after_the_step_that_remembers_it() -> None:
    assert found([remember("a"), bound("x ${a}")]) == []
    assert found([bound("x ${a}"), remember("a")]) == ['1:12 nothing before this remembers "a".']


def test_a_near_name_is_offered_and_how_a_shell_gets_it() -> None:
    (problem,) = unknown_names([remember("greeting"), bound("say ${greting}", line=4)])
    assert (problem.rule, problem.place, problem.span) == ("unknown-name", Place(4, 14), 10)
    assert problem.message == 'nothing before this remembers "greting". Did you mean "greeting"?'
    assert problem.hints == ("a variable of the shell is written $greting or $${greting}",)


def test_an_escaped_name_before_it_is_passed_over() -> None:
    assert found([bound("$${a} ${b} ${a}", wording="x")]) == [
        '1:16 nothing before this remembers "b".',
        '1:21 nothing before this remembers "a".',
    ]


def test_names_in_table_and_text() -> None:
    table = Table((("${a}", "b"),), place=Place(2, 7))
    assert found([bound("x", table=table)]) == ['2:7 nothing before this remembers "a".']
    text = DocString("one\n${b}", place=Place(3, 7))
    assert [line.partition(" ")[2] for line in found([bound("x", docstring=text)])] == [
        'nothing before this remembers "b".'
    ]


def test_a_phrase_makes_its_parameters_known() -> None:
    assert found([bound("I start", sets={"run": "r1"}), bound("x ${run}")]) == []
    parts = (bound("a", sets={"run": "r"}), remember("port"))
    assert found([bound("all", parts=parts), bound("x ${run} ${port}")]) == []


def test_a_negative_step_knows_only_what_a_given_remembers() -> None:
    negative = bound("never ${a}", "then", negative=True)
    assert found([remember("a", "given"), bound("x"), negative]) == []
    assert found([bound("x"), remember("a", "then"), negative]) == [
        '1:16 "a" is remembered after the first When, but a negative step watches from there on'
    ]
    assert found([bound("x"), negative]) == ['1:16 nothing before this remembers "a".']


def test_nothing_is_certain_after_a_step_of_the_users_own() -> None:
    assert found([bound("own", library=""), bound("x ${a}")]) == []
    assert found([bound("x ${a}"), bound("own", library="")]) != []
    inner = bound("phrase", parts=(bound("own", library=""), bound("other")))
    assert found([inner, bound("x ${a}")]) == []


def test_an_escaped_name_is_none() -> None:
    assert found([bound("sh $${HOME}")]) == []
