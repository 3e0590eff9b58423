"""The probes: what is there, what is not, and that none of them raises."""

from __future__ import annotations

import os
import platform
import socket
from importlib import metadata
from pathlib import Path

import pytest

from goalkeeper.runner import doctor
from goalkeeper.runner.doctor import Finding


def test_what_runs_these_tests_is_found() -> None:
    for probe in (doctor.python, doctor.pytest, doctor.pytest_bdd, doctor.gherkin):
        finding = probe()
        assert finding.ok and finding.required, finding
    assert doctor.pytest().detail == metadata.version("pytest")


@pytest.mark.parametrize("probe", doctor.PROBES, ids=lambda probe: probe.__name__)
def test_what_is_missing_has_a_remedy_and_a_loss(
    probe: doctor.Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine without programs and without an engine."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    finding = probe()
    assert finding.detail
    assert finding.ok or (finding.remedy and finding.skips)


@pytest.mark.parametrize("probe", [doctor.git, doctor.make, doctor.docker_cli])
def test_a_program_that_is_not_there(probe: doctor.Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    finding = probe()
    assert (finding.ok, finding.detail) == (False, "not on the PATH")
    assert finding.required is (probe is doctor.git)


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("text", "ok", "detail"),
    [
        ("echo git version 9; echo more", True, "git version 9"),
        ("echo broken >&2; exit 3", False, "git --version fails: broken"),
        ("exit 3", False, "git --version fails: exit code 3"),
    ],
)
def test_a_program_that_answers(
    text: str, ok: bool, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "git", text)
    monkeypatch.setenv("PATH", str(tmp_path))
    finding = doctor.git()
    assert (finding.ok, finding.detail) == (ok, detail)


def test_a_program_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "git", "exec cat /dev/zero > /dev/null")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(doctor, "_LIMIT", 0.1)
    assert doctor.git().detail == "git --version fails: no answer within 0.1 s"


def test_a_program_that_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").write_text("#!/no/such/interpreter\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert doctor.git().detail == "git --version fails: No such file or directory"


@pytest.mark.parametrize(
    ("version", "ok"), [("8.4", True), ("9.99.1", True), ("8.3.5", False), ("10.0", False)]
)
def test_a_version_outside_of_our_range(version: str, ok: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", {"pytest": version}.__getitem__)
    finding = doctor.pytest()
    assert finding.ok is ok
    assert finding.detail.startswith(version)
    assert finding.remedy == "pip install 'pytest<10,>=8.4'"


def test_a_package_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert (doctor.pytest_bdd().ok, doctor.pytest_bdd().detail) == (False, "not installed")
    assert (doctor.xdist().ok, doctor.xdist().required) == (False, False)


def test_a_python_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "python_version", lambda: "3.10.4")
    finding = doctor.python()
    assert (finding.ok, finding.detail) == (False, "3.10.4, not >=3.11")


def test_an_engine_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    finding = doctor.docker_engine()
    assert not finding.ok and not finding.required
    assert finding.detail == "tcp://127.0.0.1:1 does not answer: [Errno 111] Connection refused"


def test_an_engine_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_ENGINE_LIMIT", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{server.getsockname()[1]}")
        finding = doctor.docker_engine()
    assert not finding.ok
    assert "timed out" in finding.detail


def test_root_and_user_namespaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert (doctor.root().ok, doctor.root().detail) == (False, "no, user id 1000")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert doctor.root().ok
    program(tmp_path, "unshare", "echo 'unshare: Operation not permitted' >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    finding = doctor.user_namespaces()
    assert (finding.ok, finding.detail) == (False, "unshare: Operation not permitted")


def test_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    assert not doctor.colour().ok
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert doctor.colour().detail == "256"
    monkeypatch.setenv("NO_COLOR", "1")
    assert doctor.colour().detail == "NO_COLOR is set"


@pytest.mark.parametrize(
    ("required", "ok", "fit"), [(True, True, True), (True, False, False), (False, False, True)]
)
def test_only_what_is_required_decides(required: bool, ok: bool, fit: bool) -> None:
    there = Finding("a", True, "1", required=True)
    found = doctor.examine([lambda: there, lambda: Finding("b", ok, "", required=required)])
    assert doctor.is_fit(found) is fit
