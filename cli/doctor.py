"""`goalkeeper doctor`: what this machine can do, what is missing, and how to get it."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from .. import __version__
from ..runner.doctor import Finding, examine, is_fit
from .common import console


@click.command()
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it."
)
def command(form: str) -> None:
    """Show what this machine can do, and what is missing.

    For what is missing, it says how to get it and what can't be done until then. The exit code is 1 only
    where something is missing that every goal needs.

    \b
        goalkeeper doctor
        goalkeeper doctor --format json
    """
    findings = examine()
    fit = is_fit(findings)
    if form == "json":
        data = {"ok": fit, "goalkeeper": __version__, "findings": [finding.data() for finding in findings]}
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        _text(findings)
    if not fit:
        raise SystemExit(1)


def _text(findings: Sequence[Finding]) -> None:
    from rich.text import Text

    screen = console()
    screen.print(f"Goalkeeper {__version__}", style="bold")
    width = max(len(finding.name) for finding in findings) + 2
    for finding in findings:
        word, style = _state(finding)
        screen.print(Text.assemble("  ", (f"{word:<9}", style), f"{finding.name:<{width}}{finding.detail}"))
        if not finding.ok:
            screen.print(Text(f"{'':<11}{'':<{width}}get it: {finding.remedy}"))
            screen.print(Text(f"{'':<11}{'':<{width}}skipped until then: {finding.skips}", style="dim"))
    screen.print()
    missing = [finding.name for finding in findings if finding.required and not finding.ok]
    optional = [finding.name for finding in findings if not finding.required and not finding.ok]
    if missing:
        screen.print(f"required and missing: {', '.join(missing)}", style="bold red")
    else:
        rest = f"; optional and missing: {', '.join(optional)}" if optional else ""
        screen.print(f"all that is required is here{rest}", style="green")


def _state(finding: Finding) -> tuple[str, str]:
    if finding.ok:
        return "ok", "green"
    return ("missing", "bold red") if finding.required else ("absent", "yellow")
