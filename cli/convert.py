"""`goalkeeper convert`: a goal in the other spelling."""

from __future__ import annotations

from pathlib import Path

import click

from ..runner.files import SUFFIXES, is_goal_file, read
from ..runner.problem import GoalError
from ..runner.writing import rewritten
from .common import Refused, chosen, goal_paths, project, shown_path, write

GHERKIN, YAML = SUFFIXES[:2]


@click.command()
@goal_paths
@click.option(
    "--to", "spelling", type=click.Choice(["gherkin", "yaml"]), help="Convert only to this spelling."
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="Write there instead of to the terminal."
)
@click.option(
    "--replace", is_flag=True, help="Write the new file beside the old one, and remove the old one."
)
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
def command(
    paths: tuple[Path, ...], spelling: str | None, output: Path | None, replace: bool, force: bool
) -> None:
    """Translate goal files into the other spelling.

    Nothing is lost: comments are kept, and the result is read again and compared. What the other spelling
    can't say is refused, and the file left alone.

    \b
        goalkeeper convert scenarios/g0_1.feature
        goalkeeper convert scenarios --to yaml --replace
    """
    settings = project()
    if not paths:
        raise Refused("name the goal files to convert")
    files = [
        path for path in chosen(paths, settings) if spelling is None or _suffix(path) != _wanted(spelling)
    ]
    if output is not None and (replace or len(files) != 1):
        raise Refused("--output takes one goal file, and does not go with --replace")
    if output is not None and not is_goal_file(output):
        raise Refused(f"{output.name} is no goal file: those end in .feature, .goal.yaml or .goal.yml")
    refused = 0
    for path in files:
        target = output or path.with_name(path.name.removesuffix(_suffix(path)) + _other(path))
        if (replace or output) and target.exists() and not force:
            raise Refused(f"{shown_path(target, settings)} exists: --force overwrites it")
        try:
            text = rewritten(read(path), target)
        except GoalError as error:
            shown = GoalError(Path(shown_path(path, settings)), error.problems, error.lines)
            click.echo(str(shown), err=True)
            refused += 1
            continue
        if not (replace or output):
            click.echo(text, nl=False)
            continue
        write(target, text, settings)
        if replace:
            path.unlink()
        click.echo(f"{path.name} -> {target.name}")
    if refused:
        raise SystemExit(2)


def _suffix(path: Path) -> str:
    return next(suffix for suffix in SUFFIXES if path.name.endswith(suffix))


def _other(path: Path) -> str:
    return YAML if _suffix(path) == GHERKIN else GHERKIN


def _wanted(spelling: str) -> str:
    return GHERKIN if spelling == "gherkin" else YAML
