"""What the negative steps keep watch over: names, and the commits that they stood for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from ...runner.changes import Changes
from ...runner.never import Breach, Journal, Watch
from .refs import Change, describe, short
from .refwatch import RefWatch
from .repository import Repository

E = TypeVar("E")


class FollowingWatch(Watch[E]):
    """Watches refs."""

    def __init__(self, subject: str, refs: RefWatch) -> None:
        super().__init__(subject)
        self._refs = refs

    def skip(self) -> None:
        self._refs.changes()

    def close(self) -> None:
        self._refs.close()


class NameWatch(FollowingWatch[Change]):
    """All that becomes of the branches or tags of one name, or of one pattern of names."""

    def __init__(self, repository: Repository, pattern: str) -> None:
        super().__init__(describe(pattern), RefWatch(repository.common, pattern))
        self.count("moment")

    def look(self) -> None:
        self.count("moment")
        for change in self._refs.changes():
            self.record(change)


class AppearanceWatch(NameWatch):
    """The same; what is there already when the scenario begins has appeared."""

    def __init__(self, repository: Repository, pattern: str, present: dict[str, str]) -> None:
        super().__init__(repository, pattern)
        for name, commit in present.items():
            self.record(Change(name, "appeared", None, commit))


def no_change(journal: Journal[Change]) -> list[Breach]:
    return list(dict.fromkeys(Breach(str(change), change.evidence) for change in journal.entries))


@dataclass(frozen=True)
class Rewind:
    """A move of a branch to a commit that does not have the former one in its history.

    `stray` is a commit that nothing leads to now, and that the branch may have had where nothing tells.
    """

    change: Change
    old: str | None
    new: str | None
    stray: str = ""

    def __str__(self) -> str:
        if self.stray:
            title = describe(self.change.name)
            return f"{title} may have been at {short(self.stray)}, which it does not have in its history"
        if self.new is None:
            return str(self.change)
        title, old, new = describe(self.change.name), short(self.old), short(self.new)
        return f"{title} went from {old} to {new}, which does not have it in its history"


class HistoryWatch(FollowingWatch[Rewind]):
    """Every move of a branch that is not forward."""

    def __init__(self, repository: Repository, changes: Changes, name: str) -> None:
        super().__init__(describe(name), RefWatch(repository.common, name, changes))
        self._repository = repository
        self._before = repository.loose()
        self.count("moment")

    def look(self) -> None:
        self.count("moment")
        for change in self._refs.changes():
            self.count("move")
            for old, new in dict.fromkeys(self._moves(change)):
                if not self._is_forward(old, new):
                    self.record(Rewind(change, old, new))
            if change.hidden and change.how == "moved":
                for stray in self._repository.strays(self._before):
                    self.record(Rewind(change, change.old, change.new, stray.id))

    def _moves(self, change: Change) -> Iterator[tuple[str | None, str | None]]:
        """Each by itself as the reflog has them, those that were read, and the whole in any case."""
        if change.how not in ("moved", "appeared"):
            yield change.old, None
            return
        yield from ((move.old, move.new) for move in change.log)
        yield from pairwise((change.old, *change.seen, change.new))
        yield change.old, change.new

    def _is_forward(self, old: str | None, new: str | None) -> bool:
        if old is None or old == new:
            return True
        return new is not None and self._repository.is_ancestor(old, new)


def no_rewind(journal: Journal[Rewind]) -> list[Breach]:
    found = (Breach(str(rewind), rewind.change.evidence) for rewind in journal.entries)
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Lost:
    """A commit that no branch, tag or HEAD leads to any more.

    `name` had it last, as far as is known; a stray may have been there, where nothing tells.
    """

    commit: str
    title: str
    name: str
    is_stray: bool = False

    def __str__(self) -> str:
        was = "may have been" if self.is_stray else "was"
        return f"commit {short(self.commit)} ({self.title}) is lost; it {was} on {describe(self.name)}"


class CommitWatch(FollowingWatch[Lost]):
    """Every commit that a branch or tag has, from arming on: at each look, and as is told in between."""

    def __init__(self, repository: Repository, changes: Changes) -> None:
        super().__init__(repository.title, RefWatch(repository.common, changes=changes))
        self._repository = repository
        self._known = {ref.commit: name for name, ref in self._refs.refs.items()}
        self._before = repository.loose()
        self.count("commit", len(repository.new(self._known)))

    def look(self) -> None:
        found = self._refs.changes()
        for change in found:
            for commit in change.values:
                if commit not in self._known:
                    self._known[commit] = change.name
                    self.count("commit")
        if found:
            for tip, title in self._repository.unreachable(self._known):
                self.record(Lost(tip, title, self._known[tip]))
        hidden = next((change.name for change in found if change.hidden), None)
        if hidden is not None:
            for stray in self._repository.strays(self._before):
                if stray.id not in self._known:
                    self.record(Lost(stray.id, stray.subject, hidden, is_stray=True))


def no_loss(journal: Journal[Lost]) -> list[Breach]:
    return [Breach(str(lost)) for lost in dict.fromkeys(journal.entries)]
