"""The databases of one scenario."""

from __future__ import annotations

from pathlib import Path

from ...runner.artifacts import Artifacts
from ...runner.changes import Changes
from ...runner.sandbox import Sandbox
from . import cell
from .database import Database
from .history import History


class Databases:
    """By handle or path; with what the last query gave, and what watches have seen happen to each."""

    def __init__(self, sandbox: Sandbox, artifacts: Artifacts) -> None:
        self.sandbox = sandbox
        self._artifacts = artifacts
        self._histories: dict[Path, History] = {}
        self.result: cell.Result | None = None

    def find(self, name: str) -> Database:
        return Database(self._artifacts.find("database", name), self.sandbox.files)

    def history(self, changes: Changes, database: Database, name: str) -> History | None:
        """None where it is not known yet which file it will be."""
        artifact = database.artifact
        if len(artifact.paths) == 1:
            path = artifact.paths[0].resolve()
        elif artifact.pattern == name:
            path = self.sandbox.path(name)
        else:
            return None
        if path not in self._histories:
            self._histories[path] = History(changes, path)
        return self._histories[path]
