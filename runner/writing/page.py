"""The lines of a goal file in the making, with the comments of the old one woven in."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable
from dataclasses import dataclass

INDENT = "  "


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, with its `#`. One that `closes` stands at the end of a block, before an empty line."""

    text: str
    line: int
    closes: bool = False


class Page:
    """Takes lines from top to bottom; a comment goes where the line is that it stood above or beside.

    `beside` has the lines, of the old file, that a comment may stand behind.
    """

    def __init__(self, comments: Iterable[Comment] = (), beside: Container[int] = ()) -> None:
        ordered = sorted(comments, key=lambda comment: comment.line)
        self._above = deque(comment for comment in ordered if comment.line not in beside)
        self._beside = {comment.line: comment for comment in ordered if comment.line in beside}
        self._depth = 0
        self.written: set[int] = set()
        self.lines: list[str] = []

    def put(self, depth: int, text: str, line: int = 0) -> None:
        """Write one line; `line` is where it stood in the old file."""
        self._depth = depth
        while self._above and self._above[0].line <= line:
            self._write(self._above.popleft().text)
        comment = self._beside.pop(line, None)
        self._write(text if comment is None else f"{text}  {comment.text}")
        self.written.add(line)

    def gap(self, line: int = 0) -> None:
        """An empty line before a new block; what closes the block before it is written first."""
        while self._above and self._above[0].line < line and self._above[0].closes:
            self._write(self._above.popleft().text)
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def text(self) -> str:
        """Everything, the comments at the end included."""
        while self._above:
            self._write(self._above.popleft().text)
        return "\n".join([*self.lines, ""])

    def _write(self, text: str) -> None:
        self.lines.append(f"{INDENT * self._depth}{text}" if text else "")
