"""What README and docs show is what happens."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.files import GoalFileText, parse
from goalkeeper.runner.goal import Goal

ROOT = Path(__file__).parents[2]
WriteGoal = Callable[..., Path]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#]+)(?:#(?P<anchor>[^)]+))?\)")


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [match["text"] for match in _BLOCK.finditer(text) if match["language"] == language]


def goal_of(text: str, name: str) -> Goal:
    return parse(GoalFileText(Path(name), text)).unwrap()


def test_the_newcomers_goals_do_what_the_readme_says(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    [feature] = blocks("README.md", "gherkin")
    [yaml] = blocks("README.md", "yaml")
    _, passing, failing, _ = (block for block in blocks("README.md", "") if "make" not in block)
    goal(feature, "scenarios/greeting.feature")
    result = pytester.runpytest("scenarios/")
    result.assert_outcomes(passed=1)
    assert passing.splitlines()[1] in result.outlines
    goal(yaml, "scenarios/farewell.goal.yaml")
    result = pytester.runpytest("scenarios/")
    result.assert_outcomes(passed=1, failed=1)
    shown = [line for line in failing.splitlines()[1:] if line and not line.startswith("evidence:")]
    assert [line for line in result.outlines if line in shown] == shown
    assert any(line.startswith("evidence:") for line in result.outlines)


def test_the_newcomers_mistake_is_explained_as_the_readme_says(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    [feature] = blocks("README.md", "gherkin")
    mistake = blocks("README.md", "")[-1]
    goal(feature.replace("I run", "I runn"), "scenarios/greeting.feature")
    result = pytester.runpytest("scenarios/")
    result.assert_outcomes(errors=1)
    assert mistake.splitlines() == [line for line in result.outlines if line in mistake.splitlines()]


def test_the_two_spellings_in_the_docs_are_one_goal() -> None:
    feature, yaml = blocks("docs/goals.md", "gherkin")[0], blocks("docs/goals.md", "yaml")[0]
    assert goal_of(feature, "a.feature") == goal_of(yaml, "a.goal.yaml")


@pytest.mark.parametrize("number", [1, 2])
def test_the_parts_in_the_docs_are_the_same_in_both_spellings(number: int) -> None:
    feature, yaml = blocks("docs/goals.md", "gherkin")[number], blocks("docs/goals.md", "yaml")[number]
    if number == 1:
        feature = f"  Scenario: s\n{feature}"
        yaml = f"  - name: s\n    steps:\n{yaml}"
    in_gherkin = goal_of(f"@G1.1\nFeature: t\n{feature}", "a.feature")
    assert in_gherkin == goal_of(f"goal: G1.1\ntitle: t\nscenarios:\n{yaml}", "a.goal.yaml")


def test_the_steps_in_the_docs_work(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    positive, negative = blocks("docs/steps.md", "python")
    goal("", "scenarios/conftest.py").write_text(positive + negative)
    text = """
        Scenario: {0} are spent
          Given an account "Ada" with 5 coins
          When {0} coins are spent
          And -1 coins are spent
          Then {1} coins are left
          But the account is never overdrawn
    """
    goal(text.format(6, 0), "scenarios/a.feature")
    result = pytester.runpytest("scenarios")
    result.stdout.fnmatch_lines([">   But the account is never overdrawn", "E     Ada had -1 coins"])
    goal(text.format(2, 4), "scenarios/a.feature")
    pytester.runpytest("scenarios").assert_outcomes(passed=1)
    goal(text.format(2, 3), "scenarios/a.feature")
    result = pytester.runpytest("scenarios")
    result.stdout.fnmatch_lines(["E     the purse is wrong", "E       expected: 3", "E       actual:   4"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.finditer(page.read_text(encoding="utf-8")):
        target = page.parent / link["path"]
        assert target.exists(), f"{page.name} links to {link['path']}, which is not there"
        if link["anchor"]:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]
            assert link["anchor"] in anchors, f"{target.name} has no heading {link['anchor']}"
