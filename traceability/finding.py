"""Something that makes a verdict or a gate red, where it is, and what to type next."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """`unreadable` tells what could not be judged at all from what was judged and found wanting."""

    rule: str
    message: str
    hint: str = ""
    goal: str = ""
    file: str = ""
    line: int = 0
    unreadable: bool = False

    @property
    def place(self) -> str:
        """`file:line`, as far as they are known."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def data(self) -> dict[str, Any]:
        return asdict(self)
