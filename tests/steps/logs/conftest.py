"""Logs of a scenario whose artifacts may have a schema, a format or an event field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from goalkeeper.runner.artifacts import Artifact, Artifacts
from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.sandbox import Sandbox

if TYPE_CHECKING:
    from goalkeeper.steps.logs.log import Logs

Write = Callable[..., Path]


class Profiled(Artifacts):
    """Artifacts about which a profile says more; `**/x` stands for all files that match it."""

    def __init__(self, sandbox: Sandbox, **told: Any) -> None:
        super().__init__(sandbox)
        self._root = sandbox.work
        self._told = told

    def find(self, kind: str, name: str) -> Artifact:
        found = replace(super().find(kind, name), **self._told)
        return replace(found, paths=tuple(sorted(self._root.glob(name)))) if "*" in name else found


@pytest.fixture
def profiled(sandbox: Sandbox, evidence: Evidence) -> Callable[..., Logs]:
    from goalkeeper.steps.logs.log import Logs  # after pytest was told to rewrite it

    return lambda **told: Logs(Profiled(sandbox, **told), sandbox, evidence)


@pytest.fixture
def write(sandbox: Sandbox) -> Write:
    """Append lines to a log as bytes; text gets a newline."""

    def append(name: str, *lines: str | bytes) -> Path:
        path = sandbox.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as log:
            for line in lines:
                log.write(line if isinstance(line, bytes) else f"{line}\n".encode())
        return path

    return append


@pytest.fixture
def observed(evidence: Evidence) -> Iterator[list[tuple[str, str, dict[str, Any]]]]:
    seen: list[tuple[str, str, dict[str, Any]]] = []
    evidence.sink = lambda kind, outcome, facts: seen.append((kind, outcome, facts))
    yield seen
