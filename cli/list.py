"""`goalkeeper list`: the goals of a project by tier and system."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from ..runner.listing import TIERS, Listed, Listing, listing
from ..runner.problem import GoalError, did_you_mean
from .common import chosen, console, goal_paths, project


@click.command()
@goal_paths
@click.option("--tier", type=click.IntRange(0, 2), help="Only goals of this tier.")
@click.option("--system", metavar="NAME", help="Only goals of this system: a folder of the goals directory.")
@click.option("--owner", metavar="NAME", help="Only goals of this owner.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it."
)
def command(
    paths: tuple[Path, ...], tier: int | None, system: str | None, owner: str | None, form: str
) -> None:
    """List goals by tier and system.

    A goal's system is the first folder below the goals directory that it lies in, or the prefix of its id.
    Each row of an outline counts as a scenario.

    \b
        goalkeeper list
        goalkeeper list --tier 0 --system mycelium
        goalkeeper list scenarios/payments --format json
    """
    settings = project()
    every = listing(chosen(paths, settings), settings)
    wanted = {"tier": tier, "system": system, "owner": owner}
    found = [goal for goal in every.goals if _fits(goal, wanted)]
    for error in every.errors:
        click.echo(f"{error}\n", err=True)
    if form == "json":
        click.echo(_json(found, every))
    elif found:
        _text(found)
    if not found and every.goals:
        click.echo(f"Error: {_no_match(every.goals, wanted)}", err=True)
    if every.errors:
        number = len(every.errors)
        click.echo(f"{number} goal {'file' if number == 1 else 'files'} could not be read", err=True)
        raise SystemExit(2)
    if not found:
        raise SystemExit(1)


def _fits(listed: Listed, wanted: dict[str, Any]) -> bool:
    own = {"tier": listed.goal.tier, "system": listed.system, "owner": listed.goal.owner}
    return all(value is None or own[name] == value for name, value in wanted.items())


def _no_match(goals: Sequence[Listed], wanted: dict[str, Any]) -> str:
    asked = " and ".join(f"{name} {value}" for name, value in wanted.items() if value is not None)
    known = {"system": {g.system for g in goals} - {""}, "owner": {g.goal.owner for g in goals} - {""}}
    hints = [
        did_you_mean(wanted[name], names) or f" {name}s: {', '.join(sorted(names)) or 'none'}."
        for name, names in known.items()
        if wanted[name] is not None and wanted[name] not in names
    ]
    return f"no goal has {asked}.{''.join(hints)} See all: goalkeeper list"


def _json(found: Sequence[Listed], every: Listing) -> str:
    problems = [problem for error in every.errors for problem in _problems(error)]
    data = {"goals": [listed.data() for listed in found], "problems": problems}
    return json.dumps(data, indent=2, ensure_ascii=False)


def _problems(error: GoalError) -> list[dict[str, Any]]:
    return [
        {
            "file": str(error.path),
            "line": problem.place.line,
            "column": problem.place.column,
            "rule": problem.rule,
            "message": problem.message,
            "hints": [hint.strip() for hint in problem.hints],
        }
        for problem in error.problems
    ]


def _text(found: Sequence[Listed]) -> None:
    screen = console()
    widths = [max(map(_width, column)) for column in zip(*map(_cells, found), strict=True)]
    for tier, of_tier in groupby(found, key=lambda listed: listed.goal.tier):
        screen.print(f"tier {tier}, {TIERS[tier]}", style="bold")
        for system, group in groupby(of_tier, key=lambda listed: listed.system):
            screen.print(f"  {system or 'of no system'}", style="cyan")
            for listed in group:
                padded = (_pad(cell, width) for cell, width in zip(_cells(listed), widths, strict=True))
                screen.print("  ".join(["  ", *padded, listed.file]))
        screen.print()
    scenarios = sum(listed.scenarios for listed in found)
    screen.print(f"{_count(len(found), 'goal')}, {_count(scenarios, 'scenario')}")
    screen.print(f"look at one: goalkeeper show {found[0].goal.id}", style="dim")


def _cells(listed: Listed) -> list[str]:
    """The columns before the file; a goal without an owner has a dash, so that the columns stay apart."""
    goal = listed.goal
    return [goal.id, goal.title, _count(listed.scenarios, "scenario"), goal.owner or "-"]


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
