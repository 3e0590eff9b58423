"""Negative steps: journals, watches, and the pair of arming and check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from goalkeeper.runner.never import Breach, Journal, Negative, Watch


def moves(branch: str) -> Watch[str]:
    """Watches a branch."""
    return Watch(f"branch {branch}")


def no_move(journal: Journal[str]) -> Iterable[Breach]:
    return (Breach(f"{journal.subject} moved to {entry}") for entry in journal.entries)


@pytest.mark.parametrize(
    ("inspected", "empty", "text"),
    [
        ({}, True, "nothing"),
        ({"line": 0}, True, "0 lines"),
        ({"line": 0, "command": 2}, False, "0 lines, 2 commands"),
        ({"command": 1, "line": 214}, False, "1 command, 214 lines"),
    ],
)
def test_a_journal_is_empty_when_nothing_was_looked_at(
    inspected: dict[str, int], empty: bool, text: str
) -> None:
    journal: Journal[str] = Journal("log", (), inspected)
    assert journal.is_empty is empty
    assert journal.looked_at == text


def test_entries_do_not_make_up_for_having_looked_at_nothing() -> None:
    assert Journal("log", ("entry",)).is_empty


def test_a_watch_gives_its_journal_as_a_value() -> None:
    watch: Watch[str] = Watch("branch main")
    for entry in "abc":
        watch.record(entry)
    assert watch.journal().entries == ("a", "b", "c")
    assert watch.journal().subject == "branch main"


def test_counts_add_up_by_unit() -> None:
    watch: Watch[str] = Watch("log")
    watch.count("command")
    watch.count("line", 3)
    watch.count("line", 4)
    assert watch.journal().inspected == {"command": 1, "line": 7}


def test_a_journal_does_not_change_when_the_watch_goes_on() -> None:
    watch: Watch[str] = Watch("log")
    before = watch.journal()
    watch.record("late")
    watch.count("line")
    assert before.entries == ()
    assert before.is_empty


def test_looking_and_closing_need_no_override() -> None:
    watch: Watch[str] = Watch("log")
    watch.look()
    watch.close()
    assert watch.journal() == Journal("log", (), {})


def test_arming_and_judging() -> None:
    negative = Negative(moves)
    assert not negative.is_complete
    assert negative.check(no_move) is no_move
    assert negative.is_complete
    watch = negative.arm({"branch": "main"})
    assert negative.judge(watch.journal()) == []
    watch.record("c1")
    assert negative.judge(watch.journal()) == [Breach("branch main moved to c1")]


def test_judging_twice_gives_the_same() -> None:
    negative = Negative(moves)
    negative.check(no_move)
    journal = Journal("b", ("x", "y"))
    assert (
        negative.judge(journal) == negative.judge(journal) == [Breach("b moved to x"), Breach("b moved to y")]
    )


def test_it_is_named_after_its_function() -> None:
    negative = Negative(moves)
    assert negative.name == "moves"
    assert negative.__doc__ == "Watches a branch."


def test_a_second_check_is_refused() -> None:
    negative = Negative(moves)
    negative.check(no_move)
    with pytest.raises(TypeError, match="moves has a check already"):
        negative.check(no_move)


def test_judging_without_a_check_is_refused() -> None:
    with pytest.raises(TypeError, match=r"moves has no check: write one under @moves\.check"):
        Negative(moves).judge(Journal("b", ()))


def test_arming_must_return_a_watch() -> None:
    def forgetful() -> Any:
        return None

    with pytest.raises(TypeError, match="forgetful must return a Watch, not NoneType"):
        Negative(forgetful).arm({})


def test_calling_it_explains_who_can_arm_it() -> None:
    with pytest.raises(
        RuntimeError, match="moves is a negative step, which only Goalkeeper can arm"
    ) as caught:
        Negative(moves)("main", branch="main")
    assert "let pytest collect the goal file itself" in str(caught.value)
