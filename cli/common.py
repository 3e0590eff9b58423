"""What the commands share: which goal files they are about, and how they speak."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from ..runner.config import Configuration, ConfigurationError, configuration
from ..runner.files import is_goal_file
from ..runner.lint import goal_files
from ..runner.writing.save import save

goal_paths = click.argument(
    "paths", nargs=-1, type=click.Path(exists=True, path_type=Path), metavar="[PATHS]..."
)


class Refused(click.ClickException):
    """Wrong usage or unreadable input."""

    exit_code = 2


def project() -> Configuration:
    """The configuration that holds where the command was called."""
    try:
        return configuration(Path.cwd())
    except ConfigurationError as error:
        raise Refused(str(error)) from error


def chosen(paths: Iterable[Path], settings: Configuration) -> list[Path]:
    """The goal files that the command line names, or those of the project; none at all is an error."""
    named = [*paths]
    found = chosen_or_none(named, settings)
    if not found:
        shown = ", ".join(map(str, named)) or shown_path(settings.goal_paths()[0], settings)
        raise Refused(f"there is no goal file in {shown}")
    return found


def chosen_or_none(paths: Iterable[Path], settings: Configuration) -> list[Path]:
    """The same, for a command that has something to say where there is none."""
    where = [_settled(path, settings.root) for path in paths] or settings.goal_paths()
    for path in where:
        if not path.exists():
            raise Refused(f"{path} does not exist: set goals in goalkeeper.toml, or name a path")
        if path.is_file() and not is_goal_file(path):
            raise Refused(f"{path.name} is no goal file: those end in .feature, .goal.yaml or .goal.yml")
    return [*goal_files(where)]


def _settled(path: Path, root: Path) -> Path:
    """The path without `..`; one that leads into the project by a link, as the project calls it."""
    plain, real = Path(os.path.normpath(path.absolute())), path.resolve()
    return real if real.is_relative_to(root) and not plain.is_relative_to(root) else plain


def write(path: Path, text: str, settings: Configuration) -> None:
    """Replace a file whole, or say why it could not be."""
    try:
        save(path, text)
    except OSError as error:
        raise Refused(f"{shown_path(path, settings)} can't be written: {error.strerror}") from error


def shown_path(path: Path, settings: Configuration) -> str:
    """A path as a reader at the root of the project would write it."""
    return str(path.relative_to(settings.root) if path.is_relative_to(settings.root) else path)


def console(*, stderr: bool = False) -> Any:
    """A terminal that knows when it is none: colour only where a person sees it, and not with NO_COLOR."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    # Rich takes an empty FORCE_COLOR for a refusal; it means as much as none.
    force = stream.isatty() if os.environ.get("FORCE_COLOR") == "" else None
    return Console(
        markup=False, emoji=False, highlight=False, soft_wrap=True, stderr=stderr, force_terminal=force
    )
