"""The world of one scenario: a directory to work in, an environment, and a place for evidence."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from .evidence import Evidence
from .failure import StepFailed

EVIDENCE = pytest.StashKey[Evidence]()


class Sandbox:
    """Made when a step first asks for it. Paths in steps are relative to `work` and stay inside it."""

    def __init__(self, root: Path, evidence: Evidence) -> None:
        self.work = root / "work"
        self.files = root / "evidence"
        self.work.mkdir(parents=True)
        self.files.mkdir()
        evidence.path = root

    def path(self, name: str) -> Path:
        """The file or directory that a step calls by this name; outside of the sandbox there is none."""
        path = Path(os.path.normpath(self.work / name))
        # realpath, not resolve: up to Python 3.12 that raises where links run in a circle.
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.work)):
            raise StepFailed(f'"{name}" lies outside of the sandbox: name a path inside it')
        return path

    def environment(self) -> dict[str, str]:
        """What a command of the scenario finds in its environment: ours, without what pytest left there.

        Programs that are installed beside this Python come first on the PATH, whether or not its virtual
        environment is activated.
        """
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
        paths = [str(Path(sys.executable).parent), *filter(None, [kept.get("PATH", os.defpath)])]
        return {**kept, "PATH": os.pathsep.join(paths)}


@pytest.fixture
def evidence(request: pytest.FixtureRequest) -> Evidence:
    """What the scenario leaves behind for the person who has to explain a failure."""
    kept: Evidence = request.node.stash.setdefault(EVIDENCE, Evidence())
    return kept


@pytest.fixture
def sandbox(tmp_path: Path, evidence: Evidence) -> Sandbox:
    """The scenario's own directory and environment."""
    return Sandbox(tmp_path / "sandbox", evidence)
