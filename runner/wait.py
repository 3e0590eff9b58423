"""Waiting for a condition, with a deadline: the only way that anything here waits."""

from __future__ import annotations

import select
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

T = TypeVar("T")

_SHORTEST, _LONGEST = 0.002, 0.05


def until(look: Callable[[], T | None], limit: float) -> T | None:
    """What `look` finds within so many seconds: the first answer that is not None, else None.

    It looks once at least and once more when the time is up, so that a limit of 0 means now. Between two
    looks it waits longer and longer, up to 50 ms.
    """
    end, pause = monotonic() + limit, _SHORTEST
    while True:
        last = monotonic() >= end
        found = look()
        if found is not None or last:
            return found
        select.select((), (), (), min(pause, max(0.0, end - monotonic())))
        pause = min(pause * 1.5, _LONGEST)
