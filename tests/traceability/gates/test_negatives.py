"""The gate of negative steps: red for everything that leaves one of them unproven."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goalkeeper.traceability.gates import GATES, judge
from goalkeeper.traceability.gates.gate import Gate

if TYPE_CHECKING:
    from tests.conftest import Bakery

Event = dict[str, Any]
OUTCOMES = ("vacuous", "no-effect", "wrong-reason", "collateral", "no-violation", "", "PROVEN", "proven ")


def of(events: list[Event], name: str) -> list[Event]:
    return [event for event in events if event["event"] == name]


def asked(bakery: Bakery, events: list[Event] | None = None) -> Gate:
    [gate] = judge(bakery.verdict(events), GATES)
    return gate


def test_all_is_proven(bakery: Bakery) -> None:
    for goal_id in ("G0.1", "G1.1", "G2.1"):
        bakery.goal(goal_id, "A loaf", "A roll")
    gate = asked(bakery)
    assert (gate.name, gate.is_open, gate.checked, gate.findings) == ("negatives", True, 2, ())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(data=st.data())
def test_one_proof_that_is_none_turns_it_red(bakery: Bakery, data: st.DataObject) -> None:
    """Whichever proof it is, whatever became of it, and whatever pytest made of the scenario."""
    for goal_id in ("G0.1", "G1.1"):
        bakery.goal(goal_id, "A loaf", "A roll")
    events = bakery.events()
    assert asked(bakery, events).is_open
    proof = data.draw(st.sampled_from(of(events, "proof")))
    proof["outcome"] = data.draw(st.sampled_from(OUTCOMES))
    [end] = [event for event in of(events, "end") if event["scenario"] == proof["scenario"]]
    end["outcome"] = data.draw(st.sampled_from(["ok", "failed"]))
    gate = asked(bakery, events)
    [finding] = gate.findings
    assert not gate.is_open
    assert finding.rule == "unproven"
    assert finding.file == proof["scenario"].partition("::")[0]
    assert finding.line == 6 + proof["step"]


def test_one_proof_that_is_not_there_turns_tier_0_red(bakery: Bakery) -> None:
    bakery.goal("G0.1", "A loaf", "A roll")
    for number in range(len(of(bakery.events(), "proof"))):
        events = bakery.events()
        events.remove(of(events, "proof")[number])
        [finding] = asked(bakery, events).findings
        assert "tier 0 asks for a" in finding.message


def test_a_step_without_any_proof_turns_tier_1_red(bakery: Bakery) -> None:
    bakery.goal("G1.1", "A loaf", "A roll")
    for step in (3, 4):
        for scenario in ("A loaf", "A roll"):
            left = [
                event
                for event in bakery.events()
                if not (
                    event["event"] == "proof"
                    and event["step"] == step
                    and event["scenario"].endswith(scenario)
                )
            ]
            [finding] = asked(bakery, left).findings
            assert (finding.rule, finding.line) == ("unproven", 6 + step)
            assert finding.message.startswith(f"{scenario}: ")
            assert finding.hint == "run it: pytest scenarios/g1_1.feature"


def _update(name: str, **fields: Any) -> Callable[[list[Event]], None]:
    return lambda events: of(events, name)[0].update(fields)


def _forget(*names: str) -> Callable[[list[Event]], None]:
    def forget(events: list[Event]) -> None:
        events[:] = [event for event in events if event["event"] not in names]

    return forget


def _no_negative(events: list[Event]) -> None:
    _forget("proof")(events)
    for step in of(events, "scenario")[0]["steps"]:
        step["negative"] = False


def _already(events: list[Event]) -> None:
    node = of(events, "scenario")[0]["scenario"]
    events.insert(-1, {"at": 0.0, "by": "main", "event": "already", "scenario": node, "steps": [2]})


@pytest.mark.parametrize("goal_id", ["G0.1", "G1.1"])
@pytest.mark.parametrize(
    ("damage", "rules"),
    [
        (_update("run", proofs=False), ["unproven", "unproven"]),
        (_no_negative, ["no-negative"]),
        (_already, ["already"]),
        (_update("end", outcome="failed"), ["failed"]),
        (_update("end", outcome="skipped"), ["skipped"]),
        (_update("end", outcome="unknown"), ["failed"]),
        (_forget("end"), ["failed"]),
        (_forget("finish"), ["cut-off-record"]),
        (_forget("scenario", "step", "proof", "end"), ["not-run"]),
        (_forget("goal"), ["empty-record", "not-run"]),
        (_update("goal", scenarios=[]), ["not-run"]),
        (_update("goal", hash="0" * 64), ["other-goals", "not-run"]),
        (_update("run", format=9), ["corrupt-record", "not-run"]),
    ],
)
def test_a_seeded_defect(
    bakery: Bakery, goal_id: str, damage: Callable[[list[Event]], None], rules: list[str]
) -> None:
    bakery.goal(goal_id)
    events = bakery.events()
    damage(events)
    gate = asked(bakery, events)
    assert [finding.rule for finding in gate.findings] == rules
    assert all(finding.hint for finding in gate.findings)
    assert [finding.goal for finding in gate.findings if finding.place] == [
        goal_id for rule in rules if "record" not in rule and rule != "other-goals"
    ]


def test_tier_2_is_not_asked(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    bakery.goal("G2.1")
    events = bakery.events()
    of(events, "proof")[-1]["outcome"] = "vacuous"
    of(events, "end")[-1]["outcome"] = "failed"
    assert asked(bakery, events).is_open


def test_one_scenario_that_did_not_run_is_named(bakery: Bakery) -> None:
    bakery.goal("G1.1", "A loaf", "A roll")
    events = bakery.events()
    of(events, "goal")[0]["scenarios"].pop()
    [finding] = asked(bakery, events).findings
    assert finding.rule == "not-run"
    assert finding.message == "A roll: NOT RUN, so nothing is proven: it was left out of this run"
    assert finding.line == 12


def test_a_goal_without_a_scenario(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    path = bakery.root / "scenarios" / "g1_2.feature"
    path.write_text("@G1.2\nFeature: An intention\n  Expect: more.\n", encoding="utf-8")
    [finding] = asked(bakery).findings
    assert (finding.goal, finding.rule, finding.message) == ("G1.2", "not-run", "it has no scenario")
