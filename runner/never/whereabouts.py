"""Where a violation finds what a goal calls by a handle.

It reads the profiles for itself: if it asked those who tell the checks where to look, both would be wrong
about the same thing, and the proof would hold all the same.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator

from ..names import Names
from ..sandbox import Sandbox
from ..systems.profile import ArtifactRule
from ..systems.system import Systems


class Whereabouts:
    """Files of the sandbox by handle or by path, as text."""

    def __init__(self, sandbox: Sandbox, systems: Systems, names: Names) -> None:
        self._work = str(sandbox.work)
        self._systems = systems
        self._names = names

    def files(self, kind: str, name: str) -> list[str]:
        """The files that are there now, in order."""
        template = self._template(kind, name)
        found: list[str] = []
        for folder, _, files in os.walk(self._work):
            below = (os.path.relpath(f"{folder}/{file}", self._work) for file in files)
            found += [f"{self._work}/{one}" for one in below if _is_like(one, template)]
        return sorted(found)

    def file(self, kind: str, name: str) -> str:
        """The last of them; where there is none, one that could be."""
        found = self.files(kind, name)
        return found[-1] if found else f"{self._work}/{self._template(kind, name).replace('*', 'x')}"

    def shown(self, path: str) -> str:
        """As a goal would call it: from the working directory on."""
        return os.path.relpath(path, self._work)

    def rule(self, kind: str, name: str) -> ArtifactRule | None:
        """What a profile says of it, if one does."""
        return next((rule for rule, _ in self._rules(kind, name)), None)

    def _template(self, kind: str, name: str) -> str:
        """The path below the working directory, with `*` for what is open."""
        for rule, values in self._rules(kind, name):
            return self._filled(rule.path, values)
        return os.path.normpath(name)

    def _rules(self, kind: str, name: str) -> Iterator[tuple[ArtifactRule, list[str]]]:
        """The rules that a name may mean, with the values that it names beside the handle."""
        handle, _, told = name.partition(" of ")
        for called in (name, handle):
            for rule in (rule for system in self._systems for rule in system.profile.artifacts):
                if rule.kind == kind and called in (rule.name, f"{rule.system}.{rule.name}"):
                    yield rule, [one.strip() for one in told.split(",")] if called == handle and told else []

    def _filled(self, path: str, values: list[str]) -> str:
        known: dict[str, str] = {}
        for variable in re.findall(r"\{(\w+)\}", path):
            if variable not in known:
                given = values.pop(0) if values else self._names.get(variable)
                known[variable] = given or "*"
        return re.sub(r"\{(\w+)\}", lambda match: known[match[1]], path)


def _is_like(path: str, template: str) -> bool:
    """Part by part, as `*` does not go beyond a slash; `**` does."""
    return _fits(path.split("/"), os.path.normpath(template).split("/"))


def _fits(parts: list[str], wanted: list[str]) -> bool:
    if not wanted or not parts:
        return not parts and all(one == "**" for one in wanted)
    if wanted[0] == "**":
        return _fits(parts, wanted[1:]) or _fits(parts[1:], wanted)
    return fnmatch.fnmatchcase(parts[0], wanted[0]) and _fits(parts[1:], wanted[1:])
