"""How a step says that something is not as it should be."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field


@dataclass(eq=False)
class StepFailed(AssertionError):  # noqa: N818 (it says what happened, as pytest's own do)
    """What a step found. Shown to people as it stands, without a traceback.

    `expected` and `actual` are the values compared; texts of several lines are shown as a diff.
    """

    message: str
    expected: str | None = None
    actual: str | None = None
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [self.message]
        if self.expected is not None and self.actual is not None:
            if "\n" in self.expected or "\n" in self.actual:
                lines += _diff(self.expected, self.actual)
            else:
                lines += [f"  expected: {self.expected}", f"  actual:   {self.actual}"]
        return "\n".join([*lines, *self.notes])


def _diff(expected: str, actual: str) -> list[str]:
    lines = difflib.unified_diff(
        expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="", n=3
    )
    return [f"  {line}" for line in lines] or [
        f"  expected: {expected!r}",
        f"  actual:   {actual!r}",
    ]
