"""Git as anybody would use it: for violations, which must not share code with what watches them.

Paths are text here, refs are found and written by hand, and git is the program on the PATH.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Mapping
from contextlib import suppress

from ...runner.sandbox import Sandbox
from .scenario import Repositories

_EMPTY_TREE = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


def word() -> str:
    """One that was never used before."""
    return f"gk{secrets.token_hex(6)}"


class Plain:
    """The repository that a step means: `name` as in `name:main`, or the one when the scenario was armed."""

    def __init__(self, sandbox: Sandbox, repositories: Repositories, name: str = "") -> None:
        remote = f"{sandbox.root}/remotes/{name}.git"
        self.path = str(repositories.armed_in or sandbox.work) if not name else f"{sandbox.work}/{name}"
        if name and os.path.isdir(remote):
            self.path = remote
        self._environment = {
            **sandbox.environment(),
            "GIT_CONFIG_GLOBAL": f"{sandbox.root}/gitconfig",
            "GIT_OPTIONAL_LOCKS": "0",
        }
        self.folder = self._folder()

    def git(self, *arguments: str, stdin: str = "") -> str:
        """What a git command prints; it must succeed."""
        ran = subprocess.run(
            ["git", "-c", "core.logAllRefUpdates=always", *arguments],
            cwd=self.path,
            env=self._environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode:
            raise RuntimeError(f"git {arguments[0]}: {ran.stderr.strip()}")
        return ran.stdout.strip()

    def ref(self, branch: str) -> str:
        """The full name of a branch, of a remote's where there is none of our own."""
        names = [f"refs/heads/{branch}", f"refs/remotes/{branch}"]
        return next((name for name in names if self.tip(name)), names[0])

    def some_branch(self) -> str:
        """The branch that is checked out; on a detached HEAD, any."""
        head = _read(f"{self._own}/HEAD").strip()
        if head.startswith("ref: "):
            return head.removeprefix("ref: ")
        listed = self.git("for-each-ref", "--format=%(refname)", "--count=1", "refs/heads")
        return listed or f"refs/heads/{word()}"

    def tip(self, ref: str) -> str:
        """What a ref stands for by its file, or by its line in packed-refs; empty where there is none."""
        loose = _read(f"{self.folder}/{ref}").strip()
        if loose.startswith("ref: "):
            return self.tip(loose.removeprefix("ref: "))
        if loose:
            return loose
        lines = _read(f"{self.folder}/packed-refs").splitlines()
        return next((line.split(" ")[0] for line in lines if line.endswith(f" {ref}")), "")

    def write(self, ref: str, commit: str) -> None:
        """By hand: no lock, no reflog. Without a commit, the file is taken away."""
        path = f"{self.folder}/{ref}"
        if not commit:
            os.unlink(path)
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(f"{commit}\n")

    def write_briefly(self, ref: str, commit: str) -> tuple[str, str]:
        """By hand, there and back at once; where it was before, and in between."""
        before = self.tip(ref)
        self.write(ref, commit)
        between = self.tip(ref)
        self.write(ref, before)
        return before, between

    def commit(self, *parents: str, subject: str = "") -> str:
        """A commit that nothing leads to yet, with the files of its first parent."""
        tree = f"{parents[0]}^{{tree}}" if parents else self.empty_tree()
        given = [part for parent in parents for part in ("-p", parent)]
        return self.git("commit-tree", "-m", subject or f"A violation, {word()}", *given, tree)

    def orphan(self, like: str = "") -> str:
        """The same without parents; its files are those of another commit, or none."""
        tree = f"{like}^{{tree}}" if like else self.empty_tree()
        return self.git("commit-tree", "-m", f"A violation, {word()}", tree)

    def commit_files(self, ref: str, *contents: Mapping[str, str | None]) -> list[str]:
        """A commit on a branch for each of these; None removes a file. In one go, as a push would."""
        tip, stream = self.tip(ref), ""
        for number, files in enumerate(contents, 1):
            subject = f"A violation, {word()}"
            who = "Goalkeeper <goalkeeper@sandbox.invalid> 946684800 +0000"
            stream += f"commit {ref}\nmark :{number}\ncommitter {who}\n{_data(subject)}"
            stream += f"from {tip}\n" if number == 1 and tip else ""
            for path, text in files.items():
                quoted = path.replace("\\", "\\\\").replace('"', '\\"')
                stream += f'D "{quoted}"\n' if text is None else f'M 100644 inline "{quoted}"\n{_data(text)}'
            stream += f"\nget-mark :{number}\n"
        return self.git("fast-import", "--quiet", stdin=stream).split()

    def empty_tree(self) -> str:
        is_long = "sha256" in _read(f"{self.folder}/config").lower()
        return _EMPTY_TREE[64 if is_long else 40]

    def _folder(self) -> str:
        """Where refs lie; `_own` is where HEAD does, which is another place for a linked worktree."""
        self._own = f"{self.path}/.git"
        if os.path.isfile(self._own):
            self._own = os.path.join(self.path, _read(self._own).strip().removeprefix("gitdir: "))
        elif not os.path.isdir(self._own):
            self._own = self.path
        shared = _read(f"{self._own}/commondir").strip()
        return os.path.normpath(os.path.join(self._own, shared)) if shared else self._own


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"


def _read(path: str) -> str:
    with suppress(OSError), open(path) as file:
        return file.read()
    return ""
