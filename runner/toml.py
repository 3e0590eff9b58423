"""TOML files, held against a published schema with the line of what is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from yaml import Mark
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from .. import schemas
from .files.shape import Shape
from .problem import GoalError

_TAGS = {bool: "bool", int: "int", float: "float", str: "str"}
_KEY = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_HEADER = re.compile(rf"\s*\[\[?\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*\]\]?\s*(?:#.*)?$")
_SETTING = re.compile(rf"(\s*)({_KEY}(?:\s*\.\s*{_KEY})*)\s*=\s*")
Keys = tuple[str, ...]
Places = Mapping[Keys, tuple[int, int]]


class TomlError(GoalError):
    """A TOML file that does not fit its schema, with everything that is wrong in it."""


def read_toml(path: Path, schema: str) -> dict[str, Any]:
    """The document in a file; TomlError where it does not fit the schema."""
    text = path.read_bytes().decode("utf-8")
    data = tomllib.loads(text)
    problems = Shape(schemas.load(schema)).check(_node(data, (), _places(text)))
    if problems:
        raise TomlError(path, problems, text.splitlines())
    return data


def _places(text: str) -> dict[Keys, tuple[int, int]]:
    """Where the keys and values stand that have a line of their own, counted from 0."""
    found: dict[Keys, tuple[int, int]] = {}
    table: Keys = ()
    for number, line in enumerate(text.splitlines()):
        if header := _HEADER.match(line):
            table = _keys(header[1])
            found.setdefault(table, (number, header.start(1)))
        elif setting := _SETTING.match(line):
            found.setdefault((*table, *_keys(setting[2])), (number, len(setting[1])))
    return found


def _keys(text: str) -> Keys:
    return tuple(key.strip("\"'") for key in re.findall(_KEY, text))


def _node(value: Any, keys: Keys, places: Places) -> Node:
    """A value as the YAML node that it would be, where its key stands or that of what it lies in."""
    known = next((places[keys[:n]] for n in range(len(keys), 0, -1) if keys[:n] in places), (0, 0))
    mark = Mark("", 0, *known, None, 0)
    if isinstance(value, dict):
        pairs = [
            (_node(key, (*keys, key), places), _node(item, (*keys, key), places))
            for key, item in value.items()
        ]
        return MappingNode("tag:yaml.org,2002:map", pairs, mark, mark)
    if isinstance(value, list):
        return SequenceNode("tag:yaml.org,2002:seq", [_node(v, keys, places) for v in value], mark, mark)
    return ScalarNode(f"tag:yaml.org,2002:{_TAGS.get(type(value), 'str')}", str(value), mark, mark)
