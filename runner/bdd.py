"""The one place that touches what pytest-bdd and pytest do not publish.

Everything here is named and pinned down by `tests/runner/test_bdd.py`, which fails loudly when a new release
moves it. The rest of Goalkeeper uses public interfaces only.
"""

from __future__ import annotations

import inspect
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
import pytest_bdd.plugin
from pytest_bdd import parser as model
from pytest_bdd.compat import inject_fixture
from pytest_bdd.cucumber_json import LogBDDCucumberJSON
from pytest_bdd.gherkin_parser import Cell, DataTable, Location, Row
from pytest_bdd.reporting import (
    ReportContext,
    ScenarioReport,
    StepReport,
    scenario_reports_registry,
    test_report_context_registry,
)
from pytest_bdd.steps import StepFunctionContext, StepNamePrefix, step_function_context_registry

from .goal import Background, Case, Goal, Rule, Step, Table, fill
from .goal import Scenario as GoalScenario

if TYPE_CHECKING:
    from pluggy import HookCaller

__all__ = ["StepFunctionContext", "inject_fixture"]

_MARKS = pytest.StashKey[set[str]]()

def contexts_in(holder: object) -> Iterator[StepFunctionContext]:
    """The steps that pytest-bdd's decorators left in a module or plugin object."""
    namespace: dict[str, object] = dict(getattr(holder, "__dict__", {}))
    if not isinstance(holder, ModuleType):
        namespace = {**vars(type(holder)), **namespace}
    for name, value in namespace.items():
        if name.startswith(StepNamePrefix.step_def.value):
            context = step_function_context_registry.get(inspect.unwrap(value))  # type: ignore[arg-type]
            if context is not None:
                yield context


def literal_prefix(regex: re.Pattern[str]) -> str:
    """The literal text that every match of a regular expression begins with, or less; never more."""
    pattern = regex.pattern
    if "|" in pattern or regex.flags & (re.VERBOSE | re.IGNORECASE):
        return ""
    literal = re.match(r"[^\\.^$*+?{}\[\]()|]*", pattern)
    prefix = literal.group() if literal is not None else ""
    return prefix[:-1] if pattern[len(prefix) : len(prefix) + 1] in ("*", "?", "{", "+") else prefix


def register_mark(config: pytest.Config, name: str, description: str) -> None:
    """Make a mark known, so that `--strict-markers` and `-m` accept it.

    pytest reads the whole list again for each mark it has not met; telling it directly keeps a tree of five
    thousand goals from costing seconds.
    """
    registered = config.stash.setdefault(_MARKS, set())
    if name not in registered:
        registered.add(name)
        config.addinivalue_line("markers", f"{name}: {description}")
        vars(pytest.mark).get("_markers", set()).add(name)


class Feature(model.Feature):  # type: ignore[misc]
    """pytest-bdd's feature of a goal. Its scenario templates, which few look at, are made when asked for."""

    def __init__(self, goal: Goal, rel_filename: str) -> None:
        self._goal = goal
        self.filename = str(goal.path)
        self.rel_filename = rel_filename
        self.language = goal.language
        self.keyword = goal.keyword
        self.name = goal.title
        self.tags = set(feature_tags(goal))
        self.background = _background(goal.background)
        self.line_number = goal.place.line
        self.description = goal.description
        self.rules = {id(rule): _rule(rule) for rule in goal.rules}

    @cached_property
    def scenarios(self) -> OrderedDict[str, model.ScenarioTemplate]:
        return OrderedDict(
            (scenario.name, self._template(rule, scenario)) for rule, scenario in self._goal.all_scenarios()
        )

    def _template(self, rule: Rule | None, scenario: GoalScenario) -> model.ScenarioTemplate:
        template = model.ScenarioTemplate(
            feature=self,
            keyword=scenario.keyword,
            name=scenario.name,
            line_number=scenario.place.line,
            templated=scenario.outline,
            description=scenario.description,
            tags={tag.name for tag in scenario.tags},
            rule=self.rules[id(rule)] if rule is not None else None,
        )
        for step in scenario.steps:
            template.add_step(_step(step))
        for examples in scenario.examples:
            table = model.Examples(examples.place.line, examples.name, tags={tag.name for tag in examples.tags})
            table.set_param_names(examples.columns)
            for row in examples.rows:
                table.add_example(row)
            template.examples.append(table)
        return template


class Scenario(model.Scenario):  # type: ignore[misc]
    """pytest-bdd's scenario of a case; its steps are made when a hook asks for them."""

    def __init__(self, feature: Feature, case: Case) -> None:
        scenario = case.scenario
        self._case = case
        self.feature = feature
        self.keyword = scenario.keyword
        self.name = scenario.name if case.values is None else fill(scenario.name, case.values)
        self.line_number = scenario.place.line
        self.description = scenario.description
        self.tags = {tag.name for tag in scenario.tags}
        self.rule = feature.rules[id(case.rule)] if case.rule is not None else None

    @cached_property
    def steps(self) -> list[model.Step]:
        return [_step(step) for step in self._case.steps]


def feature_tags(goal: Goal) -> Iterator[str]:
    """All tags of a feature, those that the model keeps as fields included."""
    yield goal.id
    yield f"tier{goal.tier}"
    yield from (f"scope:{word}" for word in goal.scope)
    if goal.owner:
        yield f"owner:{goal.owner}"
    yield from (f"ci:{word}" for word in goal.ci)
    yield from (tag.name for tag in goal.tags)


def _step(step: Step) -> model.Step:
    return model.Step(
        name=step.text,
        type=step.kind,
        indent=step.place.column - 1,
        line_number=step.place.line,
        keyword=step.keyword,
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
        tags={tag.name for tag in rule.tags},
        background=_background(rule.background),
    )


class Hooks:
    """pytest-bdd's hooks, of which those that nobody but pytest-bdd itself listens to are not called.

    pytest-bdd listens in order to keep its scenario report, which `Report` keeps in its place.
    """

    NAMES = (
        "pytest_bdd_before_scenario",
        "pytest_bdd_before_step",
        "pytest_bdd_before_step_call",
        "pytest_bdd_after_step",
        "pytest_bdd_step_error",
        "pytest_bdd_after_scenario",
    )

    def __init__(self, config: pytest.Config) -> None:
        listened = (_listened(getattr(config.hook, name)) for name in self.NAMES)
        self.before_scenario, self.before_step, self.before_step_call = islice(listened, 3)
        self.after_step, self.step_error, self.after_scenario = listened


def _listened(hook: HookCaller) -> HookCaller | None:
    others = (impl for impl in hook.get_hookimpls() if impl.plugin is not pytest_bdd.plugin)
    return hook if next(others, None) is not None else None


class Report(ScenarioReport):  # type: ignore[misc]
    """pytest-bdd's report of a scenario, told what happened by Goalkeeper instead of by the hooks.

    pytest-bdd stops at the first failed step and calls every later one failed too; here a step that ran after a
    failed Then keeps its own outcome, and one that did not run is skipped.
    """

    def __init__(self, scenario: Scenario, describe: Callable[[], Sequence[dict[str, Any]]]) -> None:
        super().__init__(scenario)
        self._describe = describe
        self._serialized: dict[str, Any] | None = None

    @property
    def current_step_report(self) -> StepReport:
        """A report for the hooks to write into, which nobody reads."""
        return StepReport(self.scenario.steps[0])

    def add_step_report(self, step_report: StepReport) -> None:
        """Nothing: results come from the executor, in the order of the file."""

    def fail(self) -> None:
        """Nothing, for the same reason."""

    def serialize(self) -> dict[str, Any]:
        if self._serialized is None:
            serialized: dict[str, Any] = super().serialize()
            serialized["steps"] = list(self._describe())
            self._serialized = serialized
        return self._serialized


def start_report(
    item: pytest.Item, scenario: Scenario, describe: Callable[[], Sequence[dict[str, Any]]]
) -> None:
    """Put our report where pytest-bdd and plugins written for it look for one."""
    scenario_reports_registry[item] = Report(scenario, describe)


def restore_report(report: pytest.TestReport, scenario: Mapping[str, Any], name: str) -> None:
    """Give a report that came from an xdist worker back what pytest-bdd's reporters look for."""
    test_report_context_registry[report] = ReportContext(scenario=dict(scenario), name=name)  # type: ignore[typeddict-item]


def report_of(report: pytest.TestReport) -> dict[str, Any] | None:
    """What pytest-bdd noted of a scenario's report."""
    context = test_report_context_registry.get(report)
    return None if context is None else context.scenario


class CucumberJson(LogBDDCucumberJSON):  # type: ignore[misc]
    """pytest-bdd's Cucumber JSON, with the outcome and the message of each step its own."""

    def _get_result(self, step: dict[str, Any], report: pytest.TestReport, error_message: bool = False) -> Any:
        if "status" not in step:
            return super()._get_result(step, report, error_message)
        result = {"status": step["status"], "duration": int(step["duration"] * 1e9)}
        if step["error"]:
            result["error_message"] = step["error"]
        return result


def replace_cucumber_json(config: pytest.Config) -> None:
    """Put our writer in the place of pytest-bdd's where `--cucumberjson` asked for one."""
    writer = getattr(config, "_bddcucumberjson", None)
    if writer is None:
        return
    config.pluginmanager.unregister(writer)
    ours = CucumberJson(writer.logfile)
    config._bddcucumberjson = ours  # type: ignore[attr-defined]
    config.pluginmanager.register(ours)
