"""Holds a YAML document against a JSON Schema, and says where it differs by line and column.

The published schema is the one source of truth. jsonschema would judge by it too, but knows neither lines nor
near matches and takes three times as long as reading the file; so this module walks the YAML nodes
themselves. It knows the keywords that our schemas use and refuses any other; a test compares its verdicts
with jsonschema's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ..problem import Problem, did_you_mean
from .nodes import is_text, place_of, type_of

Schema = dict[str, Any]

_KNOWN = {
    "$schema", "$id", "$defs", "$ref", "title", "description", "examples",
    "type", "required", "additionalProperties", "properties", "items",
    "enum", "pattern", "minLength", "minItems", "anyOf", "oneOf",
}  # fmt: skip
_CALLED = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "number": "a number",
    "boolean": "true or false",
}


class Shape:
    """One schema, ready to judge documents."""

    def __init__(self, schema: Schema) -> None:
        self._root = schema
        self._resolve = cache(self._resolve_reference)
        self._pattern = cache(re.compile)

    def check(self, node: Node) -> list[Problem]:
        return [*self._check(node, self._root, "this file")]

    def _resolve_reference(self, reference: str) -> Schema:
        target: Any = self._root
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]
        found: Schema = target
        return found

    def _check(self, node: Node, schema: Schema, what: str) -> Iterator[Problem]:
        if unknown := schema.keys() - _KNOWN:
            raise NotImplementedError(f"schema keyword {min(unknown)} is not supported here")
        if "$ref" in schema:
            yield from self._check(node, self._resolve(schema["$ref"]), what)
            return
        found = type_of(node)
        if "anyOf" in schema:
            branches = [self._resolve(s["$ref"]) if "$ref" in s else s for s in schema["anyOf"]]
            fitting = [s for s in branches if s["type"] == found]
            if not fitting:
                yield _wrong_type(node, what, [s["type"] for s in branches])
                return
            yield from self._check(node, fitting[0], what)
            return
        if "enum" in schema and not _is_one_of(node, schema["enum"]):
            allowed = ", ".join(map(str, schema["enum"]))
            yield Problem("not-allowed", place_of(node), f"{what} must be one of {allowed}")
            return
        wanted = schema.get("type")
        types: list[Any] = wanted if isinstance(wanted, list) else [wanted]
        if wanted is not None and found not in types:
            yield _wrong_type(node, what, types)
        elif isinstance(node, MappingNode):
            yield from self._mapping(node, schema, what)
        elif isinstance(node, SequenceNode):
            yield from self._sequence(node, schema, what)
        else:
            yield from self._scalar(node, schema, what)

    def _mapping(self, node: MappingNode, schema: Schema, what: str) -> Iterator[Problem]:
        properties: dict[str, Schema] = schema.get("properties", {})
        others = schema.get("additionalProperties")
        present: set[str] = set()
        for key_node, value in node.value:
            if not isinstance(key_node, ScalarNode):
                yield Problem("wrong-type", place_of(key_node), f"a key of {what} must be text")
                continue
            key = str(key_node.value)
            if key in present:
                yield Problem("duplicate-key", place_of(key_node), f'"{key}" is here twice', span=len(key))
            elif key in properties:
                yield from self._check(value, properties[key], f'"{key}"')
            elif isinstance(others, dict):
                yield from self._check(value, others, f'"{key}"')
            else:
                yield _unknown_key(key_node, key, properties, what)
            present.add(key)
        for key in schema.get("required", ()):
            if key not in present:
                yield Problem("missing-key", place_of(node), f'{what} lacks "{key}"')
        if "oneOf" in schema:
            choices = [choice["required"][0] for choice in schema["oneOf"]]
            if sum(choice in present for choice in choices) != 1:
                message = f"{what} must have exactly one of {', '.join(choices)}"
                yield Problem("step-kind", place_of(node), message)

    def _sequence(self, node: SequenceNode, schema: Schema, what: str) -> Iterator[Problem]:
        if len(node.value) < schema.get("minItems", 0):
            yield Problem("too-short", place_of(node), f"{what} must not be empty")
        for item in node.value:
            yield from self._check(item, schema["items"], f"each entry of {what}")

    def _scalar(self, node: Node, schema: Schema, what: str) -> Iterator[Problem]:
        value = str(node.value)
        if "pattern" in schema and not self._pattern(schema["pattern"]).search(value):
            examples = self._examples(schema)
            yield Problem("malformed", place_of(node), f"{what} is malformed{examples}", span=len(value))
        if len(value) < schema.get("minLength", 0):
            yield Problem("empty-value", place_of(node), f"{what} must not be empty")

    @staticmethod
    def _examples(schema: Schema) -> str:
        examples = schema.get("examples")
        return f"; right would be {' or '.join(examples)}" if examples else ": one word, without @ and spaces"


def _is_one_of(node: Node, allowed: list[object]) -> bool:
    """Whether a node is one of these values, as text or as the number it is written as."""
    wanted = "string" if is_text(node) else "number"
    named = [str(v) for v in allowed if ("string" if isinstance(v, str) else "number") == wanted]
    return isinstance(node, ScalarNode) and type_of(node) == wanted and str(node.value) in named


def _wrong_type(node: Node, what: str, wanted: list[str]) -> Problem:
    called = " or ".join(_CALLED[name] for name in wanted)
    hints: tuple[str, ...] = ()
    found = type_of(node)
    if wanted == ["string"] and isinstance(node, ScalarNode) and node.value:
        hints = (f'in quotes it is text: "{node.value}"',)
    elif wanted == ["string"] and found == "object":
        hints = ("a colon followed by a space makes a mapping: put the whole sentence in quotes",)
    elif wanted == ["array"] and isinstance(node, ScalarNode) and node.value:
        hints = (f"as a list: [{node.value}]",)
    return Problem("wrong-type", place_of(node), f"{what} must be {called}", hints=hints)


def _unknown_key(node: Node, key: str, known: dict[str, Schema], what: str) -> Problem:
    return Problem(
        "unknown-key",
        place_of(node),
        f'{what} has no "{key}".' + did_you_mean(key, known),
        span=len(key),
        hints=(f"known: {', '.join(known)}",),
    )
