"""The file of a log, and lines that could be in it, for violations: it shares nothing with those who watch.

A line that is made up is a copy of one that the log has, with another event, or what its schema asks for, as
far as that can be done. A word in it, made up too, tells it from all others.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

from ...runner.documents import load_schema
from ...runner.never import Witness
from ...runner.never.sample import matching
from ...runner.never.whereabouts import Whereabouts

_EVENTS = ("event", "type", "kind", "msg", "message", "name")
_JSON = (".jsonl", ".ndjson", ".jsonlines")
_PLACE = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]|\['([^']*)'\]|\[\"([^\"]*)\"\]")
_OWN = "goalkeeper"
_LAST = 64 << 10  # how much of a log is looked at for lines to copy
Fields = Mapping[str, Any]


class Book:
    """The file of a log that was last in use, and lines that could be in it."""

    def __init__(self, whereabouts: Whereabouts, log: str) -> None:
        self.path = Path(whereabouts.file("log", log))
        self.shown = whereabouts.shown(str(self.path))
        self.word = f"gk{secrets.token_hex(6)}"
        rule = whereabouts.rule("log", log)
        self._event = rule.event if rule is not None else ""
        schema = load_schema(rule.schema) if rule is not None and rule.schema is not None else None
        self._schema: Mapping[str, Any] = schema or {}
        self._validator = _validator(schema)
        self._known = [*self._objects()]
        plain = rule is not None and rule.format and rule.format not in ("jsonl", "ndjson", "json")
        is_named = self.path.name.endswith(_JSON) or self._validator is not None or (rule and rule.format)
        self.is_json = not plain and bool(is_named or self._known or not self.content().strip())

    def content(self) -> bytes:
        return self.path.read_bytes() if self.path.exists() else b""

    def append(self, text: str) -> int:
        """Add to the log; how long it was before. A line that is not ended is ended first."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            is_ended = file.read(1) in (b"\n", b"")
            file.write(("" if is_ended else "\n").encode() + text.encode("utf-8", "surrogatepass"))
        return size

    def write(self, data: bytes) -> None:
        """Have the log hold this and nothing else, in the file that it is."""
        self.path.write_bytes(data)

    def rotate(self) -> None:
        """`x.log.1` becomes `x.log.2`, and `x.log` `x.log.1`."""
        names = [self.path]
        while names[-1].exists():
            names.append(self.path.with_name(f"{self.path.name}.{len(names)}"))
        for newer, older in reversed([*pairwise(names)]):
            newer.rename(older)

    def added(self, text: str, trace: str = "", end: str = "\n") -> Witness:
        """Add lines and see that they are there."""
        self.append(text + end)
        return self.told(text, trace)

    def told(self, text: str, trace: str = "") -> Witness:
        is_there = text.encode("utf-8", "surrogatepass") in self.content()
        return Witness(f"{self.shown} holds {text[:200]}", is_there, trace or self.word)

    def added_and_cut(self, text: str) -> Witness:
        """Add lines and cut them off. Of what came and went, nobody may know more than where that was."""
        before = self.append(f"{text}\n")
        between = self.path.stat().st_size
        os.truncate(self.path, before)
        return Witness.of(f"stat -c %s {self.shown}", before, between, self.shown)

    def any(self) -> str:
        """A line that says nothing in particular."""
        return self.line()[0] if self.is_json else f"{self.word} was here"

    def trace(self, line: tuple[str, bool], said: str) -> str:
        """The word by which a line is known; else what is said of it, lest it be because it is not valid."""
        return self.word if line[1] and self.word in line[0] else said

    def line(
        self,
        event: str = "",
        fields: Fields | None = None,
        said: str = "",
        without: str = "",
        empty: bool = False,
    ) -> tuple[str, bool]:
        """A line of JSON, and whether it is valid: the first that is, else the first of all."""
        first = ""
        for value in self._drafts(event, fields or {}, said):
            for blank in ([None, ""] if empty else [None]) if without else [...]:
                made = deepcopy(value)
                if blank is not ... and not _without(made, without, blank, keep=empty):
                    continue
                line = json.dumps(made, ensure_ascii=False)
                first = first or line
                if self._validator is None or self._validator.is_valid(made):
                    return line, True
        return first, False

    def matching(self, pattern: str) -> str | None:
        """A line in which a regular expression matches, one of JSON if it can be."""
        text = matching(pattern)
        if text is None or "\n" in text:
            return None
        lines: list[str] = []
        if self.is_json:
            lines = [self.line(said=text)[0]]
            lines += [f"{lines[0][:-1]}, {text}}}", f"{lines[0][:-1]}, {text}"]
        lines += [f"{self.word} {text} {self.word}", f"{self.word} {text}", f"{text} {self.word}", text]
        found = [line for line in lines if re.search(pattern, line)]
        return next(
            (line for line in found if self.is_json and _is_object(line)), found[0] if found else None
        )

    def _drafts(self, event: str, fields: Fields, said: str) -> Iterator[dict[str, Any]]:
        """Lines that may be valid, those that are most like the log's own first."""
        for known in self._templates(event):
            own = self._event or next((name for name in _EVENTS if isinstance(known.get(name), str)), "event")
            for name in (event,) if event else (self.word, None):
                value = deepcopy(known)
                if name is not None:
                    _put(value, own, name)
                for path, wanted in fields.items():
                    _put(value, path, wanted)
                # The word stands first, as of a long line the end may not be shown.
                told = f"{self.word} {said}".strip()
                for free in (_OWN, *self._free(), *(key for key in value if isinstance(value[key], str))):
                    if free != own and free not in fields:
                        yield {free: told, **value} | {free: told}
                if not said:
                    yield value

    def _free(self) -> list[str]:
        """Fields that the schema has for any text."""
        known = self._schema.get("properties", {})
        return [name for name, one in known.items() if isinstance(one, dict) and one.get("type") == "string"]

    def _templates(self, event: str) -> list[dict[str, Any]]:
        """Lines to begin with: one of the same event, then those with the most in them, then made-up ones."""
        known = sorted(self._known, key=len, reverse=True)
        alike = [one for one in known if event and event in one.values()]
        made = _instance(self._schema, self._schema)
        return [*alike[:3], *known[:3], made if isinstance(made, dict) else {}, {}]

    def _objects(self) -> Iterator[dict[str, Any]]:
        """The last lines of the log that are JSON objects, last first."""
        for line in reversed(self.content()[-_LAST:].splitlines()):
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _steps(path: str) -> list[str | int]:
    """The names and numbers of a dotted path, or of a JSONPath that means one place."""
    is_query = path.startswith(("$.", "$["))
    rest, steps = path.removeprefix("$") if is_query else path, list[str | int]()
    while rest:
        match = _PLACE.match(rest)
        if match is None or match[1] == "*":
            raise ValueError(f"nothing can be put at {path}")
        name = next(name for name in match.groups() if name is not None)
        steps.append(int(name) if name.isdecimal() and (match[2] or not is_query) else name)
        rest = rest[match.end() :]
    return steps


def _put(value: dict[str, Any], path: str, wanted: Any) -> None:
    """Have a value at a path, with all that is on the way to it."""
    here: Any = value
    steps = _steps(path)
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        if isinstance(here, list) and isinstance(step, int):
            here += [None] * (step + 1 - len(here))
            found = here[step]
        else:
            step = str(step)
            found = here.get(step)
        if after is None:
            here[step] = wanted
        elif not isinstance(found, dict | list) or (isinstance(found, list) and not isinstance(after, int)):
            here[step] = [] if isinstance(after, int) else {}
        here = here[step]


def _without(value: dict[str, Any], path: str, blank: Any, *, keep: bool) -> bool:
    """Remove what is at a path, or put what counts as nothing there; whether that could be done."""
    if keep:
        _put(value, path, blank)
        return True
    value.pop(path, None)
    here: Any = value
    *steps, last = _steps(path)
    for step in steps:
        here = here[step] if isinstance(here, list) and isinstance(step, int) else here.get(str(step))
        if not isinstance(here, dict | list):
            return True
    if isinstance(here, dict):
        here.pop(str(last), None)
    elif isinstance(last, int):
        del here[last:]
    return True


def _instance(schema: Any, root: Mapping[str, Any], depth: int = 8) -> Any:
    """Something that a plain JSON Schema allows, with little in it."""
    if not isinstance(schema, dict) or not schema or not depth:
        return {} if depth == 8 else ""
    if "$ref" in schema:
        found: Any = root
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            found = found.get(part, {}) if isinstance(found, dict) else {}
        return _instance(found, root, depth - 1)
    for said in ("const", "default"):
        if said in schema:
            return deepcopy(schema[said])
    for said in ("enum", "examples"):
        if schema.get(said):
            return deepcopy(schema[said][0])
    for said in ("oneOf", "anyOf"):
        if schema.get(said):
            return _instance({**schema, said: None, **_first(schema[said])}, root, depth - 1)
    if schema.get("allOf"):
        merged = {
            name: told for one in schema["allOf"] if isinstance(one, dict) for name, told in one.items()
        }
        return _instance({**merged, **schema, "allOf": None}, root, depth - 1)
    return _of_kind(schema, root, depth)


def _of_kind(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type", "object" if "properties" in schema or "required" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        known = schema.get("properties", {})
        return {name: _instance(known.get(name, {}), root, depth - 1) for name in schema.get("required", ())}
    if kind == "array":
        return [_instance(schema.get("items"), root, depth - 1)] * int(schema.get("minItems", 0))
    if kind == "string":
        made = matching(schema["pattern"]) if "pattern" in schema else None
        return made or _FORMATS.get(str(schema.get("format")), "x" * max(1, int(schema.get("minLength", 1))))
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    return {"boolean": True}.get(str(kind))


def _first(said: Iterable[Any]) -> Mapping[str, Any]:
    return next((one for one in said if isinstance(one, dict)), {})


_FORMATS = {"date-time": "2026-01-01T00:00:00Z", "date": "2026-01-01", "time": "00:00:00Z", "uri": "a:b"}


def _validator(schema: Any) -> Any:
    """Imported when it is needed: most logs have no schema."""
    if schema is None:
        return None
    from jsonschema.validators import validator_for

    return validator_for(schema)(schema)
