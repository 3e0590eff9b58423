"""Whether a working tree is what its last commit says, at every moment as far as that can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...runner.changes import Change, Changes
from ...runner.changes.versions import AFTER, DURING, START
from ...runner.failure import StepFailed
from ...runner.never import Breach, Journal, Watch
from .refs import git_directory
from .repository import Repository

# Of git's own files, those that say what the working tree is compared with, or what is ignored.
_HEADS = ("HEAD", "logs/HEAD", "packed-refs")
_OTHERS = ("index", "info/exclude", "config")


@dataclass(frozen=True)
class Dirt:
    """A file that was not as the last commit has it. `how` is as `git status --short` tells it."""

    path: str
    how: str
    when: str


class TreeWatch(Watch[Dirt]):
    """Asks git whenever something has stirred, and holds against it what was touched and put back.

    Where HEAD or its branch was moved meanwhile, git itself may have been what touched files: of those that
    are clean at the end nothing is said then.
    """

    def __init__(self, repository: Repository, changes: Changes) -> None:
        if repository.is_bare:
            raise StepFailed(f"{repository.title} is bare: it has no working tree")
        super().__init__(f"the worktree of {repository.title}")
        self._repository, self._changes = repository, changes
        self._git = git_directory(repository.path)
        self._created: set[Path] = set()
        self._touched: set[Path] = set()
        self._stirred = True
        self._moved = False
        self._when = START
        changes.follow(repository.path, self._changed, tree=True)
        if not self._git.is_relative_to(repository.path):
            changes.follow(self._git, self._changed, tree=True)
            changes.follow(repository.common / "refs", self._changed, tree=True)
        self.look()
        self._when = AFTER

    def look(self) -> None:
        live = self._changes.live
        self.count("moment" if live else "isolated moment")
        touched, moved, stirred = self._take()
        dirty = (
            {line[3:].strip('"'): line[:2] for line in self._repository.status()}
            if stirred or not live
            else {}
        )
        for path, how in dirty.items():
            self.record(Dirt(path, how, self._when))
        for path in self._meant(touched - {self._repository.path / path for path in dirty}, moved):
            self.record(Dirt(path, "", DURING))

    def skip(self) -> None:
        self._take()

    def _take(self) -> tuple[set[Path], bool, bool]:
        """What was touched since this was last asked, whether HEAD has moved, whether anything matters."""
        with self._changes.settled():
            taken = {*self._touched}, self._moved, self._stirred
            self._touched.clear()
            self._created.clear()
            self._moved = self._stirred = False
        return taken

    def close(self) -> None:
        self._changes.leave(self._changed)

    def _meant(self, touched: set[Path], moved: bool) -> list[str]:
        """The files that were touched and are clean now, without those that git ignores."""
        if moved or not touched:
            return []
        names = sorted(path.relative_to(self._repository.path).as_posix() for path in touched)
        stdin = "".join(f"{name}\0" for name in names)
        answer = self._repository.git.ask(self._repository.path, "check-ignore", "-z", "--stdin", stdin=stdin)
        ignored = {*answer.stdout.split("\0")}
        return [name for name in names if name not in ignored]

    def _changed(self, change: Change) -> None:
        path, what = change.path, change.what
        if path.is_relative_to(self._git) or path.is_relative_to(self._repository.common):
            self._changed_in_git(path)
        elif what != "attributes" and path.name != ".git":
            self._stirred = True
            if what == "created":
                self._created.add(path)
            elif (
                what in ("written", "appeared")
                or (what == "closed" and path in self._created)
                or (what == "gone" and path.is_file())
            ):
                self._touched.add(path)

    def _changed_in_git(self, path: Path) -> None:
        for folder in (self._git, self._repository.common):
            if path.is_relative_to(folder):
                name = path.relative_to(folder).as_posix()
                self._moved |= name in _HEADS or name.startswith("refs/heads/")
                self._stirred |= self._moved or name in _OTHERS


def never_dirty(journal: Journal[Dirt]) -> list[Breach]:
    """One for each time of looking, with the first of the files; those that were dirty before are not new."""
    found: dict[str, dict[str, Dirt]] = {}
    for dirt in journal.entries:
        if not any(dirt.path in paths for paths in found.values()):
            found.setdefault(dirt.when, {})[dirt.path] = dirt
    breaches = []
    for when, paths in found.items():
        lines = [f"{dirt.how or '  '} {path}" for path, dirt in [*paths.items()][:8]]
        more = [f"and {len(paths) - 8} more"] if len(paths) > 8 else []
        breaches.append(Breach(f"{journal.subject} was dirty {when}", "\n".join([*lines, *more])))
    return breaches
