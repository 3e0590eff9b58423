"""Shape judges as jsonschema does, and says where."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from goalkeeper import schemas
from goalkeeper.runner.files.nodes import type_of
from goalkeeper.runner.files.shape import Shape
from goalkeeper.runner.goal import Place
from goalkeeper.runner.problem import Problem

SCHEMA = schemas.load("goal")
VALIDATOR = Draft202012Validator(SCHEMA)

VALID: dict[str, Any] = {
    "goal": "G0.1",
    "tier": 0,
    "title": "t",
    "expect": "e",
    "scope": ["run"],
    "tags": ["a", "b:c"],
    "background": [{"given": "a", "table": [["x", 1], ["y", True]]}],
    "scenarios": [
        {
            "name": "s",
            "tags": ["slow"],
            "steps": [{"when": "w"}, {"then": "t", "docstring": "d", "media": "json"}, {"never": "n"}],
            "examples": [{"name": "e", "tags": ["z"], "table": [["x"], [1.5]]}],
        }
    ],
    "rules": [
        {
            "name": "r",
            "background": {"name": "b", "steps": [{"given": "g"}]},
            "scenarios": [{"name": "s", "steps": []}],
        }
    ],
}


def check(text: str, schema: dict[str, Any] = SCHEMA) -> list[Problem]:
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    assert node is not None
    return Shape(schema).check(node)


# 1.0 equals 1 for jsonschema; a tier is read as it is written, so that whole floats are left out here.
_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-1, 4)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer())
    | st.sampled_from(
        ["", "G0.1", "G1.2a", "X-G2.1", "G3.1", "G0.1\n", "0", "1", "a", "a b", "@a", "a\n", "true", "1.10"]
    )
)
_keys = st.sampled_from(
    [
        *sorted(SCHEMA["properties"]),
        *("given", "when", "then", "never", "table", "docstring", "media"),
        *("name", "steps", "examples", "nonsense", ""),
    ]
)
_json = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=4),
    max_leaves=8,
)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path, *(found for key, child in children for found in _paths(child, (*path, key)))]


@st.composite
def _mutated(draw: st.DrawFn) -> Any:
    """The valid document with up to three places replaced, removed or given one more entry."""
    document: Any = copy.deepcopy(VALID)
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from([p for p in _paths(document) if p] or [()]))
        if not path:
            break
        parent = document
        for part in path[:-1]:
            parent = parent[part]
        action = draw(st.sampled_from(["replace", "remove", "add"]))
        if action == "replace":
            parent[path[-1]] = draw(_json)
        elif action == "remove":
            del parent[path[-1]]
        elif isinstance(parent, dict):
            parent[draw(_keys)] = draw(_json)
        else:
            parent.append(draw(_json))
    return document


def _agree(document: Any) -> None:
    text = yaml.safe_dump(document)
    problems = check(text)
    assert (not problems) == VALIDATOR.is_valid(yaml.safe_load(text)), (text, problems)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(_mutated())
def test_verdicts_are_those_of_jsonschema_near_a_valid_document(document: Any) -> None:
    _agree(document)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.fixed_dictionaries({"goal": _scalars, "title": _scalars}, optional={"tier": _json, "scope": _json})
    | _json
)
def test_verdicts_are_those_of_jsonschema_for_any_document(document: Any) -> None:
    _agree(document)


def test_the_document_that_is_mutated_is_valid() -> None:
    assert VALIDATOR.is_valid(VALID)
    assert check(yaml.safe_dump(VALID)) == []


@pytest.mark.parametrize("path", [p for p in _paths(VALID) if p], ids=str)
@pytest.mark.parametrize("value", [None, 7, "", [], {}, {"nonsense": 1}, [None]], ids=repr)
def test_verdicts_are_those_of_jsonschema_at_every_place(path: tuple[Any, ...], value: object) -> None:
    document = copy.deepcopy(VALID)
    parent: Any = document
    for part in path[:-1]:
        parent = parent[part]
    parent[path[-1]] = value
    _agree(document)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{}", "object"),
        ("[]", "array"),
        ("a", "string"),
        ("'1'", "string"),
        ("1", "number"),
        ("1.5", "number"),
        ("yes", "boolean"),
        ("~", "null"),
        ("2024-01-01", "string"),
    ],
)
def test_type_of(text: str, name: str) -> None:
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    assert node is not None
    assert type_of(node) == name


def test_all_problems_are_found_with_their_places() -> None:
    text = "goal: X\ntitel: t\nscope: run\n"
    assert [(p.rule, p.place) for p in check(text)] == [
        ("malformed", Place(1, 7)),
        ("unknown-key", Place(2, 1)),
        ("wrong-type", Place(3, 8)),
        ("missing-key", Place(1, 1)),
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"maxLength": 3},
        {"$ref": "#/$defs/a", "$defs": {"a": {"maxLength": 3}}},
        {"anyOf": [{"type": "string", "maxLength": 3}]},
    ],
    ids=["direct", "behind $ref", "in anyOf"],
)
def test_a_keyword_that_it_does_not_know_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(NotImplementedError, match="schema keyword maxLength is not supported here"):
        check("abcd", schema)


def test_enum_tells_text_from_numbers() -> None:
    assert check("a", {"enum": ["a", 1]}) == []
    assert check("1", {"enum": ["a", 1]}) == []
    assert [p.rule for p in check("'1'", {"enum": ["a", 1]})] == ["not-allowed"]
    assert [p.rule for p in check("[1]", {"enum": ["a", 1]})] == ["not-allowed"]
