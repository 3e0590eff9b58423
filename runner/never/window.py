"""The end of a scenario: "never" is watched until nothing stirs any more."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from ..goal import Tag
from ..pattern import seconds
from ..wait import until
from ..watcher import processes

if TYPE_CHECKING:
    from ..sandbox import Sandbox

TAG = "window:"
# A system that never comes to rest can't keep a scenario from its end.
LIMIT = 5.0
_SHORTEST = (0.02, 0.0, 0.0)


class WindowError(ValueError):
    """A tag that is no window."""


def window_of(tier: int, tags: tuple[Tag, ...]) -> float:
    """How long nothing may stir, by the tag that stands nearest to the scenario, else by the tier."""
    said = [tag.name for tag in tags if tag.name.startswith(TAG)]
    if not said:
        return _SHORTEST[tier]
    text = said[-1].removeprefix(TAG)
    try:
        found = 0.0 if text == "0" else seconds(text)
    except ValueError:
        raise WindowError(f"@{said[-1]} names no time: write @window:200ms or @window:2s") from None
    if found <= 0 and tier == 0:
        raise WindowError('of a goal of tier 0, "never" is watched for a while after the last step: not 0')
    return found


def wait_for_quiet(
    sandbox: Sandbox | None, seen: Callable[[], object], least: float, limit: float = LIMIT
) -> bool:
    """Wait until nothing has stirred for the least time; whether that came about within the limit.

    What stirs is a process of the sandbox that works, comes or goes, and whatever a watch sees: `seen` lets
    all look and tells what they saw last. A process that sleeps all the while is quiet.
    """
    known: object = None
    since = monotonic()

    def quiet() -> bool | None:
        nonlocal known, since
        work, at_work = ((), False) if root is None else processes.stirring(root)
        now = (seen(), work)
        if now != known or at_work:
            known, since = now, monotonic()
        return True if not at_work and monotonic() - since >= least else None

    root = str(sandbox.root) if sandbox is not None and sandbox.is_inhabited else None
    return until(quiet, max(limit, 2 * least)) is not None
