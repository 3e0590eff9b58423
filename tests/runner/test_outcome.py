"""What became of a scenario, as data and as text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from goalkeeper.runner.goal import Place, Step
from goalkeeper.runner.outcome import FailureText, StepResult


class Writer:
    """As much of pytest's terminal writer as a failure needs."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, dict[str, bool]]] = []

    def line(self, text: str, **markup: bool) -> None:
        self.lines.append((text, markup))


def told(
    name: str, status: str, error: str = "", *, traceback: bool = False, line: int = 5
) -> dict[str, Any]:
    return {
        "keyword": "Then",
        "name": name,
        "status": status,
        "error": error,
        "traceback": traceback,
        "line_number": line,
    }


def failure(*steps: dict[str, Any], **others: Any) -> FailureText:
    data = {
        "goal": "G1.1",
        "title": "A goal",
        "file": "a.feature",
        "line": 3,
        "steps": [*steps],
        "evidence": [],
        "evidence_path": None,
    }
    return FailureText(data | others)


def test_a_result_begins_as_skipped_and_tells_pytest_bdds_keys() -> None:
    step = Step("then", "it is done", keyword="And", place=Place(7, 5))
    result = StepResult(step)
    assert (result.status, result.error) == ("skipped", None)
    result.status, result.duration, result.note = "failed", 0.5, "looked at 1 line"
    assert result.data("not done") == {
        "name": "it is done",
        "type": "then",
        "keyword": "And",
        "line_number": 7,
        "failed": True,
        "duration": 0.5,
        "status": "failed",
        "error": "not done",
        "note": "looked at 1 line",
    }


def test_the_whole_text() -> None:
    shown = failure(
        told("one", "passed", line=5),
        told("two", "failed", "not so\n  expected: 1", line=6),
        told("three", "failed", "conftest.py:3: in f\nE   assert 0", traceback=True, line=7),
        told("four", "skipped", line=8),
        evidence=[{"title": "$ true", "text": "a\nb"}, {"title": "$ false", "text": ""}],
        evidence_path="/kept",
    )
    assert str(shown).splitlines() == [
        "G1.1 A goal",
        "a.feature:3",
        "",
        "    Then one",
        ">   Then two",
        "E     not so",
        "E       expected: 1",
        "    a.feature:6",
        "",
        ">   Then three",
        "    conftest.py:3: in f",
        "    E   assert 0",
        "    a.feature:7",
        "",
        "    Then four    (not run)",
        "",
        "$ true",
        "  a",
        "  b",
        "",
        "$ false",
        "",
        "evidence: /kept",
    ]
    assert str(shown.reprcrash) == "a.feature:6: Then two: not so"


def test_the_terminal_gets_the_same_lines_with_colours() -> None:
    shown, writer = failure(told("one", "failed", "not so"), told("two", "skipped")), Writer()
    shown.toterminal(writer)
    assert [text for text, _ in writer.lines] == str(shown).splitlines()
    markup = dict(writer.lines)
    assert markup["E     not so"] == {"red": True, "bold": True}
    assert markup["    Then two    (not run)"] == {"yellow": True}
    assert markup["a.feature:3"] == {}


@pytest.mark.parametrize(
    ("error", "traceback", "headline"),
    [
        pytest.param("Everything is wrong\n  more", False, "Everything is wrong", id="own-words"),
        pytest.param("f.py:1: in f\nE   EOFError: gone", True, "EOFError: gone", id="exception"),
        pytest.param(
            "E   assert [1] == [2]\nE     \nE     At index 0\nE     Use -v",
            True,
            "assert [1] == [2]",
            id="diff",
        ),
        pytest.param(
            "E   KeyError: 1\n\nThe above exception was the direct cause\n\nE   ValueError: a\nE   b",
            True,
            "ValueError: a",
            id="chain",
        ),
        pytest.param("Traceback:\n  x\nEOFError: gone\n", True, "EOFError: gone", id="native"),
    ],
)
def test_the_summary_says_most_in_one_line(error: str, traceback: bool, headline: str) -> None:
    shown = failure(told("one", "failed", error, traceback=traceback))
    assert shown.reprcrash.message == f"Then one: {headline}"


def test_a_failure_without_a_word_is_still_a_failure() -> None:
    shown = failure(told("one", "passed"), told("two", "failed", ""))
    assert str(shown.reprcrash) == "a.feature:5: Then two"
    assert ">   Then two" in str(shown)


def test_a_failure_survives_the_way_from_a_worker() -> None:
    shown = failure(told("one", "failed", "not so"))
    again = FailureText(json.loads(json.dumps(shown.data)))
    assert str(again) == str(shown)
    assert again.reprcrash == shown.reprcrash
