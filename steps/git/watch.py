"""What the negative steps keep watch over."""

from __future__ import annotations

from dataclasses import dataclass

from ...runner.never import Watch
from .refs import Change, describe, short
from .refwatch import RefWatch
from .repository import Repository


class NameWatch(Watch[Change]):
    """All that becomes of the branches or tags of one name, or of one pattern of names."""

    def __init__(self, repository: Repository, pattern: str) -> None:
        super().__init__(describe(pattern))
        self._refs = RefWatch(repository.common, pattern)
        self.count("moment")

    def look(self) -> None:
        self.count("moment")
        for change in self._refs.changes():
            self.record(change)

    def close(self) -> None:
        self._refs.close()


class AppearanceWatch(NameWatch):
    """The same; what is there already when the scenario begins has appeared."""

    def __init__(self, repository: Repository, pattern: str, present: dict[str, str]) -> None:
        super().__init__(repository, pattern)
        for name, commit in present.items():
            self.record(Change(name, "appeared", None, commit))


@dataclass(frozen=True)
class Rewind:
    """A move of a branch to a commit that does not have the former one in its history."""

    change: Change
    old: str | None
    new: str | None

    def __str__(self) -> str:
        if self.new is None:
            return str(self.change)
        title, old, new = describe(self.change.name), short(self.old), short(self.new)
        return f"{title} went from {old} to {new}, which does not have it in its history"


class HistoryWatch(Watch[Rewind]):
    """Every move of a branch that is not forward."""

    def __init__(self, repository: Repository, name: str) -> None:
        super().__init__(describe(name))
        self._repository = repository
        self._refs = RefWatch(repository.common, name)
        self.count("moment")

    def look(self) -> None:
        self.count("moment")
        for change in self._refs.changes():
            self.count("move")
            for old, new in self._moves(change):
                if not self._is_forward(old, new):
                    self.record(Rewind(change, old, new))

    def _moves(self, change: Change) -> list[tuple[str | None, str | None]]:
        """Each by itself as the reflog has them, and the whole in case that it does not have them all."""
        if change.how not in ("moved", "appeared"):
            return [(change.old, None)]
        return [*((move.old, move.new) for move in change.log), (change.old, change.new)]

    def _is_forward(self, old: str | None, new: str | None) -> bool:
        if old is None or old == new:
            return True
        return new is not None and self._repository.is_ancestor(old, new)

    def close(self) -> None:
        self._refs.close()


@dataclass(frozen=True)
class Lost:
    """A commit that no branch, tag or HEAD leads to any more; `name` had it last, as far as is known."""

    commit: str
    title: str
    name: str

    def __str__(self) -> str:
        return f"commit {short(self.commit)} ({self.title}) is lost; it was on {describe(self.name)}"


class CommitWatch(Watch[Lost]):
    """Every commit that a branch or tag has, from arming on, at each look or by its reflog."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository.title)
        self._repository = repository
        self._refs = RefWatch(repository.common)
        self._known = {ref.commit: name for name, ref in self._refs.refs.items()}
        self.count("commit", len(repository.history(self._known)))

    def look(self) -> None:
        changes = self._refs.changes()
        for change in changes:
            for commit in (change.old, change.new, *(move.new for move in change.log)):
                if commit is not None and commit not in self._known:
                    self._known[commit] = change.name
                    self.count("commit")
        if changes:
            for tip, title in self._repository.unreachable(self._known):
                self.record(Lost(tip, title, self._known[tip]))

    def close(self) -> None:
        self._refs.close()
