"""The world of one scenario: directories, an environment, and a place for evidence."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..evidence import Evidence
from ..failure import StepFailed
from ..watcher import cleaner, processes
from ..watcher.guard import Watcher
from .environment import environment

_DIRECTORIES = ("work", processes.EVIDENCE, "home", "tmp", "run", "bin")


class Sandbox:
    """Made when a step first asks for it. Paths in steps are relative to `work` and stay inside it.

    `variables` are added to the environment of every program. The names of directories are short because a
    socket's path may have no more than 107 bytes.
    """

    def __init__(self, root: Path, evidence: Evidence, passed: Iterable[str] = ()) -> None:
        self.root = root
        self.work = root / "work"
        self.files = root / processes.EVIDENCE
        self.bin = root / "bin"
        self.evidence = evidence
        self.variables: dict[str, str] = {}
        self._passed = tuple(passed)
        self._inhabited = False
        for name in _DIRECTORIES:
            (root / name).mkdir(mode=0o700)

    def path(self, name: str) -> Path:
        """The file or directory that a step calls by this name; outside of the sandbox there is none."""
        path = Path(os.path.normpath(self.work / name))
        # realpath, not resolve: up to Python 3.12 that raises where links run in a circle.
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.work)):
            raise StepFailed(f'"{name}" lies outside of the sandbox: name a path inside it')
        return path

    def environment(self) -> dict[str, str]:
        """What a program of the scenario finds in its environment. Whoever asks is about to start one."""
        self._inhabited = True
        return {**environment(self.root, os.environ, self._passed), **self.variables}

    @property
    def is_inhabited(self) -> bool:
        """Whether a program was started in it, or was about to be."""
        return self._inhabited

    def end_processes(self) -> None:
        """End what still runs, so that nothing writes any more."""
        if self._inhabited:
            processes.end(str(self.root))

    def remove(self) -> cleaner.Cleaned:
        """End what still runs in it and delete it."""
        return cleaner.clean(str(self.root), self._inhabited)


class Sandboxes:
    """Makes the sandboxes of one pytest process, under the eyes of one watcher.

    `passed` are variables of ours that a scenario gets to see, `programs` are scripts for its PATH, by name.
    """

    def __init__(self, passed: Iterable[str] = (), programs: Mapping[str, str] | None = None) -> None:
        self._passed = tuple(passed)
        self._programs = programs or {}
        self._watcher: Watcher | None = None

    def make(self, evidence: Evidence) -> Sandbox:
        if self._watcher is None:
            self._watcher = Watcher()
        sandbox = Sandbox(_new_directory(self._watcher), evidence, self._passed)
        for name, text in self._programs.items():
            script = sandbox.bin / name
            script.write_text(text, encoding="utf-8")
            script.chmod(0o755)
        return sandbox

    def remove(self, sandbox: Sandbox) -> cleaner.Cleaned:
        cleaned = sandbox.remove()
        if self._watcher is not None and not cleaned.left:
            self._watcher.release(str(sandbox.root))
        return cleaned

    def close(self) -> None:
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None


def _new_directory(watcher: Watcher) -> Path:
    """A directory of its own. The watcher hears of it first, for we may be killed at any moment."""
    # realpath: programs print the directory they work in with links resolved.
    place = Path(os.path.realpath(tempfile.gettempdir()))
    while True:
        root = place / f"gk-{secrets.token_hex(5)}"
        watcher.guard(str(root))
        try:
            root.mkdir(mode=0o700)
        except FileExistsError:
            watcher.release(str(root))
        else:
            return root
