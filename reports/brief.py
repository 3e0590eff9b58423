"""A verdict in few words: what every rendering shows in a cell or a line."""

from __future__ import annotations

from collections.abc import Iterator

from ..runner.listing import TIERS
from ..traceability.scenario import PROVING_TIERS, ScenarioVerdict
from ..traceability.status import Status
from ..traceability.verdict import GoalVerdict, RunSummary, Verdict


def count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def tier_name(tier: int) -> str:
    return f"tier {tier}, {TIERS[tier]}"


def thens(goal: GoalVerdict) -> list[str]:
    """What its scenarios assert, each once."""
    return [*dict.fromkeys(then for scenario in goal.scenarios for then in scenario.thens)]


def negatives(goal: GoalVerdict) -> dict[str, str]:
    """What its scenarios forbid, each once, with what became of the proofs.

    Where scenarios share a step, the one that lacks something speaks.
    """
    found: dict[str, str] = {}
    for scenario in goal.scenarios:
        for negative in scenario.negatives:
            known = found.get(negative.text, "proven")
            found[negative.text] = negative.outcome if known == "proven" else known
    return found


def tally(goal: GoalVerdict) -> str:
    """`3 thens, 1 of 2 nevers proven`."""
    outcomes = [*negatives(goal).values()]
    proven = outcomes.count("proven")
    nevers = f"{proven} of {count(len(outcomes), 'never')} proven" if outcomes else "no never"
    return f"{count(len(thens(goal)), 'then')}, {nevers}"


def spoken(outcome: str) -> str:
    """An outcome as words: `no-proof` is `no proof`."""
    return outcome.replace("-", " ")


def wanting(goal: GoalVerdict) -> list[ScenarioVerdict]:
    """The scenarios that are not OK, or of tier 2 that are OK in spite of a doubt."""
    return [scenario for scenario in goal.scenarios if scenario.status is not Status.OK]


def doubts(goal: GoalVerdict) -> Iterator[str]:
    """What a goal that need not be proven leaves open; the others are not OK for it."""
    if goal.tier in PROVING_TIERS:
        return
    for scenario in goal.scenarios:
        if scenario.status is Status.OK and scenario.already:
            yield f"{scenario.name}: every Then held before the first When"


def run_line(run: RunSummary) -> str:
    """The run in one line, the same every time that it is read."""
    day, _, time = run.started.partition("T")
    parts = [f"run {run.id}", f"{day} {time[:5]}".strip()]
    parts += [f"commit {run.commit[:12]}"] if run.commit else []
    parts += ["without proofs"] if not run.proofs else []
    parts += [f"{count(run.others, 'goal')} besides these"] if run.others else []
    return ", ".join(parts)


def headline(verdict: Verdict) -> str:
    """The verdict in one sentence."""
    number = len(verdict.goals)
    if verdict.is_ok:
        return f"OK: {'the one goal is' if number == 1 else f'all {number} goals are'} OK"
    bad = sum(not goal.is_ok for goal in verdict.goals)
    parts = [f"{bad} of {count(number, 'goal')} {'is' if bad == 1 else 'are'} not OK"] if bad else []
    parts += [count(len(verdict.findings), "finding")] if verdict.findings else []
    return f"RED: {', '.join(parts)}"


def coverage(ok: int, goals: int) -> str:
    """A share that says 100 % only where nothing is missing."""
    return f"{100 * ok // goals} %" if goals else "-"
