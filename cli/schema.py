"""`goalkeeper schema`: the published schemas, for editors and other tools."""

from __future__ import annotations

import click

from .. import schemas


@click.command()
@click.argument("name", type=click.Choice(schemas.names()))
def command(name: str) -> None:
    """Print a published JSON Schema.

    An editor with the YAML language server checks goal files while you type:

        goalkeeper schema goal > goal.schema.json

    and, as the first line of a goal file,

        # yaml-language-server: $schema=../goal.schema.json
    """
    click.echo(schemas.text(name), nl=False)
