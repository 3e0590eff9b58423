"""Negative steps: armed before the first When, watched, judged at the end.

A negative step is a pair. Its arming function returns a `Watch`, which keeps a journal of what it sees; its
check is a pure function from that journal to breaches. Because the check reads nothing but the journal, it
can be asked again about any part of it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Breach:
    """One time that the forbidden thing happened. `evidence` is shown under the message."""

    message: str
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Journal(Generic[E]):
    """What a watch has seen: all that a check gets to know.

    `inspected` counts what was looked at, by unit (`{"command": 2, "line": 214}`). A check over nothing
    proves nothing, so a journal whose counts are all zero is a failure of its own.
    """

    subject: str
    entries: tuple[E, ...]
    inspected: Mapping[str, int] = field(default_factory=dict)

    @property
    def looked_at(self) -> str:
        """For people: `2 commands, 214 lines`."""
        counts = (f"{count} {unit}{'' if count == 1 else 's'}" for unit, count in self.inspected.items())
        return ", ".join(counts) or "nothing"

    @property
    def is_empty(self) -> bool:
        return not any(self.inspected.values())


class Watch(Generic[E]):
    """Keeps the journal of one negative step from arming to the end of the scenario.

    Subclass it: `look` is called after every step and once more before the check; record there what is to be
    seen, or from wherever the observation comes. `close` gives back what `__init__` took.
    """

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.entries: list[E] = []
        self.inspected: dict[str, int] = {}

    def record(self, entry: E) -> None:
        self.entries.append(entry)

    def count(self, unit: str, number: int = 1) -> None:
        """Add to what was looked at; the unit is in the singular."""
        self.inspected[unit] = self.inspected.get(unit, 0) + number

    def look(self) -> None:
        """Take note of what can be seen now."""

    def close(self) -> None:
        """Stop watching."""

    def journal(self, start: int = 0, stop: int | None = None) -> Journal[E]:
        """The entries from `start` to `stop`, as a value."""
        return Journal(self.subject, tuple(self.entries[start:stop]), dict(self.inspected))


Check = Callable[[Journal[Any]], Iterable[Breach]]
Arm = Callable[..., Watch[Any]]


class Negative:
    """A negative step: the function under `@never`, waiting for its `@….check`."""

    def __init__(self, arm: Arm) -> None:
        functools.update_wrapper(self, arm)
        self._arm = arm
        self._check: Check | None = None

    def check(self, function: Check) -> Check:
        """Decorator: how to judge a journal. Pure; no fixtures, no files, no clock."""
        if self._check is not None:
            raise TypeError(f"{self.name} has a check already")
        self._check = function
        return function

    @property
    def name(self) -> str:
        return self._arm.__name__

    @property
    def is_complete(self) -> bool:
        return self._check is not None

    def arm(self, arguments: Mapping[str, object]) -> Watch[Any]:
        watch = self._arm(**arguments)
        if not isinstance(watch, Watch):
            raise TypeError(f"{self.name} must return a Watch, not {type(watch).__name__}")
        return watch

    def judge(self, journal: Journal[Any]) -> Sequence[Breach]:
        if self._check is None:
            raise TypeError(f"{self.name} has no check: write one under @{self.name}.check")
        return list(self._check(journal))

    def __call__(self, *_args: object, **_kwargs: object) -> None:
        raise RuntimeError(
            f"{self.name} is a negative step, which only Goalkeeper can arm: "
            "let pytest collect the goal file itself instead of binding it with pytest-bdd's scenarios()"
        )
