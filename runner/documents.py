"""JSON, YAML and TOML as the same values, so that a goal need not care which of them a program writes.

Values are those of JSON: mappings with texts as keys, lists, texts, numbers, truth values and null.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from functools import cache
from pathlib import Path
from typing import Any

from .failure import StepFailed

_SUFFIXES = {".json": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml"}
_LONGEST = 300


class Unreadable(ValueError):  # noqa: N818 (it says what a text is)
    """Why a text is no document."""


def format_of(path: Path) -> str:
    """The format that a name tells, `run.json.bak` too; nothing where it does not."""
    return next((_SUFFIXES[s] for s in reversed(path.suffixes) if s in _SUFFIXES), "")


def parse(content: bytes, form: str = "") -> Any:
    """The document in a file, as the values of JSON; dates and times are text, as RFC 3339 writes them."""
    return _plain(editable(content, form))


def editable(content: bytes, form: str = "") -> Any:
    """The document in a file, with the dates of TOML. Without a format it is told by the content.

    An empty file is no document, whatever its format would allow, and a key that stands twice makes a
    document unreadable: which of the two counts depends on who reads it.
    """
    text = _text(content)
    form = form or format_told_by(content)
    if form not in _PARSERS:
        raise Unreadable(f'"{form}" is no format of documents: known are {", ".join(_PARSERS)}')
    return _PARSERS[form](text)


def format_told_by(content: bytes) -> str:
    """The first of JSON, TOML and YAML as which a content can be read; YAML only where it has structure."""
    text = _text(content)
    if text.lstrip().startswith("{"):
        return "json"
    for form, parser in (("json", _json), ("toml", _toml), ("yaml", _yaml_structure)):
        try:
            parser(text)
        except Unreadable:
            continue
        return form
    raise Unreadable("it is neither JSON nor TOML nor YAML")


def _text(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"it is not UTF-8: byte 0x{content[error.start]:02x} at {error.start}") from error
    if not text.strip():
        raise Unreadable("it is empty")
    return text


def dump(document: Any, form: str, like: str = "") -> str:
    """A document as text. JSON is indented as `like` is; comments and layout of YAML and TOML are lost."""
    if form == "yaml":
        import yaml

        return str(yaml.safe_dump(document, sort_keys=False, allow_unicode=True))
    if form == "toml":
        if not isinstance(document, dict):
            raise StepFailed("a TOML document is a mapping, and can't be made a single value")
        return "".join(f"{line}\n" for line in _toml_lines(document, []))
    second = like.splitlines()[1:2]
    indent = len(second[0]) - len(second[0].lstrip()) if second else None
    return json.dumps(document, ensure_ascii=False, indent=indent or None) + "\n"


def load_schema(path: Path) -> Mapping[str, Any]:
    """A JSON Schema, written in any of the formats."""
    try:
        schema = parse(path.read_bytes(), format_of(path))
    except Unreadable as error:
        raise StepFailed(f"the schema {path.name} can't be read: {error}") from error
    except OSError as error:
        raise StepFailed(f"the schema {path.name} can't be read: {error.strerror}") from error
    if not isinstance(schema, dict):
        raise StepFailed(f"the schema {path.name} is no mapping")
    violations(None, schema)  # tells a schema that is none
    return schema


def violations(document: Any, schema: Mapping[str, Any]) -> list[str]:
    """A line for each place where a document is not as a JSON Schema demands: where, and what is there."""
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(dict(schema))
        registry: Registry[Any] = Registry()  # of its own: the default one would ask the network
        errors = [*kind(schema, registry=registry).iter_errors(document)]
    except SchemaError as error:
        raise StepFailed(f"the schema is no JSON Schema: {error.json_path}: {error.message}") from error
    except Unresolvable as error:
        raise StepFailed(f"the schema refers to {error.ref}, which is not in it") from error
    lines = [(".".join(map(str, e.absolute_path)) or "the document", e.message) for e in errors]
    return [f"  {path}: {_cut(message)}" for path, message in sorted(lines)]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_mapping, parse_constant=_no_constant)
    except Unreadable:
        raise
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is not JSON: {error}") from error


def _no_constant(name: str) -> Any:
    raise Unreadable(f"it is not JSON: {name} is no number there")


def _mapping(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """Keys as texts, each once."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        name = _key(key)
        if name in found:
            raise Unreadable(f'the key "{name}" stands twice in one mapping')
        found[name] = value
    return found


def _key(key: Any) -> str:
    return key if isinstance(key, str) else json.dumps(key, default=str)


def _toml(text: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is not TOML: {error}") from error


def _plain(found: Any) -> Any:
    """Dates and times as text, with Z for UTC."""
    if isinstance(found, dict):
        return {key: _plain(value) for key, value in found.items()}
    if isinstance(found, list):
        return [_plain(value) for value in found]
    if isinstance(found, datetime | date | time):
        text = found.isoformat()
        return f"{text.removesuffix('+00:00')}Z" if text.endswith("+00:00") else text
    return found


def _yaml_structure(text: str) -> Any:
    """YAML, told by its content: nearly every text is a YAML document, so only what has structure counts."""
    document = _yaml(text)
    if not isinstance(document, dict | list):
        raise Unreadable("it is not YAML with keys or entries")
    return document


def _yaml(text: str) -> Any:
    import yaml

    try:
        document = yaml.load(text, _yaml_loader())  # noqa: S506 (a safe loader of our own)
        if "*" in text:
            json.dumps(document, default=str)
        return document
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f", line {mark.line + 1} column {mark.column + 1}" if mark is not None else ""
        raise Unreadable(f"it is not YAML: {error.problem}{place}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise Unreadable(f"it is not YAML: {error}".partition("\n")[0]) from error
    except Unreadable:
        raise
    except ValueError as error:
        raise Unreadable("it is YAML that contains itself") from error


@cache
def _yaml_loader() -> Any:
    """YAML 1.2's core schema: `yes` and dates are text, 010 is ten. No key may stand twice."""
    import re

    import yaml

    class Loader(yaml.CSafeLoader):
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 (the name is PyYAML's)

    for tag, pattern, first in (
        ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
        ("null", r"~|null|Null|NULL|", "~nN\0"),
        ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
        ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
        ("float", r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", "-+."),
        ("merge", r"<<", "<"),
    ):
        expression, letters = re.compile(f"^(?:{pattern})$"), [*first.replace("\0", ""), ""]
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", expression, letters)

    def integer(loader: Any, node: Any) -> int:
        text = loader.construct_scalar(node)
        return int(text, 0 if text[:2] in ("0o", "0x") else 10)

    def mapping(loader: Any, node: Any) -> dict[str, Any]:
        own = [pair for pair in node.value if pair[0].tag != "tag:yaml.org,2002:merge"]
        _mapping([(loader.construct_object(key, deep=True), None) for key, _ in own])
        loader.flatten_mapping(node)
        pairs = [[loader.construct_object(part, deep=True) for part in pair] for pair in node.value]
        return {_key(key): found for key, found in pairs}

    Loader.add_constructor("tag:yaml.org,2002:int", integer)
    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    return Loader


def _toml_lines(table: Mapping[str, Any], above: list[str]) -> list[str]:
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    lines = [f"{_toml_key(key)} = {_toml_value(value)}" for key, value in plain.items()]
    if above and (plain or not table):
        lines = ["", f"[{'.'.join(map(_toml_key, above))}]", *lines]
    for key, value in table.items():
        if isinstance(value, dict):
            lines += _toml_lines(value, [*above, key])
    return lines


def _toml_key(key: str) -> str:
    return key if key.isascii() and key.replace("-", "_").isidentifier() else json.dumps(key)


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{%s}" % ", ".join(f"{_toml_key(k)} = {_toml_value(v)}" for k, v in value.items())  # noqa: UP031
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    if value is None:
        raise StepFailed("TOML has no null: remove the value instead")
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


_PARSERS: dict[str, Callable[[str], Any]] = {"json": _json, "yaml": _yaml, "toml": _toml}
