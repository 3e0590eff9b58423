"""Asks git: through its command line, and through GitPython where objects are to be read."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...runner.failure import StepFailed
from .settings import OPTIONS, environment, identity

if TYPE_CHECKING:
    from git import Repo

_NOT_INSTALLED = 'there is no program "git": is it installed, and on the PATH?'


@dataclass(frozen=True)
class Answer:
    """What a git command printed, and how it ended."""

    code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Git:
    """Git as we use it. `config` is the one configuration file besides the repository's own.

    `known` has answers that never change, for those who ask the same: a commit is what it is.
    """

    config: Path
    known: dict[object, Any] = field(default_factory=dict, compare=False)

    def ask(
        self,
        directory: Path,
        *arguments: str,
        stdin: str | bytes = b"",
        variables: Mapping[str, str] | None = None,
    ) -> Answer:
        """Run a command, however it ends."""
        try:
            ran = subprocess.run(
                ["git", *OPTIONS, *arguments],
                cwd=directory,
                env={**environment(self.config), **(variables or {})},
                input=stdin.encode() if isinstance(stdin, str) else stdin,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError as error:
            missing = _NOT_INSTALLED if directory.is_dir() else f"there is no directory {directory}"
            raise StepFailed(missing) from error
        except (OSError, ValueError) as error:
            raise StepFailed(f"git can't be run: {error}") from error
        return Answer(ran.returncode, _text(ran.stdout), _text(ran.stderr))

    def run(
        self,
        directory: Path,
        *arguments: str,
        stdin: str | bytes = b"",
        number: int | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> str:
        """Run a command that must succeed; what it printed, without the newline at the end.

        With `number` it may commit: as us, at the minute of that number.
        """
        known = {**(identity(number) if number is not None else {}), **(variables or {})}
        answer = self.ask(directory, *arguments, stdin=stdin, variables=known)
        if answer.code:
            said = (answer.stderr or answer.stdout).strip().splitlines()
            raise StepFailed(f"git {arguments[0]} failed", notes=[f"  {line}" for line in said[:10]])
        return answer.stdout.removesuffix("\n")

    @contextmanager
    def opened(self, directory: Path) -> Iterator[Repo]:
        """A repository as GitPython has it; the processes that it starts end with the block.

        GitPython adds to the environment of this process and takes nothing out of it, so that for as long as
        a repository is open the caller's own git variables are put aside.
        """
        saved = {name: os.environ[name] for name in os.environ if name.startswith("GIT_")}
        try:
            for name in saved:
                del os.environ[name]
            from git import Repo

            with Repo(directory) as repo:
                repo.git.update_environment(**_additions(self.config))
                yield repo
        except ImportError as error:
            raise StepFailed(_NOT_INSTALLED) from error
        finally:
            os.environ.update(saved)


def _additions(config: Path) -> dict[str, str]:
    return environment(config, {})


def _text(output: bytes) -> str:
    return output.decode("utf-8", errors="surrogateescape")
