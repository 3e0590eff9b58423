"""The verdict: seeded defects, each of which must be seen, and told by its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from goalkeeper import schemas
from goalkeeper.traceability.status import Status, deciding
from goalkeeper.traceability.verdict import GoalVerdict, Verdict

if TYPE_CHECKING:
    from tests.conftest import Bakery

Event = dict[str, Any]
Damage = Callable[[list[Event]], object]


def of(events: list[Event], name: str) -> list[Event]:
    return [event for event in events if event["event"] == name]


def drop(events: list[Event], *names: str, keep: int = 0) -> None:
    """Remove events of these names, all but the first few."""
    for name in names:
        for event in of(events, name)[keep:]:
            events.remove(event)


def change(name: str, number: int = 0, **fields: Any) -> Damage:
    return lambda events: of(events, name)[number].update(fields)


def together(*damages: Damage) -> Damage:
    return lambda events: [damage(events) for damage in damages]


def already(events: list[Event]) -> None:
    node = of(events, "scenario")[0]["scenario"]
    told = {"at": 0.0, "by": "main", "event": "already", "scenario": node, "steps": [2]}
    events.insert(events.index(of(events, "end")[0]), told)


def judged(bakery: Bakery, damage: Damage | None = None) -> Verdict:
    events = bakery.events()
    if damage is not None:
        damage(events)
    found = bakery.verdict(events)
    Draft202012Validator(schemas.load("verdict")).validate(found.data())
    return found


def only(verdict: Verdict) -> GoalVerdict:
    [goal] = verdict.goals
    return goal


@pytest.mark.parametrize("goal_id", ["G0.1", "G1.1", "G2.1"])
def test_all_is_well(bakery: Bakery, goal_id: str) -> None:
    bakery.goal(goal_id, "A loaf", "A roll")
    found = judged(bakery)
    assert (found.is_ok, found.exit_code, found.findings) == (True, 0, ())
    goal = only(found)
    assert (goal.status, goal.reason, goal.place) == (Status.OK, "", f"{goal.file}:2")
    assert (goal.owner, goal.ci, goal.statement) == ("bakery", ("nightly",), "bread comes out whole.")
    assert [scenario.test for scenario in goal.scenarios] == [f"{goal.file}::A loaf", f"{goal.file}::A roll"]
    [loaf, _] = goal.scenarios
    assert loaf.thens == ("the bread is done",)
    assert [(n.text, n.outcome) for n in loaf.negatives] == [
        ("the oven never burns", "proven"),
        ('log "oven" never records "fire"', "proven"),
    ]


SEEDED: list[tuple[Damage, Status, str]] = [
    (
        together(
            change("end", outcome="failed"), change("step", 2, outcome="failed", error="StepFailed: raw\nx")
        ),
        Status.FAILED,
        "line 8: the bread is done: raw",
    ),
    (change("step", 2, outcome="failed"), Status.FAILED, "line 8: the bread is done"),
    (change("step", 2, outcome="unknown"), Status.FAILED, "not all of its steps did"),
    (lambda events: events.remove(of(events, "step")[1]), Status.FAILED, "not all of its steps did"),
    (change("end", outcome="failed", reason="teardown: x\n\nE  left over"), Status.FAILED, "left over"),
    (change("end", outcome="failed"), Status.FAILED, "no more than that it failed"),
    (change("end", outcome="unknown", reason="it died"), Status.FAILED, "it died"),
    (change("end", outcome="unknown"), Status.FAILED, "nobody knows how it ended"),
    (change("end", outcome="fine"), Status.FAILED, "nobody knows how it ended"),
    (lambda events: drop(events, "end"), Status.FAILED, "it began, and has no end on record"),
    (lambda events: drop(events, "proof"), Status.UNPROVEN, "there is no proof that it can fail"),
    (change("run", proofs=False), Status.UNPROVEN, "the run left out proofs (--no-proof)"),
    (
        together(change("run", proofs=False), lambda events: drop(events, "proof")),
        Status.UNPROVEN,
        "the run left out proofs (--no-proof)",
    ),
    (
        together(change("proof", outcome="vacuous", detail="saw 3 lines"), change("end", outcome="failed")),
        Status.UNPROVEN,
        "line 9: the oven never burns: the check did not notice a violation, burn_gross (gross): saw 3 lines",
    ),
    (change("proof", outcome="no-effect"), Status.UNPROVEN, "a violation had no effect"),
    (change("proof", outcome="wrong-reason"), Status.UNPROVEN, "failed for another reason"),
    (change("proof", outcome="collateral"), Status.UNPROVEN, "another check noticed"),
    (
        change("proof", outcome="no-violation", violation=""),
        Status.UNPROVEN,
        "no violation to prove it by, gross",
    ),
    (change("proof", outcome="perhaps"), Status.UNPROVEN, "perhaps"),
    (already, Status.UNPROVEN, "every Then held before the first When"),
    (together(already, change("end", outcome="failed")), Status.UNPROVEN, "every Then held before"),
    (
        together(already, change("end", outcome="failed"), change("step", 2, outcome="failed")),
        Status.FAILED,
        "line 8: the bread is done",
    ),
    (
        together(
            lambda events: drop(events, "proof"),
            lambda events: [step.update(negative=False) for step in of(events, "scenario")[0]["steps"]],
        ),
        Status.UNPROVEN,
        "it has no negative step",
    ),
    (change("end", outcome="skipped", reason="needs Docker"), Status.SKIPPED, "needs Docker"),
    (change("end", outcome="skipped"), Status.SKIPPED, "no reason was given"),
    (
        lambda events: drop(events, "scenario", "step", "proof", "end"),
        Status.NOT_RUN,
        "it was chosen to run, but has no result",
    ),
    (
        lambda events: drop(events, "scenario", "step", "proof", "end", "finish"),
        Status.NOT_RUN,
        "the run broke off before it",
    ),
    (change("goal", scenarios=[]), Status.NOT_RUN, "it was left out of this run"),
    (change("goal", hash="0" * 64), Status.NOT_RUN, "the file changed since this run"),
    (change("goal", file="other/g.feature"), Status.NOT_RUN, "this run had it in other/g.feature"),
    (change("goal", id="G1.7"), Status.NOT_RUN, "this run did not have it"),
    (lambda events: drop(events, "goal"), Status.NOT_RUN, "this run did not have it"),
]


@pytest.mark.parametrize("goal_id", ["G0.1", "G1.1"])
@pytest.mark.parametrize(("damage", "status", "reason"), SEEDED)
def test_a_seeded_defect(bakery: Bakery, goal_id: str, damage: Damage, status: Status, reason: str) -> None:
    bakery.goal(goal_id)
    found = judged(bakery, damage)
    goal = only(found)
    assert goal.status is status
    assert reason in goal.reason
    assert (found.is_ok, found.exit_code) == (False, 1)


@pytest.mark.parametrize("strength", ["gross", "minimal"])
@pytest.mark.parametrize(("goal_id", "status"), [("G0.1", Status.UNPROVEN), ("G1.1", Status.OK)])
def test_tier_0_asks_for_both_strengths(bakery: Bakery, goal_id: str, status: Status, strength: str) -> None:
    bakery.goal(goal_id)

    def one_strength(events: list[Event]) -> None:
        events[:] = [event for event in events if event.get("strength", strength) == strength]

    goal = only(judged(bakery, one_strength))
    assert goal.status is status
    if status is Status.UNPROVEN:
        other = {"gross": "minimal", "minimal": "gross"}[strength]
        assert f"tier 0 asks for a {other} violation as well" in goal.reason
        assert {n.outcome for n in goal.scenarios[0].negatives} == {"half-proven"}


@pytest.mark.parametrize(
    ("damage", "outcomes"),
    [
        (lambda events: drop(events, "proof"), {"no-proof"}),
        (change("proof", outcome="vacuous"), {"vacuous", "proven"}),
        (change("run", proofs=False), {"no-proof"}),
        (already, {"proven"}),
    ],
)
def test_tier_2_shows_what_is_unproven_and_stays_ok(
    bakery: Bakery, damage: Damage, outcomes: set[str]
) -> None:
    bakery.goal("G2.1")
    goal = only(judged(bakery, damage))
    assert goal.status is Status.OK
    assert {negative.outcome for negative in goal.scenarios[0].negatives} == outcomes
    assert goal.scenarios[0].already is (damage is already)


def test_tier_2_fails_for_what_is_no_proof(bakery: Bakery) -> None:
    """pytest does not fail such a goal for a proof, so there was another reason."""
    bakery.goal("G2.1")
    damage = together(change("proof", outcome="vacuous"), change("end", outcome="failed"))
    assert only(judged(bakery, damage)).status is Status.FAILED


def test_the_first_in_the_order_decides() -> None:
    order = [*Status]
    assert [status.shown for status in order] == [
        "FAILED",
        "UNPROVEN",
        "SKIPPED",
        "NOT RUN",
        "UNCOVERED",
        "OK",
    ]
    for number, status in enumerate(order):
        assert deciding(reversed(order[number:])) is status
    assert deciding([]) is Status.UNCOVERED


def test_of_several_scenarios_the_worst_decides_and_names_itself(bakery: Bakery) -> None:
    bakery.goal("G1.1", "A loaf", "A roll", "A cake")
    damage = together(
        change("end", 0, outcome="skipped", reason="no flour"),
        change("end", 1, outcome="failed", reason="burnt"),
        change("end", 2, outcome="failed", reason="burnt too"),
    )
    goal = only(judged(bakery, damage))
    assert (goal.status, goal.reason) == (Status.FAILED, "A roll: burnt (and 1 more scenario)")


def test_the_worse_of_two_processes_decides(bakery: Bakery) -> None:
    bakery.goal("G1.1")

    def twice(events: list[Event]) -> None:
        mine = [event | {"by": "gw1"} for event in events if "scenario" in event]
        of(events, "end")[0]["outcome"] = "failed"
        events[-1:-1] = mine

    assert only(judged(bakery, twice)).status is Status.FAILED


def test_a_goal_without_a_scenario_is_uncovered(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    path = bakery.root / "scenarios" / "g1_2.feature"
    path.write_text("@G1.2\nFeature: An intention\n  Expect: more.\n", encoding="utf-8")
    goal = judged(bakery).goals[1]
    assert (goal.status, goal.reason) == (Status.UNCOVERED, "it has no scenario")


def test_a_scenario_that_was_added_has_no_result(bakery: Bakery) -> None:
    """Even where the hash would not tell, a scenario without a result is never OK."""
    path = bakery.goal("G1.1")
    events = bakery.events()
    bakery.goal("G1.1", "A loaf", "A roll")
    of(events, "goal")[0]["hash"] = of(bakery.events(), "goal")[0]["hash"]
    assert path.is_file()
    goal = only(bakery.verdict(events))
    assert (goal.status, goal.reason) == (Status.NOT_RUN, "A roll: it was left out of this run")


def test_a_file_that_changed_shows_nothing_of_the_old_result(bakery: Bakery) -> None:
    path = bakery.goal("G1.1")
    bakery.goal("G1.2")
    events = bakery.events()
    path.write_text(path.read_text() + "\n    # a comment\n")
    found = bakery.verdict(events)
    assert [goal.status for goal in found.goals] == [Status.NOT_RUN, Status.OK]
    assert {negative.outcome for negative in found.goals[0].scenarios[0].negatives} == {"not-run"}
    assert (found.findings, found.exit_code) == ((), 1)


@pytest.mark.parametrize("prefix", ["sub/", "../../"])
def test_a_record_of_a_pytest_with_another_root(bakery: Bakery, prefix: str) -> None:
    """pytest names files as seen from its own root, which may lie above the project."""
    bakery.goal("G1.1")

    def moved(events: list[Event]) -> None:
        for event in events:
            for key in ("file", "scenario"):
                if key in event:
                    event[key] = prefix + event[key]
            if "scenarios" in event:
                event["scenarios"] = [prefix + node for node in event["scenarios"]]

    assert judged(bakery, moved).is_ok


def test_a_file_that_pytest_could_not_use(bakery: Bakery) -> None:
    bakery.goal("G1.1")

    def problem(events: list[Event]) -> None:
        drop(events, "goal", "scenario", "step", "proof", "end")
        message = "scenarios/g1_1.feature:7:10: unknown-step\n    When it is lit"
        told = {"event": "problem", "file": "scenarios/g1_1.feature", "message": message}
        events.insert(1, {"at": 0.0, "by": "main", **told})

    goal = only(judged(bakery, problem))
    assert goal.status is Status.NOT_RUN
    assert goal.reason == "pytest could not use the file: scenarios/g1_1.feature:7:10: unknown-step"


@pytest.mark.parametrize(
    ("damage", "rule", "told"),
    [
        (lambda events: drop(events, "finish"), "cut-off-record", "breaks off"),
        (
            lambda events: drop(events, "goal", "scenario", "step", "proof", "end"),
            "empty-record",
            "has no goals",
        ),
        (change("goal", hash="0" * 64), "other-goals", "is of other goal files"),
        (change("goal", id="G1.9"), "other-goals", "is of other goal files"),
        (change("run", format=3), "corrupt-record", "line 1: it has the format 3"),
    ],
)
def test_what_is_wrong_with_a_record(bakery: Bakery, damage: Damage, rule: str, told: str) -> None:
    bakery.goal("G1.1")
    found = judged(bakery, damage)
    [finding] = found.findings
    assert finding.rule == rule
    assert told in finding.message
    assert finding.hint == "run the goals again: pytest scenarios"
    assert found.exit_code == (2 if rule == "corrupt-record" else 1)


def test_a_record_that_breaks_off_after_all_results_is_red_all_the_same(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    found = judged(bakery, lambda events: drop(events, "finish"))
    assert only(found).status is Status.OK
    assert not found.is_ok


def test_no_goals(bakery: Bakery) -> None:
    (bakery.root / "scenarios").mkdir()
    found = judged(bakery)
    assert [finding.rule for finding in found.findings] == ["no-goals", "empty-record"]
    assert (found.is_ok, found.exit_code) == (False, 2)


def test_a_goal_file_that_cannot_be_read(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    bad = bakery.root / "scenarios" / "bad.feature"
    bad.write_text("@G1.2\nFeature: x\n  Scenario: s\n    When x\n    Whne y\n")
    found = judged(bakery)
    assert only(found).status is Status.OK
    finding = found.findings[0]
    assert (finding.file, finding.line, finding.unreadable) == ("scenarios/bad.feature", 5, True)
    assert finding.hint == "see it in its place: goalkeeper lint scenarios/bad.feature"
    assert found.exit_code == 2


def test_two_files_with_one_id(bakery: Bakery) -> None:
    """Even a copy at a place that the record might mean."""
    bakery.goal("G1.1", file="scenarios/a.feature")
    events = bakery.events()
    bakery.goal("G1.1", file="scenarios/scenarios/a.feature")
    found = bakery.verdict(events)
    [finding] = found.findings
    assert (finding.rule, finding.goal) == ("duplicate-id", "G1.1")
    assert found.exit_code == 1


def test_tiers_and_goals_besides(bakery: Bakery) -> None:
    for goal_id in ("G0.1", "G1.1", "G1.2", "G1.3"):
        bakery.goal(goal_id)
    events = bakery.events()
    of(events, "end")[2]["outcome"] = "skipped"
    (bakery.root / "scenarios" / "g1_3.feature").unlink()
    found = bakery.verdict(events)
    assert [(tier.tier, tier.goals, tier.ok) for tier in found.tiers] == [(0, 1, 1), (1, 2, 1)]
    assert found.run is not None
    assert found.run.others == 1


def test_evidence_is_named_as_seen_from_the_project(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    goal = only(judged(bakery, change("end", outcome="failed", evidence="evidence/a-1")))
    assert goal.scenarios[0].evidence == ".goalkeeper/runs/20261118T120000Z-abcdef/evidence/a-1"
