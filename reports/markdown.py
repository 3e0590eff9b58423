"""The matrix as Markdown, for a pull request or a wiki."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..runner.problem import printable
from ..traceability.finding import Finding
from ..traceability.status import Status
from ..traceability.verdict import GoalVerdict, Verdict
from . import brief

HEAD = ["Goal", "Result", "Expectation", "Assertions", "Test", "CI", "Owner"]
_SPECIAL = re.compile(r"([\\`*_\[\]|~#])")


def render(verdict: Verdict) -> str:
    return printable("\n".join(_page(verdict)))


def _page(verdict: Verdict) -> Iterator[str]:
    yield "# Traceability\n"
    yield f"**{_text(brief.headline(verdict))}**\n"
    if verdict.run is not None:
        yield f"{_text(brief.run_line(verdict.run))}\n"
    if verdict.findings:
        yield from (f"- {_finding(finding)}" for finding in verdict.findings)
        yield ""
    if verdict.goals:
        yield f"{_summary(verdict)}\n"
        yield f"{_table([_row(goal) for goal in verdict.goals], HEAD)}\n"


def _summary(verdict: Verdict) -> str:
    shown = [status for status in Status if any(status in tier.counts for tier in verdict.tiers)]
    rows = [
        [
            brief.tier_name(tier.tier),
            str(tier.goals),
            brief.coverage(tier.ok, tier.goals),
            *(str(tier.counts.get(status, 0)) for status in shown),
        ]
        for tier in verdict.tiers
    ]
    return _table(rows, ["Tier", "Goals", "Covered", *(status.shown for status in shown)])


def _table(rows: list[list[str]], head: list[str]) -> str:
    from tabulate import tabulate

    return tabulate(rows, head, tablefmt="github", disable_numparse=True)


def _row(goal: GoalVerdict) -> list[str]:
    return [
        _text(goal.id),
        _result(goal),
        _lines([f"**{_text(goal.title)}**", _text(goal.statement)]),
        _lines(
            [
                *(_text(then) for then in brief.thens(goal)),
                *(
                    f"{_text(text)} (**{_text(brief.spoken(outcome))}**)"
                    for text, outcome in brief.negatives(goal).items()
                ),
            ]
        ),
        _text(goal.place),
        _lines([_text(job) for job in goal.ci]),
        _text(goal.owner),
    ]


def _result(goal: GoalVerdict) -> str:
    return _lines([f"**{goal.status.shown}**", _text(goal.reason), *map(_text, brief.doubts(goal))])


def _finding(finding: Finding) -> str:
    place = f"{_text(finding.place)}: " if finding.place else ""
    hint = f" ({_text(finding.hint)})" if finding.hint else ""
    return f"{place}{_text(finding.message)}{hint}"


def _lines(parts: list[str]) -> str:
    return "<br>".join(part for part in parts if part)


def _text(text: str) -> str:
    """Text that stays text: on one line, and without what Markdown or HTML would make something of."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return _SPECIAL.sub(r"\\\1", plain)
