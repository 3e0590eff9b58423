"""A system as a run uses it: its command, made ready to be started from anywhere, and its profile."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..binding import Scope
from ..config import Configuration, ConfigurationError, SystemSettings
from ..problem import did_you_mean
from .phrase import Phrase
from .profile import ArtifactRule, Profile

VARIABLE = "GOALKEEPER_SYSTEM_"


@dataclass(frozen=True)
class System:
    """`command` begins with a program that is found from any directory, or with its bare name."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    profile: Profile = field(default_factory=Profile)

    def script(self, given: Container[str] = ()) -> str:
        """A program of that name for the sandbox's PATH.

        A variable that a scenario sets stays as it is; but not one of `given`, which every sandbox has.
        """
        if "/" not in self.command[0]:
            told = f"there is no program {self.command[0]}: is it installed, and on the PATH?"
            return f"#!/bin/sh\necho {shlex.quote(told)} >&2\nexit 127\n"
        lines: list[str] = []
        for name, value in self.environment.items():
            unless = "" if name in given else f'[ "${{{name}+set}}" ] || '
            lines.append(f"{unless}export {name}={shlex.quote(value)}")
        return "\n".join(["#!/bin/sh", *lines, f'exec {shlex.join(self.command)} "$@"', ""])

    @property
    def files(self) -> list[Path]:
        """The files and directories that the command names: all we know that it is made of."""
        return [Path(word) for word in self.command if word.startswith("/") and _is_there(Path(word))]


class Systems:
    """All systems of a project."""

    def __init__(self, systems: Iterable[System] = ()) -> None:
        self._systems = {system.name: system for system in systems}

    def __iter__(self) -> Iterator[System]:
        return iter(self._systems.values())

    @cached_property
    def phrases(self) -> Scope[Phrase]:
        return Scope(phrase for system in self._systems.values() for phrase in system.profile.phrases)

    def artifacts(self, kind: str, name: str) -> list[ArtifactRule]:
        """What the profiles say of a handle: nothing, one thing, or one for each system that has it."""
        system, dot, handle = name.partition(".")
        return [
            rule
            for known in self._systems.values()
            for rule in known.profile.artifacts
            if rule.kind == kind
            and (rule.name == name or (dot and (rule.system, rule.name) == (system, handle)))
        ]

    def handles(self, kind: str) -> list[str]:
        rules = (rule for system in self._systems.values() for rule in system.profile.artifacts)
        return [rule.name for rule in rules if rule.kind == kind]

    def scripts(self, given: Container[str] = ()) -> dict[str, str]:
        return {name: system.script(given) for name, system in self._systems.items()}


def load(configuration: Configuration, replaced: Iterable[str] = (), start: Path | None = None) -> Systems:
    """The systems of a project; GoalError for a profile, ConfigurationError for a replacement that is wrong.

    `replaced` are `NAME=COMMAND`, with paths seen from `start`; the environment may name others.
    """
    commands = _replacements(configuration, replaced)
    systems = [_system(settings, configuration.root, commands, start) for settings in configuration.systems]
    return Systems(systems)


def _replacements(configuration: Configuration, replaced: Iterable[str]) -> dict[str, str]:
    known = [settings.name for settings in configuration.systems]
    variables = {name: VARIABLE + name.upper().replace("-", "_").replace(".", "_") for name in known}
    found = {name: os.environ[variable] for name, variable in variables.items() if os.environ.get(variable)}
    for text in replaced:
        name, equals, command = text.partition("=")
        if not equals or not command.strip():
            raise ConfigurationError(f"--system {text}: write it as NAME=COMMAND")
        if name not in known:
            listed = f"Known: {', '.join(known)}" if known else "goalkeeper.toml names none"
            raise ConfigurationError(f'there is no system "{name}".{did_you_mean(name, known)} {listed}')
        found[name] = command
    return found


def _system(settings: SystemSettings, root: Path, commands: Mapping[str, str], start: Path | None) -> System:
    words, base = settings.command, root
    if settings.name in commands:
        try:
            words, base = tuple(shlex.split(commands[settings.name])), start or root
        except ValueError as error:
            raise ConfigurationError(f"the command for {settings.name} can't be split: {error}") from error
    if not words:
        raise ConfigurationError(f"the command for {settings.name} is empty")
    profile = Profile()
    if settings.profile is not None:
        from .reading import read_profile

        profile = read_profile(settings.profile, settings.name)
    environment = {**profile.environment, **settings.environment}
    return System(settings.name, _absolute(words, base), environment, profile)


def _absolute(words: tuple[str, ...], base: Path) -> tuple[str, ...]:
    """A command that means the same in every directory: what names a file here is named in full.

    Links stay links: a virtual environment's Python is one, and is found by the name it is started with.
    """
    words = tuple(word.replace("{root}", str(base)) for word in words)
    full = [str(base / word) if "/" in word and _is_there(base / word) else word for word in words]
    if "/" not in full[0]:
        beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH") or os.defpath])
        full[0] = shutil.which(full[0], path=beside) or full[0]
    return tuple(full)


def _is_there(path: Path) -> bool:
    """Whether there is such a file; a word may also be a program of a shell, longer than any name."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
