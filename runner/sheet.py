"""One goal as the full template: what it says itself, and what follows from its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .binding import BoundStep
from .goal import Background, Case, Goal, Scenario, Step
from .lint.steps import StepReader
from .listing import Listed

IsNegative = Callable[[Step], bool]


def negatives(goal: Goal, directory: Path, root: Path) -> IsNegative:
    """Tells negative steps by their definitions, as far as those can be read; else by their words."""
    binder = StepReader(root).binder(directory)
    known: dict[int, bool] = {}
    for scenario in (scenario for _, scenario in goal.all_scenarios()):
        rows = [dict(zip(e.columns, row, strict=True)) for e in scenario.examples for row in e.rows]
        for step in scenario.steps:
            found = binder.bind(step.rendered(rows[0]) if rows else step)
            if isinstance(found, BoundStep):
                known[id(step)] = found.definition.negative is not None
    return lambda step: known.get(id(step), step.negative)


def sheet(listed: Listed, is_negative: IsNegative) -> dict[str, Any]:
    """The seven fields of a goal and what stands beside them, as plain data."""
    goal = listed.goal
    return {
        "id": goal.id,
        "tier": goal.tier,
        "title": goal.title,
        "system": listed.system,
        "owner": goal.owner,
        "ci": [*goal.ci],
        "file": listed.file,
        "description": goal.description,
        "tags": [tag.name for tag in goal.tags],
        "statement": goal.statement,
        "scope": [*goal.scope],
        "configuration": [{"name": name, "value": value} for name, value in goal.configuration],
        "background": _background(goal.background, is_negative),
        "scenarios": _scenarios(goal, goal.scenarios, listed.file, is_negative),
        "rules": [
            {
                "name": rule.name,
                "background": _background(rule.background, is_negative),
                "scenarios": _scenarios(goal, rule.scenarios, listed.file, is_negative),
            }
            for rule in goal.rules
        ],
        "artifacts": [*goal.artifacts],
        "never_list": [*goal.never_list(is_negative)],
        "hook": goal.hook,
    }


def _background(background: Background | None, is_negative: IsNegative) -> list[dict[str, Any]]:
    return [] if background is None else [_step(step, is_negative) for step in background.steps]


def _scenarios(
    goal: Goal, scenarios: Iterable[Scenario], file: str, is_negative: IsNegative
) -> list[dict[str, Any]]:
    """Each scenario as written, with the tests that pytest makes of it."""
    cases = [*goal.cases()]
    return [
        {
            "name": scenario.name,
            "line": scenario.place.line,
            "tags": [tag.name for tag in scenario.tags],
            "outline": scenario.outline,
            "steps": [_step(step, is_negative) for step in scenario.steps],
            "tests": [_test(case, file) for case in cases if case.scenario is scenario],
        }
        for scenario in scenarios
    ]


def _test(case: Case, file: str) -> dict[str, Any]:
    return {"node": f"{file}::{case.node_name}", "line": case.place.line, "values": dict(case.values or {})}


def _step(step: Step, is_negative: IsNegative) -> dict[str, Any]:
    return {
        "keyword": step.keyword,
        "kind": step.kind,
        "text": step.text,
        "negative": is_negative(step),
        "line": step.place.line,
        "table": None if step.table is None else [[*row] for row in step.table.rows],
        "docstring": None if step.docstring is None else step.docstring.text,
    }
