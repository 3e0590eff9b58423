"""Waiting for a condition, with time in our own hands."""

from __future__ import annotations

import select
from collections.abc import Iterator

import pytest

from goalkeeper.runner import wait
from goalkeeper.runner.wait import until


class Clock:
    """A clock that moves only while someone waits."""

    def __init__(self) -> None:
        self.now = 100.0
        self.pauses: list[float] = []

    def pass_time(self, _read: object, _write: object, _error: object, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    made = Clock()
    with monkeypatch.context() as patch:
        patch.setattr(wait, "monotonic", lambda: made.now)
        patch.setattr(select, "select", made.pass_time)
        yield made


def test_what_is_there_is_not_waited_for(clock: Clock) -> None:
    assert until(lambda: "found", 10) == "found"
    assert clock.pauses == []


@pytest.mark.parametrize("found", [0, False, "", []])
def test_only_none_is_nothing(clock: Clock, found: object) -> None:
    assert until(lambda: found, 10) == found
    assert clock.pauses == []


def test_the_first_answer_counts(clock: Clock) -> None:
    answers = iter([None, None, "found", "other"])
    assert until(lambda: next(answers), 10) == "found"
    assert len(clock.pauses) == 2


def test_when_the_time_is_up_it_looks_once_more(clock: Clock) -> None:
    looked: list[float] = []

    def look() -> None:
        looked.append(clock.now)

    assert until(look, 1.0) is None
    assert (looked[0], looked[-1]) == (100.0, 101.0)
    assert sum(clock.pauses) == pytest.approx(1.0)


def test_something_that_appears_in_the_last_moment(clock: Clock) -> None:
    assert until(lambda: True if clock.now >= 101.0 else None, 1.0)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_nothing_means_one_look(clock: Clock, limit: float) -> None:
    looked: list[int] = []
    assert until(lambda: looked.append(1), limit) is None
    assert (looked, clock.pauses) == ([1], [])


def test_it_waits_longer_and_longer_up_to_a_limit(clock: Clock) -> None:
    assert until(lambda: None, 5.0) is None
    assert clock.pauses[0] == pytest.approx(0.002)
    assert clock.pauses[:-1] == sorted(clock.pauses[:-1])
    assert max(clock.pauses) == pytest.approx(0.05)


def test_what_look_raises_is_the_callers(clock: Clock) -> None:
    with pytest.raises(ZeroDivisionError):
        until(lambda: 1 // 0, 10)
    assert clock.pauses == []
