"""What a step has taken note of, for a later step to compare with."""

from __future__ import annotations

from typing import Any

from .failure import StepFailed
from .problem import nearest


class Notes:
    """One note for each thing, by what a step calls it: `file "a.txt"`. A later note replaces it."""

    def __init__(self) -> None:
        self._notes: dict[str, Any] = {}

    def take(self, title: str, noted: Any) -> None:
        self._notes[title.replace("\\", "/")] = noted

    def of(self, title: str) -> Any:
        known = title.replace("\\", "/")
        if known not in self._notes:
            message = f"nobody has taken note of {title}: there is nothing to compare it with"
            near = [f"there is a note of {other}" for other in nearest(known, self._notes, most=1)]
            raise StepFailed(message, notes=[*near, f"write before it: I note {title}"])
        return self._notes[known]
