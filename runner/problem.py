"""What is wrong in a goal file, where, and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .goal import Place


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in one file. `span` is how many characters the marker underlines."""

    rule: str
    place: Place
    message: str
    span: int = 0
    hints: tuple[str, ...] = ()

    def render(self, name: str, lines: Sequence[str]) -> str:
        """As a person reads it: place, the line with a marker, what is wrong, what would help."""
        out = [f"{name}:{self.place.line}:{self.place.column}: {self.rule}"]
        if 1 <= self.place.line <= len(lines):
            line = lines[self.place.line - 1]
            body = line.lstrip()
            # The indent is folded to four columns and tabs inside are kept: the marker stands under its text.
            offset = max(0, self.place.column - 1 - (len(line) - len(body)))
            span = max(1, min(self.span or len(body.rstrip()) - offset, len(body.rstrip()) - offset))
            pad = "".join("\t" if char == "\t" else " " for char in body[:offset].ljust(offset))
            out += [f"    {body.rstrip()}", f"    {pad}{'^' * span}"]
        out.append(self.message)
        out += self.hints
        return "\n".join(out)


@dataclass(eq=False)
class GoalError(Exception):
    """A goal file that cannot be used, with everything that is wrong in it."""

    path: Path
    problems: Sequence[Problem]
    lines: Sequence[str] = field(default=(), repr=False)
    exit_code = 2

    def __str__(self) -> str:
        ordered = sorted(self.problems, key=lambda p: (p.place.line, p.place.column))
        return "\n\n".join(problem.render(str(self.path), self.lines) for problem in ordered)


def nearest(word: str, known: Iterable[str], most: int = 3, cutoff: float = 0.6) -> list[str]:
    """The known words most like this one, best first."""
    return difflib.get_close_matches(word, list(known), n=most, cutoff=cutoff)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` Did you mean "x"?`, or nothing where no known word is near."""
    close = nearest(word, known, most=1)
    return f' Did you mean "{close[0]}"?' if close else ""
