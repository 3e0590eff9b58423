"""Proofs in a run of pytest: what people see of them."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest

STEPS = """
from goalkeeper import Breach, Watch, Witness, given, never, then, when

WORLD = {"light": "off"}

class Light(Watch):
    def __init__(self):
        super().__init__("the light")

    def look(self):
        self.count("look")
        self.record(WORLD["light"])

@given("it is dark")
def dark():
    WORLD["light"] = "off"

@when("I wait")
def wait():
    pass

@when("I light a candle")
def candle():
    WORLD["light"] = "candle"

@when("I set the house on fire")
def fire():
    WORLD["light"] = "fire"

@then("there is light")
def there_is_light():
    assert WORLD["light"] != "off"

@then("the house stands", invariant=True)
def house_stands():
    pass

def burning(journal):
    return [Breach(f"there was {one}") for one in journal.entries if one == "fire"]

@never("the house never burns")
def burns():
    return Light()

burns.check(burning)

def burn():
    before, WORLD["light"] = WORLD["light"], "fire"
    yield Witness.of("the light", before, WORLD["light"], "fire")
    WORLD["light"] = before

burns.violation("gross")(burn)

@burns.violation("minimal")
def spark():
    yield from burn()

@never("nothing ever smokes")
def smokes():
    return Light()

@smokes.check
def never_smoke(journal):
    return [Breach("smoke") for one in journal.entries if one == "smoke"]

smokes.violation("gross", implies=["burns"])(burn)

@never("nobody ever looks")
def looks():
    return Light()

@looks.check
def nobody(journal):
    return []
"""

GOAL = """
@G{tier}.1
Feature: A candle
  {tag}
  Scenario: Light
    Given it is dark
    When {when}
    Then {then}
    But {never}
"""


def run(
    pytester: pytest.Pytester,
    *options: str,
    tier: int = 0,
    when: str = "I light a candle",
    then: str = "there is light",
    never: str = "the house never burns",
    tag: str = "",
    steps: str = STEPS,
) -> pytest.RunResult:
    pytester.makeconftest(steps)
    goal = pytester.path / "scenarios" / "a.feature"
    goal.parent.mkdir(exist_ok=True)
    goal.write_text(GOAL.format(tier=tier, when=when, then=then, never=never, tag=tag))
    return pytester.runpytest_inprocess("scenarios", *options)


def events(pytester: pytest.Pytester, *kinds: str) -> list[dict[str, Any]]:
    [record] = (pytester.path / ".goalkeeper" / "runs").glob("*/record.jsonl")
    return [
        event for line in record.read_text().splitlines() if (event := json.loads(line))["event"] in kinds
    ]


def test_a_proof_is_counted_and_on_record(pytester: pytest.Pytester) -> None:
    result = run(pytester)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["1 never, 1 proved"])
    told = [(e["step"], e["violation"], e["strength"], e["outcome"]) for e in events(pytester, "proof")]
    assert told == [(3, "burn", "gross", "proven"), (3, "spark", "minimal", "proven")]
    assert events(pytester, "run")[0]["proofs"] is True
    assert [e["outcome"] for e in events(pytester, "end")] == ["ok"]


def test_junit_is_told_of_each_never(pytester: pytest.Pytester) -> None:
    run(pytester, "--junitxml=junit.xml")
    found = ElementTree.parse(pytester.path / "junit.xml").iter("property")
    told = {one.get("name"): one.get("value") for one in found}
    assert told["never"] == "the house never burns"
    assert told["proof"] == "proven gross, proven minimal"


@pytest.mark.parametrize(("tier", "is_red"), [(0, True), (1, True), (2, False)])
def test_a_check_that_proves_nothing_is_red_but_for_tier_2(
    pytester: pytest.Pytester, tier: int, is_red: bool
) -> None:
    result = run(pytester, tier=tier, never="nothing ever smokes")
    result.assert_outcomes(failed=int(is_red), passed=int(not is_red))
    result.stdout.fnmatch_lines(["1 never, 0 proved, 1 vacuous"])
    if is_red:
        result.stdout.fnmatch_lines([
            ">   But nothing ever smokes",
            "E     VACUOUS: the check did not notice the gross violation burn (the light was 'candle'*",
        ])  # fmt: skip
    assert [e["outcome"] for e in events(pytester, "step")] == ["ok"] * 4


def test_a_step_without_violation_is_unproven_but_not_red(pytester: pytest.Pytester) -> None:
    result = run(pytester, never="nobody ever looks")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["1 never, 0 proved, 1 no violation"])
    assert [(e["outcome"], e["violation"]) for e in events(pytester, "proof")] == [("no-violation", "")]


def test_without_proofs_the_record_says_so(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--no-proof", never="nothing ever smokes")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["1 never, 0 proved, 1 not tried (--no-proof)"])
    assert events(pytester, "proof") == []
    assert events(pytester, "run")[0]["proofs"] is False


def test_nothing_is_proved_after_a_failed_scenario(pytester: pytest.Pytester) -> None:
    result = run(pytester, when="I set the house on fire")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["1 never, 0 proved, 1 not tried (the scenario failed)"])
    assert events(pytester, "proof") == []


# Without the word that the step is one to hold all the time.
PLAIN = STEPS.replace(", invariant=True", "")


@pytest.mark.parametrize(("tier", "is_red"), [(0, True), (1, True), (2, False)])
def test_thens_that_held_before_show_nothing(pytester: pytest.Pytester, tier: int, is_red: bool) -> None:
    then = "the house stands\n    And the house stands"
    result = run(pytester, steps=PLAIN, tier=tier, when="I wait", then=then)
    result.assert_outcomes(failed=int(is_red), passed=int(not is_red))
    if is_red:
        result.stdout.fnmatch_lines(["E     this held before the first When already"])
    assert [e["steps"] for e in events(pytester, "already")] == [[2, 3]]


def test_without_proofs_nobody_asks_beforehand(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--no-proof", steps=PLAIN, when="I wait", then="the house stands")
    result.assert_outcomes(passed=1)
    assert events(pytester, "already") == []


def test_one_then_that_did_not_hold_is_enough(pytester: pytest.Pytester) -> None:
    then = "the house stands\n    And there is light"
    run(pytester, steps=PLAIN, then=then).assert_outcomes(passed=1)
    assert events(pytester, "already") == []


@pytest.mark.parametrize(("steps", "tag"), [(STEPS, ""), (PLAIN, "@invariant")])
def test_a_scenario_may_be_about_what_stays(pytester: pytest.Pytester, steps: str, tag: str) -> None:
    result = run(pytester, "--strict-markers", steps=steps, when="I wait", then="the house stands", tag=tag)
    result.assert_outcomes(passed=1)
    assert events(pytester, "already") == []


@pytest.mark.parametrize(
    ("tag", "told"),
    [("@window:soon", "names no time"), ("@window:0", "not 0"), ("@window:0ms", "not 0")],
)
def test_a_window_must_be_one(pytester: pytest.Pytester, tag: str, told: str) -> None:
    result = run(pytester, tag=tag)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["scenarios/a.feature:4:3: window", f"*{told}*"])


def test_workers_tell_of_their_proofs(pytester: pytest.Pytester) -> None:
    result = run(pytester, "-n1", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["1 never, 1 proved"])
