"""When the step libraries are loaded: not before something needs them, since that takes a tenth of a second.

A project whose goals find every step in their own conftest.py never does. Whatever else could ask for a step
or fixture of a library loads them first: a goal that its conftest.py does not satisfy, a Python test module,
a conftest.py that has the name of one of their fixtures in it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .library import Library

# The fixtures of our own libraries, as far as others may ask for them.
FIXTURES = (
    "census", "changes", "commands", "databases", "http", "logs", "notes", "planted_secrets", "processes",
    "repositories", "repository_templates", "states",
)  # fmt: skip
_ASKED = re.compile(rb"\b(?:" + "|".join(FIXTURES).encode() + rb")\b")


class Loader:
    """Registers step libraries with pytest, each once; those of others right away."""

    def __init__(self, config: pytest.Config, found: list[Library]) -> None:
        self._manager = config.pluginmanager
        self._waiting = [library for library in found if library.is_own]
        for library in found:
            if not library.is_own:
                self._register(library)

    @property
    def is_done(self) -> bool:
        return not self._waiting

    def load(self) -> None:
        while self._waiting:
            self._register(self._waiting.pop(0))

    def load_for(self, conftest: Path) -> None:
        """Load them if this file may ask for one of their fixtures."""
        if self._waiting:
            try:
                asked = _ASKED.search(conftest.read_bytes()) is not None
            except OSError:
                asked = True
            if asked:
                self.load()

    def _register(self, library: Library) -> None:
        for module in library.parts():
            self._manager.register(module, f"goalkeeper-steps-{module.__name__}")


LOADER = pytest.StashKey[Loader]()
