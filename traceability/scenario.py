"""Judges one scenario: what the goal file asks for, beside what a run has on record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..runner.goal import Case
from .record import Proof, RecordedStep, ScenarioRun
from .status import Status, rank

STRENGTHS = ("gross", "minimal")
PROVING_TIERS = (0, 1)
_STEP_FAILED = "StepFailed: "


@dataclass(frozen=True, slots=True)
class Negative:
    """A negative step and its proofs. `missing` says what they lack; it is empty where all is proven."""

    text: str
    line: int
    outcome: str
    missing: str = ""
    proofs: tuple[Proof, ...] = ()

    def data(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "line": self.line,
            "outcome": self.outcome,
            "missing": self.missing,
            "proofs": [asdict(proof) for proof in self.proofs],
        }


@dataclass(frozen=True, slots=True)
class ScenarioVerdict:
    """`test` is what pytest calls it, `already` that its Thens held before anything was done."""

    name: str
    test: str
    line: int
    status: Status
    reason: str
    thens: tuple[str, ...]
    negatives: tuple[Negative, ...]
    already: bool = False
    seconds: float = 0.0
    evidence: str = ""

    def data(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "test": self.test,
            "line": self.line,
            "status": self.status.value,
            "reason": self.reason,
            "thens": [*self.thens],
            "negatives": [negative.data() for negative in self.negatives],
            "already": self.already,
            "seconds": self.seconds,
            "evidence": self.evidence,
        }


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a scenario: its place in a goal of a tier, and whether the run made proofs."""

    case: Case
    test: str
    tier: int
    proofs: bool = True

    @property
    def must_prove(self) -> bool:
        return self.tier in PROVING_TIERS


def not_run(asked: Asked, reason: str) -> ScenarioVerdict:
    """The scenario as its file has it. Which steps are negative is told by their words alone."""
    case = asked.case
    thens = [step for step in case.steps if step.kind == "then"]
    return ScenarioVerdict(
        case.node_name,
        asked.test,
        case.place.line,
        Status.NOT_RUN,
        reason,
        tuple(step.text for step in thens if not step.negative),
        tuple(
            Negative(step.text, step.place.line, "not-run", "it did not run")
            for step in thens
            if step.negative
        ),
    )


def judge(asked: Asked, runs: Sequence[ScenarioRun], evidence: str = "") -> ScenarioVerdict:
    """The verdict over a scenario that has begun; of several processes that ran it, the worst.

    `evidence` is where the paths of the record begin.
    """
    return min((_judged(asked, run, evidence) for run in runs), key=lambda verdict: rank(verdict.status))


def _judged(asked: Asked, run: ScenarioRun, evidence: str) -> ScenarioVerdict:
    negatives = tuple(_negative(step, asked) for step in run.steps if step.negative)
    status, reason = _status(asked, run, negatives)
    return ScenarioVerdict(
        asked.case.node_name,
        asked.test,
        asked.case.place.line,
        status,
        reason,
        tuple(step.text for step in run.steps if step.kind == "then" and not step.negative),
        negatives,
        run.already,
        run.seconds,
        f"{evidence}{run.evidence}" if run.evidence else "",
    )


def _status(asked: Asked, run: ScenarioRun, negatives: Sequence[Negative]) -> tuple[Status, str]:
    """pytest calls a scenario failed when only a proof is: that is told apart by its steps, which passed."""
    passed = bool(run.steps) and all(step.outcome == "ok" for step in run.steps)
    doubt = next(_doubts(run, negatives), "") if asked.must_prove else ""
    if run.outcome == "skipped":
        return Status.SKIPPED, run.reason or "no reason was given"
    if run.outcome == "failed" and passed and asked.must_prove and _proof_failed(run):
        return Status.UNPROVEN, doubt
    if run.outcome != "ok" or not passed:
        return Status.FAILED, _failure(run)
    return (Status.UNPROVEN, doubt) if doubt else (Status.OK, "")


def _proof_failed(run: ScenarioRun) -> bool:
    return run.already or any(not proof.is_proven for step in run.steps for proof in step.proofs)


def _failure(run: ScenarioRun) -> str:
    failed = next((step for step in run.steps if step.outcome == "failed"), None)
    if failed is not None:
        error = failed.error.removeprefix(_STEP_FAILED).partition("\n")[0]
        return f"line {failed.line}: {failed.text}{f': {error}' if error else ''}"
    if not run.outcome:
        return "it began, and has no end on record"
    if run.outcome == "ok":
        return "it ended as ok, but not all of its steps did"
    # What pytest says of a failed set-up or clean-up is a traceback: the last line has the error.
    told = run.reason.strip().rpartition("\n")[2]
    if run.outcome == "failed":
        return told or "pytest says no more than that it failed"
    return told or "nobody knows how it ended"


def _doubts(run: ScenarioRun, negatives: Sequence[Negative]) -> Iterator[str]:
    """What a passed scenario leaves unproven."""
    if run.already:
        yield "every Then held before the first When, so the Whens show nothing"
    for negative in negatives:
        if negative.missing:
            yield f"line {negative.line}: {negative.text}: {negative.missing}"
    if not negatives:
        yield "it has no negative step, so nothing is proven"


def _negative(step: RecordedStep, asked: Asked) -> Negative:
    outcome, missing = _proven(step.proofs, asked)
    return Negative(step.text, step.line, outcome, missing, step.proofs)


def _proven(proofs: Sequence[Proof], asked: Asked) -> tuple[str, str]:
    """What became of a negative step's proofs as a whole, and what is missing."""
    for proof in proofs:
        if not proof.is_proven:
            named = f"{proof.violation} ({proof.strength})" if proof.violation else proof.strength
            detail = f": {proof.detail.partition(chr(10))[0]}" if proof.detail else ""
            return proof.outcome, f"{_SAYS.get(proof.outcome, proof.outcome)}, {named}{detail}"
    if not asked.proofs:
        return "no-proof", "the run left out proofs (--no-proof)"
    if not proofs:
        return "no-proof", "there is no proof that it can fail"
    lacking = [strength for strength in STRENGTHS if strength not in {proof.strength for proof in proofs}]
    if asked.tier == 0 and lacking:
        return "half-proven", f"tier 0 asks for a {' and a '.join(lacking)} violation as well"
    return "proven", ""


_SAYS = {
    "vacuous": "the check did not notice a violation",
    "no-effect": "a violation had no effect",
    "wrong-reason": "the check failed for another reason than the violation",
    "collateral": "another check noticed the violation as well",
    "no-violation": "there is no violation to prove it by",
}
