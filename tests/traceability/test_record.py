"""Reading a record: what a run says of itself, and every way in which a record may be damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from goalkeeper import schemas
from goalkeeper.traceability.record import RunRecord, UnusableRecordError, load

if TYPE_CHECKING:
    from tests.conftest import Bakery

Event = dict[str, Any]
NODE = "scenarios/g0_1.feature::A loaf"


@pytest.fixture
def events(bakery: Bakery) -> list[Event]:
    bakery.goal("G0.1")
    return bakery.events()


def of(events: list[Event], name: str) -> list[Event]:
    return [event for event in events if event["event"] == name]


def refused(path: Path) -> UnusableRecordError:
    with pytest.raises(UnusableRecordError) as caught:
        load(path)
    return caught.value


def test_records_made_by_hand_are_what_the_schema_says(events: list[Event]) -> None:
    validator = Draft202012Validator(schemas.load("record"))
    for event in events:
        validator.validate(event)


def test_a_whole_record(bakery: Bakery, events: list[Event]) -> None:
    record = load(bakery.record(events))
    assert (record.id, record.commit, record.proofs, record.status) == (events[0]["id"], "c" * 40, True, 0)
    [goal] = record.goals
    assert (goal.id, goal.file, goal.scenarios) == ("G0.1", "scenarios/g0_1.feature", (NODE,))
    [run] = record.runs[NODE]
    assert (run.outcome, run.seconds, run.already) == ("ok", 1.0, False)
    assert [step.outcome for step in run.steps] == ["ok"] * 5
    assert [len(step.proofs) for step in run.steps] == [0, 0, 0, 2, 2]
    assert [proof.strength for proof in run.steps[3].proofs] == ["gross", "minimal"]


def test_without_a_repository(bakery: Bakery, events: list[Event]) -> None:
    events[0]["repository"] = None
    assert load(bakery.record(events)).commit == ""


@pytest.mark.parametrize("text", ["", "\n", '{"at": 0.0, "by'])
def test_nothing_in_it(bakery: Bakery, text: str) -> None:
    assert refused(bakery.raw(text)).rule == ("corrupt-record" if text == "\n" else "empty-record")


def test_no_such_file(tmp_path: Path) -> None:
    assert refused(tmp_path / "none").rule == "no-record"


def test_no_file_at_all(tmp_path: Path) -> None:
    error = refused(tmp_path)
    assert (error.rule, str(error)) == ("unreadable-record", "it can't be read: Is a directory")


def test_cut_off_at_every_byte(bakery: Bakery, events: list[Event]) -> None:
    """Wherever a killed run tore its last line, the rest is read, and it is known to be cut off."""
    whole = bakery.record(events).read_bytes()
    path = bakery.root / "torn.jsonl"
    first = whole.index(b"\n")
    for end in range(first, len(whole) - 2, 7):
        path.write_bytes(whole[:end])
        assert load(path).status is None


def test_a_torn_line_in_the_middle(bakery: Bakery, events: list[Event]) -> None:
    lines = [json.dumps(event) for event in events]
    lines[4] = lines[4][:-9]
    error = refused(bakery.raw("\n".join(lines) + "\n"))
    assert (error.rule, str(error)) == ("corrupt-record", "line 5 is no JSON")


@pytest.mark.parametrize("line", [b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"\0\0\0\n"])
def test_bytes_that_are_no_text(bakery: Bakery, events: list[Event], line: bytes) -> None:
    path = bakery.record(events)
    path.write_bytes(path.read_bytes() + line)
    assert refused(path).rule == "corrupt-record"


def _without(field: str, name: str) -> Callable[[list[Event]], None]:
    return lambda events: of(events, name)[0].pop(field)


def _with(name: str, **fields: Any) -> Callable[[list[Event]], None]:
    return lambda events: of(events, name)[0].update(fields)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda events: events.pop(0), "line 1: a record begins with a run"),
        (lambda events: events.insert(1, events[0]), "line 2: a second run begins in the same record"),
        (lambda events: events.insert(1, []), "line 2: this is no event"),
        (lambda events: events.insert(1, {}), "line 2: an event of the name null is not known"),
        (_with("end", event="ending"), 'an event of the name "ending" is not known'),
        (_with("run", format=2), "line 1: it has the format 2; this version reads 1"),
        (_without("proofs", "run"), "line 1: proofs is missing"),
        (_with("run", proofs="yes"), 'line 1: proofs is "yes"'),
        (_without("hash", "goal"), "hash is missing"),
        (_with("goal", scenarios=[1]), "scenarios are names"),
        (_with("goal", scenarios="x"), 'scenarios is "x"'),
        (_with("scenario", steps=[1]), "kind is missing"),
        (_without("scenario", "scenario"), "scenario is missing"),
        (_with("step", step=5), "the scenario has no step 5"),
        (_with("step", step=-1), "the scenario has no step -1"),
        (_with("step", step=True), "the scenario has no step true"),
        (_with("step", outcome=None), "outcome is null"),
        (_with("step", scenario="x"), "the step of a scenario that has not begun"),
        (_with("step", scenario=[]), "the step of a scenario that has not begun"),
        (_with("proof", scenario="x"), "the proof of a scenario that has not begun"),
        (_with("proof", step=0), "step 0 is not negative"),
        (_without("strength", "proof"), "strength is missing"),
        (_with("end", seconds="1"), 'seconds is "1"'),
        (_with("end", seconds=True), "seconds is true"),
        (_without("outcome", "end"), "outcome is missing"),
        (_with("finish", status=None), "status is null"),
    ],
)
def test_a_damaged_event(
    bakery: Bakery, events: list[Event], damage: Callable[[list[Event]], None], told: str
) -> None:
    damage(events)
    error = refused(bakery.record(events))
    assert error.rule == "corrupt-record"
    assert told in str(error)


def test_what_others_may_have_to_say(bakery: Bakery, events: list[Event]) -> None:
    """Events that a verdict does not need are none that it does not know."""
    seen = {"event": "observation", "scenario": NODE, "kind": "command", "outcome": "ok", "facts": {}}
    events.insert(4, {"at": 0.0, "by": "main", **seen})
    assert load(bakery.record(events)).status == 0


def test_workers_that_speak_in_turns(bakery: Bakery) -> None:
    bakery.goal("G0.1", "A loaf", "A roll")
    events = bakery.events()
    head, tail = events[:2], events[-1:]
    one, other = (
        [event | {"by": by} for event in events if event.get("scenario", "").endswith(name)]
        for by, name in (("gw0", "loaf"), ("gw1", "roll"))
    )
    other[-1]["outcome"] = "failed"
    mixed = [event for pair in zip(one, other, strict=True) for event in pair]
    record = load(bakery.record([*head, *mixed, *tail]))
    assert {node.partition("::")[2]: run.outcome for node, (run,) in record.runs.items()} == {
        "A loaf": "ok",
        "A roll": "failed",
    }


def again(bakery: Bakery, events: list[Event], by: str, **first: Any) -> RunRecord:
    """The scenario runs twice: first with this end, then well."""
    once = [event for event in events if "scenario" in event]
    failed = [*once[:-1], once[-1] | first]
    failed = [event | {"outcome": "vacuous"} if event["event"] == "proof" else event for event in failed]
    twice = [event | {"by": by} for event in once]
    return load(bakery.record([*events[:2], *failed, *twice, events[-1]]))


def test_of_reruns_the_last_one_counts(bakery: Bakery, events: list[Event]) -> None:
    """Its proofs too: none of the first attempt is left."""
    [run] = again(bakery, events, "main", outcome="failed").runs[NODE]
    assert run.outcome == "ok"
    assert {proof.outcome for step in run.steps for proof in step.proofs} == {"proven"}


def test_two_processes_that_ran_the_same_are_no_rerun(bakery: Bakery, events: list[Event]) -> None:
    runs = again(bakery, events, "gw1", outcome="failed").runs[NODE]
    assert [run.outcome for run in runs] == ["failed", "ok"]


def test_the_end_of_a_scenario_whose_worker_died(bakery: Bakery, events: list[Event]) -> None:
    """The process that tells of it is not the one that ran it."""
    mine = [event | {"by": "gw0"} for event in events if "scenario" in event][:3]
    end = {"at": 1.0, "by": "main", "scenario": NODE, "event": "end", "outcome": "unknown", "reason": "died"}
    record = load(bakery.record([*events[:2], *mine, end, events[-1]]))
    [run] = record.runs[NODE]
    assert (run.outcome, run.reason, len(run.steps)) == ("unknown", "died", 5)
    record = load(bakery.record([*events[:2], end, events[-1]]))
    assert [run.outcome for run in record.runs[NODE]] == ["unknown"]
