"""What is wrong in a goal file, where, and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .goal import Place

# Characters that would move the cursor or colour a terminal are shown, not sent: goals come from strangers.
_SHOWN = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | dict.fromkeys(
    (0x7F, *range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD
)
_WIDEST = 240


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
            line = lines[self.place.line - 1].translate(_SHOWN)
            body = line.lstrip()
            # The indent is folded to four columns and tabs inside are kept: the marker stands under its text.
            offset = max(0, self.place.column - 1 - (len(line) - len(body)))
            if len(body) > _WIDEST:
                start = max(0, min(offset - _WIDEST // 4, len(body) - _WIDEST))
                offset -= max(0, start - 1)
                body = f"{'…' if start else ''}{body[start : start + _WIDEST]}…"
            span = max(1, min(self.span or len(body.rstrip()) - offset, len(body.rstrip()) - offset))
            pad = "".join("\t" if char == "\t" else " " for char in body[:offset].ljust(offset))
            out += [f"    {body.rstrip()}", f"    {pad}{'^' * span}"] if body else []
        out.append(self.message)
        out += self.hints
        return printable("\n".join(out))


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


def printable(text: str) -> str:
    """Text as a terminal may have it; what is no UTF-8 in the name of a file becomes question marks."""
    return text.translate(_SHOWN).encode("utf-8", "replace").decode("utf-8")


def nearest(word: str, known: Iterable[str], most: int = 3, cutoff: float = 0.6) -> list[str]:
    """The known words most like this one, best first."""
    return difflib.get_close_matches(word, list(known), n=most, cutoff=cutoff)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` Did you mean "x"?`, or nothing where no known word is near."""
    close = nearest(word, known, most=1)
    return f' Did you mean "{close[0]}"?' if close else ""
