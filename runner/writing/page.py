"""The lines of a goal file in the making, with the comments of the old one woven in."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

INDENT = "  "


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, with its `#`. One that `closes` stands at the end of a block, before an empty line."""

    text: str
    line: int
    closes: bool = False


class Page:
    """Takes lines from top to bottom; a comment goes where the line is that it stood above."""

    def __init__(self, comments: Iterable[Comment] = (), *, beside: bool = False) -> None:
        self._comments = deque(sorted(comments, key=lambda comment: comment.line))
        self._beside = beside
        self._depth = 0
        self.lines: list[str] = []

    def put(self, depth: int, text: str, line: int = 0) -> None:
        """Write one line; `line` is where it stood in the old file."""
        self._depth = depth
        while self._comments and self._comments[0].line < line:
            self._write(self._comments.popleft().text)
        if line and self._comments and self._comments[0].line == line:
            comment = self._comments.popleft()
            if self._beside:
                text = f"{text}  {comment.text}"
            else:
                self._write(comment.text)
        self._write(text)

    def gap(self, line: int = 0) -> None:
        """An empty line before a new block; what closes the block before it is written first."""
        while self._comments and self._comments[0].line < line and self._comments[0].closes:
            self._write(self._comments.popleft().text)
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def text(self) -> str:
        """Everything, the comments at the end included."""
        while self._comments:
            self._write(self._comments.popleft().text)
        return "\n".join([*self.lines, ""])

    def _write(self, text: str) -> None:
        self.lines.append(f"{INDENT * self._depth}{text}" if text else "")
