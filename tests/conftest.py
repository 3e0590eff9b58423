"""What tests of the plugin share: a project in a temporary directory, run by a pytest of its own."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from goalkeeper.runner.config import configuration
from goalkeeper.runner.goal import tier_of
from goalkeeper.runner.lint import goal_files
from goalkeeper.runner.listing import listing
from goalkeeper.runner.record.facts import digest
from goalkeeper.traceability.record import UnusableRecordError, load
from goalkeeper.traceability.verdict import Source, Verdict, verdict

# pytester forgets the modules that an inner run imported; libyaml's extension can't be imported twice.
assert yaml.CSafeLoader is not None

WriteGoal = Callable[..., Path]
Prove = Callable[..., list[dict[str, Any]]]

HEAD = """\
    @G{tier}.1
    Feature: A goal
"""


NOTHING_WRONG = "nothing ever goes wrong"
WATCHED = f'''\
"""A negative step for goals that are about something else: it holds, is cheap and needs no sandbox."""
from goalkeeper import Breach, Watch, Witness, never

WRONG = []

class Wrongs(Watch):
    def look(self):
        self.count("look")
        self.entries = [*WRONG]

@never("{NOTHING_WRONG}")
def goes_wrong():
    return Wrongs("wrongs")

@goes_wrong.check
def nothing_wrong(journal):
    return [Breach(f"{{wrong}} went wrong") for wrong in journal.entries]

def go_wrong(*wrongs):
    WRONG.extend(wrongs)
    yield Witness.of("what went wrong", 0, len(WRONG), trace=wrongs[0])
    WRONG.clear()

@goes_wrong.violation("gross")
def everything():
    yield from go_wrong("everything", "and more")

@goes_wrong.violation("minimal")
def one_thing():
    yield from go_wrong("one thing")
'''


def with_negatives(text: str) -> str:
    """The text of a .feature file in which every scenario with a When says what must never happen.

    One that says it already stays as it is. The new step is the last of its scenario: lines move below it.
    """
    parts = re.split(r"(?m)^(?=[ ]*(?:Scenario|Scenario Outline|Scenario Template|Example):)", text)
    return parts[0] + "".join(map(_with_negative, parts[1:]))


def _with_negative(scenario: str) -> str:
    steps = [*re.finditer(r"(?m)^( *)(Given|When|Then|And|But|\*) .*\n?", scenario)]
    kinds = [step[2] for step in steps if step[2] in ("Given", "When", "Then")]
    if "When" not in kinds or re.search(r"\bn?ever\b|\bBut\b", scenario):
        return scenario
    # A table or a text belongs to its step; Examples, and the tags of what follows, do not.
    end = steps[-1].end()
    below = re.match(r'(?:[ ]*\|.*\n?|[ ]*"""(?s:.*?)"""\n?)*', scenario[end:])
    end += below.end() if below else 0
    line_end = "" if scenario[:end].endswith("\n") else "\n"
    keyword = "But" if kinds[-1] == "Then" else "Then"
    return f"{scenario[:end]}{line_end}{steps[0][1]}{keyword} {NOTHING_WRONG}\n{scenario[end:]}"


@pytest.fixture(scope="session")
def write_with_negatives() -> Callable[[Path, str], None]:
    """Write a .feature file whose scenarios have negative steps, and a conftest.py that defines them."""

    def write(path: Path, text: str) -> None:
        body = with_negatives(text)
        path.write_text(body, encoding="utf-8")
        beside = path.parent / "conftest.py"
        if NOTHING_WRONG in body and not beside.exists():
            beside.write_text(WATCHED, encoding="utf-8")

    return write


@pytest.fixture
def goal(pytester: pytest.Pytester, write_with_negatives: Callable[[Path, str], None]) -> WriteGoal:
    """Write a goal file; text without a Feature gets a head with the id G1.1, or that of another tier.

    In tier 2 it does not matter that all Thens hold before the first When. A scenario of a .feature file
    without a negative step gets one; with `negatives=False` it is left as it is.
    """

    def write(text: str, name: str = "scenarios/a.feature", *, tier: int = 1, negatives: bool = True) -> Path:
        body = textwrap.dedent(text).lstrip("\n")
        if name.endswith(".feature") and not body.startswith(("@G", "# language", "Feature:")):
            body = textwrap.dedent(HEAD.format(tier=tier)) + textwrap.indent(body, "  ")
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if negatives and name.endswith(".feature"):
            write_with_negatives(path, body)
        else:
            path.write_text(body, encoding="utf-8")
        return path

    return write


Event = dict[str, Any]
RUN_ID = "20261118T120000Z-abcdef"
GOAL = """\
@{id} @scope:oven @owner:bakery @ci:nightly
Feature: The oven of {id} never burns
  Expect: bread comes out whole.
"""
SCENARIO = """
  Scenario: {name}
    Given an oven
    When it is lit
    Then the bread is done
    But the oven never burns
    And log "oven" never records "fire"
"""
STEPS = (
    ("given", "an oven", False),
    ("when", "it is lit", False),
    ("then", "the bread is done", False),
    ("then", "the oven never burns", True),
    ("then", 'log "oven" never records "fire"', True),
)


class Bakery:
    """A project with goals, and records of runs that were made by hand."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, tuple[str, list[str]]] = {}
        (root / "goalkeeper.toml").touch()

    def goal(self, goal_id: str, *scenarios: str, file: str = "") -> Path:
        """Write a goal file; every scenario has two negative steps."""
        names = [*(scenarios or ["A loaf"])]
        name = file or f"scenarios/{goal_id.lower().replace('.', '_')}.feature"
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = GOAL.format(id=goal_id) + "".join(SCENARIO.format(name=scenario) for scenario in names)
        path.write_text(text, encoding="utf-8")
        self.files[name] = goal_id, names
        return path

    def events(self) -> list[Event]:
        """What a run of all goals would write, were everything well: each step passed, each proof made."""
        head: list[Event] = [
            {
                "event": "run",
                "id": RUN_ID,
                "format": 1,
                "started": "2026-11-18T12:00:00.000+00:00",
                "versions": {"python": "3.11.7"},
                "platform": "Linux",
                "arguments": ["scenarios"],
                "proofs": True,
                "repository": {"commit": "c" * 40, "branch": "main", "changes": []},
                "systems": {},
            }
        ]
        body: list[Event] = []
        for file, (goal_id, names) in self.files.items():
            text = (self.root / file).read_text(encoding="utf-8")
            head.append(
                {
                    "event": "goal",
                    "id": goal_id,
                    "file": file,
                    "tier": tier_of(goal_id),
                    "title": "t",
                    "hash": digest(text),
                    "code": "0" * 64,
                    "scenarios": [f"{file}::{name}" for name in names],
                }
            )
            for name in names:
                body += self.scenario_events(f"{file}::{name}", goal_id)
        told = {"event": "finish", "status": 0, "repository": None}
        return [{"at": 0.0, "by": "main", **event} for event in [*head, *body, told]]

    def scenario_events(self, node: str, goal_id: str) -> list[Event]:
        steps = [
            {"kind": kind, "text": text, "line": line, "negative": negative}
            for line, (kind, text, negative) in enumerate(STEPS, 6)
        ]
        events: list[Event] = [{"event": "scenario", "goal": goal_id, "line": 5, "steps": steps}]
        events += [
            {"event": "step", "step": index, "outcome": "ok", "seconds": 0.1} for index in range(len(steps))
        ]
        events += [
            {
                "event": "proof",
                "step": index,
                "violation": f"burn_{strength}",
                "strength": strength,
                "outcome": "proven",
                "seconds": 0.1,
            }
            for index, step in enumerate(steps)
            if step["negative"]
            for strength in ("gross", "minimal")
        ]
        events.append({"event": "end", "outcome": "ok", "seconds": 1.0})
        return [{"at": 0.0, "by": "main", "scenario": node, **event} for event in events]

    def record(self, events: list[Event] | None = None, run: str = RUN_ID) -> Path:
        """Write events, by default those of a run in which all was well."""
        lines = [json.dumps(event, ensure_ascii=False) for event in events or self.events()]
        return self.raw("\n".join(lines) + "\n", run)

    def raw(self, text: str, run: str = RUN_ID) -> Path:
        path = self.root / ".goalkeeper" / "runs" / run / "record.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def verdict(self, events: list[Event] | None = None) -> Verdict:
        """The verdict over all goals and these events."""
        settings = configuration(self.root)
        goals = listing(goal_files(settings.goal_paths()), settings)
        path = self.record(events)
        try:
            source = Source(str(path.relative_to(self.root)), load(path))
        except UnusableRecordError as error:
            source = Source(str(path.relative_to(self.root)), error)
        return verdict(goals, source, "pytest scenarios")


@pytest.fixture
def bakery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bakery:
    monkeypatch.chdir(tmp_path)
    return Bakery(tmp_path)


@pytest.fixture
def prove(pytester: pytest.Pytester, goal: WriteGoal) -> Prove:
    """Run a goal of tier 0 and tell what became of each violation, with the step that it was tried on.

    `passed` is how many of its scenarios pass; the others fail.
    """

    def run(text: str, passed: int) -> list[dict[str, Any]]:
        body = textwrap.indent(textwrap.dedent(text).strip("\n"), "  ")
        goal(f"@G0.1\nFeature: A goal\n{body}\n")
        result = pytester.runpytest("scenarios")
        [record] = pytester.path.glob(".goalkeeper/runs/*/record.jsonl")
        events = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
        told: list[dict[str, Any]] = [event for event in events if event["event"] == "proof"]
        steps = {event["scenario"]: event["steps"] for event in events if event["event"] == "scenario"}
        for proof in told:
            proof["text"] = steps[proof["scenario"]][proof["step"]]["text"]
        bad = [proof for proof in told if proof["outcome"] != "proven"]
        assert result.parseoutcomes().get("passed", 0) == passed, bad
        return told

    return run
