"""What a scenario leaves for the person who has to find out why it failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

_SHOWN_LINES = 40


@dataclass(frozen=True)
class Entry:
    """One thing that happened. The text is asked for only when it is to be shown."""

    title: str
    text: Callable[[], str]


@dataclass
class Evidence:
    """Kept per scenario. `path` is set by whoever keeps files for it."""

    path: Path | None = None
    entries: list[Entry] = field(default_factory=list)

    def attach(self, title: str, text: Callable[[], str]) -> None:
        self.entries.append(Entry(title, text))

    def data(self) -> list[dict[str, str]]:
        """The titles of all entries, and of the last one the text too: its end, if it is long."""
        shown = [{"title": entry.title, "text": ""} for entry in self.entries]
        if shown:
            shown[-1]["text"] = shorten(self.entries[-1].text())
        return shown


def shorten(text: str, most: int = _SHOWN_LINES) -> str:
    """The last lines of a long text, and a word on what was left out."""
    lines = text.splitlines()
    if len(lines) <= most:
        return text
    return "\n".join([f"… {len(lines) - most} lines before this", *lines[-most:]])
