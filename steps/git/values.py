"""What refs stood for in between, read in the moment that they are written."""

from __future__ import annotations

import re
from pathlib import Path

from ...runner.changes import Change, Changes

_WHOLE = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?").fullmatch


class Values:
    """The values of each ref in their order, as far as they stood long enough to be read.

    A reflog tells more exactly. But a bare repository has none, and that of a deleted branch is gone.
    """

    def __init__(self, changes: Changes, common: Path) -> None:
        self._changes, self._common = changes, common
        self._seen: dict[str, list[str]] = {}
        changes.follow(common / "refs", self._changed, tree=True)

    def take(self) -> dict[str, tuple[str, ...]]:
        """What was read since this was last asked."""
        with self._changes.settled():
            taken, self._seen = self._seen, {}
        return {name: tuple(values) for name, values in taken.items()}

    def close(self) -> None:
        self._changes.leave(self._changed)

    def _changed(self, change: Change) -> None:
        if change.what not in ("closed", "appeared", "created") or change.path.suffix == ".lock":
            return
        try:
            text = change.path.read_text(encoding="utf-8", errors="surrogateescape").strip()
        except OSError:
            return
        known = self._seen.setdefault(change.path.relative_to(self._common).as_posix(), [])
        if _WHOLE(text) and text not in known[-1:]:
            known.append(text)
