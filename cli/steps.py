"""`goalkeeper steps`: the catalogue of steps, from their docstrings."""

from __future__ import annotations

import json
from collections.abc import Iterable

import click

from ..runner.catalogue import Entry, catalogue, markdown, search
from ..runner.library import LibraryError


@click.command()
@click.argument("words", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    help="How to print it.",
)
def command(words: tuple[str, ...], form: str) -> None:
    """Search the catalogue of steps.

    WORDS may be the name of a library, or words of a step; a step is shown when it has all of them.

        goalkeeper steps cli

        goalkeeper steps file exists
    """
    try:
        entries = search(catalogue(), words)
    except LibraryError as error:
        raise click.ClickException(str(error)) from error
    if form == "json":
        click.echo(json.dumps([entry.data() for entry in entries], indent=2, ensure_ascii=False))
    elif not entries:
        raise click.ClickException(f"no step has {' and '.join(words)}; see all: goalkeeper steps")
    else:
        click.echo(markdown(entries) if form == "markdown" else _text(entries), nl=form == "text")


def _text(entries: Iterable[Entry]) -> str:
    lines: list[str] = []
    library = None
    for entry in entries:
        if entry.library != library:
            library = entry.library
            lines += [*([""] if lines else []), click.style(f"steps/{library}", bold=True)]
        kinds = "/".join(kind.capitalize() for kind in entry.kinds)
        lines.append(f"  {kinds:<11} {entry.wording}")
        lines += [f"              {line}" for line in entry.summary.splitlines()]
        lines += [click.style(f"              {entry.proof}", dim=True)] if entry.proof else []
    return "\n".join(lines)
