"""runner/never/sample.py: texts for regular expressions."""

from __future__ import annotations

import re

import pytest

from goalkeeper.runner.never.sample import matching


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("password", "password"),
        (r"^port \d+ open$", "port 0 open"),
        (r"run_id.*r2", "run_idr2"),
        (r"[A-Z]{3}-[0-9]{2,}", "AAA-00"),
        (r"[^a-z0-9]x", "Ax"),
        (r"[]]\[", "]["),
        (r"[\]\\]", "\\"),
        (r"(?:ab|cd)+e?", "ab"),
        (r"(?P<who>Ada|Bob) met (?P=who) and \1", "Ada met Ada and Ada"),
        (r"(a)?(?(1)b|c)", "c"),
        (r"\x41\u00e9\U0001F600\N{BULLET}\101\0", "A\u00e9\U0001f600•A\0"),
        (r"\.\t\{\}\|", ".\t{}|"),
        ("a{,3}b{x}", "b{x}"),
        ("(?i)(?#no)ERROR(?-i:x)", "ERRORx"),
        ("(?x) a b  # a comment\n c", "abc"),
        (r"(?x: a \  b)c d", "a bc d"),
        (r"\bfoo\b\Z", "foo"),
        (r"(?>ab)c*+d+?", "abd"),
        (r"foo(?=bar)", "foobar"),
        (r"(?<=key=)\w+", "key=a"),
        (r"foo(?!bar)", "foo"),
        ("a\n^b", "a\nb"),
        ("[\u3042-\u3044]", "\u3042"),
        ("x*", ""),
        ("", ""),
        (r"\s\S\W", " a "),
    ],
)
def test_the_plainest_text(pattern: str, text: str) -> None:
    assert matching(pattern) == text


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$",
        r"^(?!ab)[ab]{2}$",
        r"\b\w+\B\w",
        r"^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) (?:ERROR|FATAL)\b",
        r"(?:sk|pk)_(?:live|test)_[0-9a-zA-Z]{24,}",
        r"-----BEGIN (?:RSA |EC )?PRIVATE KEY-----",
        r'"level":\s*"(?:error|fatal)"',
        r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
        r"(a|b)\1(?<!aa)",
        r"^((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?::\d+)?$",
        r".{3,5000}$",
        r"(?:(?:a{1000}){1,1000})+",
    ],
)
def test_any_text_that_matches(pattern: str) -> None:
    text = matching(pattern)
    assert text is not None
    assert re.search(pattern, text)
    assert matching(pattern) == text


@pytest.mark.parametrize(
    "pattern", ["a$b", "(?!)", "(", r"[^\s\S]", "^(?=abcdef$)xyz", "(((a{999}){999}){999}){999}"]
)
def test_none_to_be_found(pattern: str) -> None:
    assert matching(pattern) is None
