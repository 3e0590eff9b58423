"""`goalkeeper fmt`: goal files in the canonical layout."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from ..runner.files import Parsed, read
from ..runner.problem import GoalError
from ..runner.writing import formatted
from .common import chosen, goal_paths, project, shown_path, write


@click.command()
@goal_paths
@click.option("--check", is_flag=True, help="Change nothing; exit code 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Change nothing; show what would change.")
def command(paths: tuple[Path, ...], check: bool, diff: bool) -> None:
    """Bring goal files into the canonical layout.

    Comments stay, and so does the meaning: what was written is read again and compared. A file with mistakes
    is left alone.

    \b
        goalkeeper fmt
        goalkeeper fmt --check --diff
    """
    settings = project()
    changed = unusable = 0
    files = chosen(paths, settings)
    for path in files:
        name, parsed = shown_path(path, settings), read(path)
        try:
            text = formatted(parsed)
        except GoalError as error:
            click.echo(str(GoalError(Path(name), error.problems, error.lines)), err=True)
            unusable += 1
            continue
        if text.encode() == path.read_bytes():
            continue
        changed += 1
        if diff:
            click.echo(_diff(name, parsed, text))
        if check or diff:
            click.echo(f"would change {name}")
        else:
            write(path, text, settings)
            click.echo(f"formatted {name}")
    same = len(files) - changed - unusable
    click.echo(f"{_files(changed)} {'to change' if check or diff else 'changed'}, {_files(same)} unchanged")
    if unusable:
        click.echo(f"{_files(unusable)} could not be formatted", err=True)
        raise SystemExit(2)
    if changed and check:
        raise SystemExit(1)


def _files(number: int) -> str:
    return f"{number} {'file' if number == 1 else 'files'}"


def _diff(name: str, parsed: Parsed, text: str) -> str:
    before, after = parsed.source.text.splitlines(), text.splitlines()
    return "\n".join(difflib.unified_diff(before, after, name, f"{name} (formatted)", lineterm=""))
