"""The published schemas are valid, complete, and within what Shape can judge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from goalkeeper import schemas
from goalkeeper.runner.files import shape
from goalkeeper.runner.goal import GOAL_ID


def subschemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schema and every schema within it."""
    yield schema
    within = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    within += [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if isinstance(schema.get("items"), dict):
        within.append(schema["items"])
    for inner in within:
        yield from subschemas(inner)


def test_the_goal_schema_is_published() -> None:
    assert "goal" in schemas.names()
    assert json.loads(schemas.text("goal")) == schemas.load("goal")


@pytest.mark.parametrize("name", schemas.names())
def test_a_schema_is_valid_against_its_meta_schema(name: str) -> None:
    schema = schemas.load(name)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", schemas.names())
def test_every_reference_leads_somewhere(name: str) -> None:
    schema = schemas.load(name)
    references = [s["$ref"] for s in subschemas(schema) if "$ref" in s]
    assert {r.removeprefix("#/$defs/") for r in references} <= schema.get("$defs", {}).keys()


def test_shape_supports_every_keyword_of_the_goal_schema() -> None:
    for schema in subschemas(schemas.load("goal")):
        assert schema.keys() <= shape._KNOWN


def test_the_goal_schema_keeps_to_the_forms_that_shape_presumes() -> None:
    goal = schemas.load("goal")
    definitions = goal["$defs"]
    for schema in subschemas(goal):
        if "properties" in schema:
            assert schema["additionalProperties"] is False
            assert schema["type"] == "object"
        if schema.get("type") == "array":
            assert "items" in schema
        for branch in schema.get("anyOf", ()):
            resolved = definitions[branch["$ref"].rpartition("/")[2]] if "$ref" in branch else branch
            assert isinstance(resolved["type"], str)
        for choice in schema.get("oneOf", ()):
            assert choice.keys() == {"required"}
            assert len(choice["required"]) == 1


@pytest.mark.parametrize(
    "word", ["G0.1", "G2.10b", "THRUM-G1.4", "G3.1", "g0.1", "G0.1\n", "G0.\u0661", "-G0.1", "G0.1 "]
)
def test_ids_are_the_same_for_the_schema_and_the_model(word: str) -> None:
    pattern = schemas.load("goal")["properties"]["goal"]["pattern"]
    assert (re.search(pattern, word) is not None) == (GOAL_ID.fullmatch(word) is not None)


def test_an_unknown_schema() -> None:
    with pytest.raises(FileNotFoundError):
        schemas.text("nothing")
