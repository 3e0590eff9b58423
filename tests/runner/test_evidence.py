"""What a scenario leaves behind, and how much of it is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.evidence import Evidence, shorten

WriteGoal = Callable[..., Path]


def numbered(count: int) -> str:
    return "".join(f"{n}\n" for n in range(1, count + 1))


def test_nothing_was_kept() -> None:
    assert Evidence().data() == []
    assert Evidence().path is None


def test_what_happens_aside_is_not_kept() -> None:
    told: list[str] = []
    evidence = Evidence(sink=lambda kind, *_: told.append(kind))
    evidence.attach("$ first", str)
    with pytest.raises(ZeroDivisionError), evidence.aside():
        evidence.attach("$ second", str)
        evidence.observe("command", "ok")
        raise ZeroDivisionError
    evidence.observe("request", "ok")
    assert [entry.title for entry in evidence.entries] == ["$ first"]
    assert told == ["request"]


def test_only_the_last_entry_is_read() -> None:
    asked: list[str] = []

    def text(name: str) -> str:
        asked.append(name)
        return f"text of {name}"

    evidence = Evidence()
    evidence.attach("$ first", lambda: text("first"))
    evidence.attach("$ second", lambda: text("second"))
    assert asked == []
    assert evidence.data() == [
        {"title": "$ first", "text": ""},
        {"title": "$ second", "text": "text of second"},
    ]
    assert asked == ["second"]


def test_a_long_text_is_shortened() -> None:
    evidence = Evidence()
    evidence.attach("t", lambda: numbered(41))
    [entry] = evidence.data()
    assert entry["text"].splitlines()[:2] == ["… 1 line before this", "2"]


def test_evidence_that_is_gone_does_not_take_the_report_with_it() -> None:
    def gone() -> str:
        raise FileNotFoundError(2, "No such file or directory")

    evidence = Evidence()
    evidence.attach("t", gone)
    assert evidence.data() == [
        {"title": "t", "text": "this can't be shown: [Errno 2] No such file or directory"}
    ]


@pytest.mark.parametrize("text", ["", "a", "a\n", numbered(3), "x" * 1000])
def test_a_short_text_is_left_as_it_is(text: str) -> None:
    assert shorten(text, 3) == text


def test_the_end_of_many_lines() -> None:
    assert shorten(numbered(10), 3) == "… 7 lines before this\n8\n9\n10"
    assert shorten(numbered(40)) == numbered(40)


def test_the_beginning_of_a_long_line() -> None:
    assert shorten("a\n" + "x" * 1005 + "\nb\n", 3) == f"a\n{'x' * 1000} … 5 characters more\nb"
    many = shorten("\n".join(["y" * 2000] * 4), 3).splitlines()
    assert many[0] == "… 1 line before this"
    assert [line[1000:] for line in many[1:]] == [" … 1000 characters more"] * 3


def test_a_program_that_removes_its_evidence_fails_only_its_own_scenario(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    goal(
        """
        Scenario: removes
          When I run "rm -rf ../evidence"
          Then the exit code is 1
        Scenario: next
          When I run "true"
          Then the exit code is 0
        """
    )
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "E       actual:   exit code 0",
            "$ rm -rf ../evidence    (exit code 0)",
            "  this can't be shown: what \"rm -rf ../evidence\" printed can't be read: *",
        ]
    )


def test_the_last_word_of_each_subject_is_shown_too() -> None:
    evidence = Evidence()
    evidence.attach("server started", lambda: "listening", "server")
    evidence.attach("server sent TERM", lambda: "listening, stopping", "server")
    evidence.attach("$ client", lambda: "refused")
    assert evidence.data() == [
        {"title": "server started", "text": ""},
        {"title": "server sent TERM", "text": "listening, stopping"},
        {"title": "$ client", "text": "refused"},
    ]
