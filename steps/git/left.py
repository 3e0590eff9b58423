"""What is left behind at the end."""

from __future__ import annotations

from collections.abc import Callable

from ...runner.never import Breach, Journal, Watch
from .refs import short
from .repository import Repository

Left = tuple[str, ...]
_HEADS = "refs/heads/"


class LeftWatch(Watch[Left]):
    """What can be found of a kind, each time that it is something else; the last is what counts."""

    def __init__(self, subject: str, find: Callable[[], Left]) -> None:
        super().__init__(subject)
        self._find = find
        self.look()

    def look(self) -> None:
        self.count("moment")
        found = self._find()
        if found != (self.entries[-1] if self.entries else ()):
            self.record(found)

    def skip(self) -> None:
        """Only what is there in the end counts."""


def nothing_left(journal: Journal[Left]) -> list[Breach]:
    last = journal.entries[-1] if journal.entries else ()
    return [Breach(f"{journal.subject} is left behind: {one}") for one in last]


def branches(repository: Repository, pattern: str = "*") -> LeftWatch:
    """The branches that were not there when the scenario began."""
    before = repository.refs().keys()

    def find() -> Left:
        return tuple(
            f"{name.removeprefix(_HEADS)}, at {short(commit)}"
            for name, commit in repository.matching(f"{_HEADS}{pattern}").items()
            if name not in before
        )

    return LeftWatch("a branch", find)


def locks(repository: Repository) -> LeftWatch:
    return LeftWatch("a lock", lambda: tuple(repository.locks()))
