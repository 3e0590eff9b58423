"""The world of a scenario: paths that stay inside it, and its environment."""

from __future__ import annotations

import os
import secrets
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.sandbox import Sandbox, Sandboxes
from goalkeeper.runner.sandbox.environment import environment
from goalkeeper.runner.session import EVIDENCE, SESSION
from goalkeeper.runner.watcher import processes
from goalkeeper.runner.watcher.processes import MARK

WriteGoal = Callable[..., Path]


@pytest.fixture
def sandboxes() -> Iterator[Sandboxes]:
    made = Sandboxes()
    yield made
    made.close()


def test_its_places_are_its_owners_alone(sandbox: Sandbox) -> None:
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in sandbox.root.iterdir()}
    assert found == dict.fromkeys(("work", "evidence", "home", "tmp", "run", "bin"), 0o700)
    assert stat.S_IMODE(sandbox.root.stat().st_mode) == 0o700
    assert (sandbox.work, sandbox.files) == (sandbox.root / "work", sandbox.root / "evidence")
    assert [*sandbox.root.glob("*/*")] == []


def test_its_paths_are_short_and_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandboxes: Sandboxes
) -> None:
    """A socket's path has no more than 107 bytes; a program prints its directory with links resolved."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "link"))
    made = sandboxes.make(Evidence())
    assert made.root.parent == tmp_path / "real"
    assert len(made.root.name) <= 15
    sandboxes.remove(made)


def test_a_name_that_is_taken_is_left_to_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandboxes: Sandboxes
) -> None:
    (tmp_path / "gk-taken").mkdir()
    names = iter(["taken", "free"])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(secrets, "token_hex", lambda _size: next(names))
    assert sandboxes.make(Evidence()).root == tmp_path / "gk-free"
    sandboxes.close()
    assert [path.name for path in tmp_path.iterdir()] == ["gk-taken"]


def test_the_evidence_has_its_place_in_the_reports(
    request: pytest.FixtureRequest, sandbox: Sandbox, evidence: Evidence
) -> None:
    assert evidence is sandbox.evidence
    assert evidence.path == request.config.stash[SESSION].evidence_path(request.node.nodeid)


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


OUTER = {
    "PATH": "/usr/bin",
    "HOME": "/home/owner",
    "USER": "owner",
    "LANG": "de_DE.UTF-8",
    "TZ": "Europe/Berlin",
    "JAVA_HOME": "/opt/java",
    "GIT_DIR": "/repository",
    "PYTEST_ADDOPTS": "-x",
    "PYTHONPATH": "/home/owner/src",
    "SSH_AUTH_SOCK": "/run/agent",
    "API_TOKEN": "secret",
    MARK: "/tmp/gk-outer",
}


def test_nothing_of_the_users_gets_in_but_where_tools_are(tmp_path: Path) -> None:
    inner = environment(tmp_path, OUTER)
    assert inner["JAVA_HOME"] == "/opt/java"
    theirs = {*OUTER.values()} - {"/opt/java", "/usr/bin"}
    assert [name for name, value in inner.items() if value in theirs] == []
    assert inner.keys().isdisjoint({"GIT_DIR", "PYTEST_ADDOPTS", "PYTHONPATH", "SSH_AUTH_SOCK", "API_TOKEN"})


def test_every_place_it_names_lies_in_the_sandbox(tmp_path: Path) -> None:
    inner = environment(tmp_path, OUTER)
    names = ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    for name in (*names, "XDG_RUNTIME_DIR"):
        assert Path(inner[name]).is_relative_to(tmp_path), name
    assert inner[MARK] == str(tmp_path)


def test_what_is_asked_for_is_passed_where_it_is_there(tmp_path: Path) -> None:
    inner = environment(tmp_path, OUTER, ["API_TOKEN", "TZ", "NOT_THERE", MARK])
    assert (inner["API_TOKEN"], inner["TZ"]) == ("secret", "Europe/Berlin")
    assert "NOT_THERE" not in inner
    assert inner[MARK] == str(tmp_path)


def test_the_world_is_the_same_everywhere(sandbox: Sandbox) -> None:
    script = "date +%Z; locale charmap; whoami >/dev/null; echo $LOGNAME $TERM; git var GIT_AUTHOR_IDENT"
    ran = subprocess.run(
        ["sh", "-c", script],
        env=sandbox.environment(),
        cwd=sandbox.work,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines() == [
        "UTC",
        "UTF-8",
        "goalkeeper dumb",
        "Goalkeeper <goalkeeper@sandbox.invalid> 946684800 +0000",
    ]


def test_variables_of_the_sandbox_go_before_all_others(sandbox: Sandbox) -> None:
    sandbox.variables |= {"TZ": "Asia/Tokyo", "OWN": "x"}
    assert [sandbox.environment()[name] for name in ("TZ", "OWN")] == ["Asia/Tokyo", "x"]


def test_programs_beside_this_python_are_found_first(tmp_path: Path) -> None:
    first = f"{tmp_path / 'bin'}:{Path(sys.executable).parent}"
    assert environment(tmp_path, {"PATH": "/usr/bin"})["PATH"] == f"{first}:/usr/bin"
    assert environment(tmp_path, {})["PATH"] == f"{first}:{os.defpath}"


def test_what_it_costs_where_no_program_runs(sandboxes: Sandboxes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks through the processes of the machine."""
    made = sandboxes.make(Evidence())
    monkeypatch.setattr(processes, "end", lambda _root: pytest.fail("processes were looked for"))
    made.end_processes()
    assert sandboxes.remove(made).left == ()
    assert not made.root.exists()


def test_removing_ends_what_runs(sandboxes: Sandboxes) -> None:
    made = sandboxes.make(Evidence())
    with subprocess.Popen(["sleep", "600"], env=made.environment(), cwd=made.work) as running:
        cleaned = sandboxes.remove(made)
        assert (cleaned.killed, cleaned.left) == (1, ())
        assert running.wait() == -9


def test_what_can_not_be_removed_is_an_error_of_the_scenario(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    pytester.makeconftest(
        """
        import pytest
        from goalkeeper.runner.watcher import cleaner

        @pytest.fixture(autouse=True)
        def immovable(monkeypatch):
            monkeypatch.setattr(cleaner, "remove", lambda root: None)
        """
    )
    goal('Scenario: x\n  When I run "true"\n  Then the exit code is 0\n')
    result = pytester.runpytest_subprocess("scenarios")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["the sandbox could not be removed:", "*/gk-* could not be removed"])


def test_a_scenario_that_needs_no_sandbox_gets_none(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(
        """
        from pytest_bdd import then, when

        @when("it acts")
        def act(): pass

        @then("it fails")
        def fails(): assert False
        """
    )
    acts, runs = "When it acts", 'When I run "true"'
    goal(f"Scenario: without\n  {acts}\n  Then it fails\nScenario: with\n  {runs}\n  Then it fails\n")
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(failed=2)
    [path] = [line.removeprefix("evidence: ") for line in result.outlines if line.startswith("evidence: ")]
    assert [*(pytester.path / ".goalkeeper" / "runs").glob("*/evidence/*")] == [pytester.path / path]
