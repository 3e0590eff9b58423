"""`goalkeeper.toml`: where the goals of a project are."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import schemas
from .problem import did_you_mean

NAME = "goalkeeper.toml"
_ROOTS = (NAME, "pytest.ini", "pyproject.toml", ".git")


class ConfigurationError(Exception):
    """A configuration that can't be used; the message says where and why."""

    exit_code = 2


@dataclass(frozen=True)
class Configuration:
    """What holds for a project. `root` is where its configuration lies, or where it seems to begin."""

    root: Path
    goals: tuple[str, ...] = ()

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


def _read(path: Path) -> Configuration:
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path}: can't be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: this is not TOML: {error}") from error
    problems = [*_problems(data)]
    if problems:
        raise ConfigurationError("\n".join(f"{path}: {problem}" for problem in problems))
    return Configuration(path.parent, tuple(data.get("goals", ())))


def _problems(data: dict[str, Any]) -> Iterator[str]:
    from jsonschema import Draft202012Validator

    schema = schemas.load("configuration")
    known = schema["properties"]
    for key in data.keys() - known.keys():
        yield f'there is no setting "{key}".{did_you_mean(key, known)} Known: {", ".join(known)}'
    for error in Draft202012Validator(schema).iter_errors(data):
        if error.validator != "additionalProperties":
            yield f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
