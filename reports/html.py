"""The matrix as one page that needs nothing else: no script, no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import groupby
from typing import Any

from ..runner.problem import printable
from ..traceability.status import Status
from ..traceability.verdict import GoalVerdict, Verdict
from . import brief

_TEMPLATE = "trace.html.j2"
_MANY = 1000
_MOST_REASONS = 3
_MOST_LINES = {False: 12, True: 3}  # of a kind in one cell; fewer on a page that is large anyway


def render(verdict: Verdict) -> str:
    from jinja2 import Environment, StrictUndefined

    source = resources.files(__package__).joinpath("templates", _TEMPLATE).read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    most = _MOST_LINES[len(verdict.goals) > _MANY]
    page = environment.from_string(source).render(
        headline=brief.headline(verdict),
        ok=verdict.is_ok,
        run=None if verdict.run is None else brief.run_line(verdict.run),
        record="" if verdict.run is None else verdict.run.record,
        findings=verdict.findings,
        statuses=[s for s in Status if any(s in tier.counts for tier in verdict.tiers)],
        tiers=_tiers(verdict, most),
    )
    return printable(page)


def _tiers(verdict: Verdict, most: int) -> Iterator[dict[str, Any]]:
    rows = {tier: [*goals] for tier, goals in groupby(verdict.goals, key=lambda goal: goal.tier)}
    for tier in verdict.tiers:
        yield {
            "number": tier.tier,
            "name": brief.tier_name(tier.tier),
            "goals": tier.goals,
            "coverage": brief.coverage(tier.ok, tier.goals),
            "counts": tier.counts,
            "rows": (_row(goal, most) for goal in rows[tier.tier]),
        }


def _row(goal: GoalVerdict, most: int) -> dict[str, Any]:
    thens, negatives = brief.thens(goal), [*brief.negatives(goal).items()]
    negatives.sort(key=lambda item: item[1] == "proven")  # what lacks a proof is not cut away
    return {
        "id": goal.id,
        "status": goal.status.value,
        "shown": goal.status.shown,
        "title": goal.title,
        "statement": goal.statement,
        "reasons": _cut([*_reasons(goal)], _MOST_REASONS),
        "evidence": [s.evidence for s in brief.wanting(goal) if s.evidence][:_MOST_REASONS],
        "thens": _cut(thens, most),
        "negatives": [(text, brief.spoken(outcome)) for text, outcome in negatives[:most]],
        "more_negatives": max(0, len(negatives) - most),
        "file": goal.file,
        "line": goal.line,
        "ci": " ".join(goal.ci),
        "owner": goal.owner,
    }


def _reasons(goal: GoalVerdict) -> Iterator[str]:
    wanting = brief.wanting(goal)
    if len({scenario.reason for scenario in wanting}) <= 1:
        if goal.reason:
            yield goal.reason
    else:
        yield from (f"{scenario.name}: {scenario.reason}" for scenario in wanting)
    yield from brief.doubts(goal)


def _cut(lines: Sequence[str], most: int) -> list[str]:
    over = len(lines) - most
    return [*lines] if over <= 0 else [*lines[:most], f"and {over} more"]
