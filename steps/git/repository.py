"""One repository of a scenario: what is in it, and how we commit to it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ...runner.failure import StepFailed
from ...runner.problem import did_you_mean
from .program import Answer, Git
from .refs import common_directory, full_name, git_directory, read, short
from .settings import identity

if TYPE_CHECKING:
    from git import Commit as Opened

_IN_PROGRESS = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}


_FEW = 100
GONE = "it is no longer stored"
_STASHED = re.compile(r"(WIP|index|untracked files) on [^:]+: |On [^:]+: ")


@dataclass(frozen=True)
class Commit:
    """A commit as `git rev-list` tells of it."""

    id: str
    parents: tuple[str, ...] = ()
    subject: str = ""
    is_gone: bool = False


@dataclass(frozen=True)
class Repository:
    """A working tree with its repository, or a bare one. `name` is how steps call it."""

    name: str
    path: Path
    git: Git

    @property
    def title(self) -> str:
        return "the repository" if self.name == "." else f'repository "{self.name}"'

    @cached_property
    def common(self) -> Path:
        """Where the refs are, which linked worktrees share."""
        found = common_directory(self.path)
        if found is None:
            raise StepFailed(f"{self.title} is not there: {self.path.name} is no git repository")
        return found

    @property
    def is_bare(self) -> bool:
        return self.common == self.path

    def run(self, *arguments: str, number: int | None = None, stdin: str | bytes = b"") -> str:
        return self.git.run(self.path, *arguments, number=number, stdin=stdin)

    def ask(self, *arguments: str, number: int | None = None) -> Answer:
        return self.git.ask(self.path, *arguments, variables={} if number is None else identity(number))

    def refs(self) -> dict[str, str]:
        """What all branches and tags stand for, by full names; without git, which takes longer."""
        if not (self.common / "reftable").exists():
            return {name: ref.commit for name, ref in sorted(read(self.common).items())}
        rows = self.run("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return {name: commit for name, _, commit in (row.rpartition(" ") for row in rows)}

    def branch(self, name: str) -> str:
        """The commit at the tip of a branch, of a remote's if there is none of our own; it must exist."""
        return self._ref(full_name(name, refs := self.refs()), refs, "branch")

    def branch_name(self, name: str) -> str:
        """The full name of a branch that exists."""
        self._ref(full := full_name(name, refs := self.refs()), refs, "branch")
        return full

    def tag(self, name: str) -> str:
        """The commit that a tag stands for, which may have an object of its own in between."""
        return self.commit(self.tag_name(name))

    def tag_name(self, name: str) -> str:
        """The full name of a tag that exists."""
        self._ref(full := f"refs/tags/{name}", self.refs(), "tag")
        return full

    def matching(self, pattern: str) -> dict[str, str]:
        """The refs of a full name, which may be a pattern: no ref has a * in its name."""
        return {name: commit for name, commit in self.refs().items() if fnmatchcase(name, pattern)}

    def describe(self, commit: str) -> str:
        """A commit for people: its hash and the first line of its message."""
        return f"{short(commit)} {self.ask('log', '-1', '--format=%s', commit).stdout.strip()}".rstrip()

    def _ref(self, full: str, refs: Mapping[str, str], kind: str) -> str:
        if full in refs:
            return refs[full]
        prefix = "refs/tags/" if kind == "tag" else "refs/heads/"
        name, known = full.removeprefix(prefix), names(refs, prefix)
        message = f'there is no {kind} "{name}" in {self.title}.{did_you_mean(name, known)}'
        raise StepFailed(
            message, notes=[f"there is: {', '.join(known[:10])}" if known else f"it has no {kind}"]
        )

    def commit(self, text: str) -> str:
        """The commit that a branch, a tag, a commit's name or anything else that git knows stands for."""
        refs = self.refs()
        if f"refs/heads/{text}" in refs and not {f"refs/{text}", f"refs/tags/{text}"} & refs.keys():
            return refs[f"refs/heads/{text}"]
        answer = self.ask("rev-parse", "--verify", "--quiet", f"{text}^{{commit}}")
        if answer.code:
            known = [name.split("/", 2)[-1] for name in refs]
            raise StepFailed(f'there is no commit "{text}" in {self.title}.{did_you_mean(text, known)}')
        return answer.stdout.strip()

    @contextmanager
    def read(self, text: str) -> Iterator[Opened]:
        """A commit with its files, as GitPython has it."""
        commit = self.commit(text)
        if len(commit) != 40:
            raise StepFailed(f"{self.title} has SHA-256 names, which this step can't read")
        with self.git.opened(self.path) as repo:
            yield repo.commit(commit)

    def file(self, path: str, text: str) -> bytes | None:
        """What a file holds at a commit; None if there is no file of that name."""
        with self.read(text) as commit:
            try:
                found = commit.tree / path
            except KeyError:
                return None
            return bytes(found.data_stream.read()) if found.type == "blob" else None

    def files(self, text: str) -> list[str]:
        return self.run("ls-tree", "-r", "-z", "--name-only", self.commit(text)).split("\0")[:-1]

    def head(self) -> str:
        """The branch that is checked out; empty where HEAD is detached."""
        return self.ask("symbolic-ref", "--quiet", "--short", "HEAD").stdout.strip()

    def count(self, *revisions: str) -> int:
        return int(self.run("rev-list", "--count", *revisions))

    def is_ancestor(self, old: str, new: str) -> bool:
        return self.ask("merge-base", "--is-ancestor", old, new).code == 0

    def status(self, untracked: bool = True) -> list[str]:
        """A line for each file that differs from the last commit, as `git status --short` has it."""
        option = f"--untracked-files={'all' if untracked else 'no'}"
        return self.run("status", "--porcelain", option).splitlines()

    def conflicts(self) -> list[str]:
        return self.run("diff", "--name-only", "--diff-filter=U", "-z").split("\0")[:-1]

    def in_progress(self) -> list[str]:
        """What was begun and not ended: `merge`, `rebase` and their like."""
        folder = Path(self.run("rev-parse", "--absolute-git-dir"))
        return [what for name, what in _IN_PROGRESS.items() if (folder / name).exists()]

    def worktrees(self) -> list[Path]:
        """The linked worktrees that git knows of, whether or not their directories are still there."""
        lines = self.run("worktree", "list", "--porcelain").splitlines()
        return [Path(line.removeprefix("worktree ")) for line in lines if line.startswith("worktree ")][1:]

    def locks(self) -> list[str]:
        """The lock files that are there now, from the repository's own directory on."""
        found = []
        for folder, directories, files in os.walk(self.common):
            if Path(folder) == self.common / "objects":
                directories[:] = [name for name in directories if name in ("info", "pack")]
            found += [Path(folder, name) for name in files if name.endswith(".lock")]
        return sorted(path.relative_to(self.common).as_posix() for path in found)

    def unreachable(self, tips: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Those of the tips that no branch, tag or HEAD leads to, and the first lines of their messages."""
        tips = [*tips]
        stdin = "".join(f"{tip}^{{}}\n" for tip in tips)
        rows = self.run("cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=stdin).splitlines()
        kinds = dict(zip(tips, rows, strict=True))
        commits = {
            tip: row.removeprefix("commit ") for tip, row in kinds.items() if row.startswith("commit ")
        }
        lost = {one.id: one.subject for one in self._listed(commits.values(), "--not", "--all")}
        for tip, row in kinds.items():
            if row.endswith(" missing"):
                yield tip, GONE
            elif commits.get(tip) in lost:
                yield tip, lost[commits[tip]]

    def new(self, tips: Iterable[str], known: Iterable[str] = ()) -> list[Commit]:
        """The commits that lead to some tips and to none of those known, and the tips that are gone."""
        asked = (self.path, frozenset(tips), frozenset(known))
        if asked in self.git.known:
            answer: list[Commit] = self.git.known[asked]
            return answer
        _, wanted, others = asked
        found = self._listed([*wanted, *(f"^{tip}" for tip in others)], "--ignore-missing")
        left = wanted - {one.id for one in found}
        rows: list[str] = []
        if left:
            stdin = "".join(f"{tip}\n" for tip in left)
            rows = self.run("cat-file", "--batch-check=%(objectname)", stdin=stdin).splitlines()
        gone = [Commit(row.split(" ")[0], is_gone=True) for row in rows if row.endswith(" missing")]
        if not gone and len(wanted) < _FEW:
            self.git.known[asked] = found
        return [*found, *gone]

    def _listed(self, revisions: Iterable[str], *options: str) -> list[Commit]:
        stdin = "".join(f"{revision}\n" for revision in revisions)
        if not stdin:
            return []
        rows = self.run("rev-list", "--parents", "--format=%s", "--stdin", *options, stdin=stdin).split("\n")
        heads = (row.split(" ")[1:] for row in rows[::2] if row)
        return [
            Commit(head[0], tuple(head[1:]), subject) for head, subject in zip(heads, rows[1::2], strict=True)
        ]

    def stored(self) -> set[str]:
        """Every commit in the object store, whether or not anything leads to it."""
        check = "--batch-check=%(objecttype) %(objectname)"
        rows = self.run("cat-file", "--batch-all-objects", "--unordered", check).splitlines()
        return {row.removeprefix("commit ") for row in rows if row.startswith("commit ")}

    def loose(self) -> frozenset[str]:
        """The objects that have a file each: those that were made last, and those that nothing leads to."""
        with os.scandir(self.common / "objects") as entries:
            folders = [entry for entry in entries if len(entry.name) == 2]
        return frozenset(f"{folder.name}{file.name}" for folder in folders for file in os.scandir(folder))

    def strays(self, before: frozenset[str]) -> list[Commit]:
        """The commits that no branch, tag or HEAD leads to and that were not loose before.

        What `git stash` has made is none: no branch ever had it.
        """
        found = self._listed(self.stored() - before, "--not", "--all")
        return [one for one in found if not _STASHED.match(one.subject)]

    def detached(self) -> str | None:
        """The commit at which HEAD stands where it stands on no branch."""
        head = (git_directory(self.path) / "HEAD").read_text(encoding="utf-8").strip()
        return None if head.startswith("ref: ") else head


def names(refs: Iterable[str], prefix: str) -> list[str]:
    return [name.removeprefix(prefix) for name in refs if name.startswith(prefix)]
