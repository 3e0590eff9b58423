from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.names import Names
from goalkeeper.runner.never.whereabouts import Whereabouts
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.runner.systems.profile import ArtifactRule, Profile
from goalkeeper.runner.systems.system import System, Systems

RULES = (
    ArtifactRule("oven", "log", "heat", "logs/{run}/heat.jsonl"),
    ArtifactRule("oven", "log", "deep", "logs/**/heat.jsonl"),
    ArtifactRule("oven", "state", "heat", "state.json"),
)


@pytest.fixture
def names() -> Names:
    return Names()


@pytest.fixture
def whereabouts(tmp_path: Path, names: Names) -> Whereabouts:
    sandbox = Sandbox(tmp_path, Evidence())
    for name in ("logs/r1/heat.jsonl", "logs/r2/heat.jsonl", "logs/r2/x/heat.jsonl", "state.json"):
        path = sandbox.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    return Whereabouts(sandbox, Systems([System("oven", ("oven",), profile=Profile(artifacts=RULES))]), names)


@pytest.mark.parametrize(
    ("kind", "name", "found"),
    [
        ("log", "heat", ["logs/r1/heat.jsonl", "logs/r2/heat.jsonl"]),
        ("log", "heat of r1", ["logs/r1/heat.jsonl"]),
        ("log", "oven.heat of r2", ["logs/r2/heat.jsonl"]),
        ("log", "deep", ["logs/r1/heat.jsonl", "logs/r2/heat.jsonl", "logs/r2/x/heat.jsonl"]),
        ("state", "heat", ["state.json"]),
        ("state", "logs/r1/heat.jsonl", ["logs/r1/heat.jsonl"]),
        ("log", "./logs/r1/../r2/heat.jsonl", ["logs/r2/heat.jsonl"]),
        ("log", "cold", []),
    ],
)
def test_files_by_handle_or_path(
    whereabouts: Whereabouts, tmp_path: Path, kind: str, name: str, found: list[str]
) -> None:
    assert whereabouts.files(kind, name) == [str(tmp_path / "work" / one) for one in found]


def test_a_remembered_value_fills_a_variable(whereabouts: Whereabouts, names: Names, tmp_path: Path) -> None:
    names.remember("run", "r2")
    assert whereabouts.file("log", "heat") == str(tmp_path / "work/logs/r2/heat.jsonl")


def test_where_there_is_none_there_is_one_that_could_be(whereabouts: Whereabouts, tmp_path: Path) -> None:
    assert whereabouts.file("log", "heat of r9") == str(tmp_path / "work/logs/r9/heat.jsonl")
    assert whereabouts.file("state", "cold.json") == str(tmp_path / "work/cold.json")
