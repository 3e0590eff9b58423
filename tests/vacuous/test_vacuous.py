"""Scenarios that look fine and prove nothing: each must be caught, and for the right reason.

Each case is a goal file, with the step definitions that are wrong beside it. Its first line says how it is
caught. If one of the detectors is switched off, a case slips through: so none of them is there in vain.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner import binding, execute, rules
from goalkeeper.runner.never import Journal, proof

CASES = Path(__file__).parent / "cases"
EXPECTED = {
    case.name: (case / "goal.feature").read_text().splitlines()[0].removeprefix("# caught: ")
    for case in sorted(CASES.iterdir())
    if case.is_dir()
}
Switch = Callable[[pytest.MonkeyPatch], None]


def run(pytester: pytest.Pytester) -> dict[str, str]:
    """How each case was caught; `passed` where it was not."""
    for name in EXPECTED:
        shutil.copytree(CASES / name, pytester.path / "scenarios" / name)
        steps = pytester.path / "scenarios" / name / "steps.py"
        if steps.exists():
            steps.rename(steps.with_name("conftest.py"))
    shutil.copy(CASES.parent / "ledger.py", pytester.path)
    pytester.makeini("[pytest]\npythonpath = .\n")
    pytester.runpytest_inprocess("scenarios", "--import-mode=importlib", "-q")
    [record] = (pytester.path / ".goalkeeper" / "runs").glob("*/record.jsonl")
    events = [json.loads(line) for line in record.read_text().splitlines()]
    return {name: caught(events, f"scenarios/{name}/") for name in EXPECTED}


def caught(events: list[dict[str, Any]], folder: str) -> str:
    for event in events:
        if event["event"] == "problem" and event["file"].startswith(folder):
            return f"refused {event['message'].splitlines()[0].rpartition(' ')[2]}"
    own = [event for event in events if str(event.get("scenario", "")).startswith(folder)]
    for event in own:
        if event["event"] == "step" and event["outcome"] != "ok":
            return "nothing" if "looked at nothing" in event["error"] else "failed"
        if event["event"] == "already":
            return "already"
        if event["event"] == "proof" and event["outcome"] != "proven":
            return str(event["outcome"])
    return "passed" if own else "not run"


def detector(name: str) -> Switch:
    """Leave one out of those that judge a proof."""

    def switch(monkeypatch: pytest.MonkeyPatch) -> None:
        left = [one for one in proof.DETECTORS if one.__name__ != name]
        assert len(left) == len(proof.DETECTORS) - 1
        monkeypatch.setattr(proof, "DETECTORS", left)

    return switch


def replaced(module: object, name: str, answer: object) -> Switch:
    """Let a function of Goalkeeper answer that all is well."""

    def switch(monkeypatch: pytest.MonkeyPatch) -> None:
        assert callable(getattr(module, name))
        monkeypatch.setattr(module, name, lambda *_, **__: answer)

    return switch


def judged_without_a_look_at_the_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Journal, "is_empty", property(lambda _: False))


def all_steps_may_stand_after_but(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = binding._misfit

    def lenient(*arguments: Any) -> Any:
        problem = judge(*arguments)
        return None if problem is not None and problem.rule == "not-negative" else problem

    monkeypatch.setattr(binding, "_misfit", lenient)


SWITCHES: dict[str, tuple[Switch, set[str]]] = {
    "no effect": (detector("changed_nothing"), {"shared_helper", "idle_violation"}),
    "the check stumbles": (detector("could_not_judge"), {"check_breaks"}),
    "vacuous": (detector("went_unnoticed"), {"wrong_path", "late_baseline", "empty_loop", "too_early"}),
    "another reason": (detector("fired_for_something_else"), {"other_reason"}),
    "collateral": (detector("broke_others"), {"collateral"}),
    "nothing looked at": (judged_without_a_look_at_the_journal, {"given_unmet", "unopened_log"}),
    "held already": (replaced(execute, "already_held", []), {"already"}),
    "window": (replaced(execute, "wait_for_quiet", True), {"late_effect"}),
    "no violation": (replaced(proof, "_missing", ()), {"no_violation", "only_gross"}),
    "fires for ever": (replaced(proof, "_still_firing", []), {"sticky"}),
    "no negative step": (replaced(rules, "check_nevers", ()), {"no_negative", "no_when"}),
    "but": (all_steps_may_stand_after_but, {"not_negative"}),
}


def test_every_case_is_caught_for_its_reason(pytester: pytest.Pytester) -> None:
    assert run(pytester) == EXPECTED


def test_there_are_enough_of_them() -> None:
    assert len([name for name, reason in EXPECTED.items() if reason != "passed"]) >= 12
    assert "sound" in EXPECTED


@pytest.mark.parametrize("name", sorted(SWITCHES))
def test_without_a_detector_its_cases_slip_through(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    switch, missed = SWITCHES[name]
    switch(monkeypatch)
    found = run(pytester)
    assert missed <= {case for case, reason in EXPECTED.items() if found[case] != reason}


def test_every_detector_of_proofs_is_switched_off_once() -> None:
    assert {
        "changed_nothing",
        "could_not_judge",
        "went_unnoticed",
        "fired_for_something_else",
        "broke_others",
    } == {one.__name__ for one in proof.DETECTORS}
