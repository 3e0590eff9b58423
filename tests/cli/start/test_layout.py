"""What is written beside the goal can be read by those it is for."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml

from goalkeeper.cli.start import layout
from goalkeeper.cli.start.program import ROOT, Program
from goalkeeper.runner.config import Configuration, configuration


def read(program: Program, folder: Path) -> Configuration:
    (folder / "goalkeeper.toml").write_text(layout.configuration(program))
    return configuration(folder)


def test_the_configuration(tmp_path: Path) -> None:
    found = read(Program("x"), tmp_path)
    assert (found.goals, found.systems, found.passed) == (("scenarios",), (), ())


def test_a_program_of_the_repository_is_a_system(tmp_path: Path) -> None:
    program = Program('a"b', ("env", f"X={{1}}{ROOT}/x y", 'q"\\', "{plain}", "日本"), "rust")
    found = read(program, tmp_path)
    [system] = found.systems
    assert system.name == "a-b"
    assert system.command == ("env", "X={1}{root}/x y", 'q"\\', "{plain}", "日本")
    assert "CARGO_HOME" in found.passed


def commands(program: Program) -> list[str]:
    workflow: dict[Any, Any] = yaml.safe_load(layout.workflow(program))
    return [step["run"] for step in workflow["jobs"]["goals"]["steps"] if "run" in step]


@pytest.mark.parametrize(
    ("program", "installs"),
    [
        (Program("x", (), "python"), ["pip install ."]),
        (Program("x", (f"{ROOT}/x",), "python"), []),
        (Program("x", (), "shell"), []),
    ],
)
def test_the_workflow(program: Program, installs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "requirement", lambda: "goalkeeper==1.0")
    assert commands(program) == [
        'pip install "goalkeeper==1.0"',
        *installs,
        "goalkeeper lint --format github",
        "pytest scenarios",
    ]


class Installed:
    def __init__(self, origin: object) -> None:
        self.text = None if origin is None else json.dumps(origin)

    def read_text(self, _name: str) -> str | None:
        return self.text


@pytest.mark.parametrize(
    ("origin", "requirement", "local"),
    [
        (None, "goalkeeper==9.9", False),
        ({"url": "file:///home/ada/goalkeeper", "dir_info": {}}, "goalkeeper==9.9", True),
        (
            {"url": "https://example.org/g.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "goalkeeper @ git+https://example.org/g.git@abc",
            False,
        ),
    ],
)
def test_ci_gets_the_goalkeeper_that_is_running(
    origin: object, requirement: str, local: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda _name: Installed(origin))
    monkeypatch.setattr(metadata, "version", lambda _name: "9.9")
    assert (layout.requirement(), layout.is_local()) == (requirement, local)
