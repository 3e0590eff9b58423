"""Goal files and their scenarios as pytest nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from . import bdd, files, garbage, rules
from .binding import Binder, BoundStep, Scope
from .evidence import Evidence
from .execute import Execution, Terms
from .failure import StepFailed
from .goal import Case, Goal, Step, Tag
from .library import Definition, definitions_in, libraries
from .live import Live
from .loading import LOADER
from .mirror import Mirror, feature_data, scenario_data, shown_name
from .names import unknown_names
from .never import tally
from .never.window import window_of
from .outcome import FailureText, StepResult
from .problem import GoalError, Problem
from .record.facts import digest
from .record.run import shown
from .record.writer import ScenarioRecord
from .session import EVIDENCE, SCENARIO, SESSION

if TYPE_CHECKING:
    from .never.proof import Proof

_TOLD = (StepFailed, pytest.FixtureLookupError)  # errors that say all there is, without a traceback
_IDS = pytest.StashKey[dict[str, Path]]()
_SCOPES = pytest.StashKey["Scopes"]()
INVARIANT = "invariant"
LIVE = pytest.StashKey[Live | None]()


class Scopes:
    """The step definitions of a session: one scope for plugins and libraries, one for each conftest.py."""

    def __init__(self, config: pytest.Config) -> None:
        self._manager = config.pluginmanager
        self._base = config.rootpath
        self._phrases = config.stash[SESSION].systems.phrases
        self._loader = config.stash[LOADER]
        self._near: dict[Path, Binder[Definition]] = {}
        self._global: tuple[int, Scope[Definition]] | None = None
        self._conftests: dict[Path, Scope[Definition] | None] = {}
        self._binders: dict[Path, tuple[Scope[Definition], Binder[Definition]]] = {}

    def near(self, directory: Path) -> Binder[Definition] | None:
        """A binder that knows the conftest.py files alone; None where the libraries are loaded anyway."""
        chain = [self._conftest(place) for place in (directory, *directory.parents)]
        if self._loader.is_done:
            return None
        if directory not in self._near:
            self._near[directory] = Binder([scope for scope in chain if scope is not None], self._base)
        return self._near[directory]

    def binder(self, directory: Path) -> Binder[Definition]:
        """The binder for goal files in a directory: its conftest.py, those above it, then everything else."""
        self._loader.load()
        widest = self._plugins()
        known = self._binders.get(directory)
        if known is None or known[0] is not widest:
            chain = (self._conftest(place) for place in (directory, *directory.parents))
            scopes = [scope for scope in chain if scope is not None]
            binder = Binder([*scopes, widest], self._base, self._phrases)
            known = self._binders[directory] = (widest, binder)
        return known[1]

    def _conftest(self, directory: Path) -> Scope[Definition] | None:
        if directory not in self._conftests:
            module = self._manager.get_plugin(str(directory / "conftest.py"))
            if module is not None:
                self._loader.load_for(directory / "conftest.py")
            self._conftests[directory] = None if module is None else Scope(definitions_in(module))
        return self._conftests[directory]

    def _plugins(self) -> Scope[Definition]:
        plugins = self._manager.list_name_plugin()
        if self._global is None or self._global[0] != len(plugins):
            names = {
                name: library.name
                for library in libraries()
                for name in (library.module_name, library.never_name)
            }
            definitions = (
                definition
                for name, plugin in plugins
                if plugin is not None and not name.endswith("conftest.py")
                for definition in definitions_in(plugin, names.get(getattr(plugin, "__name__", ""), ""))
            )
            self._global = (len(plugins), Scope(definitions))
        return self._global[1]


def collect_file(path: Path, parent: pytest.Collector) -> GoalFile | None:
    """A node for a goal file that the ini option `goal_files` lets in."""
    if not files.is_goal_file(path):
        return None
    patterns = parent.config.getini("goal_files")
    if not any(path.match(pattern) for pattern in patterns):
        return None
    node: GoalFile = GoalFile.from_parent(parent, path=path)
    return node


class GoalFile(pytest.Module):
    """A goal file. A kind of module, so that module-scoped fixtures have a scope to live in."""

    obj = None

    def collect(self) -> list[ScenarioItem]:
        with garbage.paused():
            return [*self._scenarios()]

    def _scenarios(self) -> Iterator[ScenarioItem]:
        parsed = files.read(self.path)
        problems = [*parsed.problems]
        if parsed.goal is None:
            raise GoalError(self.shown_path, problems, parsed.source.lines)
        goal = parsed.goal
        problems += rules.check(goal)
        problems += self._claim_id(goal)
        bound: list[tuple[Case, tuple[BoundStep[Definition], ...]]] = []
        bind = self._bind(problems)
        for case in goal.cases():
            steps = tuple(b for step in case.steps if (b := bind(step)) is not None)
            bound.append((case, steps))
            problems += unknown_names(steps)
        problems += rules.check_nevers(goal, bound)
        functions = [self._function(goal, case, problems) for case, _ in bound]
        if problems:
            raise GoalError(self.shown_path, list(dict.fromkeys(problems)), parsed.source.lines)
        self.goal = goal
        self.digest = digest(parsed.source.text)
        shared = None
        for (case, steps), function in zip(bound, functions, strict=True):
            own = bdd.asks_for_fixtures(function)
            item: ScenarioItem = ScenarioItem.from_parent(
                self,
                name=case.node_name,
                callobj=function,
                case=case,
                steps=steps,
                fixtureinfo=None if own else shared,
            )
            shared = shared if own else bdd.fixtures_of(item)
            yield item

    def _bind(self, problems: list[Problem]) -> Callable[[Step], BoundStep[Definition] | None]:
        """Bind each step object once, and each problem with it."""
        scopes = self.config.stash.setdefault(_SCOPES, Scopes(self.config))
        near = scopes.near(self.path.parent)
        known: dict[int, BoundStep[Definition] | None] = {}

        def bind(step: Step) -> BoundStep[Definition] | None:
            if id(step) not in known:
                found = near.bind(step) if near is not None else None
                if not isinstance(found, BoundStep):
                    found = scopes.binder(self.path.parent).bind(step)
                if isinstance(found, Problem):
                    problems.append(found)
                known[id(step)] = found if isinstance(found, BoundStep) else None
            return known[id(step)]

        return bind

    def _claim_id(self, goal: Goal) -> Iterator[Problem]:
        """Two files with one id would be one row in every report."""
        taken = self.config.stash.setdefault(_IDS, {})
        other = taken.setdefault(goal.id, self.path) if goal.id else self.path
        if other != self.path:
            shown = (
                other.relative_to(self.config.rootpath)
                if other.is_relative_to(self.config.rootpath)
                else other
            )
            yield Problem(
                "duplicate-id", goal.place, f"{goal.id} is the id of {shown} too: give each goal its own"
            )

    def _function(self, goal: Goal, case: Case, problems: list[Problem]) -> Callable[..., None]:
        """The function that stands for a scenario, with the marks that its tags ask for."""

        def scenario(request: pytest.FixtureRequest) -> None:
            __tracebackhide__ = True
            request.node.execute(request)

        if goal.id:
            bdd.register_mark(self.config, goal.id, "goal")
        own = [Tag(f"tier{goal.tier}", goal.place), *([Tag(goal.id, goal.place)] if goal.id else [])]
        for tag in (*own, *case.tags):
            if not tag.is_mark:
                continue
            try:
                self.config.hook.pytest_bdd_apply_tag(tag=tag.name, function=scenario)
            except (AttributeError, pytest.fail.Exception) as error:
                problems.append(Problem("unknown-mark", tag.place, str(error), span=len(tag.name) + 1))
        return scenario

    @cached_property
    def shown_path(self) -> Path:
        root = self.config.rootpath
        return self.path.relative_to(root) if self.path.is_relative_to(root) else self.path

    @cached_property
    def hooks(self) -> bdd.Hooks:
        """Which of pytest-bdd's hooks are listened to, found out once for all scenarios of the file."""
        return bdd.Hooks(self.config)

    @cached_property
    def mirror(self) -> Mirror:
        return Mirror(self.goal, str(self.shown_path))

    @cached_property
    def feature_data(self) -> dict[str, Any]:
        return feature_data(self.goal, str(self.shown_path))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        if isinstance(excinfo.value, GoalError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class ScenarioItem(pytest.Function):
    """One scenario, or one row of an outline."""

    def __init__(self, *, case: Case, steps: tuple[BoundStep[Definition], ...], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.case = case
        self.steps = steps
        self.results: list[StepResult] = []
        self.proofs: list[Proof] = []
        self._outcome, self._reason, self._seconds = "ok", "", 0.0
        self.goal_file: GoalFile = kwargs["parent"]
        goal = self.goal_file.goal
        self.user_properties += [
            ("goal", goal.id),
            ("tier", str(goal.tier)),
            ("file", str(self.goal_file.shown_path)),
            ("line", str(case.place.line)),
        ]

    def execute(self, request: pytest.FixtureRequest) -> None:
        """Run the steps; called as the test function."""
        __tracebackhide__ = True
        live = self.config.stash.get(LIVE, None)
        if live is not None:
            live.begin_scenario()
        gap = self.config.stash[SESSION].preflight.gap(self._texts())
        if gap is not None:
            pytest.skip(str(gap))
        record, hooks = self._begin_record(), self.goal_file.hooks
        execution = Execution(request, self.steps, self._for_hooks, live, record, hooks, self._terms())
        self.results, self.proofs = execution.results, execution.proofs
        try:
            execution.run(lambda: bdd.start_report(self, shown_name(self.case), self._for_report))
        finally:
            self.user_properties += tally.properties(self._nevers(), self.proofs)

    def _nevers(self) -> list[tuple[int, str]]:
        return [(n, b.step.text) for n, b in enumerate(self.steps) if b.definition.negative is not None]

    def _terms(self) -> Terms:
        tier, tags = self.goal_file.goal.tier, self.case.tags
        return Terms(
            tier=tier,
            window=window_of(tier, tags),
            proofs=self.config.stash[SESSION].proofs,
            invariant=any(tag.name == INVARIANT for tag in tags),
        )

    def _texts(self) -> Iterator[str]:
        """Every step with its phrases spelled out."""
        return (part.source.text for bound in self.steps for part in bound.all_parts())

    def _begin_record(self) -> ScenarioRecord:
        record = ScenarioRecord(self.config.stash[SESSION].record, self.nodeid)
        steps = (
            (step.kind, step.text, step.place.line, bound.definition.negative is not None)
            for bound in self.steps
            for step in (bound.step,)
        )
        record.begin(self.goal_file.goal.id, self.case.place.line, steps)
        self.stash[SCENARIO] = record
        return record

    def _for_hooks(self) -> dict[str, Any]:
        mirror = self.goal_file.mirror
        return {"feature": mirror.feature, "scenario": mirror.scenario(self.case)}

    def _for_report(self) -> dict[str, Any]:
        steps = [result.data(self._told(result)) for result in self.results]
        return {**scenario_data(self.case), "feature": self.goal_file.feature_data, "steps": steps}

    def note_phase(self, report: pytest.TestReport) -> None:
        """Put the end of the scenario on record when its last phase, the teardown, is over."""
        expected = getattr(report, "wasxfail", None)
        if report.failed or (report.skipped and expected is not None):
            self._outcome = "failed"
            self._reason = "expected to fail" if report.skipped else _failure_reason(report)
        elif report.skipped and self._outcome == "ok":
            self._outcome, self._reason = "skipped", _skip_reason(report)
            report.longrepr = (str(self.path), self.case.place.line, f"Skipped: {self._reason}")
        self._seconds += report.duration
        if report.when == "teardown":
            evidence = self.stash.get(EVIDENCE, Evidence())
            record = self.stash.get(SCENARIO, None) or self._begin_record()
            kept = evidence.path is not None and evidence.path.is_dir()
            path = f"evidence/{evidence.path.name}" if evidence.path is not None and kept else ""
            record.end(self._outcome, self._seconds, reason=self._reason, evidence=path)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.place.line - 1, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """The scenario with its failed steps; pytest's own view where the failure is not a step's."""
        if not any(result.error is not None for result in self.results):
            return super().repr_failure(excinfo)
        return FailureText(self.failure_data())

    def failure_data(self) -> dict[str, Any]:
        goal, evidence = self.goal_file.goal, self.stash.get(EVIDENCE, Evidence())
        hide = self.config.stash[SESSION].record.mask.hide
        return {
            "goal": goal.id,
            "title": goal.title,
            "file": str(self.goal_file.shown_path),
            "line": self.case.place.line,
            "steps": [
                {**result.data(self._told(result)), "traceback": not isinstance(result.error, _TOLD)}
                for result in self.results
            ],
            "evidence": [{key: hide(text) for key, text in entry.items()} for entry in evidence.data()],
            "evidence_path": None if evidence.path is None else shown(evidence.path, self.config.rootpath),
        }

    def _told(self, result: StepResult) -> str:
        """A step's error as text, without secrets that the scenario has made up."""
        return self.config.stash[SESSION].record.mask.hide(self._in_words(result))

    def _in_words(self, result: StepResult) -> str:
        """What the step says itself, or a traceback from the step function on."""
        error = result.error
        if error is None:
            return ""
        if isinstance(error, StepFailed):
            return "\n".join([str(error), *getattr(error, "__notes__", ())])
        if isinstance(error, pytest.FixtureLookupError):
            return f'the step function asks for the fixture "{error.argname}", which is not there'
        bound = next(b for b, r in zip(self.steps, self.results, strict=True) if r is result)
        excinfo = pytest.ExceptionInfo.from_exception(error)
        style = self.config.getoption("tbstyle", "auto")
        where = bound.definition.location[0]

        def from_step_on(info: pytest.ExceptionInfo[BaseException]) -> Any:
            return info.traceback.cut(path=where).filter(info)

        shown = excinfo.getrepr(
            style="short" if style in ("auto", "line", "no") else style,
            showlocals=self.config.getoption("showlocals", False),
            tbfilter=False if self.config.getoption("fulltrace", False) else from_step_on,
        )
        return str(shown)


def _failure_reason(report: pytest.TestReport) -> str:
    """Nothing for a failed step, which has told its reason itself."""
    return "" if report.when == "call" else f"{report.when}: {report.longreprtext.strip()}"


def _skip_reason(report: pytest.TestReport) -> str:
    told = report.longrepr
    return str(told[2]).removeprefix("Skipped: ") if isinstance(told, tuple) else str(told or "")
