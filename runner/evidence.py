"""What a scenario leaves for the person who has to find out why it failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

_SHOWN_LINES = 40
_SHOWN_COLUMNS = 1000


Outcome = Literal["ok", "failed", "unknown"]


def _nobody(_kind: str, _outcome: Outcome, _facts: dict[str, Any]) -> None:
    """Where no run record is kept."""


@dataclass(frozen=True)
class Entry:
    """One thing that happened. The text is asked for only when it is to be shown."""

    title: str
    text: Callable[[], str]
    subject: str = ""


@dataclass
class Evidence:
    """Kept per scenario. `path` is set by whoever keeps files for it."""

    path: Path | None = None
    entries: list[Entry] = field(default_factory=list)
    sink: Callable[[str, Outcome, dict[str, Any]], None] = _nobody

    def attach(self, title: str, text: Callable[[], str], subject: str = "") -> None:
        """Keep what happened. The last entry is shown with its text, and so is the last of each subject.

        A program that runs beside the others is a subject: what it printed matters whatever came after.
        """
        self.entries.append(Entry(title, text, subject))

    def observe(self, kind: str, outcome: Outcome, **facts: Any) -> None:
        """Put on record what a system did: a command and its exit code, a request and its status.

        Facts are JSON values. An outcome is unknown where what was asked for may or may not have taken
        effect, as after a command that was killed.
        """
        self.sink(kind, outcome, facts)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """While the block runs, what happens is no part of the scenario: nothing of it is told or kept."""
        sink, entries = self.sink, len(self.entries)
        self.sink = _nobody
        try:
            yield
        finally:
            self.sink = sink
            del self.entries[entries:]

    def data(self) -> list[dict[str, str]]:
        """The titles of all entries; of the last one, and of the last of each subject, the text too."""
        last = {entry.subject: number for number, entry in enumerate(self.entries) if entry.subject}
        told = {*last.values(), len(self.entries) - 1}
        return [
            {"title": entry.title, "text": shorten(_text(entry)) if number in told else ""}
            for number, entry in enumerate(self.entries)
        ]


def _text(entry: Entry) -> str:
    """A report must come about even where the evidence for it is gone."""
    try:
        return entry.text()
    except Exception as error:
        return f"this can't be shown: {error}"


def shorten(text: str, most: int = _SHOWN_LINES) -> str:
    """The last lines of a long text, the beginning of a long line, and a word on what was left out."""
    lines = text.splitlines()
    if len(lines) <= most and all(len(line) <= _SHOWN_COLUMNS for line in lines):
        return text
    more = len(lines) - most
    left_out = [f"… {more} line{'' if more == 1 else 's'} before this"] if more > 0 else []
    return "\n".join([*left_out, *(_cut(line) for line in lines[-most:])])


def _cut(line: str) -> str:
    more = len(line) - _SHOWN_COLUMNS
    return f"{line[:_SHOWN_COLUMNS]} … {more} characters more" if more > 0 else line
