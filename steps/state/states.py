"""Reads and writes the documents of a scenario."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

from ...runner import documents
from ...runner.artifacts import Artifact, Artifacts
from ...runner.failure import StepFailed
from ...runner.sandbox import Sandbox

_WILD = frozenset("*?[]{}<>$")


class States:
    """States by handle or path. Every document that is read must satisfy the schema of its handle."""

    def __init__(self, artifacts: Artifacts, sandbox: Sandbox) -> None:
        self._artifacts = artifacts
        self._sandbox = sandbox

    def find(self, name: str) -> Artifact:
        return self._artifacts.find("state", name.replace("\\", "/"))

    def read(self, name: str) -> Any:
        artifact = self.find(name)
        document = _parsed(artifact, artifact.path, documents.parse)
        _satisfies(artifact, document)
        return document

    def like(self, name: str, text: str) -> Any:
        """A text of the goal as a document of this state's format."""
        return self._given(self.find(name), text)

    def write(self, name: str, text: str) -> None:
        """Write a text that is a document, as it stands."""
        artifact = self.find(name)
        _satisfies(artifact, self._given(artifact, text))
        _replace(artifact, self.place(artifact), text)

    def edit(self, name: str, change: Callable[[Any], None]) -> None:
        """Change the values of a document where they are. Only JSON keeps its layout."""
        artifact = self.find(name)
        path = artifact.path
        document = _parsed(artifact, path, documents.editable)
        before = path.read_bytes()
        change(document)
        form = form_of(artifact, path) or documents.format_told_by(before)
        _replace(artifact, path, documents.dump(document, form, before.decode("utf-8-sig")))

    def place(self, artifact: Artifact) -> Path:
        """The one file of a state, which need not be there yet."""
        if not artifact.paths and _WILD.isdisjoint(artifact.pattern):
            return self._sandbox.path(artifact.pattern)
        return artifact.path

    def folder(self, artifact: Artifact) -> Path | None:
        """The directory below which the files of a pattern may come to be; none where the path is known."""
        parts = Path(artifact.pattern).parts
        literal = [*takewhile(_WILD.isdisjoint, parts)]
        return self._sandbox.work.joinpath(*literal) if len(literal) < len(parts) else None

    def _given(self, artifact: Artifact, text: str) -> Any:
        try:
            return documents.parse(text.encode(), form_of(artifact, Path(artifact.pattern)))
        except documents.Unreadable as error:
            raise StepFailed(
                f"the text below this step is no document for {artifact.title}: {error}"
            ) from error


def form_of(artifact: Artifact, path: Path) -> str:
    return artifact.format or documents.format_of(path)


def _parsed(artifact: Artifact, path: Path, parse: Callable[[bytes, str], Any]) -> Any:
    try:
        return parse(path.read_bytes(), form_of(artifact, path))
    except documents.Unreadable as error:
        raise StepFailed(f"{artifact.title} can't be read: {error}") from error
    except OSError as error:
        raise StepFailed(f"{artifact.title} can't be read: {error.strerror}") from error


def _satisfies(artifact: Artifact, document: Any) -> None:
    wrong = documents.violations(document, artifact.schema) if artifact.schema is not None else []
    if wrong:
        raise StepFailed(f"{artifact.title} does not satisfy its schema", notes=wrong)


def _replace(artifact: Artifact, path: Path, text: str) -> None:
    """All at once, by a rename: a program that reads it meanwhile finds the old document or the new one."""
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise StepFailed(f"{artifact.title} can't be written: {error.strerror}") from error
    made = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        made.chmod(0o644)
        with suppress(FileNotFoundError):
            shutil.copymode(target, made)
        made.replace(target)
    except OSError as error:
        made.unlink(missing_ok=True)
        raise StepFailed(f"{artifact.title} can't be written: {error.strerror}") from error
