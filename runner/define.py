"""Decorators for step authors: pytest-bdd's own, with wordings that name their parameters, and `never`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, ParamSpec, TypeVar

import pytest_bdd
from pytest_bdd.parsers import StepParser

from .never import Arm, Negative
from .pattern import Pattern

P = ParamSpec("P")
T = TypeVar("T")
Decorator = Callable[[Callable[P, T]], Callable[P, T]]


class Wording(StepParser):  # type: ignore[misc]
    """A `Pattern` in the shape that pytest-bdd gives its parsers."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.pattern = Pattern(text)

    def is_matching(self, name: str) -> bool:
        return self.pattern.match(name) is not None

    def parse_arguments(self, name: str) -> dict[str, Any] | None:
        return self.pattern.match(name)


def given(wording: str, *, target_fixture: str | None = None) -> Decorator[P, T]:
    """Define a Given step; the value it returns can become a fixture."""
    decorator: Decorator[P, T] = pytest_bdd.given(Wording(wording), target_fixture=target_fixture)
    return decorator


def when(wording: str, *, target_fixture: str | None = None) -> Decorator[P, T]:
    """Define a When step."""
    decorator: Decorator[P, T] = pytest_bdd.when(Wording(wording), target_fixture=target_fixture)
    return decorator


def then(wording: str) -> Decorator[P, T]:
    """Define a Then step; it raises `StepFailed` (or any AssertionError) where it does not hold."""
    decorator: Decorator[P, T] = pytest_bdd.then(Wording(wording))
    return decorator


def step(
    wording: str,
    kind: Literal["given", "when", "then"] | None = None,
    *,
    target_fixture: str | None = None,
) -> Decorator[P, T]:
    """Define a step that may stand as Given, When or Then."""
    decorator: Decorator[P, T] = pytest_bdd.step(Wording(wording), kind, target_fixture=target_fixture)
    return decorator


def never(wording: str) -> Callable[[Arm], Negative]:
    """Define a negative step: the function arms it and returns a Watch, its `check` judges the journal."""

    def decorator(function: Arm) -> Negative:
        negative = Negative(function)
        pytest_bdd.then(Wording(wording), stacklevel=2)(negative)
        return negative

    return decorator
