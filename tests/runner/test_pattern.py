"""Wordings: what they match, what they refuse, and what arrives in the step."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalkeeper.runner.pattern import Pattern, introduced, literal_prefix, seconds, skeleton


def test_a_quoted_parameter_never_swallows_a_quote() -> None:
    one = Pattern('I run "{command}"')
    assert one.match('I run "git status"') == {"command": "git status"}
    assert one.match('I run "git status" in "repo"') is None
    two = Pattern('I run "{command}" in "{where}"')
    assert two.match('I run "git status" in "repo"') == {"command": "git status", "where": "repo"}


def test_a_quoted_parameter_may_be_empty() -> None:
    assert Pattern('I say "{text}"').match('I say ""') == {"text": ""}


@pytest.mark.parametrize(
    ("written", "arrives"),
    [
        (r'"say \"hi\""', 'say "hi"'),
        (r'"\""', '"'),
        (r'"a\nb"', r"a\nb"),
        (r'"\d+\.txt"', r"\d+\.txt"),
    ],
)
def test_escaped_quotes_and_other_backslashes(written: str, arrives: str) -> None:
    assert Pattern('x "{text}"').match(f"x {written}") == {"text": arrives}


def test_a_text_that_ends_in_a_backslash_is_still_open() -> None:
    assert Pattern('x "{text}"').match('x "a\\"') is None


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text(st.characters(exclude_characters='"\\\n', exclude_categories=["Cs"])))
def test_any_quoted_text_arrives_as_it_is(text: str) -> None:
    assert Pattern('x "{text}" y').match(f'x "{text}" y') == {"text": text}


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("int", "20", 20),
        ("int", "-3", -3),
        ("int", "+3", 3),
        ("number", "1.5", 1.5),
        ("number", "2", 2.0),
        ("duration", "5 s", 5.0),
        ("duration", "200 ms", 0.2),
        ("duration", "2min", 120.0),
        ("duration", "1.5 h", 5400.0),
    ],
)
def test_typed_parameters_are_converted(kind: str, text: str, value: object) -> None:
    arguments = Pattern(f"wait {{n:{kind}}} now").match(f"wait {text} now")
    assert arguments is not None
    assert arguments["n"] == pytest.approx(value)
    assert type(arguments["n"]) is type(value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("int", "1.5"),
        ("int", "x"),
        ("int", ""),
        ("int", "1" * 5000),
        ("number", "1."),
        ("number", "1e3"),
        ("duration", "5"),
    ],
)
def test_typed_parameters_refuse_other_text(kind: str, text: str) -> None:
    assert Pattern(f"wait {{n:{kind}}}").match(f"wait {text}") is None


def test_an_unquoted_parameter_takes_one_word() -> None:
    pattern = Pattern('run "{run}" ends as {status}')
    assert pattern.match('run "r1" ends as failed') == {"run": "r1", "status": "failed"}
    assert pattern.match('run "r1" ends as failed again') is None


def test_a_typed_parameter_may_stand_in_quotes() -> None:
    assert Pattern('port "{n:int}"').match('port "80"') == {"n": 80}
    assert Pattern('port "{n:int}"').match('port "http"') is None


def test_an_unknown_type_names_the_known_ones() -> None:
    with pytest.raises(
        ValueError, match=r"\{n:integer\} has an unknown type, known are int, number, duration"
    ):
        Pattern("wait {n:integer}")


def test_a_name_may_stand_once() -> None:
    with pytest.raises(ValueError, match=r"\{a\} stands twice in: \{a\} and \{a\}"):
        Pattern("{a} and {a}")


def test_regex_characters_in_the_wording_are_literal() -> None:
    pattern = Pattern("is (a.b)* [c]? {x} $^|")
    assert pattern.match("is (a.b)* [c]? 1 $^|") == {"x": "1"}
    assert pattern.match("is (axb)* [c]? 1 $^|") is None


def test_braces_that_are_no_parameter_are_literal() -> None:
    assert Pattern('body {"a": 1} {}').match('body {"a": 1} {}') == {}


def test_the_whole_text_must_match() -> None:
    assert Pattern("a b").match("a b") == {}
    assert Pattern("a b").match("a b c") is None
    assert Pattern("a b").match("x a b") is None
    assert Pattern("a b").match("a b\n") is None


def test_unicode() -> None:
    assert Pattern('die Größe von "{ding}" ist {größe}').match('die Größe von "Käse 🧀" ist 日本') == {
        "ding": "Käse 🧀",
        "größe": "日本",
    }


@pytest.mark.parametrize(
    ("text", "prefix"),
    [('I run "{command}"', 'I run "'), ("plain", "plain"), ("{x} first", ""), ("body {} is", "body {} is")],
)
def test_prefix_is_the_text_before_the_first_parameter(text: str, prefix: str) -> None:
    assert Pattern(text).prefix == prefix


def test_parameters_in_order() -> None:
    assert Pattern('{b} "{a}" {c:int}').parameters == ("b", "a", "c")
    assert repr(Pattern("x {a}")) == "Pattern('x {a}')"


def test_seconds_refuses_what_is_no_duration() -> None:
    with pytest.raises(ValueError, match='"5 days" is not a duration: write it as 200 ms, 5 s, 2 min or 1 h'):
        seconds("5 days")


def test_skeletons_of_a_wording_and_its_sentence_are_alike() -> None:
    assert skeleton('I run "{command}" for {t:duration}') == 'I run "" for '
    assert skeleton('I run "git status" for 5 s') == 'I run "" for 5 s'


@pytest.mark.parametrize(
    ("pattern", "prefix"),
    [
        (r"I add (?P<n>\d+)", "I add "),
        ("plain", "plain"),
        ("ab?c", "a"),
        ("ab*", "a"),
        ("ab+", "a"),
        ("ab{0,2}", "a"),
        ("one|other", ""),
        ("^anchored", ""),
        ("(?i)case", ""),
        ("(?x)a b", ""),
        (r"a\.b", "a"),
    ],
)
def test_literal_prefix(pattern: str, prefix: str) -> None:
    assert literal_prefix(re.compile(pattern)) == prefix


ATOMS = st.sampled_from([*"aB #ß}]-^|", r"\d", r"\.", "[bc]", "(d|e)", "(?:f)"])
QUANTIFIERS = st.sampled_from(["", "", "", "", "?", "*", "+", "??", "{2}", "{0,1}", "{"])
FLAGS = st.sampled_from(["", "", "", "(?i)", "(?x)", "(?s)"])
PATTERNS = st.builds(
    lambda flags, pieces: flags + "".join(atom + times for atom, times in pieces),
    FLAGS,
    st.lists(st.tuples(ATOMS, QUANTIFIERS), max_size=6),
)


def compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.data(), PATTERNS.filter(compiles))
def test_every_match_begins_with_the_literal_prefix(data: st.DataObject, pattern: str) -> None:
    regex = re.compile(pattern)
    text = data.draw(st.from_regex(regex, fullmatch=True))
    assert text.startswith(literal_prefix(regex))


def test_a_name_is_a_word_that_can_be_spoken_of_later() -> None:
    pattern = Pattern('I remember "{value}" as "{name:name}"')
    assert pattern.match('I remember "1" as "_Run2"') == {"value": "1", "name": "_Run2"}
    for wrong in ("", "a b", "2nd", "a-b", "${a}"):
        assert pattern.match(f'I remember "1" as "{wrong}"') is None


def test_the_names_that_a_step_introduces() -> None:
    wording = 'I remember "{value}" as "{one:name}" and "{two:name}"'
    arguments = {"value": "v", "one": "a", "two": "b"}
    assert introduced(wording, arguments) == {"a", "b"}
    assert introduced('I say "{value}"', arguments) == set()
    assert introduced(wording, {"one": "a"}) == {"a"}


@pytest.mark.parametrize("kind", ["int", "number", "duration"])
def test_a_remembered_value_may_stand_where_a_number_does(kind: str) -> None:
    pattern = Pattern(f"it is {{x:{kind}}} long")
    assert pattern.match("it is ${length} long") == {"x": "${length}"}
    for wrong in ("${}", "${a b}", "${a}1", "1${a}", "$a", "$${a}"):
        assert pattern.match(f"it is {wrong} long") is None


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        ("{x:int}", "07", 7),
        ("{x:number}", "1.5", 1.5),
        ("{x:duration}", "2 min", 120.0),
        ("{x}", "two words", "two words"),
        ('"{x}"', r"say \"hi\"", r"say \"hi\""),
    ],
)
def test_a_value_that_becomes_known_later(parameter: str, text: str, value: object) -> None:
    """It was never written in a sentence, so nothing in it is escaped."""
    assert Pattern(f"x {parameter}").convert("x", text) == value


@pytest.mark.parametrize(
    ("kind", "text"), [("int", "1.5"), ("int", ""), ("int", "${y}"), ("number", "1e3"), ("duration", "5")]
)
def test_a_later_value_that_does_not_fit(kind: str, text: str) -> None:
    with pytest.raises(ValueError, match=f'^"{re.escape(text)}" can\'t stand here$'):
        Pattern(f"x {{x:{kind}}}").convert("x", text)


def test_arguments_as_they_are_written() -> None:
    pattern = Pattern('I take "{what}" {n:int} times for {t:duration} by {who}')
    assert pattern.texts(r'I take "a \"b\"" 07 times for 5min by ${me}') == {
        "what": 'a "b"',
        "n": "07",
        "t": "5min",
        "who": "${me}",
    }
    assert pattern.texts('I take "a" x times for 5 s by me') is None
    assert pattern.texts("You take it") is None
