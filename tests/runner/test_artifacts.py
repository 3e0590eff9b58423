"""Artifacts: by handle with variables, by path, and what is said where there is not one."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.artifacts import Artifact, Artifacts
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.names import Names
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.runner.systems.profile import ArtifactRule, Profile
from goalkeeper.runner.systems.system import System, Systems


def system(name: str, *rules: ArtifactRule) -> System:
    return System(name, ("/bin/true",), profile=Profile(artifacts=rules))


@pytest.fixture
def names() -> Names:
    return Names()


@pytest.fixture
def artifacts(sandbox: Sandbox, names: Names, tmp_path: Path) -> Artifacts:
    (tmp_path / "line.json").write_text('{"type": "object"}')
    rules = (
        ArtifactRule("a", "state", "run", "runs/{run}/state.json"),
        ArtifactRule("a", "log", "worker", "{run}/{worker}.log", "jsonl", tmp_path / "line.json", "kind"),
        ArtifactRule("a", "log", "all", "**/*.log"),
        ArtifactRule("a", "log", "list of runs", "list.log"),
        ArtifactRule("a", "log", "twice", "{run}/{run}.log"),
        ArtifactRule("a", "state", "both", "a.json"),
    )
    systems = Systems([system("a", *rules), system("b", ArtifactRule("b", "state", "both", "b.json"))])
    for name in (
        "runs/r1/state.json",
        "runs/r2/state.json",
        "r1/w1.log",
        "r1/w2.log",
        "r2/w1.log",
        "r1/r1.log",
        "list.log",
        "b.json",
        "r[12]/w1.log",
    ):
        path = sandbox.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return Artifacts(sandbox, systems, names)


def contents(artifact: Artifact) -> list[str]:
    return [path.read_text() for path in artifact.paths]


def failure(artifact: Artifact) -> str:
    with pytest.raises(StepFailed) as caught:
        _ = artifact.path
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("state", "run of r1", ["runs/r1/state.json"]),
        ("state", "run", ["runs/r1/state.json", "runs/r2/state.json"]),
        ("state", "a.run of r2", ["runs/r2/state.json"]),
        ("log", "worker of r1, w2", ["r1/w2.log"]),
        ("log", "worker of r2", ["r2/w1.log"]),
        ("log", "worker of r[12]", ["r[12]/w1.log"]),
        ("log", "worker of *", []),
        ("log", "twice of r1", ["r1/r1.log"]),
        ("log", "list of runs", ["list.log"]),
        ("log", "r1/w1.log", ["r1/w1.log"]),
        ("state", "b.both", ["b.json"]),
        ("file", "run", []),
    ],
)
def test_what_a_step_calls_by_name(artifacts: Artifacts, kind: str, name: str, expected: list[str]) -> None:
    assert contents(artifacts.find(kind, name)) == expected


def test_what_is_remembered_fills_what_is_open(artifacts: Artifacts, names: Names) -> None:
    names.remember("run", "r1")
    names.remember("worker", "w2")
    assert contents(artifacts.find("state", "run")) == ["runs/r1/state.json"]
    assert contents(artifacts.find("log", "worker")) == ["r1/w2.log"]
    assert contents(artifacts.find("log", "worker of r2, w1")) == ["r2/w1.log"]
    names.remember("run", "r2")
    assert contents(artifacts.find("state", "run")) == ["runs/r2/state.json"]


def test_it_is_looked_for_anew_each_time(artifacts: Artifacts, sandbox: Sandbox) -> None:
    before = artifacts.find("state", "run of r3")
    (sandbox.work / "runs" / "r3").mkdir()
    (sandbox.work / "runs" / "r3" / "state.json").write_text("new")
    assert before.paths == ()
    assert contents(artifacts.find("state", "run of r3")) == ["new"]


def test_a_directory_is_no_artifact(artifacts: Artifacts, sandbox: Sandbox) -> None:
    (sandbox.work / "runs" / "r4" / "state.json").mkdir(parents=True)
    assert artifacts.find("state", "run of r4").paths == ()
    assert artifacts.find("state", "runs").paths == ()


def test_what_the_profile_says_of_it(artifacts: Artifacts) -> None:
    found = artifacts.find("log", "worker of r1, w1")
    assert (found.title, found.pattern) == ('log "worker of r1, w1"', "r1/w1.log")
    assert (found.format, found.schema, found.event) == ("jsonl", {"type": "object"}, "kind")
    by_path = artifacts.find("log", "r1/w1.log")
    assert (by_path.format, by_path.schema, by_path.event) == ("", None, "")


def test_none_and_more_than_one(artifacts: Artifacts, sandbox: Sandbox) -> None:
    assert failure(artifacts.find("state", "run of r9")) == (
        'state "run of r9" is not there: nothing matches runs/r9/state.json'
    )
    assert failure(artifacts.find("state", "run")) == (
        f'state "run" is not one file, but 2\n  {sandbox.work}/runs/r1/state.json\n'
        f"  {sandbox.work}/runs/r2/state.json"
    )
    assert failure(artifacts.find("state", "no.json")) == 'state "no.json" is not there'
    assert failure(artifacts.find("state", "runn")) == 'state "runn" is not there\nknown by handle: run'


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("state", "both", 'more than one system has a state "both": write "a.both" or "b.both"'),
        (
            "state",
            "run of r1, r2",
            'state "run of r1, r2" names 2 values, but its path runs/{run}/state.json has 1 variables',
        ),
        ("log", "all of r1", 'log "all of r1" names 1 values, but its path has none'),
        ("state", "run of ../../..", "outside of the sandbox"),
        ("log", "worker of /etc", "outside of the sandbox"),
        ("state", "../x", "outside of the sandbox"),
    ],
)
def test_names_that_mean_nothing(artifacts: Artifacts, kind: str, name: str, message: str) -> None:
    with pytest.raises(StepFailed) as caught:
        artifacts.find(kind, name)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the schema bad.json can't be read: "),
        ("\xff", "the schema bad.json can't be read: "),
        ("[]", "the schema bad.json is no mapping"),
        ('{"type": 5}', "the schema is no JSON Schema: $.type: 5 "),
    ],
)
def test_a_schema_that_is_none(sandbox: Sandbox, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.json").write_bytes(text.encode("latin-1"))
    rule = ArtifactRule("a", "state", "x", "x.json", schema=tmp_path / "bad.json")
    with pytest.raises(StepFailed) as caught:
        Artifacts(sandbox, Systems([system("a", rule)])).find("state", "x")
    assert str(caught.value).startswith(message)


def test_a_schema_in_yaml(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text("type: object\n")
    rule = ArtifactRule("a", "state", "x", "x.json", schema=tmp_path / "good.yaml")
    assert Artifacts(sandbox, Systems([system("a", rule)])).find("state", "x").schema == {"type": "object"}
