"""A compiled schema says what jsonschema says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from goalkeeper.runner.failure import StepFailed
from goalkeeper.steps.logs.schema import Schema, compiled

SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 1.5, -1, "", "a", "ab", "b1"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(["object", "array", "string", "boolean", "null", "number", "integer"])


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    keywords = {
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
        "const": VALUES,
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
        "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
        "additionalProperties": inner,
        "patternProperties": st.dictionaries(st.just("^[ab]"), inner, max_size=1),
        "propertyNames": st.just({"maxLength": 1}),
        "items": inner,
        "prefixItems": some,
        "uniqueItems": st.booleans(),
        "minimum": st.integers(-1, 2),
        "maximum": st.integers(-1, 2),
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(0, 2),
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "pattern": st.sampled_from(["^a", "1$"]),
        "allOf": some,
        "anyOf": some,
        "oneOf": some,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "$ref": st.sampled_from(["#/$defs/d", "#/$defs/tree"]),
        "title": st.just("t"),
    }
    chosen = st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True)
    return st.booleans() | chosen.flatmap(
        lambda names: st.fixed_dictionaries({name: keywords[name] for name in names})
    )


SCHEMAS: st.SearchStrategy[Any] = st.recursive(st.booleans() | st.just({}), _schemas, max_leaves=5)
DEFINITIONS = {
    "d": {"type": ["string", "null"]},
    "tree": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/tree"}}, {"type": "integer"}]},
}


@given(SCHEMAS, VALUES)
def test_the_verdict_is_jsonschemas(schema: Any, value: Any) -> None:
    whole = {"$defs": DEFINITIONS, "properties": {"a": schema}, "additionalProperties": schema}
    ours, theirs = Schema(whole), Draft202012Validator(whole)
    for document in (value, {"a": value}, {"z": value, "a": 1}):
        expected = theirs.is_valid(document)
        assert ours.accepts(document) == expected
        assert bool(ours.complaint(document)) != expected


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (
            {"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 3, "exclusiveMaximum": True},
            2,
            3,
        ),
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {"s": {"type": "string"}},
                "items": {"$ref": "#/definitions/s", "maxLength": 1},
            },
            ["ab"],
            [1],
        ),
        (
            {"$id": "https://example.org/s", "$defs": {"a/b": {"type": "null"}}, "$ref": "#/$defs/a~1b"},
            None,
            1,
        ),
        ({"$ref": "#x", "$defs": {"x": {"$anchor": "x", "type": "null"}}}, None, 1),
        ({"items": [{"type": "null"}], "$schema": "http://json-schema.org/draft-07/schema#"}, [None, 1], [1]),
    ],
)
def test_what_drafts_see_differently(schema: Any, good: Any, bad: Any) -> None:
    assert compiled(schema).accepts(good)
    assert not compiled(schema).accepts(bad)


def test_a_complaint_says_where() -> None:
    schema = compiled({"properties": {"a": {"items": {"type": "string"}}}, "required": ["a"]})
    assert schema.complaint({"a": ["x", 1]}) == "a.1: 1 is not of type 'string'"
    assert schema.complaint({}) == "'a' is a required property"
    assert schema.complaint({"a": []}) == ""


def test_a_schema_that_is_none() -> None:
    with pytest.raises(StepFailed, match="the schema of a log is not a JSON Schema: "):
        compiled({"type": "text"})
