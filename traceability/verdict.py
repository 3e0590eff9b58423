"""The verdict: goals as their files have them, beside what the record of a run says of each.

Red is where it starts from. A goal becomes OK only by results that belong to the very file that is there
now; what can't be read, is missing, or belongs to other files is a finding or a goal that did not run.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from ..runner.listing import Listed, Listing
from .finding import Finding
from .record import RecordedGoal, RunRecord, UnusableRecordError
from .scenario import Asked, ScenarioVerdict, judge, not_run
from .status import Status, deciding

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Source:
    """Where results come from: a record by the path that people know it by, or why there is none to use."""

    path: str
    record: RunRecord | UnusableRecordError

    @property
    def usable(self) -> RunRecord | None:
        return None if isinstance(self.record, UnusableRecordError) else self.record


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The run that a verdict speaks of. `others` counts its goals that the verdict is not about."""

    id: str
    started: str
    commit: str
    record: str
    proofs: bool
    status: int | None
    others: int = 0

    def data(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "started": self.started,
            "commit": self.commit,
            "record": self.record,
            "proofs": self.proofs,
            "status": self.status,
            "others": self.others,
        }


@dataclass(frozen=True, slots=True)
class GoalVerdict:
    """One row of the matrix. `line` is where the goal begins in its file."""

    id: str
    tier: int
    title: str
    statement: str
    system: str
    owner: str
    ci: tuple[str, ...]
    file: str
    line: int
    status: Status
    reason: str
    scenarios: tuple[ScenarioVerdict, ...]

    @property
    def is_ok(self) -> bool:
        return self.status is Status.OK

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    def data(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "tier": self.tier,
            "title": self.title,
            "statement": self.statement,
            "system": self.system,
            "owner": self.owner,
            "ci": [*self.ci],
            "file": self.file,
            "line": self.line,
            "status": self.status.value,
            "reason": self.reason,
            "scenarios": [scenario.data() for scenario in self.scenarios],
        }


@dataclass(frozen=True, slots=True)
class TierSummary:
    """How the goals of one tier stand; only OK counts as coverage."""

    tier: int
    counts: Mapping[Status, int]

    @property
    def goals(self) -> int:
        return sum(self.counts.values())

    @property
    def ok(self) -> int:
        return self.counts.get(Status.OK, 0)

    def data(self) -> dict[str, Any]:
        statuses = {status.value: number for status, number in self.counts.items()}
        return {"tier": self.tier, "goals": self.goals, "ok": self.ok, "statuses": statuses}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What every report renders and every gate judges."""

    run: RunSummary | None
    findings: tuple[Finding, ...]
    goals: tuple[GoalVerdict, ...]

    @property
    def is_ok(self) -> bool:
        return bool(self.goals) and not self.findings and all(goal.is_ok for goal in self.goals)

    @property
    def exit_code(self) -> int:
        """1 for red, 2 where an input could not be read."""
        if any(finding.unreadable for finding in self.findings):
            return 2
        return 0 if self.is_ok else 1

    @property
    def tiers(self) -> tuple[TierSummary, ...]:
        """The tiers that there are goals of."""
        counted = Counter((goal.tier, goal.status) for goal in self.goals)
        present = sorted({tier for tier, _ in counted})
        return tuple(
            TierSummary(tier, {s: counted[tier, s] for s in Status if counted[tier, s]}) for tier in present
        )

    def data(self) -> dict[str, Any]:
        """As `schemas/verdict.schema.json` describes it."""
        return {
            "format": FORMAT,
            "ok": self.is_ok,
            "run": None if self.run is None else self.run.data(),
            "findings": [finding.data() for finding in self.findings],
            "tiers": [tier.data() for tier in self.tiers],
            "goals": [goal.data() for goal in self.goals],
        }


def verdict(goals: Listing, source: Source, command: str = "pytest") -> Verdict:
    """Join goals with the record of a run; `command` is what runs all of them."""
    record = source.usable
    recorded: dict[str, list[RecordedGoal]] = {}
    for goal in record.goals if record is not None else ():
        recorded.setdefault(goal.id, []).append(goal)
    judge_goal = _Judge(source, recorded)
    judged = [judge_goal(listed) for listed in goals.goals]
    findings = [*_goal_findings(goals), *_record_findings(source, command)]
    if record is not None and record.goals and goals.goals and not judge_goal.matched:
        message = f"the run record {source.path} is of other goal files, or of other versions of them"
        findings.append(Finding("other-goals", message, f"run the goals again: {command}"))
    others = len(recorded.keys() - {listed.goal.id for listed in goals.goals})
    return Verdict(_run(source, others), tuple(findings), tuple(judged))


def _goal_findings(goals: Listing) -> Iterator[Finding]:
    for error in goals.errors:
        file = str(error.path)
        for problem in error.problems:
            hint = f"see it in its place: goalkeeper lint {shlex.quote(file)}"
            line = problem.place.line
            yield Finding(problem.rule, problem.message, hint, file=file, line=line, unreadable=True)
    if not goals.goals and not goals.errors:
        yield Finding("no-goals", "there are no goals", "write a first one: goalkeeper init", unreadable=True)
    files: dict[str, list[Listed]] = {}
    for listed in goals.goals:
        files.setdefault(listed.goal.id, []).append(listed)
    for first, *others in files.values():
        for listed in others:
            goal = listed.goal
            message = f"{goal.id} is the id of {first.file} too: give each goal its own"
            hint = "see all ids: goalkeeper list"
            yield Finding("duplicate-id", message, hint, goal.id, listed.file, goal.place.line)


def _record_findings(source: Source, command: str) -> Iterator[Finding]:
    run_first, run_again = f"run the goals first: {command}", f"run the goals again: {command}"
    record, named = source.record, f"the run record {source.path}"
    if isinstance(record, UnusableRecordError):
        if record.rule == "no-record":
            where = f": {source.path} is not there" if source.path else ""
            yield Finding(record.rule, f"there is no run record{where}", run_first)
        else:
            unreadable = record.rule != "empty-record"
            yield Finding(record.rule, f"{named}: {record}", run_again, unreadable=unreadable)
        return
    if record.status is None:
        message = f"{named} breaks off: the run was killed, or goes on still"
        yield Finding("cut-off-record", message, run_again)
    if not record.goals:
        yield Finding("empty-record", f"{named} has no goals: nothing ran", run_again)


def _run(source: Source, others: int) -> RunSummary | None:
    record = source.usable
    if record is None:
        return None
    return RunSummary(
        record.id, record.started, record.commit, source.path, record.proofs, record.status, others
    )


class _Judge:
    """Judges goals one by one, and counts those that the record has in this very version."""

    def __init__(self, source: Source, recorded: Mapping[str, Sequence[RecordedGoal]]) -> None:
        self._record = source.usable
        self._recorded = recorded
        self._evidence = source.path.rpartition("/")[0] + "/" if "/" in source.path else ""
        self.matched = 0

    def __call__(self, listed: Listed) -> GoalVerdict:
        goal = listed.goal
        found = self._find(listed)
        if isinstance(found, RecordedGoal):
            self.matched += 1
        scenarios = tuple(self._scenarios(listed, found))
        status, reason = _summary(scenarios)
        return GoalVerdict(
            goal.id,
            goal.tier,
            goal.title,
            goal.statement,
            listed.system,
            goal.owner,
            goal.ci,
            listed.file,
            goal.place.line,
            status,
            found if isinstance(found, str) and scenarios else reason,
            scenarios,
        )

    def _find(self, listed: Listed) -> RecordedGoal | str:
        """The goal on record, or why it does not count."""
        if self._record is None:
            return "there is no run record to tell of it"
        of_id = self._recorded.get(listed.goal.id, ())
        of_file = [goal for goal in of_id if _is_same(goal.file, listed.file)]
        if not of_file:
            told = next((m for f, m in self._record.problems.items() if _is_same(f, listed.file)), None)
            if told is not None:
                return f"pytest could not use the file: {_first_problem(told)}"
            return f"this run had it in {of_id[0].file}" if of_id else "this run did not have it"
        same = [goal for goal in of_file if goal.digest == listed.digest]
        return same[0] if same else "the file changed since this run"

    def _scenarios(self, listed: Listed, found: RecordedGoal | str) -> Iterator[ScenarioVerdict]:
        record, chosen = self._record, dict[str, str]()
        if isinstance(found, RecordedGoal):
            chosen = {node.partition("::")[2]: node for node in found.scenarios}
        for case in listed.goal.cases():
            proofs = record is None or record.proofs
            asked = Asked(case, f"{listed.file}::{case.node_name}", listed.goal.tier, proofs)
            if record is None or isinstance(found, str):
                yield not_run(asked, str(found))
                continue
            node = chosen.get(case.node_name, "")
            runs = record.runs.get(node, ())
            if runs:
                yield judge(asked, runs, self._evidence)
            elif not node:
                yield not_run(asked, "it was left out of this run")
            elif record.status is None:
                yield not_run(asked, "the run broke off before it")
            else:
                yield not_run(asked, "it was chosen to run, but has no result")


def _summary(scenarios: Sequence[ScenarioVerdict]) -> tuple[Status, str]:
    """The status of a goal, and why: the first scenario that decides speaks for the others."""
    status = deciding(scenario.status for scenario in scenarios)
    if not scenarios:
        return status, "it has no scenario"
    if status is Status.OK:
        return status, ""
    first, *others = (scenario for scenario in scenarios if scenario.status is status)
    named = f"{first.name}: {first.reason}" if len(scenarios) > 1 else first.reason
    more = f" (and {len(others)} more {'scenario' if len(others) == 1 else 'scenarios'})" if others else ""
    return status, named + more


def _is_same(recorded: str, listed: str) -> bool:
    """Whether two paths may name one file, each seen from another directory above it."""
    if recorded == listed:
        return True
    one, other = PurePath(recorded).parts, PurePath(listed).parts
    shorter = min(len(one), len(other))
    return one[-shorter:] == other[-shorter:]


def _first_problem(message: str) -> str:
    return message.strip().partition("\n")[0]
