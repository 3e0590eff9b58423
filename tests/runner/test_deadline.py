"""Deadlines: a look is repeated until it holds, and the last failure is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from goalkeeper.runner.deadline import holds
from goalkeeper.runner.failure import StepFailed


def looking(failures: int) -> tuple[list[int], Callable[[], None]]:
    looks: list[int] = []

    def look() -> None:
        looks.append(len(looks))
        if len(looks) <= failures:
            raise StepFailed(f"not yet {len(looks)}", expected="a", actual="b", notes=["n"])

    return looks, look


def test_one_look_without_a_limit() -> None:
    looks, look = looking(1)
    with pytest.raises(StepFailed) as caught:
        holds(look)
    assert str(caught.value) == "not yet 1\n  expected: a\n  actual:   b\nn"
    assert len(looks) == 1


def test_looks_until_it_holds() -> None:
    looks, look = looking(3)
    holds(look, 60)
    assert len(looks) == 4


def test_the_last_failure_is_told() -> None:
    looks, look = looking(10**9)
    with pytest.raises(StepFailed) as caught:
        holds(look, 0.02)
    assert len(looks) > 1
    assert caught.value.message == f"not yet {len(looks)} (waited 0.02 s)"
    assert caught.value.notes == ["n"]


def test_what_is_no_failure_of_a_step_is_not_waited_for() -> None:
    with pytest.raises(ZeroDivisionError):
        holds(lambda: 1 / 0, 600)
