"""The one place that touches what pytest-bdd and pytest do not publish.

Everything here is named and pinned down by `tests/runner/test_bdd.py`, which fails loudly when a new release
moves it. The rest of Goalkeeper uses public interfaces only.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import pytest_bdd.plugin
from pytest_bdd.compat import inject_fixture
from pytest_bdd.cucumber_json import LogBDDCucumberJSON
from pytest_bdd.reporting import (
    ReportContext,
    ScenarioReport,
    StepReport,
    scenario_reports_registry,
    test_report_context_registry,
)
from pytest_bdd.steps import StepFunctionContext, StepNamePrefix, step_function_context_registry

if TYPE_CHECKING:
    from pluggy import HookCaller

__all__ = ["StepFunctionContext", "inject_fixture"]

ScenarioData = Mapping[str, Any]
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


def asks_for_fixtures(function: Callable[..., None]) -> bool:
    """Whether a tag was turned into a `usefixtures` mark, so that a scenario needs fixtures of its own."""
    return any(mark.name == "usefixtures" for mark in getattr(function, "pytestmark", ()))


def fixtures_of(item: pytest.Function) -> Any:
    """What pytest found out about an item's fixtures, for other items of the same file to share."""
    return item._fixtureinfo


def made_fixture(request: pytest.FixtureRequest, name: str) -> Any:
    """The value of a fixture that the item has asked for already, else None."""
    made = request._fixture_defs.get(name)
    return None if made is None or made.cached_result is None else made.cached_result[0]


def is_made(request: pytest.FixtureRequest, name: str) -> bool:
    return name == "request" or name in request._fixture_defs


def home_of(request: pytest.FixtureRequest, name: str) -> str:
    """The module that defines a fixture for this item; empty where nobody does."""
    known = request._fixturemanager.getfixturedefs(name, request.node)
    return str(known[-1].func.__module__) if known else ""


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
        listened = [_listened(getattr(config.hook, name)) for name in self.NAMES]
        self.any = any(hook is not None for hook in listened)
        self.before_scenario, self.before_step, self.before_step_call = listened[:3]
        self.after_step, self.step_error, self.after_scenario = listened[3:]


def _listened(hook: HookCaller) -> HookCaller | None:
    others = (impl for impl in hook.get_hookimpls() if impl.plugin is not pytest_bdd.plugin)
    return hook if next(others, None) is not None else None


class Report(ScenarioReport):
    """pytest-bdd's report of a scenario, told what happened by Goalkeeper instead of by the hooks.

    pytest-bdd stops at the first failed step and calls every later one failed too; here a step that ran after
    a failed Then keeps its own outcome, and one that did not run is skipped.
    """

    def __init__(self, name: str, describe: Callable[[], ScenarioData]) -> None:
        self.scenario: Any = SimpleNamespace(name=name)
        self._describe = describe
        self._serialized: Any = None

    @property
    def current_step_report(self) -> StepReport:
        """A report for the hooks to write into, which nobody reads."""
        return StepReport(self.scenario)

    def add_step_report(self, step_report: StepReport) -> None:
        """Nothing: results come from the executor, in the order of the file."""

    def fail(self) -> None:
        """Nothing, for the same reason."""

    def serialize(self) -> Any:
        """Asked for after the call and after the teardown; nothing changes in between."""
        if self._serialized is None:
            self._serialized = self._describe()
        return self._serialized


def start_report(item: pytest.Item, name: str, describe: Callable[[], ScenarioData]) -> None:
    """Put our report where pytest-bdd and plugins written for it look for one."""
    scenario_reports_registry[item] = Report(name, describe)


def restore_report(report: pytest.TestReport, scenario: Any, name: str) -> None:
    """Give a report that came from an xdist worker back what pytest-bdd's reporters look for."""
    test_report_context_registry[report] = ReportContext(scenario=scenario, name=name)


def report_of(report: pytest.TestReport) -> Any:
    """What pytest-bdd noted of a scenario's report, or None."""
    context = test_report_context_registry.get(report)
    return None if context is None else context.scenario


class CucumberJson(LogBDDCucumberJSON):
    """pytest-bdd's Cucumber JSON, with the outcome and the message of each step its own."""

    def _get_result(self, step: Any, report: pytest.TestReport, error_message: bool = False) -> Any:
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
