"""Documents for violations: read and written by the standard library and PyYAML, and changed at a path.

Nothing here is used by the steps themselves, and nothing of theirs is used here: if both went wrong about the
same thing, the proof would hold all the same.
"""

from __future__ import annotations

import copy
import json
import re
import secrets
import tomllib
from collections.abc import Callable
from datetime import date, time
from typing import Any

import jsonpath
import yaml

_SUFFIXES = {"json": "json", "toml": "toml", "yaml": "yaml", "yml": "yaml"}
_SEGMENT = re.compile(
    r"""(?P<deep>\.\.)(?P<below>[\w-]+) | \.(?P<name>[\w-]+) | (?P<any>\.\*|\[\*\])
    | \[(?P<quote>['"])(?P<quoted>.*?)(?P=quote)\] | \[(?P<index>-?\d+)\] | \[(?P<start>\d*):[-\d:]*\]
    | \[\?(?P<filter>(?:[^][]|\[[^]]*\])+)\]""",
    re.VERBOSE,
)
_TERM = re.compile(r"\(?\s*(@[^\s=!<>()]*)\s*(?:(==|!=|>=|<=|>|<)\s*(.+?))?\s*\)?")
_NEAR = {"==": 0, ">=": 0, "<=": 0, ">": 1, "<": -1}


class _Loader(yaml.SafeLoader):
    """YAML as version 1.2 has it, with dates as text."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


for _kind, _pattern, _first in (
    ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("null", "~|null|Null|NULL|", "~nN"),
):
    _tag, _expression = f"tag:yaml.org,2002:{_kind}", re.compile(f"(?:{_pattern})$")
    _Loader.add_implicit_resolver(_tag, _expression, [*_first, ""])
_Loader.add_constructor("tag:yaml.org,2002:int", lambda _, node: int(node.value))


def read(content: bytes, name: str) -> Any:
    return _read(content, name)[1]


def dumped(document: Any, name: str, like: bytes = b"") -> bytes:
    """In the format that the name tells, else in that of what was there; JSON is YAML as well."""
    form = _form(name) or (_read(like, name)[0] if like else "json")
    text = _toml(document) if form == "toml" else json.dumps(document, ensure_ascii=False)
    return f"{text}\n".encode()


def changed(document: Any, path: str, new: Callable[[Any], Any], *, last: bool = False) -> Any:
    """A document with another value wherever the path leads, or at the last such place.

    `new` is told what was there. Where a path leads nowhere, a place for it is made, and `new` told None.
    """
    document = copy.deepcopy(document)
    if path == "$":
        return new(document)
    places = _places(document, path)
    for holder, key in places[-1:] if last else places:
        holder[key] = new(holder[key])
    return document if places else _grown(document, _segments(path), new(None))


def _form(name: str) -> str:
    words = name.rpartition("/")[2].split(".")[1:]
    return next((_SUFFIXES[word] for word in reversed(words) if word in _SUFFIXES), "")


def _read(content: bytes, name: str) -> tuple[str, Any]:
    text = content.decode("utf-8-sig")
    readers: dict[str, Callable[[str], Any]] = {
        "json": json.loads,
        "toml": tomllib.loads,
        "yaml": lambda text: yaml.load(text, _Loader),  # noqa: S506 (it is a SafeLoader)
    }
    if form := _form(name):
        return form, readers[form](text)
    for form, reader in readers.items():
        try:
            return form, reader(text)
        except ValueError:
            continue
    raise ValueError(f"{name} is no document")


def _toml(value: Any, depth: int = 0) -> str:
    """Tables stand in one line, but for the outermost."""
    if isinstance(value, dict):
        pairs = [f"{json.dumps(key, ensure_ascii=False)} = {_toml(one, 1)}" for key, one in value.items()]
        return f"{{{', '.join(pairs)}}}" if depth else "\n".join(pairs)
    if isinstance(value, list):
        return f"[{', '.join(_toml(one, 1) for one in value)}]"
    if isinstance(value, date | time):  # a datetime is a date
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False)


def _places(document: Any, path: str) -> list[tuple[Any, Any]]:
    """Each place to which a path leads, as what holds it and the key there."""
    if path.startswith(("$.", "$[")):
        matches = [match for match in jsonpath.finditer(path, document) if match.parent is not None]
        return [(match.parent.obj, match.parts[-1]) for match in matches if match.parent is not None]
    *way, key = path.split(".")
    for part in way:
        document = _entry(document, part)
    is_there = _entry(document, key) is not None or (isinstance(document, dict) and key in document)
    return [(document, int(key) if isinstance(document, list) else key)] if is_there else []


def _entry(holder: Any, key: str) -> Any:
    if isinstance(holder, dict):
        return holder.get(key)
    is_index = isinstance(holder, list) and key.isdecimal() and int(key) < len(holder)
    return holder[int(key)] if is_index else None


def _segments(path: str) -> list[tuple[str, str]]:
    """A path in parts, each with its kind."""
    if not path.startswith(("$.", "$[")):
        return [("part", part) for part in path.split(".")]
    found: list[tuple[str, str]] = []
    at = 1
    while at < len(path):
        match = _SEGMENT.match(path, at)
        if match is None:
            raise ValueError(f"no document can be made up in which {path} finds something: {path[at:]}")
        kinds = {kind: text for kind, text in match.groupdict().items() if text is not None}
        kind = next(
            one for one in ("below", "name", "any", "quoted", "index", "start", "filter") if one in kinds
        )
        found.append((kind, kinds[kind]))
        at = match.end()
    return found


def _grown(node: Any, segments: list[tuple[str, str]], value: Any) -> Any:
    """A node with as much added as it takes for a path to lead to the value."""
    if not segments:
        return value
    (kind, text), *rest = segments
    is_list = kind in ("index", "start", "filter", "any") and not isinstance(node, dict)
    if is_list or (kind == "part" and isinstance(node, list) and text.isdecimal()):
        entries = node if isinstance(node, list) else []
        at = len(entries) if kind in ("any", "filter") else int(text or 0)
        at = max(at, 0) if at >= 0 else max(len(entries) + at, 0)
        entries += [None] * (at + 1 - len(entries))
        element = _satisfying(text) if kind == "filter" else entries[at]
        entries[at] = element if kind == "filter" and not rest else _grown(element, rest, value)
        return entries
    mapping = node if isinstance(node, dict) else {}
    key = secrets.token_hex(4) if kind in ("any", "filter") else text
    element = _satisfying(text) if kind == "filter" else mapping.get(key)
    mapping[key] = element if kind == "filter" and not rest else _grown(element, rest, value)
    return mapping


def _satisfying(condition: str) -> Any:
    """An element that a filter lets through, as far as it compares parts of it with constants."""
    element: Any = None
    for term in condition.split("||")[0].split("&&"):
        match = _TERM.fullmatch(term.strip())
        if match is None:
            raise ValueError(f"no element can be made up for the filter {condition}")
        path, sign, constant = match.groups()
        value: Any = secrets.token_hex(4)
        if sign in _NEAR:
            value = json.loads(re.sub(r"^'(.*)'$", lambda one: json.dumps(one[1]), constant))
            value = value + _NEAR[sign] if _NEAR[sign] else value
        element = _grown(element, _segments(f"${path[1:]}") if path != "@" else [], value)
    return element
