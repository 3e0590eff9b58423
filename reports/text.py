"""The matrix for a terminal: lines with the style each is to be shown in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ..runner.problem import printable
from ..traceability.finding import Finding
from ..traceability.gates.gate import Gate
from ..traceability.status import Status
from ..traceability.verdict import GoalVerdict, Verdict
from . import brief

Line = tuple[str, str]  # a text and its style
STYLES = {
    Status.FAILED: "red",
    Status.UNPROVEN: "yellow",
    Status.SKIPPED: "yellow",
    Status.NOT_RUN: "magenta",
    Status.UNCOVERED: "magenta",
    Status.OK: "green",
}
_MOST_REASONS = 3


def trace(verdict: Verdict) -> Iterator[Line]:
    """The matrix, then what sums it up, so that this stands last on the screen."""
    yield from _clean(_matrix(verdict))
    yield from _clean(_summary(verdict))


def gates(found: Sequence[Gate]) -> Iterator[Line]:
    yield from _clean(line for gate in found for line in _gate(gate))


def _clean(lines: Iterable[Line]) -> Iterator[Line]:
    """Goals and records come from strangers: nothing in them moves the cursor."""
    return ((printable(text), style) for text, style in lines)


def _matrix(verdict: Verdict) -> Iterator[Line]:
    if not verdict.goals:
        return
    rows = {id(goal): _cells(goal) for goal in verdict.goals}
    widths = [max(map(_width, column)) for column in zip(*rows.values(), strict=True)]
    for tier, of_tier in groupby(verdict.goals, key=lambda goal: goal.tier):
        yield brief.tier_name(tier), "bold"
        for system, group in groupby(of_tier, key=lambda goal: goal.system):
            yield f"  {system or 'of no system'}", "cyan"
            for goal in group:
                padded = (_pad(*cell) for cell in zip(rows[id(goal)], widths, strict=True))
                yield f"    {'  '.join([*padded, goal.place])}", STYLES[goal.status]
                if verdict.run is not None:
                    yield from _reasons(goal)
        yield "", ""


def _cells(goal: GoalVerdict) -> list[str]:
    return [
        goal.id,
        goal.status.shown,
        goal.title,
        brief.count(len(goal.scenarios), "scenario"),
        brief.tally(goal),
        " ".join(goal.ci) or "-",
        goal.owner or "-",
    ]


def _reasons(goal: GoalVerdict) -> Iterator[Line]:
    """Why it is not OK: said once where all scenarios share it."""
    wanting = brief.wanting(goal)
    if len({scenario.reason for scenario in wanting}) <= 1:
        if goal.reason:
            yield f"      {goal.reason}", "dim"
    else:
        for scenario in wanting[:_MOST_REASONS]:
            yield f"      {scenario.status.shown} {scenario.name}: {scenario.reason}", "dim"
        if len(wanting) > _MOST_REASONS:
            yield f"      and {brief.count(len(wanting) - _MOST_REASONS, 'scenario')} more", "dim"
    for scenario in wanting:
        if scenario.evidence:
            yield f"      evidence: {scenario.evidence}", "dim"
    yield from ((f"      {doubt}", "dim") for doubt in brief.doubts(goal))


def _summary(verdict: Verdict) -> Iterator[Line]:
    from tabulate import tabulate

    shown = [status for status in Status if any(status in tier.counts for tier in verdict.tiers)]
    if verdict.tiers:
        head = ["", "goals", "covered", *(status.shown for status in shown)]
        rows = [
            [
                brief.tier_name(tier.tier),
                tier.goals,
                brief.coverage(tier.ok, tier.goals),
                *(tier.counts.get(status, 0) for status in shown),
            ]
            for tier in verdict.tiers
        ]
        align = ["left", *["right"] * (len(head) - 1)]
        yield from ((line, "") for line in tabulate(rows, head, "plain", colalign=align).splitlines())
        yield "", ""
    if verdict.run is not None:
        yield brief.run_line(verdict.run), "dim"
    for finding in verdict.findings:
        yield from _finding(finding, "")
    yield brief.headline(verdict), "bold green" if verdict.is_ok else "bold red"
    if not verdict.is_ok and not verdict.findings:
        worst = min(verdict.goals, key=lambda goal: [*Status].index(goal.status))
        yield f"look at one: goalkeeper show {worst.id}", "dim"


def _finding(finding: Finding, indent: str) -> Iterator[Line]:
    named = f"{finding.goal}  " if finding.goal else ""
    place = f"{finding.place}: " if finding.place else ""
    yield f"{indent}{named}{place}{finding.message}", "red"
    if finding.hint:
        yield f"{indent}  {finding.hint}", "dim"


def _gate(gate: Gate) -> Iterator[Line]:
    answer = "OK" if gate.is_open else "RED"
    yield f"{answer}  gate {gate.name}: {gate.rule}", "bold green" if gate.is_open else "bold red"
    for hint, group in groupby(gate.findings, key=lambda finding: finding.hint):
        for finding in group:
            yield from _finding(replace(finding, hint=""), "  ")
        yield f"    {hint}", "dim"
    looked = f"looked at {brief.count(gate.checked, 'goal')}"
    yield f"  {looked}, {brief.count(len(gate.findings), 'finding')}", "dim"


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
