"""`goalkeeper show`: one goal as the full template."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..runner.listing import TIERS, Listed, Listing, listing
from ..runner.problem import did_you_mean
from ..runner.sheet import negatives, sheet
from .common import Refused, chosen, console, goal_paths, project

Line = tuple[str, str]  # a text and its style
_WIDTH = len("configuration") + 2


def complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids that a shell offers; where something is wrong it offers none, and stays quiet."""
    try:
        settings = project()
        goals = listing(chosen(ctx.params.get("paths") or (), settings), settings).goals
    except click.ClickException:
        return []
    found = (goal.goal for goal in goals if goal.goal.id.startswith(incomplete))
    return [CompletionItem(goal.id, help=goal.title) for goal in found]


@click.command()
@click.argument("goal_id", metavar="GOAL", shell_complete=complete)
@goal_paths
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it."
)
def command(goal_id: str, paths: tuple[Path, ...], form: str) -> None:
    """Show one goal as the full template.

    What the file says, and what follows from it: configuration, artifacts, the list of what must never
    happen, and the tests that pytest makes of the scenarios, by the names to run them by.

    \b
        goalkeeper show G0.1
        goalkeeper show THRUM-G1.2 scenarios/thrum --format json

    Your shell completes ids (bash; zsh and fish are alike):

    \b
        eval "$(_GOALKEEPER_COMPLETE=bash_source goalkeeper)"
    """
    settings = project()
    found = _one(goal_id, listing(chosen(paths, settings), settings))
    data = sheet(found, negatives(found.goal, found.goal.path.parent, settings.root))
    if form == "json":
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
        return
    screen = console()
    for text, style in _page(data):
        screen.print(text, style=style)
    file = shlex.quote(os.path.relpath(found.goal.path))
    screen.print(f"\nrun it: pytest {file}", style="dim")


def _one(goal_id: str, every: Listing) -> Listed:
    """The goal of that id. A file that can't be read may be the one that was meant, so it is shown."""
    found = [listed for listed in every.goals if listed.goal.id == goal_id]
    if len(found) > 1:
        files = "\n".join(f"    {listed.file}" for listed in found)
        raise Refused(f"{goal_id} is the id of more than one file: name the one to show\n{files}")
    if found:
        return found[0]
    for error in every.errors:
        click.echo(f"{error}\n", err=True)
    hint = did_you_mean(goal_id, [listed.goal.id for listed in every.goals])
    raise Refused(f'there is no goal "{goal_id}".{hint} See all: goalkeeper list')


def _page(data: dict[str, Any]) -> Iterator[Line]:
    yield f"{data['id']}  {data['title']}", "bold"
    yield from _field("tier", [f"{data['tier']}, {TIERS[data['tier']]}"])
    for name in ("system", "owner"):
        yield from _field(name, [data[name]] if data[name] else [])
    yield from _field("ci", data["ci"])
    yield from _field("file", [data["file"]])
    if data["description"]:
        yield "", ""
        yield from ((line, "") for line in data["description"].splitlines())
    yield "", ""
    yield from _field("statement", [data["statement"] or "none"])
    yield from _field("scope", data["scope"] or ["none"])
    settings = [f"{setting['name']} = {setting['value']}" for setting in data["configuration"]]
    yield from _field("configuration", settings or ["the system's own"])
    yield "steps", "bold cyan"
    yield from _scenarios(data, "  ")
    for rule in data["rules"]:
        yield f"  Rule: {rule['name']}", "bold"
        yield from _scenarios(rule, "    ")
    yield from _field("artifacts", data["artifacts"] or ["none"])
    yield from _field("never-list", data["never_list"] or ["none"])
    yield from _field("hook", [data["hook"] or "none"])


def _field(name: str, values: Sequence[str]) -> Iterator[Line]:
    for number, value in enumerate(values):
        yield f"{'' if number else name:<{_WIDTH}}{value}", ""


def _scenarios(part: dict[str, Any], indent: str) -> Iterator[Line]:
    if part["background"]:
        yield f"{indent}Background", "bold"
        yield from _steps(part["background"], f"{indent}  ")
        yield "", ""
    for scenario in part["scenarios"]:
        yield f"{indent}{scenario['name']}", "bold"
        yield from _steps(scenario["steps"], f"{indent}  ")
        yield from ((f"{indent}  {test['node']}", "dim") for test in scenario["tests"])
        yield "", ""


def _steps(steps: Sequence[dict[str, Any]], indent: str) -> Iterator[Line]:
    for step in steps:
        yield f"{indent}{step['keyword']} {step['text']}", "magenta" if step["negative"] else ""
        for row in step["table"] or ():
            yield f"{indent}  | {' | '.join(row)} |", ""
        if step["docstring"] is not None:
            yield from (
                (f"{indent}  {line}".rstrip(), "") for line in ['"""', *step["docstring"].splitlines(), '"""']
            )
