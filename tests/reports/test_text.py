"""The matrix on a terminal: what is said first, what last, and what is not said twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalkeeper.reports import text
from goalkeeper.traceability.gates import GATES, judge

if TYPE_CHECKING:
    from tests.conftest import Bakery


def test_all_is_well(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    bakery.goal("G1.2")
    lines = [*text.trace(bakery.verdict())]
    assert lines[-1] == ("OK: all 2 goals are OK", "bold green")
    [gate] = judge(bakery.verdict(), GATES)
    assert [style for _, style in text.gates([gate])] == ["bold green", "dim"]


def test_one_goal(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    assert [*text.trace(bakery.verdict())][-1][0] == "OK: the one goal is OK"


def test_without_a_record_the_reason_is_said_once(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    bakery.goal("G1.2")
    events = bakery.events()
    events[0]["format"] = 9
    told = [line for line, _ in text.trace(bakery.verdict(events))]
    assert not any("no run record" in line for line in told)
    assert sum("it has the format 9" in line for line in told) == 1
    assert told[-1] == "RED: 2 of 2 goals are not OK, 1 finding"


def test_a_goal_that_is_ok_in_a_red_verdict_does_not_hide_it(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    told = [*text.trace(bakery.verdict(bakery.events()[:-1]))]
    assert told[-1] == ("RED: 1 finding", "bold red")


def test_nothing_moves_the_cursor(bakery: Bakery) -> None:
    path = bakery.goal("G1.1")
    path.write_text(path.read_text().replace("never burns", "\x1b[2Jnever burns", 1))
    told = "".join(line for line, _ in text.trace(bakery.verdict()))
    assert "\x1b" not in told
    assert "␛[2Jnever burns" in told


def test_what_tier_2_leaves_open(bakery: Bakery) -> None:
    bakery.goal("G2.1")
    events = bakery.events()
    node = "scenarios/g2_1.feature::A loaf"
    events.insert(-1, {"at": 0.0, "by": "main", "event": "already", "scenario": node, "steps": [2]})
    told = [line for line, _ in text.trace(bakery.verdict(events))]
    assert "      A loaf: every Then held before the first When" in told
    assert told[-1] == "OK: the one goal is OK"
