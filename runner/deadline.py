"""A condition that has to hold by a time, told by the failure that was in the way last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .failure import StepFailed
from .wait import until


def holds(look: Callable[[], object], limit: float = 0.0) -> None:
    """Look until it does not fail, for so many seconds; a limit of 0 is one look.

    Whatever can be told to be a mistake of the goal should have been told before: waiting does not mend it.
    """
    last: list[StepFailed] = []

    def attempt() -> bool | None:
        try:
            look()
        except StepFailed as failure:
            last[:] = [failure]
            return None
        return True

    if until(attempt, limit) is None:
        failure = last[0]
        late = f" (waited {limit:g} s)" if limit else ""
        raise replace(failure, message=f"{failure.message}{late}") from failure
