"""Runs one bound scenario: hooks, arguments, soft Thens, negative steps, async steps."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

from . import bdd
from .binding import DOCSTRING, TABLE, BoundStep
from .evidence import Outcome
from .failure import StepFailed
from .library import Definition
from .live import Live
from .loading import LOADER
from .never import Journal, Negative, Watch
from .outcome import StepResult
from .record.writer import ScenarioRecord
from .session import names_of

if TYPE_CHECKING:
    from asyncio import Runner

HookArguments = Mapping[str, Any]
_FAILURES = (Exception, pytest.fail.Exception)


class Execution:
    """One scenario on its way through its steps."""

    def __init__(
        self,
        request: pytest.FixtureRequest,
        bound: tuple[BoundStep[Definition], ...],
        told: Callable[[], HookArguments],
        live: Live | None,
        record: ScenarioRecord,
        hooks: bdd.Hooks,
    ) -> None:
        self.request = request
        self.bound = bound
        self.results = [StepResult(b.step) for b in bound]
        self._hooks = hooks
        self._told = {"request": request, **told()} if hooks.any else {}
        self._live = live
        self._record = record
        self._loop: Runner | None = None
        self._watches: dict[int, tuple[Watch[Any], dict[str, Any]]] = {}

    def run(self, start_report: Callable[[], None]) -> None:
        """Run all steps; raise what failed, several failures as a group.

        `start_report` is called where pytest-bdd would begin its own report of the scenario.
        """
        __tracebackhide__ = True
        hooks = self._hooks
        if hooks.before_scenario is not None:
            hooks.before_scenario(**self._told)
        start_report()
        try:
            self._steps()
        finally:
            if hooks.after_scenario is not None:
                hooks.after_scenario(**self._told)
            for watch, _ in self._watches.values():
                watch.close()
        errors = [result.error for result in self.results if result.error is not None]
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise BaseExceptionGroup(f"{len(errors)} steps failed", errors)

    def _steps(self) -> None:
        """Givens, arming, then the rest; after a failed Then its block goes on, the next When does not."""
        broken = failed = armed = False
        for index, bound in enumerate(self.bound):
            if bound.definition.negative is not None:
                continue
            kind = bound.step.kind
            if broken or (failed and kind != "then"):
                broken = True
                continue
            if not armed and kind != "given":
                armed = True
                if not self._arm():
                    broken = True
                    continue
            if not self._run_step(index, bound, self._call):
                failed, broken = True, kind != "then"
            self._look()
        if not armed and not broken:
            self._arm()
        self._judge(broken)

    def _arm(self) -> bool:
        """Arm every negative step; a step that can't be armed fails, and nothing after it may run."""
        for index, bound in enumerate(self.bound):
            negative = bound.definition.negative
            if negative is None:
                continue
            result, started = self.results[index], perf_counter()
            try:
                arguments = self._arguments(bound)
                self._watches[index] = (negative.arm(arguments), arguments)
            except _FAILURES as error:
                error.add_note("this negative step could not be armed")
                result.status, result.error = "failed", error
                return False
            finally:
                result.duration = perf_counter() - started
                if result.error is not None:
                    self._put_on_record(index)
        return True

    def _look(self) -> None:
        """Let every watch look; one that can't is a failed step, and is asked no more."""
        for index, (watch, _) in [*self._watches.items()]:
            try:
                watch.look()
            except _FAILURES as error:
                error.add_note("this negative step could not go on watching")
                self.results[index].status, self.results[index].error = "failed", error
                del self._watches[index]
                watch.close()
                self._put_on_record(index)

    def _judge(self, broken: bool) -> None:
        """Ask every check; in a scenario that broke off, one that saw nothing until then was not run."""
        self._look()
        for index, (watch, arguments) in self._watches.items():
            bound, journal = self.bound[index], watch.journal()
            negative = bound.definition.negative
            assert negative is not None
            self.results[index].note = f"looked at {journal.looked_at}"
            if not (broken and journal.is_empty and not journal.entries):
                self._run_step(index, bound, partial(_verdict, negative, journal), arguments)

    def _run_step(
        self,
        index: int,
        bound: BoundStep[Definition],
        action: Callable[[BoundStep[Definition], dict[str, Any]], None],
        arguments: dict[str, Any] | None = None,
    ) -> bool:
        """One step with pytest-bdd's hooks around it; whether it passed."""
        __tracebackhide__ = True
        hooks, live, result = self._hooks, self._live, self.results[index]
        told = self._told
        if hooks.any:
            step, function = told["scenario"].steps[index], bound.definition.function
            told = {**told, "step": step, "step_func": function, "step_func_args": {}}
        if hooks.before_step is not None:
            hooks.before_step(**told)
        if live is not None:
            live.begin(bound.step)
        started = perf_counter()
        try:
            if arguments is None:
                arguments = {} if bound.parts else self._arguments(bound)
            if hooks.any:
                told["step_func_args"] = arguments
            if hooks.before_step_call is not None:
                hooks.before_step_call(**told)
            action(bound, arguments)
        except pytest.xfail.Exception:
            raise
        except _FAILURES as error:
            result.status, result.error = "failed", error
            if hooks.step_error is not None:
                hooks.step_error(exception=error, **told)
        else:
            result.status = "passed"
        finally:
            result.duration += perf_counter() - started
            self._put_on_record(index)
            if live is not None:
                live.end(result)
        if result.status == "passed" and hooks.after_step is not None:
            hooks.after_step(**told)
        return result.status == "passed"

    def _put_on_record(self, index: int) -> None:
        """A step that was interrupted or skipped may have taken effect or not."""
        result = self.results[index]
        if result.error is None:
            outcome: Outcome = "ok" if result.status == "passed" else "unknown"
            self._record.step(index, outcome, result.duration, result.note)
        else:
            error = f"{type(result.error).__name__}: {result.error}"
            self._record.step(index, "failed", result.duration, result.note, error)

    def _arguments(self, bound: BoundStep[Definition]) -> dict[str, Any]:
        """What the step function is called with: its wording's values, its table and text, then fixtures."""
        definition, step = bound.definition, bound.source
        parameters, converters = definition.parameters, definition.context.converters
        arguments = {
            name: converters[name](value) if name in converters else value
            for name, value in bound.arguments.items()
            if name in parameters or name in converters
        }
        if converters:
            arguments = {name: value for name, value in arguments.items() if name in parameters}
        if step.table is not None and TABLE in parameters:
            arguments[TABLE] = [list(row) for row in step.table.rows]
        if step.docstring is not None and DOCSTRING in parameters:
            arguments[DOCSTRING] = step.docstring.text
        if bound.late:
            arguments = {name: self._filled(definition, name, value) for name, value in arguments.items()}
        for name in definition.required:
            if name not in arguments:
                arguments[name] = self._fixture(name)
        return arguments

    def _call(self, bound: BoundStep[Definition], arguments: dict[str, Any]) -> None:
        __tracebackhide__ = True
        if bound.sets:
            names = names_of(self.request.node)
            for name, text in bound.sets.items():
                names.remember(name, names.fill(text))
        if bound.parts:
            self._call_parts(bound)
            return
        definition = bound.definition
        value = self._invoke(definition, arguments)
        if definition.context.target_fixture is not None:
            bdd.inject_fixture(self.request, definition.context.target_fixture, value)

    def _call_parts(self, bound: BoundStep[Definition]) -> None:
        """The steps that a phrase stands for; one that fails says which it is."""
        __tracebackhide__ = True
        for part in bound.parts:
            try:
                self._call(part, self._arguments(part))
            except _FAILURES as error:
                error.add_note(f"in: {part.source.text}")
                raise

    def _fixture(self, name: str) -> Any:
        """The value of a fixture; where there is none, a library that is not loaded yet may have it."""
        try:
            return self.request.getfixturevalue(name)
        except pytest.FixtureLookupError:
            loader = self.request.config.stash[LOADER]
            if loader.is_done:
                raise
            loader.load()
            return self.request.getfixturevalue(name)

    def _filled(self, definition: Definition, name: str, value: Any) -> Any:
        """An argument with remembered values put in, and then of the type that the wording asks for."""
        names = names_of(self.request.node)
        if isinstance(value, list):
            return [[names.fill(cell) for cell in row] for row in value]
        if not isinstance(value, str) or "${" not in value:
            return value
        text = names.fill(value)
        pattern = definition.pattern
        if pattern is None or name not in pattern.parameters:
            return text
        try:
            return pattern.convert(name, text)
        except ValueError as error:
            raise StepFailed(f"{value}: {error}") from error

    def _invoke(self, definition: Definition, arguments: dict[str, Any]) -> Any:
        """Call a step function; one that yields is finished when the scenario is torn down."""
        __tracebackhide__ = True
        value = definition.function(**arguments)
        if definition.is_plain:
            return self._await(value) if value is not None and inspect.isawaitable(value) else value
        if inspect.isgenerator(value):
            first = next(value)
            self.request.addfinalizer(lambda: next(value, None))
            return first
        first = self._await(anext(value))
        self.request.addfinalizer(lambda: self._await(anext(value, None)))
        return first

    def _await(self, awaitable: Awaitable[Any]) -> Any:
        """Run on the scenario's own event loop, made when first needed, closed after the last finalizer."""
        __tracebackhide__ = True
        if self._loop is None:
            from asyncio import Runner

            self._loop = Runner()
            self.request.addfinalizer(self._loop.close)

        async def waiting() -> Any:
            return await awaitable

        return self._loop.run(waiting())


def _verdict(negative: Negative, journal: Journal[Any], *_: object) -> None:
    """What a negative step says at the end, as if it were a step function."""
    __tracebackhide__ = True
    breaches = negative.judge(journal)
    if breaches:
        first, *others = breaches
        notes = [*_indented(first.evidence)]
        for breach in others:
            notes += [f"and {breach.message}", *_indented(breach.evidence)]
        raise StepFailed(first.message, notes=notes)
    if journal.is_empty:
        raise StepFailed("this check looked at nothing, so it could not have failed")


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.splitlines()]
