"""steps/state/judge.py: what is wrong with a value, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goalkeeper.runner.values import regular
from goalkeeper.steps.state import judge

B = regular("^b$")


@pytest.mark.parametrize(
    ("wrong", "found", "argument", "problem"),
    [
        (judge.differs, "done", "done", ""),
        (judge.differs, 1.0, "1", ""),
        (judge.differs, None, "null", ""),
        (judge.differs, "a", "b", 'is "a", not "b"'),
        (judge.differs, "1", "1", 'is "1" (text), not 1 (number): write the text as \\"1\\"'),
        (judge.differs, 1, '"1"', 'is 1 (number), not "1" (text)'),
        (judge.differs, True, "1", "is true (boolean), not 1 (number)"),
        (judge.is_the_same, "a", "b", ""),
        (judge.is_the_same, 1, "1", "is 1"),
        (judge.is_the_same, "1", "1", 'is "1"'),
        (judge.differs_somewhere, ["a", "a"], "a", ""),
        (judge.differs_somewhere, ["a", "b"], "a", 'has 1 of 2 that are not "a": "b"'),
        (judge.differs_somewhere, [*"abcdefghij"], "a",
         'has 9 of 10 that are not "a": "b", "c", "d", "e", "f", "g", "h", "i" and 1 more'),
        (judge.differs_somewhere, [], "a", "finds nothing, so that nothing can be said of every value"),
        (judge.differs_somewhere, "a", "a", 'is no list, but text: "a"'),
        (judge.is_less, 3, 3.0, ""),
        (judge.is_less, 2.5, 3.0, "is 2.5, less than 3"),
        (judge.is_less, "5", 3.0, 'is no number, but text: "5"'),
        (judge.is_less, True, 0.0, "is no number, but boolean: true"),
        (judge.is_more, 3, 3.0, ""),
        (judge.is_more, 4, 3.0, "is 4, more than 3"),
        (judge.is_more, None, 3.0, "is no number, but null: null"),
        (judge.is_other_kind, [], "list", ""),
        (judge.is_other_kind, {}, "list", "is not of the kind list, but mapping: {}"),
        (judge.does_not_match, "a\nb", B, ""),
        (judge.does_not_match, "ab", B, 'does not match ^b$: "ab"'),
        (judge.does_not_match, 5, B, "is no text, but number: 5"),
        (judge.has_other_size, [1, 2], 2, ""),
        (judge.has_other_size, {"a": 1}, 2, 'has not 2 entries, but 1: {"a": 1}'),
        (judge.has_other_size, "ab", 2, 'has no entries: it is text: "ab"'),
        (judge.lacks, "a text", "tex", ""),
        (judge.lacks, [1, "b"], "b", ""),
        (judge.lacks, {"k": 0}, "k", ""),
        (judge.lacks, ["1"], "1", 'does not contain 1: ["1"]'),
        (judge.lacks, 10, "1", "does not contain 1: 10"),
        (judge.includes, "a text", "x y", ""),
        (judge.includes, ["1"], "1", 'contains 1: ["1"]'),
        (judge.includes, [1], "1", "contains 1: [1]"),
        (judge.includes, {"k": 0}, "k", 'contains k: {"k": 0}'),
    ],
)  # fmt: skip
def test_problems(wrong: Callable[[Any, Any], str], found: object, argument: object, problem: str) -> None:
    assert wrong(found, argument) == problem
