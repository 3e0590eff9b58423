"""What a branch comes to have in its history, be it for a moment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...runner.changes import Changes
from ...runner.never import Breach, Journal
from .markers import is_marker
from .refs import describe, short
from .refwatch import RefWatch
from .repository import Commit, Repository
from .watch import FollowingWatch


@dataclass(frozen=True)
class Fault:
    """What is wrong with a commit: `merge`, `file "x" at`."""

    commit: Commit
    what: str = "commit"
    evidence: str = ""


Find = Callable[[Repository, Sequence[Commit]], Iterable[Fault]]


@dataclass(frozen=True)
class Had:
    """A commit with a fault that a branch had; or may have had, while nothing tells where it was."""

    name: str
    fault: Fault
    in_doubt: bool = False

    def __str__(self) -> str:
        title, commit = describe(self.name), self.fault.commit
        if commit.is_gone:
            return f"{title} was at {short(commit.id)}, which is no longer stored, so that it can't be judged"
        told = f"{self.fault.what} {short(commit.id)} ({commit.subject})"
        if self.in_doubt:
            return f"{title} may have had {told}: it was for a moment at a commit of which nothing tells"
        return f"{title} had {told}"


class TipWatch(FollowingWatch[Had]):
    """Every commit that leads to a tip of one branch, from arming on, and what `find` has against it."""

    def __init__(self, repository: Repository, changes: Changes, name: str, find: Find) -> None:
        super().__init__(describe(name), RefWatch(repository.common, name, changes))
        self._repository, self._name, self._find = repository, name, find
        self._known = self._tips()
        self._count_moment()

    def judge(self, commits: Sequence[Commit]) -> None:
        """Some that the branch has when armed."""
        self._judge(self._name, commits)

    def history(self) -> list[Commit]:
        """What the branch has when armed."""
        return self._repository.new(self._known)

    def look(self) -> None:
        found = self._refs.changes()
        self._count_moment()
        for change in found:
            tips = [value for value in change.values if value not in self._known]
            if tips:
                self._judge(change.name, self._repository.new(tips, self._known))
                self._known.update(tips)
            if change.hidden:
                self._judge(change.name, self._candidates(), in_doubt=True)

    def _tips(self) -> set[str]:
        """Those whose history needs not be judged again."""
        return {ref.commit for name, ref in self._refs.refs.items() if name == self._name}

    def _candidates(self) -> list[Commit]:
        """What the branch may have had while nothing tells: all there is."""
        return self._repository.new(self._repository.stored(), self._known)

    def _count_moment(self) -> None:
        if self._refs.is_met:
            self.count("moment")

    def _judge(self, name: str, commits: Sequence[Commit], *, in_doubt: bool = False) -> None:
        if not in_doubt:
            self.count("commit", len(commits))
        gone = [Fault(one) for one in commits if one.is_gone]
        there = [one for one in commits if not one.is_gone]
        for fault in (*gone, *(self._find(self._repository, there) if there else ())):
            self.record(Had(name, fault, in_doubt))


class AllTipsWatch(TipWatch):
    """The same for all branches together: what is on any ref when armed was not made since."""

    def __init__(self, repository: Repository, changes: Changes, find: Find) -> None:
        self._before = repository.loose()
        super().__init__(repository, changes, "refs/heads/*", find)
        self.subject = repository.title

    def _tips(self) -> set[str]:
        head = self._repository.detached()
        return {ref.commit for ref in self._refs.refs.values()} | ({head} if head else set())

    def _candidates(self) -> list[Commit]:
        """What was made since and that nothing leads to: all else is on some branch, and judged there."""
        return self._repository.strays(self._before)


def no_such_commit(journal: Journal[Had]) -> list[Breach]:
    """Each once; what is certain goes before what is in doubt."""
    found: dict[tuple[str, str], Had] = {}
    for had in sorted(journal.entries, key=lambda had: had.in_doubt):
        found.setdefault((had.fault.commit.id, had.fault.what), had)
    return [Breach(str(had), had.fault.evidence) for had in found.values()]


def by_name(commit: str) -> Find:
    def find(_: Repository, commits: Sequence[Commit]) -> Iterator[Fault]:
        return (Fault(one) for one in commits if one.id == commit)

    return find


def by_subject(wanted: str) -> Find:
    expression = re.compile(".*".join(map(re.escape, wanted.split("*"))))

    def find(_: Repository, commits: Sequence[Commit]) -> Iterator[Fault]:
        return (Fault(one) for one in commits if expression.fullmatch(one.subject))

    return find


def merges(_: Repository, commits: Sequence[Commit]) -> Iterator[Fault]:
    return (Fault(one, "merge") for one in commits if len(one.parents) > 1)


def by_file(path: str) -> Find:
    def find(repository: Repository, commits: Sequence[Commit]) -> Iterator[Fault]:
        stdin = "".join(f"{one.id}:{path}\n" for one in commits)
        rows = repository.run("cat-file", "--batch-check=%(objecttype)", stdin=stdin).splitlines()
        for one, row in zip(commits, rows, strict=True):
            if not row.endswith(" missing"):
                yield Fault(one, f'file "{path}" at')

    return find


def markers(repository: Repository, commits: Sequence[Commit]) -> Iterator[Fault]:
    """The commits that add a conflict marker; of a merge, those that none of its parents has."""
    known = {one.id: one for one in commits}
    options = ("-r", "-c", "-p", "--root", "-U0", "--text", "--no-ext-diff", "--no-textconv", "--no-renames")
    stdin = "".join(f"{one.id}\n" for one in commits)
    commit, path, width = "", "", 0
    told: set[tuple[str, str]] = set()
    for line in repository.run("diff-tree", "--stdin", *options, stdin=stdin).split("\n"):
        if line in known:
            commit = line
        elif line.startswith("diff "):
            width = 0
        elif line.startswith("@@"):
            width = len(line) - len(line.lstrip("@")) - 1
        elif not width and line.startswith("+++ "):
            path = line.removeprefix("+++ ").strip('"\t').removeprefix("b/")
        elif (
            width and line.startswith("+" * width) and is_marker(line[width:]) and (commit, path) not in told
        ):
            told.add((commit, path))
            yield Fault(known[commit], f'a conflict marker in "{path}" at', line[width:])
