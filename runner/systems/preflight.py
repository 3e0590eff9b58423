"""Tries the commands that goals need, once, before the first scenario of a system.

A command that a system does not have is a gap of the system. It is told as such, and the scenarios that need
it are not run: a failure would blame their goals.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..evidence import Evidence
from ..sandbox import Sandboxes
from .profile import Probe
from .system import System

GAP = "a gap of "
_LIMIT = 30.0
_SHOWN = 200


@dataclass(frozen=True)
class Gap:
    """A command that did not answer as it should."""

    system: str
    probe: Probe
    answer: str

    def __str__(self) -> str:
        command = " ".join([self.system, *(self.probe.needed_by or self.probe.words)])
        tried = " ".join([self.system, *self.probe.words])
        return f'{GAP}{self.system}: no "{command}" ("{tried}" {self.answer})'


class Preflight:
    """Remembers what it tried."""

    def __init__(self, systems: Iterable[System], sandboxes: Sandboxes) -> None:
        self._systems = [system for system in systems if system.profile.preflight]
        self._sandboxes = sandboxes
        self._gaps: dict[str, list[Gap]] = {}

    def gap(self, texts: Iterable[str]) -> Gap | None:
        """The first gap that steps with these texts would fall into."""
        if not self._systems:
            return None
        lines = [*texts]
        for system in self._systems:
            used = [words for line in lines for words in _arguments(system.name, line)]
            if not used:
                continue
            for gap in self._of(system):
                needed = gap.probe.needed_by
                if any(tuple(words[: len(needed)]) == needed for words in used):
                    return gap
        return None

    def _of(self, system: System) -> list[Gap]:
        if system.name not in self._gaps:
            self._gaps[system.name] = self._try(system)
        return self._gaps[system.name]

    def _try(self, system: System) -> list[Gap]:
        sandbox = self._sandboxes.make(Evidence())
        found: list[Gap] = []
        try:
            for probe in system.profile.preflight:
                environment = {**sandbox.environment(), **system.environment}
                answer = _answer([*system.command, *probe.words], sandbox.work, environment)
                if answer:
                    found.append(Gap(system.name, probe, answer))
        finally:
            self._sandboxes.remove(sandbox)
        return found


def _answer(command: list[str], directory: Path, environment: dict[str, str]) -> str:
    """What is wrong with the answer to a command; nothing where it ended well."""
    try:
        ran = subprocess.run(
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_LIMIT,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return f"did not end within {_LIMIT:g} s"
    except OSError as error:
        return f"can't be started: {error.strerror}"
    if ran.returncode == 0:
        return ""
    said = " ".join(ran.stdout.decode("utf-8", "replace").split())[:_SHOWN]
    return f"ended with {ran.returncode}" + (f": {said}" if said else "")


def _arguments(system: str, text: str) -> list[list[str]]:
    """The words behind the name of a system in the quoted command of a step."""
    found = re.findall(rf'"{re.escape(system)}(?: ((?:[^"\\]|\\.)*))?"', text)
    return [words.split() for words in found]
