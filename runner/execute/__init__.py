"""Runs one bound scenario: hooks, soft Thens, and its negative steps from arming to proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

from .. import bdd
from ..binding import BoundStep
from ..evidence import Outcome
from ..failure import StepFailed
from ..library import Definition
from ..live import Live
from ..never.window import wait_for_quiet
from ..outcome import StepResult
from ..record.writer import ScenarioRecord
from ..sandbox import Sandbox
from .already import already_held
from .calls import FAILURES, Calls
from .nevers import Nevers, verdict

if TYPE_CHECKING:
    from ..never.proof import Proof

HookArguments = Mapping[str, Any]


@dataclass(frozen=True)
class Terms:
    """What the goal and the command line ask of a scenario.

    `window` is for how long nothing may stir before "never" is judged. An `invariant` scenario says that its
    Thens hold all the time: it does not matter that they held before.
    """

    tier: int = 2
    window: float = 0.0
    proofs: bool = True
    invariant: bool = False

    @property
    def asks_early(self) -> bool:
        """Whether to find out if the Thens hold before anything is done: a proof of another kind."""
        return self.proofs and not self.invariant

    @property
    def is_strict(self) -> bool:
        """Whether something that is not proven makes the scenario red."""
        return self.tier < 2


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
        terms: Terms,
    ) -> None:
        self.bound = bound
        self.results = [StepResult(b.step) for b in bound]
        self.proofs: list[Proof] = []
        self._request = request
        self._hooks = hooks
        self._told = {"request": request, **told()} if hooks.any else {}
        self._live = live
        self._record = record
        self._terms = terms
        self._calls = Calls(request)
        self._nevers = Nevers(bound, self._calls)

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
            if not self._errors and self._terms.proofs:
                self._prove()
        finally:
            if hooks.after_scenario is not None:
                hooks.after_scenario(**self._told)
            self._nevers.close()
        errors = self._errors
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise BaseExceptionGroup(f"{len(errors)} steps failed", errors)

    @property
    def _errors(self) -> list[BaseException]:
        return [result.error for result in self.results if result.error is not None]

    @property
    def _sandbox(self) -> Sandbox | None:
        """The sandbox, if a step has asked for one."""
        made = bdd.made_fixture(self._request, "sandbox")
        return made if isinstance(made, Sandbox) else None

    def _steps(self) -> None:
        """Givens, arming, then the rest; after a failed Then its block goes on, the next When does not."""
        broken = failed = armed = False
        held: list[int] = []
        for index, bound in enumerate(self.bound):
            if bound.definition.negative is not None:
                continue
            kind = bound.step.kind
            if broken or (failed and kind != "then"):
                broken = True
                continue
            if not armed and kind != "given":
                armed = True
                held = already_held(self.bound, self._calls) if self._terms.asks_early else []
                if not self._arm():
                    broken = True
                    continue
            if not self._run_step(index, bound, self._calls.call):
                failed, broken = True, kind != "then"
            self._look()
        if not armed and not broken:
            self._arm()
        self._judge(broken)
        if held and not self._errors:
            self._note_held(held)

    def _arm(self) -> bool:
        """Arm every negative step; a step that can't be armed fails, and nothing after it may run."""
        for index, bound in self._nevers.steps:
            result, started = self.results[index], perf_counter()
            try:
                self._nevers.arm(index, bound)
            except FAILURES as error:
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
        for index, error in self._nevers.look():
            error.add_note("this negative step could not go on watching")
            self.results[index].status, self.results[index].error = "failed", error
            self._put_on_record(index)

    def _look_for_more(self) -> object:
        """The same, and what was seen last."""
        self._look()
        return self._nevers.last_seen

    def _judge(self, broken: bool) -> None:
        """Ask every check; in a scenario that broke off, one that saw nothing until then was not run."""
        sandbox, window = self._sandbox, self._terms.window
        # A watch of something else than the sandbox may well see what comes late.
        if (sandbox is not None or window > 0) and self._nevers.armed and not broken:
            wait_for_quiet(sandbox, self._look_for_more, window)
        self._look()
        for index, never in self._nevers.armed.items():
            journal = never.watch.journal()
            self.results[index].note = f"looked at {journal.looked_at}"
            if not (broken and journal.is_empty and not journal.entries):
                action = partial(verdict, never.negative, journal)
                self._run_step(index, self.bound[index], action, never.arguments)

    def _note_held(self, held: list[int]) -> None:
        """A scenario whose Thens held before it did anything shows nothing of what it does."""
        self._record.already(held)
        if self._terms.is_strict:
            notes = [
                "  as did all others: the scenario would pass if its Whens did nothing",
                "  let a Then tell what the Whens bring about, or tag the scenario @invariant",
            ]
            self._fail(held[0], StepFailed("this held before the first When already", notes=notes))

    def _prove(self) -> None:
        """Show of every negative step that it can fail, and how often it did."""
        from ..never.proof import proofs

        for proof in proofs(self._nevers.for_proof(), self._sandbox, self._terms.tier):
            self.proofs.append(proof)
            self._record.proof(proof)
            if self._terms.is_strict and not proof.is_good and proof.outcome != "no-violation":
                self._fail(proof.index, StepFailed(str(proof)))

    def _fail(self, index: int, error: StepFailed) -> None:
        """Of a step that has passed, and yet shows nothing; the first reason stands."""
        result = self.results[index]
        if result.error is None:
            result.status, result.error = "failed", error

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
                arguments = {} if bound.parts else self._calls.arguments(bound)
            if hooks.any:
                told["step_func_args"] = arguments
            if hooks.before_step_call is not None:
                hooks.before_step_call(**told)
            action(bound, arguments)
        except pytest.xfail.Exception:
            raise
        except FAILURES as error:
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
