"""`goalkeeper show`: one goal as the full template."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from goalkeeper.cli import main

GOAL = '''\
@G0.1 @scope:run @owner:orchestration @ci:nightly
Feature: A blocking budget prevents the merge
  Expect: a run over its budget stops.
  Hook: mock worker

  Background:
    Given "mycelium" is configured with
      | budgets.mode | block |

  Scenario: One task goes over its token budget
    When I run "true"
    Then the output is
      """
      stopped

      [red]
      """
    But file "core" never exists

  Rule: Twice
    Background:
      Given a directory "x"

    Scenario Outline: <n> tasks
      When I run "true"
      Then the exit code is 0

      Examples:
        | n |
        | 2 |
        | 3 |
'''
TEXT = '''\
G0.1  A blocking budget prevents the merge
tier           0, safety
system         mycelium
owner          orchestration
ci             nightly
file           scenarios/mycelium/g0_1.feature

statement      a run over its budget stops.
scope          run
configuration  budgets.mode = block
steps
  Background
    Given "mycelium" is configured with
      | budgets.mode | block |

  One task goes over its token budget
    When I run "true"
    Then the output is
      """
      stopped

      [red]
      """
    But file "core" never exists
    scenarios/mycelium/g0_1.feature::One task goes over its token budget

  Rule: Twice
    Background
      Given a directory "x"

    <n> tasks
      When I run "true"
      Then the exit code is 0
      scenarios/mycelium/g0_1.feature::2 tasks[2]
      scenarios/mycelium/g0_1.feature::3 tasks[3]

artifacts      directory "x"
               output
               file "core"
never-list     file "core" never exists
hook           mock worker

run it: pytest scenarios/mycelium/g0_1.feature
'''
BARE = "goal: G1.1\ntitle: Bare\nscenarios:\n  - name: s\n    steps:\n      - when: x\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "goalkeeper.toml").touch()
    folder = tmp_path / "scenarios" / "mycelium"
    folder.mkdir(parents=True)
    (folder / "g0_1.feature").write_text(GOAL)
    (folder.parent / "bare.goal.yaml").write_text(BARE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def show(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["show", *arguments])


@pytest.mark.usefixtures("project")
def test_the_whole_template() -> None:
    result = show("G0.1")
    assert result.exit_code == 0
    assert result.output == TEXT


@pytest.mark.usefixtures("project")
def test_what_a_goal_does_not_say() -> None:
    lines = show("G1.1", "scenarios").output.splitlines()
    assert "configuration  the system's own" in lines
    assert [line for line in lines if line.endswith(" none")] == [
        "statement      none",
        "scope          none",
        "artifacts      none",
        "never-list     none",
        "hook           none",
    ]
    assert not [line for line in lines if line.startswith(("owner", "system", "ci"))]


@pytest.mark.usefixtures("project")
def test_json() -> None:
    result = show("G0.1", "--format", "json")
    assert result.exit_code == 0
    data = json.loads(result.output)
    assert data["configuration"] == [{"name": "budgets.mode", "value": "block"}]
    assert [test["node"] for test in data["rules"][0]["scenarios"][0]["tests"]] == [
        "scenarios/mycelium/g0_1.feature::2 tasks[2]",
        "scenarios/mycelium/g0_1.feature::3 tasks[3]",
    ]


def test_the_command_to_run_it_works_from_where_one_is(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "scenarios" / "my goals").mkdir()
    monkeypatch.chdir(project / "scenarios" / "my goals")
    last = show("G0.1").output.splitlines()[-1]
    assert last == "run it: pytest ../mycelium/g0_1.feature"
    (project / "scenarios" / "bare.goal.yaml").rename("bare.goal.yaml")
    monkeypatch.chdir(project)
    assert show("G1.1").output.splitlines()[-1] == "run it: pytest 'scenarios/my goals/bare.goal.yaml'"


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("word", "hint"),
    [("G0.2", ' Did you mean "G0.1"?'), ("g0.1", ' Did you mean "G0.1"?'), ("unicorn", "")],
)
def test_an_unknown_goal(word: str, hint: str) -> None:
    result = show(word)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f'Error: there is no goal "{word}".{hint} See all: goalkeeper list\n'


def test_a_file_that_cannot_be_read_may_be_the_one_meant(project: Path) -> None:
    (project / "scenarios" / "bad.feature").write_text(
        "@G2.1\nFeature: x\n  Scenario: s\n    When x\n    Whne y\n"
    )
    result = show("G2.1")
    assert result.exit_code == 2
    assert "scenarios/bad.feature:5:" in result.stderr
    assert show("G0.1").exit_code == 0


def test_two_files_of_one_id(project: Path) -> None:
    (project / "scenarios" / "again.feature").write_text(GOAL)
    result = show("G0.1")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[1:] == [
        "    scenarios/again.feature",
        "    scenarios/mycelium/g0_1.feature",
    ]
    assert show("G0.1", "scenarios/again.feature").exit_code == 0


def completed(words: str, number: int) -> list[str]:
    variables = {"_GOALKEEPER_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(number)}
    done = subprocess.run(
        [sys.executable, "-c", "from goalkeeper.cli import main; main(prog_name='goalkeeper')"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.usefixtures("project")
def test_a_shell_completes_ids() -> None:
    assert completed("goalkeeper show ", 2) == ["plain,G0.1", "plain,G1.1"]
    assert completed("goalkeeper show G1", 2) == ["plain,G1.1"]


def test_a_shell_is_told_nothing_where_nothing_can_be_read(project: Path) -> None:
    (project / "goalkeeper.toml").write_text("[")
    assert completed("goalkeeper show ", 2) == []


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("arguments", [["list"], ["show", "G0.1"]])
def test_neither_pytest_nor_docker_is_imported(arguments: list[str]) -> None:
    code = (
        f"import sys; from goalkeeper.cli import main\nmain({arguments!r}, standalone_mode=False)\n"
        "print({'pytest', '_pytest', 'pytest_bdd', 'docker', 'git'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "G0.1" in done.stdout
    assert done.stderr == "set()\n"
