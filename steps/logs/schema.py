"""JSON Schemas as plain functions: a log of a hundred thousand lines is checked in less than a second.

The usual keywords are compiled to closures that only say yes or no; a part of a schema that uses any other
is asked of jsonschema, and so is every refusal, for its words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...runner.failure import StepFailed
from ...runner.values import same

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Accepts = Callable[[Any], bool]

_SILENT = {
    *("$schema", "$comment", "$defs", "definitions", "title", "description", "default", "examples"),
    *("format", "deprecated", "readOnly", "writeOnly"),
    *("then", "else"),  # they speak with `if`
}
_TYPES: dict[str, Accepts] = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int | float) and not isinstance(v, bool) and v == v // 1,
}


class Schema:
    """What the lines of a log must be like."""

    def __init__(self, schema: Any) -> None:
        from jsonschema import SchemaError
        from jsonschema.validators import validator_for

        known = validator_for(schema)
        try:
            known.check_schema(schema)
        except SchemaError as error:
            raise StepFailed(f"the schema of a log is not a JSON Schema: {error.message}") from error
        self._validator: Validator = known(schema)
        self.accepts: Accepts = _Compiler(self._validator).compile(schema)

    def complaint(self, value: Any) -> str:
        """What is wrong, and where in the line; empty where nothing is."""
        from jsonschema.exceptions import best_match

        error = best_match(self._validator.iter_errors(value))
        if error is None:
            return ""
        where = ".".join(map(str, error.absolute_path))
        return f"{where}: {error.message}" if where else error.message


@lru_cache(maxsize=32)
def _compiled(text: str) -> Schema:
    return Schema(json.loads(text))


def compiled(schema: Mapping[str, Any]) -> Schema:
    """A schema, compiled once for all scenarios."""
    return _compiled(json.dumps(schema, sort_keys=True, default=str))


class _Compiler:
    """Each method is named after the keyword that it compiles; together they are all that is known."""

    def __init__(self, validator: Validator) -> None:
        self._validator = validator
        self._root: Any = validator.schema
        self._references: dict[str, Accepts] = {}
        self._keywords: dict[str, Callable[[Any, Any], Accepts]] = {
            "$ref": self._ref,
            "type": lambda said, _: _any([_TYPES[name] for name in _listed(said)]),
            "const": lambda said, _: lambda v: same(v, said),
            "enum": lambda said, _: _enum(said),
            "required": lambda said, _: _required(frozenset(said)),
            "properties": lambda said, _: self._properties(said),
            "additionalProperties": self._others,
            "items": lambda said, _: self._each(said),
            "minimum": lambda said, _: lambda v: not _TYPES["number"](v) or v >= said,
            "maximum": lambda said, _: lambda v: not _TYPES["number"](v) or v <= said,
            "minLength": lambda said, _: lambda v: not isinstance(v, str) or len(v) >= said,
            "maxLength": lambda said, _: lambda v: not isinstance(v, str) or len(v) <= said,
            "minItems": lambda said, _: lambda v: not isinstance(v, list) or len(v) >= said,
            "maxItems": lambda said, _: lambda v: not isinstance(v, list) or len(v) <= said,
            "pattern": lambda said, _: _pattern(said),
            "allOf": lambda said, _: _all([self.compile(one) for one in said]),
            "anyOf": lambda said, _: _any([self.compile(one) for one in said]),
            "oneOf": lambda said, _: _one([self.compile(one) for one in said]),
            "not": lambda said, _: _negated(self.compile(said)),
            "if": self._choice,
        }

    def compile(self, schema: Any) -> Accepts:
        if isinstance(schema, bool):
            return lambda _: schema
        if not self._is_plain(schema):
            return self._validator.evolve(schema=schema).is_valid
        return _all([self._keywords[key](schema[key], schema) for key in self._spoken(schema)])

    def _is_plain(self, schema: Any) -> bool:
        """Whether this part means here what it means to jsonschema, whichever draft it is written for."""
        spoken = self._spoken(schema)
        draft = str(self._root.get("$schema", ""))
        return (
            {*spoken} <= self._keywords.keys()
            and not isinstance(schema.get("items"), list)
            and ("$ref" not in spoken or (len(spoken) == 1 and str(schema["$ref"]).startswith("#/")))
            and not any(old in draft for old in ("draft-03", "draft-04"))
        )

    def _spoken(self, schema: Any) -> list[str]:
        return [key for key in schema if key not in _SILENT and (key != "$id" or schema is not self._root)]

    def _ref(self, said: str, _: Any) -> Accepts:
        """Looked up when it is first used, since a schema may refer to itself."""

        def accepts(value: Any) -> bool:
            if said not in self._references:
                self._references[said] = self._validator.evolve(schema={"$ref": said}).is_valid
                found = self._at(said)
                if found is not None:
                    self._references[said] = self.compile(found)
            return self._references[said](value)

        return accepts

    def _at(self, pointer: str) -> Any:
        found = self._root
        for part in pointer.removeprefix("#/").split("/"):
            found = found.get(part) if isinstance(found, dict) else None
        return found

    def _properties(self, said: Mapping[str, Any]) -> Accepts:
        known = [(name, self.compile(schema)) for name, schema in said.items()]

        def accepts(value: Any) -> bool:
            if isinstance(value, dict):
                for name, check in known:
                    if name in value and not check(value[name]):
                        return False
            return True

        return accepts

    def _others(self, said: Any, schema: Any) -> Accepts:
        known, accepts = {*schema.get("properties", ())}, self.compile(said)
        return lambda v: (
            not isinstance(v, dict) or v.keys() <= known or all(accepts(v[name]) for name in v.keys() - known)
        )

    def _each(self, said: Any) -> Accepts:
        accepts = self.compile(said)
        return lambda v: not isinstance(v, list) or all(accepts(item) for item in v)

    def _choice(self, said: Any, schema: Any) -> Accepts:
        condition = self.compile(said)
        then, other = (self.compile(schema.get(name, True)) for name in ("then", "else"))
        return lambda v: then(v) if condition(v) else other(v)


def _listed(said: str | Sequence[str]) -> Sequence[str]:
    return [said] if isinstance(said, str) else said


def _all(checks: Sequence[Accepts]) -> Accepts:
    if len(checks) == 1:
        return checks[0]

    def accepts(value: Any) -> bool:
        for check in checks:  # noqa: SIM110 (half the time of a generator)
            if not check(value):
                return False
        return True

    return accepts


def _any(checks: Sequence[Accepts]) -> Accepts:
    return checks[0] if len(checks) == 1 else lambda v: any(check(v) for check in checks)


def _one(checks: Sequence[Accepts]) -> Accepts:
    return lambda v: sum(check(v) for check in checks) == 1


def _negated(check: Accepts) -> Accepts:
    return lambda v: not check(v)


def _enum(said: Sequence[Any]) -> Accepts:
    """Words are looked up; only other values are compared one by one."""
    words, others = {one for one in said if isinstance(one, str)}, [o for o in said if not isinstance(o, str)]
    return lambda v: v in words if isinstance(v, str) else any(same(v, other) for other in others)


def _pattern(said: str) -> Accepts:
    search = re.compile(said).search
    return lambda v: not isinstance(v, str) or search(v) is not None


def _required(names: frozenset[str]) -> Accepts:
    return lambda v: not isinstance(v, dict) or v.keys() >= names
