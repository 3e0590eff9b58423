"""Another program in a system's place, and the program on the PATH of a scenario."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from goalkeeper import schemas

WriteGoal = Callable[..., Path]
WriteProfile = Callable[..., Path]
SAYS = 'Scenario: x\n  When I run "tool show it"\n  Then the output contains "{0}"\n'


@pytest.fixture
def other(pytester: pytest.Pytester, project: WriteProfile) -> Path:
    project()
    folder = pytester.mkdir("elsewhere")
    (folder / "other").write_text('#!/bin/sh\necho "other $*"\n')
    (folder / "other").chmod(0o755)
    return folder


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
@pytest.mark.usefixtures("other")
def test_a_command_line_option_replaces_the_program(
    pytester: pytest.Pytester, goal: WriteGoal, workers: tuple[str, ...]
) -> None:
    goal(SAYS.format("other a b show it"))
    pytester.runpytest_subprocess(
        "scenarios", "--system", "tool=elsewhere/other 'a b'", *workers
    ).assert_outcomes(passed=1)


def test_its_path_is_seen_from_where_pytest_was_started(
    pytester: pytest.Pytester, goal: WriteGoal, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal(SAYS.format("other show it"))
    monkeypatch.chdir(other)
    pytester.runpytest("../scenarios", "--rootdir=..", "--system=tool=./other").assert_outcomes(passed=1)


@pytest.mark.usefixtures("other")
def test_a_variable_replaces_the_program_and_the_option_has_the_last_word(
    pytester: pytest.Pytester, goal: WriteGoal, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal(SAYS.format("other show it"))
    monkeypatch.setenv("GOALKEEPER_SYSTEM_TOOL", "elsewhere/other")
    pytester.runpytest("scenarios").assert_outcomes(passed=1)
    monkeypatch.setenv("GOALKEEPER_SYSTEM_TOOL", "false")
    pytester.runpytest("scenarios", "--system=tool=elsewhere/other").assert_outcomes(passed=1)
    pytester.runpytest("scenarios").assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("tol=x", 'there is no system "tol". Did you mean "tool"[?] Known: tool'),
        ("tool=it's", "the command for tool can't be split: No closing quotation"),
        ("tool", "--system tool: write it as NAME=COMMAND"),
    ],
)
@pytest.mark.usefixtures("other")
def test_a_wrong_replacement_is_a_usage_error(
    pytester: pytest.Pytester, goal: WriteGoal, option: str, message: str
) -> None:
    goal(SAYS.format(""))
    result = pytester.runpytest_subprocess("scenarios", f"--system={option}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}"])


def test_the_program_is_on_the_path_of_everything_in_the_sandbox(
    pytester: pytest.Pytester, goal: WriteGoal, project: WriteProfile
) -> None:
    project(
        "environment: {MODE: ours}",
        '[systems.git]\ncommand = "git"\n[systems.none]\ncommand = "no-such-program"\n',
    )
    goal("""
        Scenario: in a shell
          When I run "sh -c 'cd / && tool show \\"$0\\" | cat' 'a b'"
          Then the output contains "ours a b"
        Scenario: of the same name
          When I run "git --version"
          Then the output contains "git version"
        Scenario: not there
          When I run "none"
          Then the exit code is 127
          And the error output contains "there is no program no-such-program"
    """)
    pytester.runpytest("scenarios").assert_outcomes(passed=3)


def head(root: Path) -> dict[str, Any]:
    (record,) = root.glob(".goalkeeper/runs/*/record.jsonl")
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    validator = Draft202012Validator(schemas.load("record"))
    for line in lines:
        validator.validate(line)
    found: dict[str, Any] = lines[0]
    return found


def test_the_record_says_what_was_run(
    pytester: pytest.Pytester, goal: WriteGoal, project: WriteProfile
) -> None:
    root = project("environment: {}", '[systems.plain]\ncommand = "no-such-program"\n')
    goal(SAYS.format("it"))
    pytester.runpytest("scenarios", "--goal-reports=.goalkeeper").assert_outcomes(passed=1)
    systems = head(root)["systems"]
    assert systems["tool"]["command"][1:] == [str(root / "tool.py")]
    assert systems["plain"]["profile"] == ""
    before = systems["tool"]
    for name, changed in (("tool.py", "hash"), ("tool.yaml", "profile")):
        with (root / name).open("a") as file:
            file.write("\n# changed\n")
        for old in root.glob(".goalkeeper/runs/*"):
            old.rename(root / f"old-{name}")
        pytester.runpytest("scenarios").assert_outcomes(passed=1)
        after = head(root)["systems"]["tool"]
        assert {key for key in after if after[key] != before[key]} == {changed}
        before = after
