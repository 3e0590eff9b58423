"""Conflict markers: what a merge leaves in a file for somebody to resolve."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ...runner.changes import Changes
from ...runner.changes.versions import AFTER, START, Version, Versions
from ...runner.never import Breach, Journal, Watch

# A line of seven equal signs is none by itself: it underlines headings.
_MARKER = re.compile(rb"^(?:<{7}|>{7}|\|{7})(?: .*|\r?)$", re.MULTILINE)


def is_marker(line: str) -> bool:
    return _MARKER.match(line.encode("utf-8", "surrogateescape")) is not None


@dataclass(frozen=True)
class Marked:
    """A version of a file that has a conflict marker, and the first of them."""

    when: str
    line: str


class MarkerWatch(Watch[Marked]):
    """Every version of one file of the working tree."""

    def __init__(self, changes: Changes, path: Path, name: str) -> None:
        super().__init__(f'file "{name}"')
        self._changes = changes
        self._when = START
        self._versions = Versions(changes, path, self._told)
        self.look()
        self._when = AFTER

    def look(self) -> None:
        with self._changes.settled():
            self._versions.look(self._when)
            if self._versions.unread and self.inspected:
                self.inspected["unread version"] = self._versions.unread

    def close(self) -> None:
        self._versions.close()

    def _told(self, version: Version) -> None:
        if version.content is None:
            return
        self.count("version" if self._changes.live else "isolated version")
        found = _MARKER.search(version.content)
        if found is not None:
            number = version.content.count(b"\n", 0, found.start()) + 1
            self.record(Marked(version.when, f"line {number}: {found[0].decode('utf-8', 'replace').strip()}"))


def no_marker(journal: Journal[Marked]) -> list[Breach]:
    found = {marked.line: marked for marked in reversed(journal.entries)}
    return [
        Breach(f"{journal.subject} had a conflict marker {marked.when}", marked.line)
        for marked in [*found.values()][::-1]
    ]
