"""Which definition a step means, and what is said where the answer is none or several."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_bdd import parsers

from goalkeeper import Watch
from goalkeeper.runner.bdd import StepFunctionContext
from goalkeeper.runner.binding import Binder, BoundStep, Scope
from goalkeeper.runner.define import Wording
from goalkeeper.runner.goal import DocString, Kind, Place, Step, Table
from goalkeeper.runner.library import Definition
from goalkeeper.runner.never import Negative
from goalkeeper.runner.problem import Problem
from goalkeeper.runner.systems.phrase import Command, Phrase

HERE = Path(__file__)


def nothing() -> None: ...


def takes_table(datatable: object) -> None: ...


def takes_text(docstring: object) -> None: ...


def may_take_table(datatable: object = None) -> None: ...


def arms() -> Watch[str]:
    return Watch("x")


def defined(
    parser: str | parsers.StepParser,
    kind: Kind | None = "when",
    function: Callable[..., Any] = nothing,
    library: str = "",
) -> Definition:
    """A definition; plain text is a wording of ours."""
    used = Wording(parser) if isinstance(parser, str) else parser
    return Definition(StepFunctionContext(kind, function, used), library)


def step(text: str, kind: Kind = "when", **fields: Any) -> Step:
    return Step(kind, text, place=Place(3, 5), text_place=Place(3, 10), **fields)


def bind(wanted: Step, *scopes: list[Definition]) -> BoundStep[Definition] | Problem:
    return Binder([Scope(definitions) for definitions in scopes], HERE.parent).bind(wanted)


def bound(wanted: Step, *scopes: list[Definition]) -> BoundStep[Definition]:
    found = bind(wanted, *scopes)
    assert isinstance(found, BoundStep)
    return found


def problem(wanted: Step, *scopes: list[Definition]) -> Problem:
    found = bind(wanted, *scopes)
    assert isinstance(found, Problem)
    return found


def line_of(function: Callable[..., Any]) -> int:
    return function.__code__.co_firstlineno


def test_arguments_come_with_the_definition() -> None:
    run = defined('I run "{command}" {n:int} times')
    found = bound(step('I run "a b" 3 times'), [defined("other"), run])
    assert found.definition is run
    assert found.arguments == {"command": "a b", "n": 3}


def test_the_nearest_scope_wins() -> None:
    near, far = defined("it {verb}"), defined("it acts")
    assert bound(step("it acts"), [near], [far]).definition is near
    assert bound(step("it acts"), [], [far], [near]).definition is far


def test_a_scope_with_another_kind_hides_nothing() -> None:
    near, far = defined("it acts", "given"), defined("it acts", "when")
    assert bound(step("it acts"), [near], [far]).definition is far


def test_ambiguity_beyond_the_nearest_scope_does_not_matter() -> None:
    near = defined("it acts")
    assert bound(step("it acts"), [near], [defined("it {a}"), defined("{a} acts")]).definition is near


def test_ambiguity_names_every_definition_with_its_place() -> None:
    found = problem(step("it acts"), [defined("it {verb}"), defined("{who} acts", function=takes_text)])
    assert found == Problem(
        "ambiguous-step",
        Place(3, 10),
        "more than one step matches this line; change the wording of one of them:",
        span=7,
        hints=(
            f"    it {{verb}}    test_binding.py:{line_of(nothing)}",
            f"    {{who}} acts    test_binding.py:{line_of(takes_text)}",
        ),
    )


def test_one_step_seen_twice_is_not_ambiguous() -> None:
    """A module that imports another's steps shows them again."""
    context = StepFunctionContext("when", nothing, Wording("it acts"))
    assert bound(step("it acts"), [Definition(context), Definition(context)]).definition.context is context


@pytest.mark.parametrize("kind", ["given", "when", "then"])
def test_a_step_without_a_kind_stands_anywhere(kind: Kind) -> None:
    anywhere = defined("it acts", None)
    assert bound(step("it acts", kind), [anywhere]).definition is anywhere


def test_wrong_kind_says_where_it_may_stand() -> None:
    definitions = [
        defined("it acts", "when", library="acme"),
        defined("it acts", "given", library="acme"),
        defined("it acts well", "when"),
    ]
    found = problem(step("it acts", "then"), definitions)
    assert (found.rule, found.place, found.span) == ("wrong-kind", Place(3, 10), 7)
    assert found.message == "this is a Given or When step, but stands here as a Then:"
    assert found.hints == ("    it acts    steps/acme",)


def test_an_unknown_step_is_told_the_nearest_first() -> None:
    definitions = [
        defined('I jump over "{what}" twice', library="acme"),
        defined('I jump over "{what}"', library="acme"),
        defined("nothing of the kind", library="other"),
    ]
    found = problem(step('I jumped over "the lazy dog"'), definitions)
    assert (found.rule, found.place, found.span) == ("unknown-step", Place(3, 10), 28)
    assert found.message == "no step matches this line. Did you mean"
    assert found.hints == (
        '    I jump over "{what}"          steps/acme',
        '    I jump over "{what}" twice    steps/acme',
        "see all steps: goalkeeper steps acme",
    )


def test_near_steps_are_at_most_three_of_all_scopes_and_libraries() -> None:
    near = [defined(f"I jump {word}", "given") for word in ("high", "higher")]
    far = [defined(f"I jump {word}", library=word) for word in ("highs", "low", "highest")]
    found = problem(step("I jump hig"), near, far)
    assert found.hints == (
        f"    I jump high      test_binding.py:{line_of(nothing)}",
        "    I jump highs     steps/highs",
        f"    I jump higher    test_binding.py:{line_of(nothing)}",
        "see all steps: goalkeeper steps highs",
    )
    several = problem(step("I jump hi"), far)
    assert several.hints[-1] == "see all steps: goalkeeper steps"


def test_a_step_like_no_other_is_sent_to_the_catalogue() -> None:
    found = problem(step("xyzzy"), [defined('I run "{command}"')])
    assert found.message == "no step matches this line."
    assert found.hints == ("see all steps: goalkeeper steps",)
    assert problem(step("xyzzy")).rule == "unknown-step"


def test_a_quote_left_unescaped_is_shown_escaped() -> None:
    found = problem(step('I say "he said "no" twice"'), [defined('I say "{text}"')])
    assert found.message == 'no step matches this line; a quote inside quoted text is written \\":'
    assert found.hints == (r'    I say "he said \"no\" twice"',)


TABLE = Table((("a", "b"),), Place(4, 7))
TEXT = DocString("text", place=Place(4, 7))


def negative(complete: bool) -> Negative:
    made = Negative(arms)
    if complete:
        made.check(lambda _: [])
    return made


@pytest.mark.parametrize(
    ("wanted", "definition", "rule", "message", "place"),
    [
        pytest.param(
            step("it acts"),
            defined("it acts", function=takes_table),
            "missing-argument",
            "this step needs a table below it",
            Place(3, 10),
            id="missing-table",
        ),
        pytest.param(
            step("it acts", table=TABLE),
            defined("it acts", function=takes_text),
            "extra-argument",
            "this step takes no table: it would be ignored",
            Place(4, 7),
            id="table-for-text",
        ),
        pytest.param(
            step("it acts"),
            defined(parsers.string("it acts"), function=takes_text),
            "missing-argument",
            "this step needs a doc string below it",
            Place(3, 10),
            id="missing-text-of-a-pytest-bdd-step",
        ),
        pytest.param(
            step("it acts", docstring=TEXT),
            defined("it acts"),
            "extra-argument",
            "this step takes no doc string: it would be ignored",
            Place(4, 7),
            id="extra-text",
        ),
        pytest.param(
            step("it acts"),
            defined("it {datatable}", function=takes_table),
            "reserved-name",
            '"datatable" is a reserved name: rename the parameter in it {datatable}',
            Place(3, 10),
            id="reserved-name",
        ),
        pytest.param(
            step("it acts", "then", declared_never="never"),
            defined("it acts", "then"),
            "not-negative",
            "this is no negative step: write then instead of never",
            Place(3, 10),
            id="not-negative",
        ),
        pytest.param(
            step("it acts", "then", declared_never="But"),
            defined("it acts", "then"),
            "not-negative",
            "this is no negative step: write Then instead of But",
            Place(3, 10),
            id="not-negative-but",
        ),
        pytest.param(
            step("it acts", "then"),
            defined("it acts", "then", negative(complete=False)),
            "no-check",
            "the negative step arms has no check and could not fail",
            Place(3, 10),
            id="no-check",
        ),
    ],
)
def test_a_step_that_does_not_fit_its_definition(
    wanted: Step, definition: Definition, rule: str, message: str, place: Place
) -> None:
    found = problem(wanted, [definition])
    assert (found.rule, found.message, found.place) == (rule, message, place)


@pytest.mark.parametrize(
    ("wanted", "definition"),
    [
        pytest.param(step("it acts", table=TABLE), defined("it acts", function=takes_table), id="table"),
        pytest.param(step("it acts", docstring=TEXT), defined("it acts", function=takes_text), id="text"),
        pytest.param(step("it acts"), defined("it acts", function=may_take_table), id="optional"),
        pytest.param(
            step("it acts", table=TABLE), defined(parsers.string("it acts")), id="pytest-bdd-is-lenient"
        ),
        pytest.param(
            step("it acts", "then", declared_never="never"),
            defined("it acts", "then", negative(complete=True)),
            id="never",
        ),
    ],
)
def test_a_step_that_fits(wanted: Step, definition: Definition) -> None:
    assert bound(wanted, [definition]).definition is definition


def test_a_misfit_in_the_nearest_scope_is_not_passed_on() -> None:
    near, far = defined("it acts", function=takes_table), defined("it acts")
    assert problem(step("it acts"), [near], [far]).rule == "missing-argument"


class Backwards(parsers.StepParser):
    """A parser of a user's own, about which nothing is known but that it matches."""

    def is_matching(self, name: str) -> bool:
        return name == self.name[::-1]

    def parse_arguments(self, name: str) -> dict[str, Any]:
        return {"text": name}


class AnyCase(parsers.string):
    """A user's parser that is a kind of pytest-bdd's and yet matches more."""

    def is_matching(self, name: str) -> bool:
        return bool(name.casefold() == self.name.casefold())


PARSERS: list[Callable[[str], parsers.StepParser]] = [
    Wording,
    parsers.string,
    parsers.parse,
    lambda text: parsers.parse(text, case_sensitive=True),
    parsers.cfparse,
    lambda text: parsers.re(text.replace("{x}", "(?P<x>.+)")),
    Backwards,
    AnyCase,
]
# Case pairs whose lower case differs in length or depends on what follows, or that match case aside without
# having a lower case in common; and braces, which `parse` wants doubled.
PIECES = ["a", "A", "b ", "İ", "ı", "i", "Σ", "σ", "ς", "ſ", "S", "ß", "\u212a", "k", "}}", "}"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)


def compiled(make: Callable[[str], parsers.StepParser], text: str) -> parsers.StepParser:
    """A wording that this kind of parser can't read is plain text to it."""
    try:
        return make(text)
    except ValueError:
        return parsers.string(text)


KINDS: list[Kind] = ["given", "when", "then"]
DEFINITIONS = st.builds(
    lambda make, start, end, kind: defined(compiled(make, start + end), kind),
    st.sampled_from(PARSERS),
    TEXTS,
    st.sampled_from(["", "{x}", " {x}a"]),
    st.sampled_from([*KINDS, None]),
)


def one_by_one(definitions: list[Definition], kind: Kind, text: str) -> dict[int, Any]:
    """What pytest-bdd would find: every parser asked in turn."""
    return {
        id(definition): definition.context.parser.parse_arguments(text)
        for definition in definitions
        if definition.kind in (kind, None) and definition.context.parser.is_matching(text)
    }


def matching_text(definition: Definition, value: str) -> str:
    wording = definition.wording
    text = wording[::-1] if isinstance(definition.context.parser, Backwards) else wording
    return text.replace("(?P<x>.+)", value).replace("{x}", value).replace("}}", "}").swapcase()


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.lists(DEFINITIONS, min_size=1, max_size=12), TEXTS, TEXTS, st.sampled_from(KINDS))
def test_the_index_finds_what_asking_each_parser_finds(
    definitions: list[Definition], text: str, value: str, kind: Kind
) -> None:
    scope = Scope(definitions)
    for wanted in {text, *(matching_text(d, value) for d in definitions), *(d.wording for d in definitions)}:
        found = {id(definition): arguments for definition, arguments in scope.find(kind, wanted)}
        assert found == one_by_one(definitions, kind, wanted)


@pytest.mark.parametrize(
    ("parser", "text"),
    [
        pytest.param(parsers.parse("Salt {x}"), "sALT 1", id="parse-ignores-case"),
        pytest.param(parsers.parse("salt {x}"), "ſalt 1", id="long-s"),
        pytest.param(parsers.parse("in {x}"), "İn 1", id="dotted-i"),
        pytest.param(parsers.cfparse("a }} {x:d}"), "a } 1", id="brace"),
        pytest.param(Wording("ΟΔΟΣ{x}"), "ΟΔΟΣα", id="sigma"),
        pytest.param(parsers.string("İ"), "İ", id="longer-in-lower-case"),
        pytest.param(AnyCase("Salt"), "sALT", id="subclass"),
        pytest.param(parsers.re("(?i)salt"), "SALT", id="regex-flag"),
    ],
)
def test_the_index_does_not_lose_a_match(parser: parsers.StepParser, text: str) -> None:
    assert parser.is_matching(text)
    assert [*Scope([defined(parser)]).find("when", text)]


PROFILE = HERE.parent / "tool.yaml"
LIBRARY = [
    defined('I run "{command}"', library="cli"),
    defined('I run "{command}" with', function=takes_table, library="cli"),
    defined("the exit code is {n:int}", "then", library="cli"),
    defined("it lasts {t:duration}", "then", library="cli"),
]


def phrase(wording: str, *steps: Step, kind: Kind = "when", **fields: Any) -> Phrase:
    return Phrase(kind, wording, "tool", PROFILE, 4, steps, **fields)


def bind_phrase(
    wanted: Step, *phrases: Phrase, near: list[Definition] | None = None
) -> BoundStep[Definition] | Problem:
    scopes = [Scope(near or []), Scope(LIBRARY)]
    return Binder(scopes, HERE.parent, Scope(phrases)).bind(wanted)


def bound_phrase(wanted: Step, *phrases: Phrase, **fields: Any) -> BoundStep[Definition]:
    found = bind_phrase(wanted, *phrases, **fields)
    assert isinstance(found, BoundStep), found
    return found


def refused_phrase(wanted: Step, *phrases: Phrase) -> Problem:
    found = bind_phrase(wanted, *phrases)
    assert isinstance(found, Problem)
    assert (found.place, found.span) == (Place(3, 10), len(wanted.text))
    return found


def test_a_phrase_of_one_step_is_that_step_at_the_line_of_the_phrase() -> None:
    wanted = step('I start "r1"')
    command = Command(("start", "{run}"), (("limit", "5 s"),))
    found = bound_phrase(wanted, phrase('I start "{run}"', command=command))
    assert found.step is wanted
    assert found.definition is LIBRARY[1]
    assert found.arguments == {"command": "tool start r1"}
    assert found.source.table is not None
    assert found.source.table.rows == (("limit", "5 s"),)
    assert found.sets == {"run": "r1"}
    assert found.all_parts() == (found,)
    assert not found.late


def test_a_phrase_of_several_steps_has_parts() -> None:
    steps = (Step("when", 'I run "a {n}"'), Step("then", "the exit code is {n}"))
    found = bound_phrase(step("it works with 07"), phrase("it works with {n:int}", *steps))
    assert [part.source.text for part in found.parts] == ['I run "a 07"', "the exit code is 07"]
    assert [dict(part.arguments) for part in found.parts] == [{"command": "a 07"}, {"n": 7}]
    assert found.sets == {"n": "07"}
    assert found.arguments == {}


def test_a_duration_is_passed_on_as_it_is_written() -> None:
    found = bound_phrase(
        step("it sleeps 2 min", "then"),
        phrase("it sleeps {t:duration}", Step("then", "it lasts {t}"), kind="then"),
    )
    assert found.arguments == {"t": 120.0}
    assert found.sets == {"t": "2 min"}


def test_a_remembered_value_is_late_in_a_phrase_too() -> None:
    one = phrase("it sleeps {t:duration}", Step("then", "it lasts {t}"), kind="then")
    found = bound_phrase(step("it sleeps ${limit}", "then"), one)
    assert found.late
    assert found.arguments == {"t": "${limit}"}
    several = phrase("it works", Step("when", 'I run "a"'), Step("when", 'I run "${b}"'))
    assert bound_phrase(step("it works"), several).late
    assert [part.late for part in bound_phrase(step("it works"), several).parts] == [False, True]


def test_names_that_inner_phrases_set_are_set_with_the_first_of_their_steps() -> None:
    run = Step("when", 'I run "{run}"')
    several = phrase('I start "{run}"', run, run)
    single = phrase('I stop "{run}" by {who}', run)
    outer = phrase('I retry "{run}"', Step("when", 'I start "{run}-2"'), Step("when", 'I stop "x" by me'))
    found = bound_phrase(step('I retry "r"'), outer, several, single)
    assert [part.source.text for part in found.parts] == ['I run "r-2"', 'I run "r-2"', 'I run "x"']
    assert found.sets == {"run": "r"}
    assert [part.sets for part in found.parts] == [{"run": "r-2"}, {}, {"run": "x", "who": "me"}]


def test_of_nested_phrases_of_one_step_the_inner_sets_the_name() -> None:
    inner = phrase('I start "{run}"', Step("when", 'I run "{run}"'))
    outer = phrase('I retry "{run}"', Step("when", 'I start "{run}-2"'))
    found = bound_phrase(step('I retry "r"'), outer, inner)
    assert (found.source.text, found.sets) == ('I run "r-2"', {"run": "r-2"})


def test_a_phrase_lies_between_conftest_and_libraries() -> None:
    own = phrase('I run "{x}"', Step("then", "the exit code is 0"))
    assert bound_phrase(step('I run "a"'), own).definition is LIBRARY[2]
    near = defined('I run "{x}"')
    assert bound_phrase(step('I run "a"'), own, near=[near]).definition is near


def test_phrases_that_match_the_same_line() -> None:
    found = refused_phrase(step("I go"), phrase("I go", command=Command(())), phrase("I {verb}"))
    assert found.rule == "ambiguous-step"
    assert found.hints == ("    I go    tool.yaml:4", "    I {verb}    tool.yaml:4")


def test_a_circle_of_phrases() -> None:
    one, other = phrase("I go", Step("when", "I walk")), phrase("I walk", Step("when", "I go"))
    found = refused_phrase(step("I go"), one, other)
    assert found.rule == "phrase"
    assert found.message.endswith("this phrase stands for itself: tool.yaml:4")


def test_an_inner_step_that_nothing_matches() -> None:
    found = refused_phrase(step("I go"), phrase("I go", Step("when", 'I ran "x"')))
    assert found.rule == "unknown-step"
    assert found.message.startswith("in the phrase at tool.yaml:4: no step matches this line.")
    assert found.hints[0] == '    I ran "x"'


@pytest.mark.parametrize("below", [{"table": Table((("a",),))}, {"docstring": DocString("a")}])
def test_a_phrase_takes_nothing_below_it(below: Any) -> None:
    found = refused_phrase(step("I go", **below), phrase("I go", command=Command(("x",))))
    assert found.rule == "extra-argument"


def test_a_negative_phrase_must_stand_for_a_negative_step() -> None:
    wanted = step("it never fails", "then")
    rule = phrase("it never fails", Step("then", "the exit code is 0"), kind="then", is_never=True)
    found = refused_phrase(wanted, rule)
    assert found.rule == "not-negative"
    assert found.message == (
        "in the phrase at tool.yaml:4: this is no negative step: write then instead of never"
    )
    plain = phrase("it never fails", Step("then", "the exit code is 0"), kind="then")
    assert bound_phrase(wanted, plain).definition is LIBRARY[2]


def test_an_unknown_step_is_told_of_near_phrases() -> None:
    found = refused_phrase(step("I starts it all"), phrase("I start it all", command=Command(("x",))))
    assert "    I start it all    phrase of tool" in found.hints


def test_a_phrase_of_another_kind_is_named() -> None:
    found = refused_phrase(step("I go", "then"), phrase("I go", command=Command(("x",))))
    assert (found.rule, found.hints) == ("wrong-kind", ("    I go    phrase of tool",))
