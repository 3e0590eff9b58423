"""One line: parsing, events and times."""

from __future__ import annotations

from typing import Any

import pytest

from goalkeeper.steps.logs.line import Line, event_of, field_of, moment, parse, parse_line, strings, suspects


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        (' {"a": "é"}\r', {"a": "é"}),
        ('\ufeff{"a": []}', {"a": []}),
        ("3", 3),
    ],
)
def test_json(text: str, value: Any) -> None:
    assert parse(text) == value
    assert [*suspects(text.strip("\r \ufeff").encode(), None)] == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expecting value at column 1"),
        ('{"a": ', "expecting value at column 6"),
        ("{} {}", "there is more after the value, from column 3 on"),
        ('{"a": NaN}', "NaN is not JSON"),
        ("[" * 100_000, "it is nested too deeply"),
        ("plain", "expecting value at column 1"),
    ],
)
def test_no_json(text: str, reason: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse(text)
    assert str(caught.value) == reason
    assert [*suspects(f"{{}}\n{text}\n".encode(), None)] == ([(1, text.encode())] if text else [])


def test_no_utf8() -> None:
    with pytest.raises(ValueError, match="byte 8 is not UTF-8"):
        parse_line(Line("a", 1, b'{"a": "\xff"}'))
    assert [number for number, _ in suspects(b'{}\n\n{"a": "\xff"}\n', None)] == [0, 2]


def test_lines_that_are_not_accepted_and_blank_ones() -> None:
    data = b'{"a": 1}\r\n\r\n  \n{"a": 2}\r\n'
    assert [*suspects(data, lambda value: value["a"] == 1)] == [(3, b'{"a": 2}')]


@pytest.mark.parametrize(
    ("value", "field", "event"),
    [
        ({"event": "a", "type": "b"}, "", "a"),
        ({"event": {"type": "x"}, "type": "b"}, "", "b"),
        ({"level": "info", "name": "logger", "msg": "started"}, "", "started"),
        ({"name": "agent.register"}, "", "agent.register"),
        ({"level": "info"}, "", ""),
        ([1], "", ""),
        ({"type": "a", "fields": {"message": "b"}}, "fields.message", "b"),
        ({"event.action": "a", "event": {"action": "b"}}, "event.action", "a"),
        ({"type": "a"}, "code", ""),
        ({"code": 7}, "code", ""),
    ],
)
def test_the_event_of_a_line(value: Any, field: str, event: str) -> None:
    assert event_of(value, field) == event


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ({"ts": "2026-01-01T00:00:01Z"}, 1767225601.0),
        ({"timestamp": "2026-01-01T01:00:01+01:00"}, 1767225601.0),
        ({"time": "2026-01-01 00:00:01,500"}, 1767225601.5),
        ({"@timestamp": "2026-01-01T00:00:01.123456789Z"}, 1767225601.123456),
        ({"ts": 1767225601}, 1767225601.0),
        ({"ts": 1767225601500}, 1767225601.5),
        ({"time": 1767225601500000}, 1767225601.5),
        ({"time": 1767225601500000000}, 1767225601.5),
        ({"ts": "1767225601.5"}, 1767225601.5),
        ({"ts": "soon", "time": 5}, 5.0),
        ({"ts": True}, None),
        ({"ts": None}, None),
        ({"when": 5}, None),
        ([], None),
    ],
)
def test_the_time_of_a_line(value: Any, seconds: float | None) -> None:
    assert moment(value) == seconds


def test_fields_and_texts() -> None:
    value = {"a": {"b": [{"c": "x"}]}, "k.l": 1, "n": None}
    assert field_of(value, "a.b.0.c") == "x"
    assert field_of(value, "k.l") == 1
    assert field_of(value, "a.c") is None
    assert {*strings(value)} == {"a", "b", "c", "x", "k.l", "n"}


def test_a_line_can_be_shown_on_a_terminal() -> None:
    assert str(Line("a.log", 7, b"  \x1b[31mred \xff ")) == "a.log:7: ␛[31mred �"
    assert str(Line("a.log", 7, b"x" * 5000)).endswith("4000 characters more")
