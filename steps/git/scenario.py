"""The repositories of one scenario, which of them is meant, and what was noted of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...runner.failure import StepFailed
from ...runner.never.marks import Mark
from ...runner.problem import did_you_mean
from ...runner.sandbox import Sandbox
from .program import Git
from .refs import common_directory
from .repository import Repository
from .settings import CONFIG
from .template import Templates

_FIRST_NUMBER = 1000  # ours begin where no fixture has a commit, so that dates only grow


class Repositories:
    """Steps speak of the repository that was made or named last; `other:main` means one of another."""

    def __init__(self, sandbox: Sandbox, templates: Templates, projects: Sequence[Path] = ()) -> None:
        self._sandbox = sandbox
        self._templates = templates
        self._projects = projects
        self._root = sandbox.work.parent
        config = self._root / "gitconfig"
        config.write_text(CONFIG, encoding="utf-8")
        self.git = Git(config)
        self._current: Repository | None = None
        self._remotes: dict[str, Repository] = {}
        self._noted: dict[str, str] = {}
        self._number = _FIRST_NUMBER
        self.armed_in: Path | None = None

    def make(self, fixture: str, branch: str, directory: str = ".") -> Repository:
        target = self._sandbox.path(directory)
        self._templates.place(fixture, branch, target, self._projects)
        self._current = Repository(directory, target, self.git)
        return self._current

    @property
    def current(self) -> Repository:
        if self._current is None:
            self.use(".")
        assert self._current is not None
        return self._current

    def use(self, name: str) -> None:
        self._current = self.named(name)

    def named(self, name: str) -> Repository:
        """A remote of that name, else the repository in that directory."""
        if name in self._remotes:
            return self._remotes[name]
        path = self._sandbox.path(name)
        if common_directory(path) is None:
            if name == ".":
                hint = 'begin with: Given a "toy" repository on branch "main"'
                raise StepFailed("there is no repository in the working directory", notes=[hint])
            known = [*self._remotes, *self._directories()]
            found = [f"there is: {', '.join(known)}"] if known else []
            raise StepFailed(f'there is no repository "{name}".{did_you_mean(name, known)}', notes=found)
        return Repository(name, path, self.git)

    def find(self, text: str) -> tuple[Repository, str]:
        """The repository and the branch, tag or commit that a step means."""
        name, colon, rest = text.rpartition(":")
        return (self.named(name), rest) if colon else (self.current, text)

    def arm(self, text: str = "") -> tuple[Repository, str]:
        """The same for a negative step. A When may look at another repository; the step still means this."""
        repository, name = self.find(text)
        if ":" not in text:
            self.armed_in = repository.path
        return repository, name

    def mark(self) -> Mark:
        """Remember which repository is looked at; a Then may look at another."""
        current = self._current

        def put_back() -> None:
            self._current = current

        return put_back

    def number(self) -> int:
        """The number of our next commit, which is its date."""
        self._number += 1
        return self._number

    def note(self, name: str, commit: str) -> None:
        self._noted[name] = commit

    def noted(self, name: str) -> str:
        if name not in self._noted:
            hint = f'write before: Given I note the tip of branch "{name}"'
            near = did_you_mean(name, self._noted)
            raise StepFailed(f'the tip of branch "{name}" was not noted.{near}', notes=[hint])
        return self._noted[name]

    def noted_as(self, name: str) -> str:
        """The commit that was noted under a name; empty where there is none."""
        return self._noted.get(name, "")

    def commit(self, text: str) -> str:
        """The commit that a noted name stands for, else the one that git knows by this name."""
        if text in self._noted:
            return self._noted[text]
        repository, name = self.find(text)
        return repository.commit(name)

    def add_remote(self, name: str) -> None:
        """A bare repository beside the working directory that has all that the current one has."""
        current = self.current
        path = self._root / "remotes" / f"{name}.git"
        if name in self._remotes or not name or "/" in name or name.startswith(("-", ".")):
            raise StepFailed(f'a remote can\'t be called "{name}"' if name not in self._remotes else
                             f'there is a remote "{name}" already')  # fmt: skip
        path.parent.mkdir(exist_ok=True)
        self.git.run(self._root, "clone", "-q", "--bare", "--template=", str(current.path), str(path))
        self.git.run(path, "remote", "remove", "origin")
        current.run("remote", "add", name, str(path))
        current.run("fetch", "-q", name)
        self._remotes[name] = Repository(name, path, self.git)

    def _directories(self) -> list[str]:
        found = (path.parent for path in self._sandbox.work.glob("**/.git"))
        return sorted(path.relative_to(self._sandbox.work).as_posix() for path in found)[:10]
