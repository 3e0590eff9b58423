"""`goalkeeper doctor`: what is printed, and what the exit code says."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner, Result

import goalkeeper
from goalkeeper.cli import main
from goalkeeper.runner import doctor
from goalkeeper.runner.doctor import Finding, Probe

GIT = Finding("git", True, "git version 2", required=True)
NO_GIT = Finding("git", False, "not on the PATH", "install git", "repositories", required=True)
NO_ENGINE = Finding("engine", False, "no [red] answer", "start it", "goals with containers")


def run(monkeypatch: pytest.MonkeyPatch, findings: list[Finding], *arguments: str) -> Result:
    def probe(finding: Finding) -> Probe:
        return lambda: finding

    monkeypatch.setattr(doctor, "PROBES", [probe(finding) for finding in findings])
    return CliRunner().invoke(main, ["doctor", *arguments])


def test_what_is_optional_does_not_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, [GIT, NO_ENGINE])
    assert result.exit_code == 0
    assert result.output == (
        f"Goalkeeper {goalkeeper.__version__}\n"
        "  ok       git     git version 2\n"
        "  absent   engine  no [red] answer\n"
        "                   get it: start it\n"
        "                   skipped until then: goals with containers\n"
        "\n"
        "all that is required is here; optional and missing: engine\n"
    )


def test_what_is_required_does(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, [NO_GIT, NO_ENGINE])
    assert result.exit_code == 1
    assert "  missing  git     not on the PATH\n" in result.output
    assert result.output.endswith("required and missing: git\n")


def test_nothing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, [GIT]).output.endswith("\n\nall that is required is here\n")


@pytest.mark.parametrize(("finding", "code"), [(GIT, 0), (NO_GIT, 1)])
def test_json(finding: Finding, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, [finding], "--format", "json")
    assert result.exit_code == code
    assert json.loads(result.output) == {
        "ok": finding.ok,
        "goalkeeper": goalkeeper.__version__,
        "findings": [finding.data()],
    }


def test_on_this_machine() -> None:
    result = CliRunner().invoke(main, ["doctor", "--format", "json"])
    found = {finding["name"]: finding for finding in json.loads(result.output)["findings"]}
    assert result.exit_code == (0 if found["git"]["ok"] else 1)
    assert {"Python", "pytest", "pytest-bdd", "gherkin-official", "Docker CLI", "Docker engine"} <= set(found)


def test_the_engine_is_asked_only_when_it_is_called() -> None:
    code = "import sys; from goalkeeper.cli import doctor\nprint({'docker', 'pytest'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
