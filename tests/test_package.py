"""What `pip install goalkeeper` gives: the wheel, beside a project that has folders of the same names.

The wheel is built from a copy of the sources and installed by pip into a fresh virtual environment. The
dependencies are not downloaded again: each distribution that the wheel's own metadata asks for, and those
that these ask for in turn, is linked there from the running environment. Neither the editable install nor a
development tool can be seen from there, so a dependency that is used but not declared fails.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
FOLDERS = ("cli", "reports", "runner", "schemas", "steps", "traceability")
SOURCES = ("LICENSE", "README.md", "pyproject.toml", "src", *FOLDERS)


@dataclass(frozen=True)
class Installed:
    wheel: Path
    environment: Path

    def run(self, program: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        clean = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))
        }
        return subprocess.run(
            [str(self.environment / "bin" / program), *arguments],
            cwd=cwd,
            env=clean | {"PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )


def build(into: Path) -> Path:
    source = into / "source"
    source.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(into), str(source)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    [wheel] = into.glob("*.whl")
    return wheel


def install(wheel: Path, environment: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = str(environment / "bin" / "python")
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    subprocess.run([*command, "--no-deps", "--no-index", str(wheel)], check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    [metadata] = site.glob("goalkeeper-*.dist-info")
    for found in required(Distribution.at(metadata), set()):
        link(found, site)
    # As pip would have written it; unlike `python -m pytest` it does not put the directory on the path.
    script = environment / "bin" / "pytest"
    script.write_text(f"#!{python}\nimport sys\nfrom pytest import console_main\nsys.exit(console_main())\n")
    script.chmod(0o755)


def required(installed: Distribution, known: set[str]) -> Iterator[Distribution]:
    for requirement in map(Requirement, installed.requires or ()):
        needed = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if needed and requirement.name not in known:
            known.add(requirement.name)
            found = distribution(requirement.name)
            yield found
            yield from required(found, known)


def link(found: Distribution, site: Path) -> None:
    for name in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
        if not (site / name).exists():
            (site / name).symlink_to(Path(str(found.locate_file(name))))


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Built once for all of pytest-xdist's workers: the second one waits for the first."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "package"
    folder.mkdir(exist_ok=True)
    done = folder / "done"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            install(build(folder), folder / "venv")
            done.touch()
    [wheel] = folder.glob("*.whl")
    return Installed(wheel, folder / "venv")


CONFTEST = """
import reports, runner, runner.engine, steps, steps.git
from goalkeeper import given, then, when

@when("mine acts", target_fixture="acted")
def act():
    return [module.WHOSE for module in (reports, runner, runner.engine, steps, steps.git)]

@then("it was mine")
def mine(acted):
    assert acted == ["mine"] * 5
"""
GHERKIN = """
@G0.1
Feature: Both outcomes
  Scenario: passes
    When mine acts
    Then it was mine
    But file "core" never exists

  Scenario: fails
    When I run "sh -c 'echo oops; exit 3'"
    Then the exit code is 0
    But the command never prints "oops"
"""
YAML = """
goal: G1.1
title: Both outcomes
scenarios:
  - name: passes
    steps:
      - given: a file "a" containing "one"
      - when: I run "cat a"
      - then: the output contains "one"
      - never: the command never prints "two"
  - name: fails
    steps:
      - when: mine acts
      - then: file "a" exists
      - never: file "core" never exists
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that names its packages as Goalkeeper names its folders."""
    for name in ("reports/__init__", "runner/__init__", "runner/engine", "steps/__init__", "steps/git"):
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text('WHOSE = "mine"\n')
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers --strict-config -W error\n")
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "a.feature").write_text(GHERKIN)
    (tmp_path / "scenarios" / "b.goal.yaml").write_text(YAML)
    return tmp_path


def test_goals_run_beside_packages_of_the_same_names(installed: Installed, project: Path) -> None:
    ran = installed.run("pytest", "scenarios", "-rA", cwd=project)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    outcomes = {line.partition(" - ")[0] for line in ran.stdout.splitlines() if "::" in line}
    assert outcomes == {
        "PASSED scenarios/a.feature::passes",
        "FAILED scenarios/a.feature::fails",
        "PASSED scenarios/b.goal.yaml::passes",
        "FAILED scenarios/b.goal.yaml::fails",
    }


def test_the_command_knows_the_installed_steps_and_schemas(installed: Installed, project: Path) -> None:
    steps = installed.run("goalkeeper", "steps", cwd=project)
    assert (steps.returncode, steps.stderr) == (0, "")
    assert 'I run "{command}"' in steps.stdout
    page = installed.run("goalkeeper", "trace", "--format", "html", cwd=project)
    assert (page.returncode, page.stderr) == (1, "")
    assert "there is no run record" in page.stdout
    schema = installed.run("goalkeeper", "schema", "goal", cwd=project)
    assert schema.stdout == (ROOT / "schemas" / "goal.schema.json").read_text(encoding="utf-8")
    named = installed.run("goalkeeper", "--version", cwd=project)
    assert version("goalkeeper") in named.stdout


def test_only_the_wheel_and_what_it_declares_is_there(installed: Installed, tmp_path: Path) -> None:
    code = """
import importlib.util, goalkeeper.runner.plugin as plugin
print(plugin.__file__, importlib.util.find_spec("hypothesis"))
"""
    ran = installed.run("python", "-c", code, cwd=tmp_path)
    [where, undeclared] = ran.stdout.split()
    assert Path(where).is_relative_to(installed.environment)
    assert undeclared == "None"


def test_the_wheel_has_all_of_the_package_and_nothing_else(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    modules = {path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    texts = [*(ROOT / "steps").glob("*/README.md"), *(ROOT / "runner").rglob("*.md")]
    readmes = {path.relative_to(ROOT) for path in texts}
    schemas = {path.relative_to(ROOT) for path in (ROOT / "schemas").glob("*.json")}
    templates = {path.relative_to(ROOT) for path in (ROOT / "reports" / "templates").iterdir()}
    assert readmes and schemas and templates
    inside = {f"goalkeeper/{path.as_posix()}" for path in modules | readmes | schemas | templates}
    assert names == inside | {"goalkeeper/__init__.py", "goalkeeper/py.typed"}
