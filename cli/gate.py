"""`goalkeeper gate`: rules over the goals that a pipeline stops at."""

from __future__ import annotations

from pathlib import Path

import click

from ..runner.problem import did_you_mean
from ..traceability.gates import GATES, judge
from .common import Refused, console, project
from .judging import judged, place_note, record_option
from .trace import as_json


@click.command()
@click.argument("names", nargs=-1, metavar="[NAMES]...")
@record_option
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it."
)
def command(names: tuple[str, ...], record: Path | None, form: str) -> None:
    """Stop where a rule over the goals is broken.

    Without names, all gates are asked:

    \b
        negatives   every scenario of tiers 0 and 1 has negative steps, and each is proven: in the run, the
                    forbidden thing was done on purpose, and the step noticed. Tier 0 asks for two violations,
                    a gross and a minimal one.

    A gate is red as well where goals did not run, and where the run record is missing, empty, unreadable, or
    of other goal files than those that are there.

    \b
        goalkeeper gate
        goalkeeper gate negatives --format json
    """
    for name in names:
        if name not in GATES:
            hint = did_you_mean(name, GATES) or f" There are: {', '.join(GATES)}."
            raise Refused(f'there is no gate "{name}".{hint}')
    settings = project()
    verdict = judged((), record, settings)
    gates = judge(verdict, names or GATES)
    is_open = all(gate.is_open for gate in gates)
    if form == "json":
        click.echo(as_json({"ok": is_open, "gates": [gate.data() for gate in gates]}), nl=False)
    else:
        from ..reports import text

        screen = console()
        for line, style in text.gates(gates):
            screen.print(line, style=style)
        if note := place_note(settings):
            screen.print(note, style="dim")
    raise SystemExit(0 if is_open else 1)
