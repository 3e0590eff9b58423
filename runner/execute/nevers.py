"""The negative steps of one scenario while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..binding import BoundStep
from ..failure import StepFailed
from ..library import Definition
from ..never import Journal, Negative, Violation, Watch
from .calls import FAILURES, Calls

if TYPE_CHECKING:
    from ..never.proof import Armed


@dataclass(frozen=True)
class Never:
    """A negative step that is armed."""

    bound: BoundStep[Definition]
    negative: Negative
    watch: Watch[Any]
    arguments: dict[str, Any]


class Nevers:
    """Armed together, looking after every step, and closed together."""

    def __init__(self, bound: tuple[BoundStep[Definition], ...], calls: Calls) -> None:
        self._calls = calls
        self.steps = [(index, b) for index, b in enumerate(bound) if b.definition.negative is not None]
        self.armed: dict[int, Never] = {}

    def arm(self, index: int, bound: BoundStep[Definition]) -> None:
        negative = bound.definition.negative
        assert negative is not None
        arguments = self._calls.arguments(bound)
        self.armed[index] = Never(bound, negative, negative.arm(arguments), arguments)

    def look(self) -> Iterator[tuple[int, BaseException]]:
        """Let every watch look; those that can't are closed and told, and asked no more."""
        for index, never in [*self.armed.items()] if self.armed else ():
            try:
                never.watch.look()
            except FAILURES as error:
                del self.armed[index]
                never.watch.close()
                yield index, error

    @property
    def last_seen(self) -> object:
        """What every journal ends with: a watch may well put down at each look that nothing has changed."""
        return [never.watch.entries[-1:] for never in self.armed.values()]

    def for_proof(self) -> list[Armed]:
        return [self._for_proof(index, never) for index, never in self.armed.items()]

    def _for_proof(self, index: int, never: Never) -> Armed:
        from ..never.proof import Armed

        bound, definition = never.bound, never.bound.definition

        def act(violation: Violation) -> Any:
            return violation.act(**self._calls.others(bound, violation.act))

        name = f"{definition.library}.{never.negative.name}"
        return Armed(index, name, bound.step.text, never.negative, never.watch, act)

    def close(self) -> None:
        for never in self.armed.values():
            never.watch.close()


def verdict(negative: Negative, journal: Journal[Any], *_: object) -> None:
    """What a negative step says at the end, as if it were a step function."""
    __tracebackhide__ = True
    breaches = negative.judge(journal)
    if breaches:
        first, *others = breaches
        notes = [*_indented(first.evidence)]
        for breach in others:
            notes += [f"and {breach.message}", *_indented(breach.evidence)]
        raise StepFailed(first.message, notes=notes)
    if journal.is_empty:
        raise StepFailed("this check looked at nothing, so it could not have failed")


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.splitlines()]
