"""Conflict markers: what a merge leaves in a file for somebody to resolve."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...runner.changes.versions import Version, VersionWatch
from ...runner.never import Breach, Journal

# A line of seven equal signs is none by itself: it underlines headings.
_MARKER = re.compile(rb"^(?:<{7}|>{7}|\|{7})(?: .*|\r?)$", re.MULTILINE)


def is_marker(line: str) -> bool:
    return _MARKER.match(line.encode("utf-8", "surrogateescape")) is not None


@dataclass(frozen=True)
class Marked:
    """A version of a file that has a conflict marker, and the first of them."""

    when: str
    line: str


class MarkerWatch(VersionWatch[Marked]):
    """Every version of one file of the working tree."""

    def told(self, version: Version) -> None:
        found = _MARKER.search(version.content) if version.content is not None else None
        if found is not None and version.content is not None:
            number = version.content.count(b"\n", 0, found.start()) + 1
            self.record(Marked(version.when, f"line {number}: {found[0].decode('utf-8', 'replace').strip()}"))


def no_marker(journal: Journal[Marked]) -> list[Breach]:
    found = {marked.line: marked for marked in reversed(journal.entries)}
    return [
        Breach(f"{journal.subject} had a conflict marker {marked.when}", marked.line)
        for marked in [*found.values()][::-1]
    ]
