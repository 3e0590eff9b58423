"""Waiting for a condition, with a deadline: the only way that anything here waits."""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

T = TypeVar("T")

_SHORTEST, _LONGEST = 0.002, 0.05
_in_no_time = False


@contextmanager
def at_once() -> Iterator[None]:
    """While the block runs nobody waits: what does not hold now does not hold."""
    global _in_no_time
    _in_no_time = True
    try:
        yield
    finally:
        _in_no_time = False


def allowed(limit: float) -> float:
    """How long to wait where a step would wait for so many seconds."""
    return 0.0 if _in_no_time else limit


def is_only_asked() -> bool:
    """Whether a step is only asked if it holds, before anything was done: it must not touch a thing."""
    return _in_no_time


def until(look: Callable[[], T | None], limit: float) -> T | None:
    """What `look` finds within so many seconds: the first answer that is not None, else None.

    It looks once at least and once more when the time is up, so that a limit of 0 means now. Between two
    looks it waits longer and longer, up to 50 ms.
    """
    end, pause = monotonic() + allowed(limit), _SHORTEST
    while True:
        last = monotonic() >= end
        found = look()
        if found is not None or last:
            return found
        select.select((), (), (), min(pause, max(0.0, end - monotonic())))
        pause = min(pause * 1.5, _LONGEST)
