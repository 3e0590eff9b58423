"""`goalkeeper.toml`: where the goals of a project are, what systems it has, what its sandboxes let in."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAME = "goalkeeper.toml"
REPORTS = ".goalkeeper"
_ROOTS = (NAME, "pytest.ini", "pyproject.toml", ".git")
_KEPT = 50
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SYSTEM = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


class ConfigurationError(Exception):
    """A configuration that can't be used; the message says where and why."""

    exit_code = 2


@dataclass(frozen=True)
class SystemSettings:
    """A program under test as goalkeeper.toml names it; the command is as it is written there."""

    name: str
    command: tuple[str, ...]
    profile: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Configuration:
    """What holds for a project. `root` is where its configuration lies, or where it seems to begin."""

    root: Path
    goals: tuple[str, ...] = ()
    reports: str = REPORTS
    keep: int = _KEPT
    passed: tuple[str, ...] = ()
    systems: tuple[SystemSettings, ...] = ()

    def goal_paths(self) -> list[Path]:
        """Where to look for goals: what the configuration names, else `scenarios`, else everything."""
        if self.goals:
            return [self.root / name for name in self.goals]
        usual = self.root / "scenarios"
        return [usual if _is_there(usual) else self.root]


def configuration(start: Path) -> Configuration:
    """The configuration that holds in a directory: the nearest `goalkeeper.toml` at or above it."""
    for directory in (start, *start.parents):
        if _is_there(directory / NAME):
            return _read(directory / NAME)
    above = (
        directory for directory in (start, *start.parents) if any(_is_there(directory / n) for n in _ROOTS)
    )
    return Configuration(next(above, start))


def _is_there(path: Path) -> bool:
    """Whether there is such a file; in a directory that can't be searched, for us there is none."""
    try:
        return path.exists()
    except OSError:
        return False


def is_variable(name: str) -> bool:
    """Whether a shell can set an environment variable of this name."""
    return _VARIABLE.fullmatch(name) is not None


def _read(path: Path) -> Configuration:
    from .toml import TomlError, read_toml

    try:
        data = read_toml(path, "configuration")
    except OSError as error:
        raise ConfigurationError(f"{path}: can't be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: this is not TOML: {error}") from error
    except TomlError as error:
        raise ConfigurationError(str(error)) from error
    keep = data.get("keep", _KEPT)
    if not isinstance(keep, int) or keep < 1:
        raise ConfigurationError(f"{path}: keep must be a whole number from 1 on, not {keep}")
    return Configuration(
        path.parent,
        tuple(data.get("goals", ())),
        data.get("reports", REPORTS),
        keep,
        tuple(data.get("sandbox", {}).get("pass", ())),
        tuple(_system(name, table, path) for name, table in data.get("systems", {}).items()),
    )


def _system(name: str, table: dict[str, Any], path: Path) -> SystemSettings:
    command = table["command"]
    if not _SYSTEM.fullmatch(name):
        message = f'"{name}" is no name for a system: it is a program\'s name, of letters, digits and . _ -'
        raise ConfigurationError(f"{path}: {message}")
    try:
        words = shlex.split(command) if isinstance(command, str) else command
    except ValueError as error:
        raise ConfigurationError(f"{path}: the command of {name} can't be split: {error}") from error
    environment = table.get("environment", {})
    for variable in (variable for variable in environment if not is_variable(variable)):
        message = f'"{variable}" is no name for a variable: write letters, digits and _'
        raise ConfigurationError(f"{path}: {message}")
    profile = table.get("profile")
    return SystemSettings(
        name,
        tuple(words),
        None if profile is None else path.parent / profile,
        environment,
    )
