"""pytest-bdd's own objects for a goal: what its hooks are given, made only when somebody listens to them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from pytest_bdd import parser as model
from pytest_bdd.gherkin_parser import Cell, DataTable, Location, Row

from .goal import Background, Case, Goal, Rule, Scenario, Step, Table, Tag, fill


class Mirror:
    """One goal as pytest-bdd would have parsed it."""

    def __init__(self, goal: Goal, rel_filename: str) -> None:
        self._rules = {id(rule): _rule(rule) for rule in goal.rules}
        self.feature = model.Feature(
            scenarios=OrderedDict(),
            filename=str(goal.path),
            rel_filename=rel_filename,
            language=goal.language,
            keyword=goal.keyword,
            name=goal.title,
            tags=set(feature_tags(goal)),
            background=_background(goal.background),
            line_number=goal.place.line,
            description=description(goal),
        )
        for rule, scenario in goal.all_scenarios():
            self.feature.scenarios[scenario.name] = self._template(rule, scenario)

    def scenario(self, case: Case) -> model.Scenario:
        template = self.feature.scenarios[case.scenario.name]
        return model.Scenario(
            feature=self.feature,
            keyword=template.keyword,
            name=shown_name(case),
            line_number=template.line_number,
            steps=[_step(step) for step in case.steps],
            description=template.description,
            tags=template.tags,
            rule=template.rule,
        )

    def _template(self, rule: Rule | None, scenario: Scenario) -> model.ScenarioTemplate:
        template = model.ScenarioTemplate(
            feature=self.feature,
            keyword=scenario.keyword,
            name=scenario.name,
            line_number=scenario.place.line,
            templated=scenario.outline,
            description=scenario.description,
            tags=_names(scenario.tags),
            rule=None if rule is None else self._rules[id(rule)],
        )
        for step in scenario.steps:
            template.add_step(_step(step))
        for examples in scenario.examples:
            table = model.Examples(examples.place.line, examples.name, tags=_names(examples.tags))
            table.set_param_names(examples.columns)
            for row in examples.rows:
                table.add_example(row)
            template.examples.append(table)
        return template


def feature_data(goal: Goal, rel_filename: str) -> dict[str, Any]:
    """The feature part of pytest-bdd's scenario report."""
    return {
        "keyword": goal.keyword,
        "name": goal.title,
        "filename": str(goal.path),
        "rel_filename": rel_filename,
        "language": goal.language,
        "line_number": goal.place.line,
        "description": description(goal),
        "tags": sorted(set(feature_tags(goal))),
    }


def scenario_data(case: Case) -> dict[str, Any]:
    """The scenario part of pytest-bdd's scenario report, without feature and steps."""
    scenario, rule = case.scenario, case.rule
    data: dict[str, Any] = {
        "keyword": scenario.keyword,
        "name": shown_name(case),
        "line_number": scenario.place.line,
        "tags": sorted(_names(scenario.tags)),
        "description": scenario.description,
    }
    if rule is not None:
        data["rule"] = {
            "keyword": rule.keyword,
            "name": rule.name,
            "description": rule.description,
            "tags": sorted(_names(rule.tags)),
        }
    return data


def shown_name(case: Case) -> str:
    """A case's name as pytest-bdd gives it: filled in, but without the row that tells cases apart."""
    return case.name if case.values is None else fill(case.scenario.name, case.values)


def feature_tags(goal: Goal) -> Iterator[str]:
    """All tags of a feature, those that the model keeps as fields included."""
    yield goal.id
    yield f"tier{goal.tier}"
    yield from (f"scope:{word}" for word in goal.scope)
    if goal.owner:
        yield f"owner:{goal.owner}"
    yield from (f"ci:{word}" for word in goal.ci)
    yield from (tag.name for tag in goal.tags)


def description(goal: Goal) -> str:
    """A feature's description, with the lines that the model keeps as fields before the rest."""
    fields = (goal.statement and f"Expect: {goal.statement}", goal.hook and f"Hook: {goal.hook}")
    parts = ("\n".join(line for line in fields if line), goal.description)
    return "\n\n".join(part for part in parts if part)


def _names(tags: tuple[Tag, ...]) -> set[str]:
    return {tag.name for tag in tags}


def _step(step: Step) -> model.Step:
    return model.Step(
        name=step.text,
        type=step.kind,
        indent=step.place.column - 1,
        line_number=step.place.line,
        keyword=step.keyword.title(),
        datatable=None if step.table is None else _table(step.table),
        docstring=None if step.docstring is None else step.docstring.text,
    )


def _table(table: Table) -> DataTable:
    location = Location(column=table.place.column, line=table.place.line)
    rows = [
        Row(id=str(number), location=location, cells=[Cell(location=location, value=cell) for cell in row])
        for number, row in enumerate(table.rows)
    ]
    return DataTable(location=location, rows=rows)


def _background(background: Background | None) -> model.Background | None:
    if background is None:
        return None
    built = model.Background(line_number=background.place.line)
    for step in background.steps:
        built.add_step(_step(step))
    return built


def _rule(rule: Rule) -> model.Rule:
    return model.Rule(
        keyword=rule.keyword,
        name=rule.name,
        description=rule.description,
        tags=_names(rule.tags),
        background=_background(rule.background),
    )
