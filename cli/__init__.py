"""The `goalkeeper` command. Each subcommand is one module, imported when it is called."""

from __future__ import annotations

import difflib
import os
import traceback
from importlib import import_module
from typing import Any

import click

from .. import __version__

COMMANDS = {
    "convert": "Translate goal files into the other spelling.",
    "doctor": "Show what this machine can do, and what is missing.",
    "fmt": "Bring goal files into the canonical layout.",
    "gate": "Stop where a rule over the goals is broken.",
    "init": "Set up a first goal about your own program.",
    "lint": "Check goal files before anything runs.",
    "list": "List goals by tier and system.",
    "schema": "Print a published JSON Schema.",
    "show": "Show one goal as the full template.",
    "steps": "Search the catalogue of steps.",
    "trace": "Show how goals stand: the traceability matrix.",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and help, and imports one only to run it."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run, and tell an error of ours from one in a goal by its exit code."""
        try:
            return super().main(*args, **kwargs)
        except Exception:
            traceback.print_exc()
            click.echo("This is an error of Goalkeeper itself: please report it.", err=True)
            raise SystemExit(3) from None

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f' Did you mean "{close[0]}"?' if close else f" There are: {', '.join(sorted(COMMANDS))}."
            ctx.fail(f'no such command "{args[0]}".{hint}')
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="goalkeeper")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Goals in Given/When/Then that a machine keeps.

    Goals run with pytest; this command does the rest.

    \b
        goalkeeper init          a first goal about your own program
        pytest scenarios/        run all goals
        goalkeeper lint          find mistakes before anything runs
        goalkeeper steps file    find a step by its words
        goalkeeper trace         how the goals stand after a run
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False
