"""Checking files: what is found in one, across all, and that pytest's collection finds the same."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.lint import Linter, Report, goal_files

EXAMPLES = Path(__file__).parents[2] / "examples"
FEATURE = """\
@G1.1 @scope:greet
Feature: t
  Expect: it greets.
  Hook: none

  Scenario: a
    When I run "echo"
    Then file "a" exists
    But file "core" never exists
"""
# Rules that are lint's own: a goal that breaks one runs all the same.
RUNNABLE = {"no-expect", "no-scope", "no-hook", "no-artifact", "no-then", "misread-line"}


def write(folder: Path, name: str, text: str = FEATURE) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def check(root: Path, text: str, name: str = "a.feature") -> list[tuple[str, int, int]]:
    report = Linter(root).check(write(root, name, text))
    return [(problem.rule, problem.place.line, problem.place.column) for problem in report.problems]


def test_a_clean_file_keeps_no_lines(tmp_path: Path) -> None:
    path = write(tmp_path, "a.feature")
    report = Linter(tmp_path).check(path)
    assert report == Report(path, tmp_path)
    assert report.shown == "a.feature"


def test_problems_come_in_the_order_of_the_file_and_each_once(tmp_path: Path) -> None:
    text = FEATURE.replace("    Then", "    When I runn\n    Then").replace("Hook: none", "")
    text = text.replace("    When I", "    And x\n    When I", 1).replace("Scenario: a", "Scenario:")
    assert check(tmp_path, text) == [
        ("no-hook", 2, 1),
        ("unnamed-scenario", 6, 3),
        ("dangling-and", 7, 5),
        ("unknown-step", 7, 9),
        ("unknown-step", 9, 10),
    ]


def test_a_row_of_an_outline_that_no_step_matches(tmp_path: Path) -> None:
    text = FEATURE.replace("    But", "    And the exit code is <code>\n    But")
    text += "    Examples:\n      | code |\n      | 0    |\n      | none |\n"
    assert check(tmp_path, text) == [("unknown-step", 9, 9)]
    assert check(tmp_path, text.replace("none", "1")) == []


def test_a_placeholder_in_a_background_is_filled_in_as_pytest_does(tmp_path: Path) -> None:
    background = "  Background:\n    Given commands may take up to <limit>\n\n  Scenario: a"
    text = FEATURE.replace("  Scenario: a", background)
    rows = "    Examples:\n      | limit |\n      | 5 s   |\n"
    plain = FEATURE[FEATURE.index("  Scenario") :].replace("Scenario: a", "Scenario: b")
    assert check(tmp_path, text + rows) == []
    assert check(tmp_path, text + rows + plain) == [("unknown-step", 7, 11)]
    assert check(tmp_path, text + rows.replace("5 s", "soon")) == [("unknown-step", 7, 11)]


def test_a_negative_step_is_known_by_its_definition_and_not_by_its_word(tmp_path: Path) -> None:
    conftest = "from goalkeeper import then\n\n@then('it never rains')\ndef dry(): ...\n"
    write(tmp_path, "conftest.py", conftest)
    text = FEATURE.replace('    But file "core" never exists', "    And it never rains")
    assert check(tmp_path, text) == [("no-negative", 6, 3)]
    assert check(tmp_path, text.replace("    And it", "    But it")) == [("not-negative", 9, 9)]


def test_what_can_not_be_read_is_left_to_pytest_and_said(tmp_path: Path) -> None:
    write(tmp_path, "conftest.py", "from goalkeeper import given\nfor n in 'ab': given(n)(print)\n")
    linter = Linter(tmp_path)
    path = write(tmp_path, "a.feature", FEATURE.replace("I run", "I fly"))
    assert linter.check(path).problems == ()
    assert linter.left_to_pytest == ["conftest.py:2"]


def test_what_can_not_be_read_hides_no_other_mistake(tmp_path: Path) -> None:
    write(tmp_path, "conftest.py", "raise SystemExit(\n")
    assert check(tmp_path, FEATURE.replace("Hook: none", "")) == [("no-hook", 2, 1)]
    assert check(tmp_path, FEATURE.replace('file "a" exists', "the output is")) == [
        ("missing-argument", 8, 10)
    ]


def test_nothing_is_left_where_every_step_is_known(tmp_path: Path) -> None:
    write(tmp_path, "conftest.py", "raise SystemExit(\n")
    linter = Linter(tmp_path)
    linter.check(write(tmp_path, "a.feature"))
    assert linter.left_to_pytest == []


def test_an_id_belongs_to_one_file(tmp_path: Path) -> None:
    linter = Linter(tmp_path)
    first, second = write(tmp_path, "a.feature"), write(tmp_path, "b/b.feature")
    assert [*linter.check(first).problems, *linter.check(first).problems] == []
    (problem,) = linter.check(second).problems
    assert (problem.rule, problem.message) == (
        "duplicate-id",
        "G1.1 is the id of a.feature too: give each goal its own",
    )


def test_a_goal_with_other_problems_claims_its_id_too(tmp_path: Path) -> None:
    linter = Linter(tmp_path)
    linter.check(write(tmp_path, "a.feature", FEATURE.replace("I run", "I fly")))
    assert [p.rule for p in linter.check(write(tmp_path, "b.feature")).problems] == ["duplicate-id"]


def test_goal_files_below_a_directory(tmp_path: Path) -> None:
    for name in ("b.feature", "a/z.goal.yaml", "a/y.goal.yml", "a.txt", "a.yaml", "dir.feature/in.feature"):
        write(tmp_path, name)
    for folder in (".hidden", "node_modules", "build", "dist", "venv"):
        write(tmp_path, f"{folder}/a.feature")
    found = [str(path.relative_to(tmp_path)) for path in goal_files([tmp_path])]
    assert found == ["a/y.goal.yml", "a/z.goal.yaml", "b.feature", "dir.feature/in.feature"]
    assert [*goal_files([tmp_path / "a.txt"])] == [tmp_path / "a.txt"]


def test_a_file_that_is_named_twice_is_checked_once(tmp_path: Path) -> None:
    path = write(tmp_path, "a.feature")
    assert [*goal_files([path, tmp_path, path])] == [path]


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    write(tmp_path, "a/a.feature")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    assert [*goal_files([tmp_path])] == [tmp_path / "a" / "a.feature"]


def test_a_directory_that_can_not_be_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a/a.feature")
    write(tmp_path, "b.feature")
    real = os.scandir

    def scandir(path: Path) -> Any:
        if path.name == "a":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    closed, other = goal_files([tmp_path])
    assert (closed, other) == (tmp_path / "a", tmp_path / "b.feature")
    (problem,) = Linter(tmp_path).check(closed).problems
    assert (problem.rule, problem.message) == (
        "unreadable",
        "this directory can't be entered: Permission denied",
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.symlink_to("nowhere"), "this file can't be read: No such file or directory"),
        (
            lambda path: path.symlink_to(path.parent),
            "this is a directory, though it has the name of a goal file",
        ),
        (os.mkfifo, "this file can't be read: it is no regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "this file can't be read: it is no regular file"),
        (lambda path: path.symlink_to(path), "this file can't be read: Too many levels of symbolic links"),
    ],
    ids=["dangling", "directory", "pipe", "device", "loop"],
)
def test_what_has_the_name_of_a_goal_file_and_is_none(tmp_path: Path, make: Any, message: str) -> None:
    make(tmp_path / "x.feature")
    (path,) = goal_files([tmp_path])
    (problem,) = Linter(tmp_path).check(path).problems
    assert (problem.rule, problem.message) == ("unreadable", message)


BAD = sorted(path.name for path in (EXAMPLES / "bad").iterdir() if path.is_dir())


def test_pytest_takes_the_good_examples(pytester: pytest.Pytester) -> None:
    shutil.copytree(EXAMPLES / "good", pytester.path / "good")
    marks = "markers =\n  slow\n  each\n  large\n  nightly\n"
    pytester.makeini(f"[pytest]\naddopts = --strict-markers -p no:cacheprovider\n{marks}")
    pytester.runpytest("good").assert_outcomes(passed=12)


@pytest.mark.parametrize("rule", BAD)
def test_pytest_refuses_the_bad_examples_for_the_same_reasons(pytester: pytest.Pytester, rule: str) -> None:
    """All but the rules that are lint's own; pytest misses a When where a negative step waits for one."""
    folder = pytester.path / "bad"
    shutil.copytree(EXAMPLES / "bad" / rule, folder)
    expected = (folder / "expected.txt").read_text(encoding="utf-8").splitlines()
    refused = {line for line in expected if line.rpartition(" ")[2] not in RUNNABLE}
    refused -= {line.replace("no-negative", "no-when") for line in refused if line.endswith("no-negative")}
    options = ("--collect-only", "-q", "-p", "no:cacheprovider", f"--rootdir={folder}")
    result = pytester.runpytest(*options, "bad")
    shown = {line for line in result.outlines if re.match(r"[\w./]+:\d+:\d+: \S+$", line)}
    told = {line for line in shown if line.rpartition(" ")[2] != "misread-line"}
    assert told == refused
