"""Profiles: what is read from one, and where the mistakes in one are."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper import schemas
from goalkeeper.runner.files import shape
from goalkeeper.runner.goal import Step, Table
from goalkeeper.runner.problem import GoalError
from goalkeeper.runner.systems.phrase import Command
from goalkeeper.runner.systems.profile import ArtifactRule, Probe, Profile
from goalkeeper.runner.systems.reading import read_profile

WHOLE = """\
environment: {MODE: test, LEVEL: 3}
artifacts:
  state:
    run: runs/{run}/state.json
  log:
    orchestrator:
      path: "runs/{run}/**/*.jsonl"
      format: jsonl
      schema: line.json
      event: kind
phrases:
  - when: I start run "{run}"
    run: run start --id {run} 'two words'
    in: sub
    input: yes, please
    limit: 2 min
    environment: {RUN: "{run}", N: 1}
    exit: 3
  - never: run "{run}" is never lost
    steps:
      - never: state "run of {run}" is never missing
  - then: all is well
    steps:
      - then: the output is JSON with
        table:
          - [a, 1]
      - given: a file
        docstring: "text {with} braces"
preflight:
  - run: run start --help
    for: run start
  - run: --version
"""


def profile(tmp_path: Path, text: str) -> Profile:
    path = tmp_path / "p.yaml"
    path.write_text(text, encoding="utf-8")
    return read_profile(path, "tool")


def mistakes(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(GoalError) as caught:
        profile(tmp_path, text)
    assert caught.value.path == tmp_path / "p.yaml"
    return [f"{p.place.line}:{p.place.column} {p.rule}: {p.message}" for p in caught.value.problems]


def test_a_whole_profile(tmp_path: Path) -> None:
    (tmp_path / "line.json").write_text("{}")
    read = profile(tmp_path, WHOLE)
    assert read.text == WHOLE
    assert read.environment == {"MODE": "test", "LEVEL": "3"}
    assert read.artifacts == (
        ArtifactRule("tool", "state", "run", "runs/{run}/state.json"),
        ArtifactRule(
            "tool", "log", "orchestrator", "runs/{run}/**/*.jsonl", "jsonl", tmp_path / "line.json", "kind"
        ),
    )
    assert read.preflight == (
        Probe(("run", "start", "--help"), ("run", "start")),
        Probe(("--version",)),
    )
    start, again, lost, well = read.phrases
    assert (start.kind, again.kind, lost.kind, well.kind) == ("given", "when", "then", "then")
    assert [p.is_never for p in read.phrases] == [False, False, True, False]
    assert [p.line for p in read.phrases] == [12, 12, 19, 22]
    assert start.wording == again.wording == 'I start run "{run}"'
    assert again.command == Command(
        ("run", "start", "--id", "{run}", "two words"),
        (
            ("directory", "sub"),
            ("input", "yes, please"),
            ("limit", "2 min"),
            ("env.RUN", "{run}"),
            ("env.N", "1"),
        ),
    )
    assert [step.text for step in again.steps] == ["the exit code is 3"]
    assert lost.steps[0].declared_never == "never"
    table, text = well.steps
    assert table.table is not None
    assert table.table.rows == (("a", "1"),)
    assert text.docstring is not None
    assert text.docstring.text == "text {with} braces"


def test_a_profile_may_say_little(tmp_path: Path) -> None:
    assert profile(tmp_path, "environment: {}\n") == Profile(text="environment: {}\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "artifact: {}\n",
            ['1:1 unknown-key: this file has no "artifact". Did you mean "artifacts"?'],
            id="key",
        ),
        pytest.param(
            "artifacts:\n  state:\n    run: {format: json}\n",
            ['3:10 missing-key: "run" lacks "path"'],
            id="no-path",
        ),
        pytest.param(
            "phrases:\n  - when: I go\n",
            ["2:5 profile: a phrase stands for one of two things: run, a command, or steps"],
            id="neither",
        ),
        pytest.param(
            "phrases:\n  - when: I go\n    run: x\n    steps:\n      - when: y\n",
            ["2:5 profile: a phrase stands for one of two things: run, a command, or steps"],
            id="both",
        ),
        pytest.param(
            "phrases:\n  - when: I go\n    run: it's\n",
            ["3:10 profile: this command line can't be split: No closing quotation"],
            id="unsplittable",
        ),
        pytest.param(
            "phrases:\n  - when: I go\n    run: x {to}\n    in: '{from}'\n",
            [
                "2:11 profile: {from} is no parameter of this sentence",
                "2:11 profile: {to} is no parameter of this sentence",
            ],
            id="parameter",
        ),
        pytest.param(
            'phrases:\n  - then: "\\"{a}\\" is well"\n    steps:\n      - then: file "{b}" exists\n',
            ["2:12 profile: {b} is no parameter of this sentence"],
            id="parameter-of-a-step",
        ),
        pytest.param(
            "phrases:\n  - when: I take {n:integer}\n    run: x\n",
            [
                "2:11 profile: {n:integer} has an unknown type, known are int, number, duration, name: "
                "I take {n:integer}"
            ],
            id="type",
        ),
        pytest.param(
            "phrases:\n  - when: I go\n    limit: 5 s\n    environment: {A: b}\n    steps: [{when: y}]\n",
            [
                '3:12 profile: "limit" says how a command is run: it goes with run, not with steps',
                '4:18 profile: "environment" says how a command is run: it goes with run, not with steps',
            ],
            id="options",
        ),
        pytest.param(
            "environment: {A-B: 1}\nphrases:\n  - when: I go\n    run: x\n    environment: {2: b}\n",
            [
                '1:20 profile: "A-B" is no name for a variable: write letters, digits and _',
                '5:22 profile: "2" is no name for a variable: write letters, digits and _',
            ],
            id="variable",
        ),
        pytest.param(
            "artifacts:\n  log:\n    a: /var/log/a\n    b: x/../../b\n    c: .\n",
            [
                f"{place} profile: a path is seen from the scenario's working directory and stays inside it"
                for place in ("3:8", "4:8", "5:8")
            ],
            id="outside",
        ),
        pytest.param(
            'artifacts:\n  log:\n    a: "x/**.log"\n    b: "{one}{two}.log"\n',
            [
                f"{at} profile: ** stands alone between slashes, and variables are kept apart by other text"
                for at in ("3:8", "4:8")
            ],
            id="stars",
        ),
        pytest.param(
            "artifacts:\n  log:\n    a: {path: a, schema: no.json}\n",
            ["3:26 profile: there is no file no.json, seen from this profile"],
            id="schema",
        ),
        pytest.param(
            'preflight:\n  - run: "a \'b"\n    for: "c \'d"\n',
            [
                "3:10 profile: this command line can't be split: No closing quotation",
                "2:10 profile: this command line can't be split: No closing quotation",
            ],
            id="probe",
        ),
    ],
)
def test_mistakes_have_a_place_and_are_told_once(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert mistakes(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "empty-file"),
        ("phrases: [\n", "syntax"),
        ("- a\n", "wrong-type"),
        ("phrases:\n  - when: I go\n    then: I go\n    run: x\n", "step-kind"),
        ("phrases:\n  - when: I go\n    run: x\n    limit: soon\n", "malformed"),
        ("environment: {A: [1]}\n", "wrong-type"),
    ],
)
def test_what_does_not_fit_the_schema(tmp_path: Path, text: str, rule: str) -> None:
    assert rule in mistakes(tmp_path, text)[0]


def test_a_profile_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GoalError, match="this file can't be read: No such file or directory"):
        read_profile(tmp_path / "p.yaml", "tool")


def test_shape_knows_every_keyword_of_the_schema() -> None:
    def walk(schema: object) -> set[str]:
        found: set[str] = set()
        if isinstance(schema, dict):
            named = {"properties", "$defs"}
            found |= schema.keys()
            for key, value in schema.items():
                inner = value.values() if key in named else value if isinstance(value, list) else [value]
                for one in inner:
                    found |= walk(one)
        return found

    assert walk(schemas.load("system")) <= shape._KNOWN
    assert walk(schemas.load("configuration")) <= shape._KNOWN


def test_a_command_is_a_step_of_the_cli_library() -> None:
    command = Command(("say", "{text}", "{other}"), (("env.A", "{text}"),))
    assert command.step("tool", {"text": 'it\'s "so"'}) == Step(
        "when",
        "I run \"tool say 'it'\\\"'\\\"'s \\\"so\\\"' '{other}'\" with",
        table=Table((("env.A", 'it\'s "so"'),)),
    )
