"""Reads the record of one run into values.

A record may be damaged in any way: the harness was killed, a disk was full, somebody edited it. Whatever
can't be understood makes it unusable as a whole, since a line that is not understood may be the one that
says what failed. Only the last line may be torn: that is how a killed run ends.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import schemas

FORMAT = 1
Event = dict[str, Any]


class UnusableRecordError(Exception):
    """A record that tells nothing, or nothing that can be trusted. `rule` says in which way."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Proof:
    """One attempt to show that a negative step can fail; `violation` is empty where there is none."""

    violation: str
    strength: str
    outcome: str
    detail: str = ""

    @property
    def is_proven(self) -> bool:
        return self.outcome == "proven"


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A step as it ran. Without an outcome it did not, or was running when the record breaks off."""

    kind: str
    text: str
    line: int
    negative: bool
    outcome: str = ""
    error: str = ""
    proofs: tuple[Proof, ...] = ()


@dataclass(frozen=True, slots=True)
class ScenarioRun:
    """The last time that one process ran a scenario. Without an outcome it was cut off."""

    scenario: str
    steps: tuple[RecordedStep, ...] = ()
    already: bool = False
    outcome: str = ""
    reason: str = ""
    seconds: float = 0.0
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class RecordedGoal:
    """`scenarios` are the node ids of those that were chosen to run."""

    id: str
    file: str
    digest: str
    scenarios: tuple[str, ...]


@dataclass(frozen=True)
class RunRecord:
    """One run. `status` is pytest's exit code, or None where the record was cut off.

    `runs` has more than one entry for a scenario only where several processes ran it.
    """

    id: str
    started: str
    commit: str
    proofs: bool
    goals: tuple[RecordedGoal, ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)
    runs: Mapping[str, tuple[ScenarioRun, ...]] = field(default_factory=dict)
    status: int | None = None


def load(path: Path) -> RunRecord:
    """The record in a file, or UnusableRecordError."""
    reader = _Reader()
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    reader.take(json.loads(line))
                except _EventError as wrong:
                    raise UnusableRecordError("corrupt-record", f"line {number}: {wrong}") from None
                except (ValueError, RecursionError):
                    if not line.endswith(b"\n"):
                        break
                    raise UnusableRecordError("corrupt-record", f"line {number} is no JSON") from None
    except FileNotFoundError:
        raise UnusableRecordError("no-record", "there is none") from None
    except OSError as error:
        raise UnusableRecordError("unreadable-record", f"it can't be read: {error.strerror}") from error
    return reader.record()


class _EventError(Exception):
    """An event that is not what its schema says."""


class _Draft:
    """A scenario while its events come in."""

    def __init__(self, steps: list[RecordedStep]) -> None:
        self.steps = steps
        self.outcomes: dict[int, tuple[str, str]] = {}
        self.proofs: dict[int, list[Proof]] = {}
        self.already = False
        self.outcome = ""
        self.reason = ""
        self.seconds = 0.0
        self.evidence = ""

    def run(self, scenario: str) -> ScenarioRun:
        steps = tuple(
            RecordedStep(
                step.kind,
                step.text,
                step.line,
                step.negative,
                *self.outcomes.get(index, ("", "")),
                tuple(self.proofs.get(index, ())),
            )
            for index, step in enumerate(self.steps)
        )
        return ScenarioRun(
            scenario, steps, self.already, self.outcome, self.reason, self.seconds, self.evidence
        )


class _Reader:
    """Takes events in the order of the file. Those of several processes may be mixed."""

    def __init__(self) -> None:
        self._known = frozenset(schemas.load("record")["properties"]["event"]["enum"])
        self._takes: dict[str, Callable[[Event], None]] = {
            "goal": self._goal,
            "problem": self._problem,
            "scenario": self._scenario,
            "step": self._step,
            "already": self._already,
            "proof": self._proof,
            "end": self._end,
            "finish": self._finish,
        }
        self._run: tuple[str, str, str, bool] | None = None
        self._goals: list[RecordedGoal] = []
        self._problems: dict[str, str] = {}
        self._drafts: dict[str, dict[str, _Draft]] = {}
        self._status: int | None = None

    def take(self, event: Any) -> None:
        if not isinstance(event, dict):
            raise _EventError("this is no event")
        name = event.get("event")
        if self._run is None:
            if name != "run":
                raise _EventError("a record begins with a run")
            self._begin(event)
        elif name in self._takes:
            self._takes[name](event)
        elif name == "run":
            raise _EventError("a second run begins in the same record")
        elif name not in self._known:
            raise _EventError(f"an event of the name {json.dumps(name)} is not known")

    def record(self) -> RunRecord:
        if self._run is None:
            raise UnusableRecordError("empty-record", "it is empty")
        return RunRecord(
            *self._run,
            tuple(self._goals),
            self._problems,
            {
                scenario: tuple(draft.run(scenario) for draft in drafts.values())
                for scenario, drafts in self._drafts.items()
            },
            self._status,
        )

    def _begin(self, event: Event) -> None:
        if event.get("format") != FORMAT:
            raise _EventError(
                f"it has the format {json.dumps(event.get('format'))}; this version reads {FORMAT}"
            )
        repository = event.get("repository")
        commit = _text(repository, "commit") if isinstance(repository, dict) else ""
        proofs = _of(bool, event, "proofs")
        self._run = _text(event, "id"), _text(event, "started"), commit, proofs

    def _goal(self, event: Event) -> None:
        scenarios = _of(list, event, "scenarios")
        if not all(isinstance(scenario, str) for scenario in scenarios):
            raise _EventError("scenarios are names")
        self._goals.append(
            RecordedGoal(
                _text(event, "id"), _text(event, "file"), _text(event, "hash"), tuple(map(str, scenarios))
            )
        )

    def _problem(self, event: Event) -> None:
        self._problems[_text(event, "file")] = _text(event, "message")

    def _scenario(self, event: Event) -> None:
        """It begins, or begins again: what the same process said of it before no longer counts."""
        steps = [
            RecordedStep(
                _text(step, "kind"), _text(step, "text"), _of(int, step, "line"), _of(bool, step, "negative")
            )
            for step in _of(list, event, "steps")
        ]
        self._drafts.setdefault(_text(event, "scenario"), {})[_text(event, "by")] = _Draft(steps)

    def _step(self, event: Event) -> None:
        draft, index = self._place(event)
        draft.outcomes[index] = _text(event, "outcome"), _text(event, "error", "")

    def _already(self, event: Event) -> None:
        self._draft(event).already = True

    def _proof(self, event: Event) -> None:
        draft, index = self._place(event)
        if not draft.steps[index].negative:
            raise _EventError(f"step {index} is not negative, so there is nothing to prove")
        draft.proofs.setdefault(index, []).append(
            Proof(
                _text(event, "violation"),
                _text(event, "strength"),
                _text(event, "outcome"),
                _text(event, "detail", ""),
            )
        )

    def _end(self, event: Event) -> None:
        """Of a scenario whose worker has died, the end is told by another process."""
        known = self._drafts.setdefault(_text(event, "scenario"), {})
        by = _text(event, "by")
        open_elsewhere = [draft for draft in known.values() if not draft.outcome]
        ended = [known[by]] if by in known else open_elsewhere or [known.setdefault(by, _Draft([]))]
        for draft in ended:
            draft.outcome, draft.reason = _text(event, "outcome"), _text(event, "reason", "")
            draft.seconds = _of((int, float), event, "seconds", 0.0)
            draft.evidence = _text(event, "evidence", "")

    def _finish(self, event: Event) -> None:
        self._status = _of(int, event, "status")

    def _draft(self, event: Event) -> _Draft:
        try:
            return self._drafts[event["scenario"]][event["by"]]
        except (KeyError, TypeError):
            raise _EventError(f"the {event['event']} of a scenario that has not begun") from None

    def _place(self, event: Event) -> tuple[_Draft, int]:
        draft, index = self._draft(event), event.get("step")
        if type(index) is not int or not 0 <= index < len(draft.steps):
            raise _EventError(f"the scenario has no step {json.dumps(index)}")
        return draft, index


_MISSING: Any = object()


def _of(kind: Any, event: Any, name: str, default: Any = _MISSING) -> Any:
    """A field of the right type; true and false are no numbers."""
    value = event.get(name, default) if isinstance(event, dict) else _MISSING
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _EventError(f"{name} is missing" if value is _MISSING else f"{name} is {json.dumps(value)}")
    return value


def _text(event: Any, name: str, default: Any = _MISSING) -> str:
    value: str = _of(str, event, name, default)
    return value
