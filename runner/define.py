"""Decorators for step authors: pytest-bdd's own, with wordings that name their parameters, and `never`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeVar, cast

import pytest_bdd
from pytest_bdd.parsers import StepParser

from .never import Arm, Negative
from .pattern import Pattern

F = TypeVar("F", bound=Callable[..., Any])
Kind = Literal["given", "when", "then"]
INVARIANT = "__goalkeeper_invariant__"
# Where a step says that it was defined, if its function does not tell.
PLACE = "__goalkeeper_place__"


class Decorator(Protocol):
    """Leaves the function as it is, so that a step can have several wordings."""

    def __call__(self, function: F, /) -> F: ...


class Wording(StepParser):
    """A `Pattern` in the shape that pytest-bdd gives its parsers."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.pattern = Pattern(text)

    def is_matching(self, name: str) -> bool:
        return self.pattern.match(name) is not None

    def parse_arguments(self, name: str) -> dict[str, Any] | None:
        return self.pattern.match(name)


def given(wording: str, *, target_fixture: str | None = None) -> Decorator:
    """Define a Given step; the value it returns can become a fixture."""
    return step(wording, "given", target_fixture=target_fixture)


def when(wording: str, *, target_fixture: str | None = None) -> Decorator:
    """Define a When step."""
    return step(wording, "when", target_fixture=target_fixture)


def then(wording: str, *, invariant: bool = False) -> Decorator:
    """Define a Then step; it raises `StepFailed` (or any AssertionError) where it does not hold.

    It looks and changes nothing: it is asked once before the first When as well, to see that it can fail. An
    invariant is one that may well hold by then.
    """

    def decorator(function: F) -> F:
        if invariant:
            setattr(function, INVARIANT, True)
        return cast(Decorator, pytest_bdd.then(Wording(wording), stacklevel=2))(function)

    return decorator


def step(wording: str, kind: Kind | None = None, *, target_fixture: str | None = None) -> Decorator:
    """Define a step that may stand as Given, When or Then."""
    return cast(Decorator, pytest_bdd.step(Wording(wording), kind, target_fixture=target_fixture))


def never(wording: str) -> Callable[[Arm], Negative]:
    """Define a negative step: the function arms it and returns a Watch, its `check` judges the journal."""

    def decorator(function: Arm) -> Negative:
        return define(Negative(function), Wording(wording), depth=2)

    return decorator


def define(negative: Negative, wording: Wording, depth: int) -> Negative:
    """Leave a negative step where pytest looks for it: in the module that called so many calls ago."""
    pytest_bdd.then(wording, stacklevel=depth + 1)(negative)
    return negative
