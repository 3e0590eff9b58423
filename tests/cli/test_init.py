"""`goalkeeper init`: two commands to a first goal that passes, in repositories of several languages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from goalkeeper import schemas
from goalkeeper.cli import init, main
from goalkeeper.runner.files import read
from goalkeeper.runner.writing import formatted

GREET = '#!/bin/sh\n[ "$1" = --help ] && echo "usage: greet NAME" && exit\necho "hello, $1"\n'
CARGO = """\
[ "$1 $2 $3" = "run --quiet --manifest-path" ] || exit 101
[ -f "$4" ] && [ "$5" = "--" ] || exit 101
shift 5
[ "$1" = --version ] && echo "greet 0.1.0" || exit 2
"""
PROJECTS = {
    "python": {
        "pyproject.toml": "[project]\nname = 'greet'\n[project.scripts]\ngreet = 'greet.cli:main'\n",
        "src/greet/cli.py": (
            "import argparse\ndef main() -> None:\n"
            "    argparse.ArgumentParser(description='Greets \"everybody\"').parse_args()\n"
        ),
    },
    "node": {
        "package.json": '{"name": "@ada/greet", "bin": {"greet": "./bin/greet.js"}}',
        "bin/greet.js": GREET,
    },
    "rust": {"Cargo.toml": "[package]\nname = 'greet'\n", "src/main.rs": "fn main() {}\n"},
    "shell": {"greet": GREET},
    "empty": {},
}
TOOLS = {"node": 'exec sh "$@"', "cargo": CARGO}
Project = Callable[[str], Path]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A repository, on a machine whose node and cargo are ours, so that every machine tests the same."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in TOOLS.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tools), prepend=os.pathsep)

    def make(kind: str) -> Path:
        root = tmp_path / "My repository"
        root.mkdir()
        for name, text in PROJECTS[kind].items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755 if text.startswith("#!") and "." not in name else 0o644)
        monkeypatch.chdir(root)
        return root

    return make


def run(*arguments: str, answers: str | None = None) -> Result:
    return CliRunner().invoke(main, ["init", *arguments], input=answers)


def files(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def pytest_passes(root: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "scenarios",
        "-q",
        "-p",
        "no:cacheprovider",
        "--strict-markers",
    ]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.mark.parametrize("spelling", ["gherkin", "yaml"])
@pytest.mark.parametrize(
    ("kind", "line", "says"),
    [
        ("python", "greet --help", "usage: greet"),
        ("node", "greet --help", "usage: greet"),
        ("rust", "greet --version", "greet"),
        ("shell", "greet --help", "usage: greet"),
        ("empty", "echo hello", "hello"),
    ],
)
def test_two_commands_to_a_goal_that_passes(
    kind: str, line: str, says: str, spelling: str, project: Project
) -> None:
    root = project(kind)
    result = run("--yes", "--spelling", spelling)
    assert result.exit_code == 0, result.output
    [path] = [*root.glob("scenarios/*/g1_1.*")]
    parsed = read(path)
    _, first, second, *nevers = parsed.unwrap().scenarios[0].steps
    assert parsed.unwrap().scenarios[0].steps[0].text == f'I run "{line}"'
    assert (first.text, second.text) == ("the exit code is 0", f'the output contains "{says}"')
    assert len(nevers) == 2
    assert formatted(parsed) == path.read_text()
    assert str(root) not in "".join(p.read_text() for p in (root / "scenarios").rglob("*") if p.is_file())
    checked = CliRunner().invoke(main, ["lint"])
    assert (checked.exit_code, checked.output) == (0, "1 goal file, no problem\n")
    pytest_passes(root)


def test_the_goal_fails_when_the_program_breaks(project: Project) -> None:
    root = project("shell")
    assert run("--yes").exit_code == 0
    (root / "greet").write_text("#!/bin/sh\nno-such-command\n")
    command = [sys.executable, "-m", "pytest", "scenarios", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'printed "not found" to stderr' in done.stdout


@pytest.mark.parametrize(
    ("kind", "arguments", "written"),
    [
        ("empty", [], {"scenarios/my-repository/g1_1.feature"}),
        (
            "empty",
            ["--spelling", "yaml"],
            {"scenarios/my-repository/g1_1.goal.yaml", "scenarios/goal.schema.json"},
        ),
        ("empty", ["--ci"], {"scenarios/my-repository/g1_1.feature", ".github/workflows/goals.yml"}),
        ("node", [], {"scenarios/greet/g1_1.feature"}),
    ],
)
def test_what_is_written(kind: str, arguments: list[str], written: set[str], project: Project) -> None:
    root = project(kind)
    before = files(root)
    assert run("--yes", *arguments).exit_code == 0
    assert files(root) - before == written | {"goalkeeper.toml"}
    if "--spelling" in arguments:
        assert (root / "scenarios" / "goal.schema.json").read_text() == schemas.text("goal")


def test_the_workflow_comes_where_there_is_github(project: Project) -> None:
    root = project("empty")
    (root / ".github").mkdir()
    result = run("--yes")
    workflow = yaml.safe_load((root / ".github" / "workflows" / "goals.yml").read_text())
    assert workflow["jobs"]["goals"]["steps"][-1] == {"run": "pytest scenarios"}
    assert "@ci:goals" in (root / "scenarios" / "my-repository" / "g1_1.feature").read_text()
    assert "wrote  .github/workflows/goals.yml\n" in result.output


def test_it_ends_with_what_to_do_next(project: Project) -> None:
    project("shell")
    assert run("--yes").output == (
        "tried  greet --help    (exit code 0)\n"
        "wrote  goalkeeper.toml\n"
        "wrote  scenarios/my-repository/g1_1.feature\n"
        "\n"
        "next\n"
        "    pytest scenarios         run it\n"
        "    goalkeeper steps         what else a goal can say\n"
        "    goalkeeper lint          check what you wrote\n"
    )


def test_another_directory_even_one_that_is_not_there(project: Project) -> None:
    root = project("empty")
    result = run("new/place", "--yes")
    assert "wrote  new/place/goalkeeper.toml\n" in result.output
    assert "    cd new/place\n" in result.output
    pytest_passes(root / "new" / "place")


def test_json(project: Project) -> None:
    project("shell")
    result = run("--format", "json")
    assert json.loads(result.stdout) == {
        "directory": ".",
        "command": "greet --help",
        "exit_code": 0,
        "written": ["goalkeeper.toml", "scenarios/my-repository/g1_1.feature"],
        "notes": [],
        "next": ["pytest scenarios"],
    }


@pytest.mark.parametrize(
    ("existing", "arguments"),
    [
        (["goalkeeper.toml"], []),
        (["goalkeeper.toml", "scenarios/my-repository/g1_1.feature"], []),
        ([".github/workflows/goals.yml"], ["--ci"]),
        (["scenarios/goal.schema.json"], ["--spelling", "yaml"]),
    ],
)
def test_nothing_is_overwritten(existing: list[str], arguments: list[str], project: Project) -> None:
    root = project("shell")
    for name in existing:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("mine\n")
    before = files(root)
    result = run("--yes", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    listed = "".join(f"    {name}\n" for name in existing)
    assert result.stderr == (
        f"Error: nothing was written, since this exists:\n{listed}--force overwrites it\n"
    )
    assert files(root) == before
    assert {(root / name).read_text() for name in existing} == {"mine\n"}
    assert run("--yes", "--force", *arguments).exit_code == 0
    assert "mine\n" not in {(root / name).read_text() for name in existing}
    pytest_passes(root)


def test_a_goal_that_is_there_keeps_its_id(project: Project) -> None:
    root = project("empty")
    (root / "scenarios").mkdir()
    (root / "scenarios" / "mine.feature").write_text("@G1.1\nFeature: x\n  Scenario: y\n    When z\n")
    assert run("--yes").exit_code == 0
    assert read(root / "scenarios" / "my-repository" / "g1_2.feature").unwrap().id == "G1.2"


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("./greet Ada", 'I run "greet Ada"'),
        ("sh greet 'Ada \"the\" First'", 'I run "greet \'Ada \\"the\\" First\'"'),
        ("echo hi", 'I run "echo hi"'),
    ],
)
def test_a_command_of_ones_own(line: str, written: str, project: Project) -> None:
    root = project("shell")
    result = run("--command", line)
    assert result.exit_code == 0, result.output
    [path] = [*root.glob("scenarios/*/g1_1.feature")]
    assert read(path).unwrap().scenarios[0].steps[0].text == written
    pytest_passes(root)


def test_a_command_that_fails_is_written_down_and_asked_about(project: Project) -> None:
    root = project("shell")
    (root / "greet").write_text("#!/bin/sh\necho sorry >&2\nexit 3\n")
    result = run("--command", "./greet")
    assert "note   the exit code was 3, and the goal expects that: is it what you want?\n" in result.output
    pytest_passes(root)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("no-such-program --help", 'there is no program "no-such-program"'),
        ("echo 'open", "this is no command: echo 'open: No closing quotation"),
        ("", "there is no command in it"),
        ("sh -c 'kill -9 $$'", "was killed by SIGKILL"),
        ("printf 'a\nb'", "a step can't say this"),
    ],
)
def test_a_command_that_cannot_be_used(line: str, reason: str, project: Project) -> None:
    root = project("empty")
    result = run("--command", line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr
    assert result.stderr.endswith("nothing was written\n")
    assert files(root) == set()


def test_a_script_that_may_do_harm_is_not_run(project: Project) -> None:
    root = project("empty")
    (root / "deploy").write_text(f"#!/bin/sh\ntouch '{root.parent}/deployed'\necho done\n")
    (root / "deploy").chmod(0o755)
    before = files(root)
    result = run("--yes")
    assert 'I run "echo hello"' in (root / "scenarios/my-repository/g1_1.feature").read_text()
    assert not (root.parent / "deployed").exists()
    assert "note   deploy was not tried" in result.output
    assert 'goalkeeper init --force --command "./deploy"' in result.output
    assert files(root) - before == {"goalkeeper.toml", "scenarios/my-repository/g1_1.feature"}


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        ("\n", "greet --help"),
        ("greet Ada\n", "greet Ada"),
        ("no-such-program\n./greet Bob\n", "greet Bob"),
    ],
)
def test_at_a_terminal_it_asks(
    answers: str, line: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project("shell")
    monkeypatch.setattr(init, "at_terminal", lambda: True)
    result = run(answers=answers)
    assert result.exit_code == 0, result.output
    assert "Which command of your program shall the first goal run? [greet --help]:" in result.output
    assert f"tried  {line}    (exit code 0)\n" in result.output
    pytest_passes(root)


def test_who_gives_no_answer_gets_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project("shell")
    before = files(root)
    monkeypatch.setattr(init, "at_terminal", lambda: True)
    assert run(answers="").exit_code == 1
    assert files(root) == before


def test_a_place_that_cannot_be_written(project: Project) -> None:
    root = project("empty")
    (root / "scenarios").write_text("a file\n")
    result = run("--yes")
    assert result.exit_code == 2
    assert "can't be written" in result.stderr
