"""The text of a goal file, and what both spellings do with it."""

from __future__ import annotations

import codecs
import io
import textwrap
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..goal import GOAL_ID, Goal, Place, Tag, tier_of
from ..problem import GoalError, Problem


@dataclass(frozen=True)
class GoalFileText:
    path: Path
    text: str
    problems: tuple[Problem, ...] = ()

    @cached_property
    def lines(self) -> list[str]:
        """The lines as the parser of this spelling counts them: for Gherkin, a form feed ends no line."""
        if self.path.name.endswith(".feature"):
            return [line.rstrip("\r\n") for line in io.StringIO(self.text)]
        return self.text.splitlines()


@dataclass(frozen=True)
class Parsed:
    """What became of a goal file: a goal, or problems, or a goal with problems."""

    goal: Goal | None
    source: GoalFileText
    problems: tuple[Problem, ...] = ()

    def unwrap(self) -> Goal:
        """The goal, or GoalError with everything that is wrong."""
        if self.goal is None or self.problems:
            raise GoalError(self.source.path, self.problems, self.source.lines)
        return self.goal


def read_text(path: Path) -> GoalFileText:
    """The file as text, without a byte order mark; bytes that are no UTF-8 are a problem, not a crash."""
    try:
        if not path.is_file() and (path.is_fifo() or path.is_socket() or path.is_char_device()):
            raise OSError("it is no regular file")
        data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        reason = error.strerror or str(error)
        return GoalFileText(
            path, "", (Problem("unreadable", Place(1), f"this file can't be read: {reason}"),)
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8: save the file as UTF-8"
        text = data.decode("utf-8", "replace")
        return GoalFileText(path, text, (Problem("not-utf8", Place(line, column), message),))
    return GoalFileText(path, text)


@dataclass
class GoalTags:
    """A feature's tags, sorted into the fields of the template they carry."""

    id: str = ""
    tier: int | None = None
    tier_stated: bool = False
    tier_place: Place = field(default_factory=lambda: Place(1))
    scope: list[str] = field(default_factory=list)
    owner: str = ""
    ci: list[str] = field(default_factory=list)
    rest: list[Tag] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def sort(cls, tags: list[Tag], place: Place) -> GoalTags:
        found = cls()
        for tag in tags:
            found._take(tag)
        if not found.id:
            found.problems.append(
                Problem(
                    "no-goal-id", place, "a goal needs an id", hints=("write a tag above it, such as @G1.1",)
                )
            )
        elif found.tier is None:
            found.tier = tier_of(found.id)
        elif found.tier != tier_of(found.id):
            found.problems.append(tier_mismatch(found.id, found.tier, found.tier_place, len("@tier0")))
        return found

    def _take(self, tag: Tag) -> None:
        key, colon, value = tag.name.partition(":")
        if GOAL_ID.fullmatch(tag.name):
            if self.id:
                message = f"a second goal id: this file is {self.id} already. One file, one goal"
                self.problems.append(Problem("two-goal-ids", tag.place, message, span=len(tag.name) + 1))
            self.id = self.id or tag.name
        elif tag.name in ("tier0", "tier1", "tier2"):
            self.tier = int(tag.name[-1])
            self.tier_stated, self.tier_place = True, tag.place
        elif colon and key == "scope":
            self.scope.append(value)
        elif colon and key == "owner":
            self.owner = value
        elif colon and key == "ci":
            self.ci.append(value)
        else:
            self.rest.append(tag)


def tier_mismatch(goal_id: str, tier: int, place: Place, span: int = 0) -> Problem:
    message = f"{goal_id} is a goal of tier {tier_of(goal_id)} by its id, but is marked as tier {tier}"
    return Problem("tier-mismatch", place, message, span=span)


def split_description(description: str) -> tuple[str, str, str]:
    """Statement, hook and the rest of a description; a field runs to the next field or blank line."""
    fields: dict[str, list[str]] = {"Expect:": [], "Hook:": []}
    rest: list[str] = []
    current = rest
    for line in textwrap.dedent(description).strip("\n").splitlines():
        body = line.strip()
        label = next((label for label in fields if body.startswith(label)), None)
        if label is not None:
            current = fields[label]
            body = body.removeprefix(label).strip()
        elif not body:
            current = rest
        if body or current is rest:
            current.append(line.rstrip() if current is rest else body)
    return one_line(" ".join(fields["Expect:"])), one_line(" ".join(fields["Hook:"])), tidy("\n".join(rest))


def one_line(text: str) -> str:
    """Text whose line breaks and repeated spaces mean nothing."""
    return " ".join(text.split())


def tidy(text: str) -> str:
    """A description without the indent, the empty lines around it and spaces at line ends."""
    lines = textwrap.dedent(text).strip("\n").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n")
