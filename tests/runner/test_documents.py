"""Documents: three formats, one kind of values."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.documents import (
    Unreadable,
    dump,
    editable,
    format_of,
    load_schema,
    parse,
    violations,
)
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.values import same


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.json", "json"),
        ("a.YAML", ""),
        ("a.yml", "yaml"),
        ("a.toml", "toml"),
        ("a.json.bak", "json"),
        ("a", ""),
    ],
)
def test_the_format_of_a_name(name: str, form: str) -> None:
    assert format_of(Path(name)) == form


@pytest.mark.parametrize(
    ("text", "form", "document"),
    [
        ('{"a": [1, 1.5, "é", true, null]}', "json", {"a": [1, 1.5, "é", True, None]}),
        ("\ufeff{}\r\n", "json", {}),
        ("12345678901234567890", "json", 12345678901234567890),
        ("a: yes\nb: 2024-01-02\nc: 010\nd: 12:30:45\ne: ~\nf:", "yaml",
         {"a": "yes", "b": "2024-01-02", "c": 10, "d": "12:30:45", "e": None, "f": None}),
        ("a: 0x1F\nb: 0o17\nc: 1e3\nd: -.5\ne: 1_000", "yaml",
         {"a": 31, "b": 15, "c": 1000.0, "d": -0.5, "e": "1_000"}),
        ("1: a\ntrue: b\n~: c", "yaml", {"1": "a", "true": "b", "null": "c"}),
        ("x: &x {a: 1}\ny: {<<: *x, b: 2}\nz: {<<: *x, a: 3}", "yaml",
         {"x": {"a": 1}, "y": {"a": 1, "b": 2}, "z": {"a": 3}}),
        ("a: .inf\nb: .nan", "yaml", {"a": math.inf, "b": math.nan}),
        ("a = 1979-05-27T07:32:00Z\nb = 1979-05-27\nc = 07:32:00\nd = 1979-05-27T00:00:00+02:00", "toml",
         {"a": "1979-05-27T07:32:00Z", "b": "1979-05-27", "c": "07:32:00", "d": "1979-05-27T00:00:00+02:00"}),
        ("a = nan", "toml", {"a": math.nan}),
        ('[1, "a"]', "", [1, "a"]),
        ("[a]\nb = 1", "", {"a": {"b": 1}}),
        ("a:\n- 1", "", {"a": [1]}),
        ("7", "", 7),
    ],
)  # fmt: skip
def test_what_a_text_is(text: str, form: str, document: object) -> None:
    assert same(parse(text.encode(), form), document)


@pytest.mark.parametrize(
    ("content", "form", "reason"),
    [
        (b"", "json", "it is empty"),
        (b" \n", "yaml", "it is empty"),
        (b"", "toml", "it is empty"),
        (b'{"a": "\xff"}', "json", "it is not UTF-8: byte 0xff at 7"),
        (b'{"a": 1', "json", "it is not JSON: Expecting ',' delimiter"),
        (b'{"a": 1', "", "it is not JSON: Expecting ',' delimiter"),
        (b'{"a": NaN}', "json", "it is not JSON: NaN is no number there"),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "json", 'the key "c" stands twice'),
        (b"[" * 200_000, "json", "it is not JSON: "),
        (b"a: 1\na: 2", "yaml", 'the key "a" stands twice'),
        (b'1: a\n"1": b', "yaml", 'the key "1" stands twice'),
        (b"a: [1", "yaml", "it is not YAML: did not find expected ',' or ']', line 2 column 1"),
        (b"--- 1\n--- 2", "yaml", "it is not YAML: but found another document"),
        (b"a: !custom x", "yaml", "it is not YAML: could not determine a constructor"),
        (b"&a [*a]", "yaml", "it is YAML that contains itself"),
        (b"a: \x01", "yaml", "it is not YAML: unacceptable character"),
        (b"a = 1\na = 2", "toml", "it is not TOML: "),
        (b"just a text", "", "it is neither JSON nor TOML nor YAML"),
        (b"{}", "xml", '"xml" is no format of documents: known are json, yaml, toml'),
    ],
)
def test_what_is_no_document(content: bytes, form: str, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        parse(content, form)
    assert str(caught.value).startswith(reason)
    assert "\n" not in str(caught.value)


ALL: dict[str, Any] = {
    "text": 'q"é\n',
    "numbers": [1, 1.5, {"x y": [2]}],
    "true": True,
    "empty": {},
    "deep": {"k-1": {"date": "2024-01-02"}},
}


@pytest.mark.parametrize("form", ["json", "yaml", "toml"])
def test_a_document_survives_the_way_to_a_file(form: str) -> None:
    assert same(parse(dump(ALL, form).encode(), form), ALL)


def test_json_is_indented_as_it_was() -> None:
    assert dump({"a": 1}, "json", '{\n    "b": 2\n}\n') == '{\n    "a": 1\n}\n'
    assert dump({"a": 1}, "json", '{"b": 2}\n') == '{"a": 1}\n'


def test_dates_of_toml_stay_dates() -> None:
    text = "a = 1979-05-27T07:32:00+00:00\nb = inf\n"
    assert dump(editable(text.encode(), "toml"), "toml") == text


@pytest.mark.parametrize(
    ("document", "message"), [({"a": None}, "TOML has no null"), ([1], "a TOML document is a mapping")]
)
def test_what_toml_can_not_hold(document: object, message: str) -> None:
    with pytest.raises(StepFailed, match=message):
        dump(document, "toml")


SCHEMA = {
    "type": "object",
    "required": ["id"],
    "properties": {"tasks": {"type": "array", "items": {"enum": ["done", "failed"]}}},
}


def test_violations_tell_path_and_value() -> None:
    assert violations({"id": 1, "tasks": ["done"]}, SCHEMA) == []
    assert violations({"tasks": ["done", "odd"]}, SCHEMA) == [
        "  tasks.1: 'odd' is not one of ['done', 'failed']",
        "  the document: 'id' is a required property",
    ]
    [long] = violations({"id": 1, "tasks": "x" * 5000}, SCHEMA)
    assert len(long) < 400


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "no such type"}, "the schema is no JSON Schema: "),
        (
            {"$ref": "http://localhost:1/x.json"},
            "the schema refers to http://localhost:1/x.json, which is not",
        ),
        ({"$ref": "#/nowhere"}, "the schema refers to /nowhere, which is not in it"),
    ],
)
def test_a_schema_that_is_none(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(StepFailed) as caught:
        violations({}, schema)
    assert str(caught.value).startswith(message)


def test_loading_a_schema(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("type: object")
    assert load_schema(path) == {"type": "object"}
    for text, message in (("a: [", "can't be read: it is not YAML"), ("- 1", "is no mapping")):
        path.write_text(text)
        with pytest.raises(StepFailed, match=f"the schema s.yaml {message}"):
            load_schema(path)
    with pytest.raises(StepFailed, match="can't be read: No such file"):
        load_schema(tmp_path / "none.json")
