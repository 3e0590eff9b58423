"""The world of a scenario: paths that stay inside it, and its environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.runner.session import EVIDENCE

WriteGoal = Callable[..., Path]


def test_its_places_lie_in_the_scenarios_directory(
    tmp_path: Path, sandbox: Sandbox, evidence: Evidence
) -> None:
    root = tmp_path / "sandbox"
    assert sorted(root.iterdir()) == [sandbox.files, sandbox.work]
    assert [*sandbox.work.iterdir(), *sandbox.files.iterdir()] == []
    assert evidence.path == root


def test_evidence_is_kept_with_the_item(request: pytest.FixtureRequest, evidence: Evidence) -> None:
    assert request.node.stash[EVIDENCE] is evidence


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        ("a", "a"),
        ("a/b", "a/b"),
        ("./a", "a"),
        ("a/../b", "b"),
        ("a/", "a"),
        (".", "."),
        ("", "."),
        ("..a", "..a"),
        ("~", "~"),
        ("inner/x", "inner/x"),
        ("circle", "circle"),
    ],
)
def test_a_path_inside(sandbox: Sandbox, name: str, inside: str) -> None:
    (sandbox.work / "real").mkdir()
    (sandbox.work / "inner").symlink_to("real")
    (sandbox.work / "circle").symlink_to("circle")
    assert sandbox.path(name) == sandbox.work / inside


def test_an_absolute_path_inside(sandbox: Sandbox) -> None:
    assert sandbox.path(str(sandbox.work / "a")) == sandbox.work / "a"


@pytest.mark.parametrize(
    "name", ["..", "../a", "a/../..", "../work-too", "../evidence", "/", "/etc", "link", "link/a", "far/a"]
)
def test_a_path_outside(sandbox: Sandbox, name: str) -> None:
    (sandbox.work / "link").symlink_to("..")
    (sandbox.work / "far").symlink_to("link")
    with pytest.raises(StepFailed) as caught:
        sandbox.path(name)
    assert str(caught.value) == f'"{name}" lies outside of the sandbox: name a path inside it'


def test_a_sandbox_that_is_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    sandbox = Sandbox(tmp_path / "link", Evidence())
    assert sandbox.path("a") == tmp_path / "link" / "work" / "a"
    as_a_program_prints_it = tmp_path / "real" / "work" / "a"
    assert sandbox.path(str(as_a_program_prints_it)) == as_a_program_prints_it


def test_the_environment_is_ours_without_pytests(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x")
    monkeypatch.setenv("COV_CORE_SOURCE", "src")
    monkeypatch.setenv("OURS", "kept")
    environment = sandbox.environment()
    assert environment["OURS"] == "kept"
    assert [name for name in environment if name.startswith(("PYTEST_", "COV_"))] == []


def test_programs_beside_this_python_are_found_first(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", "/usr/bin")
    assert sandbox.environment()["PATH"] == f"{beside}:/usr/bin"
    monkeypatch.delenv("PATH")
    assert sandbox.environment()["PATH"] == f"{beside}:{os.defpath}"


def test_a_scenario_that_needs_no_sandbox_gets_none(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(
        """
        from pytest_bdd import then

        @then("it fails")
        def fails(): assert False
        """
    )
    goal('Scenario: without\n  Then it fails\nScenario: with\n  When I run "true"\n  Then it fails\n')
    result = pytester.runpytest("scenarios", "--basetemp=kept")
    result.assert_outcomes(failed=2)
    [path] = [line.removeprefix("evidence: ") for line in result.outlines if line.startswith("evidence: ")]
    assert [p.name for p in (pytester.path / "kept").iterdir() if not p.is_symlink()] == [
        Path(path).parent.name
    ]
