"""`goalkeeper trace`: how goals stand, as a matrix."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from ..runner.config import Configuration
from ..runner.record.place import prepare
from ..traceability.verdict import Verdict
from .common import Refused, console, goal_paths, project, shown_path, write
from .judging import judged, place_note, record_option

PAGE = "trace.html"
FORMATS = ("text", "markdown", "json", "html")


@click.command()
@goal_paths
@record_option
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    help="How to print it. text also writes the page.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where the page goes, with text (default: trace.html in the reports directory); "
    "with another format, where that goes instead of to the terminal.",
)
def command(paths: tuple[Path, ...], record: Path | None, form: str, output: Path | None) -> None:
    """Show how goals stand: the traceability matrix.

    One row for each goal: what it expects, where it is tested, what it asserts, whether its negative steps
    were proven, and what became of it in the newest run. Anything that can't be read, is missing, or is older
    than the goal file is red.

    \b
        goalkeeper trace
        goalkeeper trace --format markdown >> "$GITHUB_STEP_SUMMARY"
        goalkeeper trace --format json -o verdict.json
    """
    settings = project()
    verdict = judged(paths, record, settings)
    if form == "text":
        _text(verdict, settings)
        page = output or _default_page(settings)
        write(page, _rendered(verdict, "html"), settings)
        click.echo(os.path.relpath(page))
    elif output is None:
        click.echo(_rendered(verdict, form), nl=False)
    else:
        write(output, _rendered(verdict, form), settings)
        click.echo(os.path.relpath(output))
    raise SystemExit(verdict.exit_code)


def _text(verdict: Verdict, settings: Configuration) -> None:
    from ..reports import text

    screen = console()
    for line, style in text.trace(verdict):
        screen.print(line, style=style)
    if note := place_note(settings):
        screen.print(note, style="dim")


def _rendered(verdict: Verdict, form: str) -> str:
    if form == "json":
        return as_json(verdict.data())
    if form == "markdown":
        from ..reports import markdown

        return markdown.render(verdict)
    from ..reports import html

    return html.render(verdict)


def as_json(data: object) -> str:
    """JSON that can be printed, whatever half of a character a record has."""
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "replace").decode("utf-8")


def _default_page(settings: Configuration) -> Path:
    reports = settings.root / settings.reports
    try:
        prepare(reports)
    except OSError as error:
        raise Refused(f"{shown_path(reports, settings)} can't be made: {error.strerror}") from error
    return reports / PAGE
