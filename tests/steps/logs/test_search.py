"""Finding lines without parsing them must find the same lines as parsing them all."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.runner.failure import StepFailed
from goalkeeper.steps.logs.line import Line, event_of, parse
from goalkeeper.steps.logs.search import Phrase, expression, one_line
from goalkeeper.steps.logs.tail import Block


def block(*lines: str) -> Block:
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return Block("a", 1, len(lines), 0, data, (0, 0, b""))


def escaped(text: str, every: bool) -> str:
    """A JSON text in which all characters, or all that are not ASCII, are written as escapes."""
    plain = json.dumps(text)
    units = text.encode("utf-16-be", "surrogatepass").hex()
    return (
        '"' + "".join(f"\\u{units[i : i + 4].upper()}" for i in range(0, len(units), 4)) + '"'
        if every
        else plain
    )


NAMES = st.text(st.sampled_from('ab./"\\é😀\n'), min_size=1, max_size=3)


@given(st.lists(st.tuples(NAMES, st.sampled_from(["raw", "ascii", "all", "slash"]))), NAMES)
def test_all_lines_that_record_an_event_are_candidates(events: list[tuple[str, str]], wanted: str) -> None:
    spell: dict[str, Callable[[str], str]] = {
        "raw": lambda name: json.dumps(name, ensure_ascii=False),
        "ascii": json.dumps,
        "all": lambda name: escaped(name, True),
        "slash": lambda name: json.dumps(name).replace("/", "\\/"),
    }
    lines = [f'{{"n": {n}, "type": {spell[how](name)}}}' for n, (name, how) in enumerate(events)]
    found = Phrase([wanted], quoted=True).candidates(block(*lines))
    kept = [line.number for line in found if event_of(parse(line.text)) == wanted]
    assert kept == [number for number, (name, _) in enumerate(events, 1) if name == wanted]


def test_lines_that_can_not_hold_the_words_are_left_out() -> None:
    lines = block(
        '{"type": "ab"}', '{"type": "abc", "m": "\\u00e9"}', '{"m": "x\\n"}', '{"type": "\\u0061b"}'
    )
    assert [line.number for line in Phrase(["ab"], quoted=True).candidates(lines)] == [1, 4]


def test_several_events_in_the_order_of_their_lines() -> None:
    lines = block('{"t": "b"}', '{"t": "a"}', '{"t": "c"}', '{"t": "a", "u": "b"}')
    assert [line.number for line in Phrase(["a", "b"], quoted=True).candidates(lines)] == [1, 2, 4]


@pytest.mark.parametrize(
    ("line", "is_in"),
    [
        ('plain pass"wörd here', True),
        ('{"m": "pass\\"wörd"}', True),
        ('{"m": ["pass\\"w\\u00F6rd"]}', True),
        ('{"pass\\"w\\u00f6rd": 1}', True),
        ('{"m": "pass\\"w\\u00f6r"}', False),
        ('not json pass\\"w\\u00f6rd', False),
    ],
)
def test_a_text_however_json_writes_it(line: str, is_in: bool) -> None:
    phrase = Phrase(['pass"wörd'])
    assert phrase.is_in(Line("a", 1, line.encode())) == is_in
    assert not is_in or [found.number for found in phrase.candidates(block("", line))] == [2]


def test_what_can_not_be_looked_for() -> None:
    for text in ("", "a\nb"):
        with pytest.raises(StepFailed, match="line by line"):
            one_line(text)
    with pytest.raises(StepFailed, match="this is not a regular expression: missing \\)"):
        expression("(")
