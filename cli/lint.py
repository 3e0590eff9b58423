"""`goalkeeper lint`: what is wrong with goal files, before anything runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..runner.lint import UNREADABLE, Linter, Report
from ..runner.lint.explain import explanation, rule_ids
from ..runner.problem import did_you_mean, printable
from .common import Refused, chosen, console, goal_paths, project


@click.command()
@goal_paths
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "github"]), default="text", help="How to print it."
)
@click.option("--explain", metavar="RULE", help="Explain a rule, with what is wrong and what is right.")
def command(paths: tuple[Path, ...], form: str, explain: str | None) -> None:
    """Check goal files before anything runs.

    All mistakes of all files are shown. Nothing of yours is imported: steps are read from the text of each
    conftest.py and of the installed libraries.

    \b
        goalkeeper lint
        goalkeeper lint scenarios/payments --format github
        goalkeeper lint --explain no-negative
    """
    if explain is not None:
        _explain(explain)
        return
    settings = project()
    files = chosen(paths, settings)
    linter = Linter(settings.root)
    wrong = [*linter.check_profiles(), *(report for report in map(linter.check, files) if report.problems)]
    {"text": _text, "json": _json, "github": _github}[form](wrong, len(files), linter.left_to_pytest)
    rules = {problem.rule for report in wrong for problem in report.problems}
    if rules:
        raise SystemExit(2 if rules & UNREADABLE else 1)


def _explain(rule: str) -> None:
    text = explanation(rule)
    if text is None:
        known = rule_ids()
        raise Refused(f'there is no rule "{rule}".{did_you_mean(rule, known)}\nKnown: {", ".join(known)}')
    click.echo(text)


def _text(wrong: Sequence[Report], files: int, left: Sequence[str]) -> None:
    screen = console()
    for report in wrong:
        for problem in report.problems:
            _print_problem(screen, problem.render(report.shown, report.lines))
    for place in left:
        screen.print(
            f"{place}: steps defined here can't be read; unknown steps are left to pytest", style="dim"
        )
    count = sum(len(report.problems) for report in wrong)
    checked = f"{files} goal {'file' if files == 1 else 'files'}"
    if count:
        screen.print(
            f"{count} {'problem' if count == 1 else 'problems'} in {len(wrong)} of {checked}",
            style="bold red",
        )
        rules = {problem.rule for report in wrong for problem in report.problems}
        screen.print(f"learn more: goalkeeper lint --explain {min(rules)}", style="dim")
    else:
        screen.print(f"{checked}, no problem", style="green")


def _print_problem(screen: Any, text: str) -> None:
    from rich.text import Text

    first, *rest = text.splitlines()
    place, _, rule = first.rpartition(": ")
    screen.print(Text.assemble((place, "bold"), ": ", (rule, "bold red")))
    for line in rest:
        screen.print(Text(line, style="red" if line.strip(" \t^") == "" and "^" in line else ""))
    screen.print()


def _json(wrong: Sequence[Report], files: int, left: Sequence[str]) -> None:
    problems = [
        {
            "file": printable(report.shown),
            "line": problem.place.line,
            "column": problem.place.column,
            "rule": problem.rule,
            "message": problem.message,
            "hints": [hint.strip() for hint in problem.hints],
        }
        for report in wrong
        for problem in report.problems
    ]
    click.echo(
        json.dumps(
            {"files": files, "problems": problems, "left_to_pytest": [*left]}, indent=2, ensure_ascii=False
        )
    )


def _github(wrong: Sequence[Report], _files: int, _left: Sequence[str]) -> None:
    """Annotations that GitHub shows beside the line in a pull request."""
    for report in wrong:
        for problem in report.problems:
            place = f"file={_escaped(report.shown)},line={problem.place.line},col={problem.place.column}"
            message = _data("\n".join([problem.message, *problem.hints]))
            click.echo(f"::error {place},title={problem.rule}::{message}")


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\n", "%0A")


def _escaped(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
