"""Where a system keeps what a goal speaks of: states, logs and other files, by handle or by path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .failure import StepFailed
from .sandbox import Sandbox


@dataclass(frozen=True)
class Artifact:
    """One thing that a system keeps. `title` is how a message calls it: `log "orchestrator"`.

    `paths` are the files that are there now, in the order of their names. A handle may stand for several
    files (one for each run, say); a path stands for itself.
    """

    title: str
    pattern: str
    paths: tuple[Path, ...]
    format: str = ""
    schema: Mapping[str, Any] | None = None
    event: str = ""

    @property
    def path(self) -> Path:
        """The one file that there is; it is an error if there is none, or more than one."""
        if not self.paths:
            raise StepFailed(f"{self.title} is not there: nothing matches {self.pattern}")
        if len(self.paths) > 1:
            names = [f"  {path.name}" for path in self.paths[:8]]
            raise StepFailed(f"{self.title} is not one file, but {len(self.paths)}", notes=names)
        return self.paths[0]


class Artifacts:
    """The artifacts of a scenario."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def find(self, kind: str, name: str) -> Artifact:
        """What a step calls `state "run"` or `log "logs/a.jsonl"`, as it is now. Ask again to look again."""
        path = self._sandbox.path(name)
        return Artifact(f'{kind} "{name}"', name, (path,) if path.is_file() else ())
