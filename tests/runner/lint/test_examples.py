"""Good and bad goal files in tests/examples, and that they cover every rule. A new case is a new file."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.lint import Linter, goal_files
from goalkeeper.runner.lint.explain import explanation, rule_ids

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "tests" / "examples"
GOOD = sorted(goal_files([EXAMPLES / "good"]))
BAD = sorted(path for path in (EXAMPLES / "bad").iterdir() if path.is_dir())
SOURCES = [path for folder in ("cli", "runner") for path in sorted((ROOT / folder).rglob("*.py"))]

# Rules that no file under version control can break, and where they are tested instead.
ELSEWHERE = {
    "unreadable": "git keeps no permissions: tests/cli/test_lint.py",
    "profile": "no goal file is wrong: tests/runner/systems/test_reading.py",
    "unknown-mark": "pytest reports it: tests/runner/test_collect.py",
    "not-expressible": "convert and fmt report it: tests/runner/writing",
}


def found_in(folder: Path) -> list[str]:
    linter = Linter(folder)
    return [
        f"{report.shown}:{problem.place.line}:{problem.place.column}: {problem.rule}"
        for report in map(linter.check, goal_files([folder]))
        for problem in report.problems
    ]


def rules_of_the_sources() -> Iterator[str]:
    """The first argument of every call of Problem and _problem, where it is written out."""
    for path in SOURCES:
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for call in (node for node in nodes if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Name) and call.func.id in ("Problem", "_problem"):
                yield from (str(a.value) for a in call.args[:1] if isinstance(a, ast.Constant))


def test_there_are_good_examples_in_both_spellings() -> None:
    names = [path.name for path in GOOD]
    assert len([name for name in names if name.endswith(".feature")]) >= 3
    assert len([name for name in names if name.endswith((".goal.yaml", ".goal.yml"))]) >= 2


def test_a_good_example_has_no_problem() -> None:
    linter = Linter(EXAMPLES / "good")
    assert [text for report in map(linter.check, GOOD) for text in report.render()] == []
    assert linter.left_to_pytest == []


@pytest.mark.parametrize("folder", BAD, ids=lambda path: path.name)
def test_a_bad_example_has_exactly_the_problems_it_should(folder: Path) -> None:
    expected = (folder / "expected.txt").read_text(encoding="utf-8").splitlines()
    assert found_in(folder) == expected
    assert any(line.endswith(f" {folder.name}") for line in expected)


@pytest.mark.parametrize("folder", BAD, ids=lambda path: path.name)
def test_a_bad_example_is_shown_with_its_line_and_a_marker(folder: Path) -> None:
    linter = Linter(folder)
    for report in map(linter.check, goal_files([folder])):
        for problem, text in zip(report.problems, report.render(), strict=True):
            first, *rest = text.splitlines()
            assert first == f"{report.shown}:{problem.place.line}:{problem.place.column}: {problem.rule}"
            if report.lines and report.lines[problem.place.line - 1].strip():
                line, marker = rest[:2]
                assert marker.strip(" \t").strip("^") == ""
                assert line[len(marker) - 1 :][:1].strip(), "the marker ends under text"


def test_every_rule_has_an_example_or_a_reason() -> None:
    assert {path.name for path in BAD} | ELSEWHERE.keys() == {*rule_ids()}
    assert not {path.name for path in BAD} & ELSEWHERE.keys()


def test_every_rule_of_the_sources_is_explained_and_the_other_way_round() -> None:
    assert {*rules_of_the_sources()} == {*rule_ids()}


@pytest.mark.parametrize("rule", rule_ids())
def test_an_explanation_says_the_rule_the_reason_and_shows_wrong_and_right(rule: str) -> None:
    text = explanation(rule)
    assert text is not None
    name, _, sentence, _, reason, *_ = text.splitlines()
    assert name == rule
    assert sentence.endswith((".", ":"))
    assert len(reason) > 20
    assert "Wrong" in text
    assert "Right" in text
    assert re.search(r"^```\w*\n.+?^```$", text, re.MULTILINE | re.DOTALL)
    assert not re.search(r"^# [A-Z]\w+$", text, re.MULTILINE), "a heading of the next group"


def test_pytest_does_not_take_the_examples_for_goals_of_ours() -> None:
    """With everything else ignored, nothing is left to collect."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests"]
    ignore = f"--ignore-glob={ROOT}/tests/[!e]*"
    done = subprocess.run([*command, ignore], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, done.stdout
