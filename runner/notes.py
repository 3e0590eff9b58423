"""What a step has taken note of, for a later step to compare with."""

from __future__ import annotations

from typing import Any

from .failure import StepFailed
from .problem import did_you_mean


class Notes:
    """One note for each thing, by what a step calls it: `file "a.txt"`. A later note replaces it."""

    def __init__(self) -> None:
        self._notes: dict[str, Any] = {}

    def take(self, title: str, noted: Any) -> None:
        self._notes[title] = noted

    def of(self, title: str) -> Any:
        if title not in self._notes:
            hint = did_you_mean(title, self._notes).replace('""', '"')
            message = f"nobody has taken note of {title}: there is nothing to compare it with.{hint}"
            raise StepFailed(message, notes=[f"write before it: I note {title}"])
        return self._notes[title]
