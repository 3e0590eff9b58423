"""The gate of negative steps: what must never happen is forbidden by a check that was seen to fail."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from ..finding import Finding
from ..scenario import PROVING_TIERS, ScenarioVerdict
from ..status import Status
from ..verdict import GoalVerdict, Verdict
from .gate import Gate

NAME = "negatives"
RULE = "every scenario of tiers 0 and 1 forbids something, and each such step is proven to notice it"


def gate(verdict: Verdict) -> Gate:
    """Red for a verdict that could not be reached, and for each goal that has less than the rule asks."""
    goals = [goal for goal in verdict.goals if goal.tier in PROVING_TIERS]
    found = [*verdict.findings, *(finding for goal in goals for finding in _of_goal(goal))]
    return Gate(NAME, RULE, len(goals), tuple(found))


def _of_goal(goal: GoalVerdict) -> Iterator[Finding]:
    """Each thing that is missing, once; a goal that did not run as a whole is one finding."""
    run = f"run it: pytest {shlex.quote(goal.file)}"
    if goal.status in (Status.NOT_RUN, Status.UNCOVERED):
        untold = {scenario.reason for scenario in goal.scenarios}
        if len(untold) <= 1:
            hint = run if goal.scenarios else "write one: goalkeeper lint --explain no-scenario"
            yield Finding("not-run", goal.reason, hint, goal.id, goal.file, goal.line)
            return
    for scenario in goal.scenarios:
        yield from _of_scenario(goal, scenario, run)


def _of_scenario(goal: GoalVerdict, scenario: ScenarioVerdict, run: str) -> Iterator[Finding]:
    def finding(rule: str, message: str, hint: str = run, line: int = scenario.line) -> Finding:
        return Finding(rule, f"{scenario.name}: {message}", hint, goal.id, goal.file, line)

    if scenario.status in (Status.FAILED, Status.SKIPPED, Status.NOT_RUN):
        rule = "not-run" if scenario.status is Status.NOT_RUN else scenario.status.value
        yield finding(rule, f"{scenario.status.shown}, so nothing is proven: {scenario.reason}")
        return
    if not scenario.negatives:
        explain = "learn more: goalkeeper lint --explain no-negative"
        yield finding("no-negative", "it has no negative step, so nothing is proven", explain)
    for negative in scenario.negatives:
        if negative.missing:
            yield finding("unproven", f"{negative.text}: {negative.missing}", line=negative.line)
    if scenario.already:
        yield finding("already", "every Then held before the first When, so the Whens show nothing")
