"""Values: what a goal's text means, what is the same, and what a path finds."""

from __future__ import annotations

import math
from typing import Any

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.values import (
    alike,
    differences,
    find,
    finds_many,
    is_kind,
    is_query,
    is_there,
    kind_of,
    pairs,
    places,
    regular,
    same,
    shown,
    value,
)

DOCUMENT: dict[str, Any] = {
    "a": {"b.c": 1, "null": None, "": 0},
    "tasks": [{"id": 1, "ok": True}, {"id": 2, "ok": False}],
    "$schema": "x",
}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("1", 1),
        ('"1"', "1"),
        ("01", "01"),
        ("ok", "ok"),
        ('"ok"', "ok"),
        ("true", True),
        ("True", "True"),
        ("null", None),
        ("", ""),
        ('["a"]', ["a"]),
        ("[" * 100_000, "[" * 100_000),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_what_a_text_means(text: str, meaning: object) -> None:
    assert value(text) == meaning
    assert type(value(text)) is type(meaning)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (1, "1", False),
        (None, False, False),
        (12345678901234567890, 12345678901234567891, False),
        (math.nan, math.nan, True),
        ([math.nan], [math.nan], True),
        (math.nan, 1.0, False),
        ({"a": [1]}, {"a": [True]}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ([1], [1, 1], False),
    ],
)
def test_the_same(one: object, other: object, equal: bool) -> None:
    assert same(one, other) is same(other, one) is equal


@pytest.mark.parametrize(
    ("found", "text", "like"),
    [
        (1, "1", True),
        ("1", "1", True),
        (1.0, "1", True),
        ("x", '"x"', True),
        (1, '"1"', False),
        (2, "1", False),
    ],
)
def test_alike_in_either_reading(found: object, text: str, like: bool) -> None:
    assert alike(found, text) is like


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("tasks.1.id", 2),
        ("a.null", None),
        ("a.", 0),
        ("$schema", "x"),
        ("$.tasks[0].id", 1),
        ("$.tasks[-1].id", 2),
        ("$['a']['b.c']", 1),
        ("$.tasks[*].id", [1, 2]),
        ("$.tasks[?@.ok == true].id", [1]),
        ("$.tasks[?@.id > 7].id", []),
        ("$..id", [1, 2]),
        ("$", DOCUMENT),
    ],
)
def test_what_a_path_finds(path: str, found: object) -> None:
    assert find(DOCUMENT, path) == found


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("tasks.2", "there is no 2."),
        ("tasks.-1", "there is no -1."),
        (f"tasks.{'9' * 5000}", f"there is no {'9' * 5000}."),
        ("task", 'there is no task. Did you mean "tasks"?'),
        ("a.b.c", "there is no b, but a key with dots: write $['b.c']"),
        ("tasks.0.id.deep", "there is no deep."),
        ("$.a.zzz", "there is nothing at $.a.zzz"),
    ],
)
def test_what_a_path_does_not_find(path: str, message: str) -> None:
    with pytest.raises(LookupError) as caught:
        find(DOCUMENT, path)
    assert caught.value.args == (message,)
    assert not is_there(DOCUMENT, path)


def test_null_is_there_and_an_empty_selection_is_not() -> None:
    assert is_there(DOCUMENT, "a.null")
    assert is_there(DOCUMENT, "$.tasks[*]")
    assert not is_there(DOCUMENT, "$.tasks[?@.id > 7]")
    assert is_there({"empty": []}, "$.empty")


@pytest.mark.parametrize("path", ["$.a[", "$[?@.x ==", "$..", "$.a[?unknown(@)]", "$.a b", "$.a | $.b"])
@pytest.mark.parametrize("use", [lambda path: find({}, path), finds_many, lambda path: places({}, path)])
def test_a_malformed_jsonpath_is_told(path: str, use: Any) -> None:
    with pytest.raises(StepFailed) as caught:
        use(path)
    assert str(caught.value).startswith("this is no JSONPath: ")
    assert str(caught.value).endswith(f"\n  {path}")
    assert len(str(caught.value).splitlines()) == 2


def test_which_paths_are_queries() -> None:
    assert [is_query(path) for path in ("$", "$.a", "$['a']", "$schema", "a.$")] == [True] * 3 + [False] * 2
    assert [finds_many(path) for path in ("a.b", "$.a[0]", "$.a[*]", "$..a")] == [False, False, True, True]


def test_places() -> None:
    document = {"a": [1, 2]}
    assert places(document, "$.a[*]") == [(document["a"], 0), (document["a"], 1)]
    assert places(document, "$") == []


@pytest.mark.parametrize(
    ("found", "kinds"),
    [
        ("x", {"text", "string"}),
        (1, {"number", "integer"}),
        (1.0, {"number", "integer"}),
        (1.5, {"number"}),
        (math.inf, {"number"}),
        (True, {"boolean"}),
        (None, set()),
        ([], {"list", "array"}),
        ({}, {"mapping", "object"}),
    ],
)
def test_kinds(found: object, kinds: set[str]) -> None:
    names = ["text", "string", "number", "integer", "boolean", "list", "array", "mapping", "object"]
    assert {name for name in names if is_kind(found, name)} == kinds


def test_a_word_that_is_no_kind() -> None:
    with pytest.raises(StepFailed, match=r'no kind of value called "lst"\. Did you mean "list"'):
        is_kind([], "lst")
    assert kind_of(None) == "null"


def test_differences_tell_each_row() -> None:
    rows = [("tasks.0.id", "1"), ("tasks.0.id", '"1"'), ("$.tasks[*].id", "[1]"), ("zz", "1")]
    assert differences(DOCUMENT, rows) == [
        '  tasks.0.id: expected "1", got 1',
        "  $.tasks[*].id: expected [1], got [1, 2]",
        "  zz: there is no zz.",
    ]


def test_a_long_value_is_cut() -> None:
    assert shown("é") == '"é"'
    assert len(shown("x" * 10_000)) < 700
    assert " … " in shown("x" * 10_000)


def test_a_table_of_pairs() -> None:
    assert pairs([["a", "b"]]) == [("a", "b")]
    with pytest.raises(StepFailed, match="needs two columns"):
        pairs([["a", "b"], ["c"]])


def test_a_regular_expression() -> None:
    assert regular("^b$").search("a\nb\n")
    with pytest.raises(StepFailed, match="this is not a regular expression: "):
        regular("(")
