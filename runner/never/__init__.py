"""Negative steps: armed before the first When, watched, judged at the end, and shown to be able to fail.

A negative step has three parts. Its arming function returns a `Watch`, which keeps a journal of what it sees;
its check is a pure function from that journal to breaches; its violations do the forbidden thing. Because the
check reads nothing but the journal, it can be asked again after each violation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from .marks import Mark, mark

E = TypeVar("E")
F = TypeVar("F", bound=Callable[..., Any])
Strength = Literal["gross", "minimal"]
STRENGTHS: tuple[Strength, Strength] = ("gross", "minimal")


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

    A watch outlives the violations that are tried on it: attributes that are plain values or containers are
    put back after each, and so are parts that have a `mark` method of their own.
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

    def skip(self) -> None:
        """Let what has happened go by: a violation was undone, and what is noted now is put back at once.

        Override it where to look takes long, and looking away is enough.
        """
        self.look()

    def close(self) -> None:
        """Stop watching."""

    def mark(self) -> Mark:
        """Remember how things stand; what is returned puts them back, whatever was seen meanwhile."""
        return mark(self)

    def journal(self) -> Journal[E]:
        """All that was seen until now, as a value."""
        return Journal(self.subject, tuple(self.entries), dict(self.inspected))


@dataclass(frozen=True, slots=True)
class Witness:
    """What was seen of a violation by other means than those of the check.

    `effect` is whether the forbidden thing did happen, `saw` tells how that is known. `trace` is something
    that a breach must show, in its message or below it, if it is for this violation that it was raised: the
    commit it made, a word made up for it. A check that fires without it fires for another reason.
    """

    saw: str
    effect: bool
    trace: str = ""

    @classmethod
    def of(cls, what: str, before: object, after: object, trace: str = "") -> Witness:
        """That something is not what it was before."""
        return cls(f"{what} was {before!r}, is {after!r}", before != after, trace)


Check = Callable[[Journal[Any]], Iterable[Breach]]
Arm = Callable[..., Watch[Any]]
Act = Callable[..., Witness | Iterator[Witness]]


@dataclass(frozen=True)
class Violation:
    """Code that does the forbidden thing. `implies` are other negative steps that it breaks by its nature."""

    strength: Strength
    act: Act
    implies: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.act.__name__


class Negative:
    """A negative step: the function under `@never`, waiting for its `@….check` and its `@….violation`."""

    def __init__(self, arm: Arm) -> None:
        functools.update_wrapper(self, arm)
        self._arm = arm
        self._check: Check | None = None
        self.violations: list[Violation] = []

    def check(self, function: Check) -> Check:
        """Decorator: how to judge a journal. Pure; no fixtures, no files, no clock."""
        if self._check is not None:
            raise TypeError(f"{self.name} has a check already")
        self._check = function
        return function

    def violation(self, strength: Strength, *, implies: Iterable[str] = ()) -> Callable[[F], F]:
        """Decorator: how to do the forbidden thing in the sandbox, by other means than those of the check.

        The function gets what it asks for by name: values of the step, a table, fixtures. It returns a
        `Witness`, or yields one and then undoes what is no file of the sandbox; files are put back for it.
        A gross violation is what nobody could miss, a minimal one the least that still counts.

        `implies` names other negative steps that this violation can't help breaking: by the name of the
        function in the same library, or `files.directory_changes`, or `files.*`.
        """
        if strength not in STRENGTHS:
            raise TypeError(f"a violation is gross or minimal, not {strength!r}")

        def decorator(function: F) -> F:
            if any(known.name == function.__name__ for known in self.violations):
                raise TypeError(f"{self.name} has a violation {function.__name__} already")
            self.violations.append(Violation(strength, function, tuple(implies)))
            return function

        return decorator

    @property
    def name(self) -> str:
        return self._arm.__name__

    @property
    def arm_function(self) -> Arm:
        return self._arm

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
