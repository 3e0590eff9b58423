"""What a goal or a scenario may be."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Status(Enum):
    """In the order of precedence: of several scenarios, the first in this order decides."""

    FAILED = "failed"
    UNPROVEN = "unproven"
    SKIPPED = "skipped"
    NOT_RUN = "not-run"
    UNCOVERED = "uncovered"
    OK = "ok"

    @property
    def shown(self) -> str:
        return self.name.replace("_", " ")


_ORDER = {status: number for number, status in enumerate(Status)}


def rank(status: Status) -> int:
    """The lower, the sooner it decides."""
    return _ORDER[status]


def deciding(statuses: Iterable[Status]) -> Status:
    """The one that decides. Nothing at all covers nothing."""
    return min(statuses, key=rank, default=Status.UNCOVERED)
