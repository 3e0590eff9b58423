"""Step libraries are loaded when something may need them, and only then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.library import libraries
from goalkeeper.runner.loading import FIXTURES

WriteGoal = Callable[..., Path]

CONFTEST = """
import sys

from pytest_bdd import given, then, when

{more}

RAN = []

@when("it runs")
def runs(): RAN.append(True)

@then("it is well")
def well(): assert RAN

def pytest_sessionfinish():
    found = [name for name in sys.modules if name.startswith("goalkeeper.steps.")]
    print("loaded" if found else "not loaded")
"""
OWN = "Scenario: own\n  When it runs\n  Then it is well\n"


def run(pytester: pytest.Pytester, more: str = "", *arguments: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST.format(more=more))
    return pytester.runpytest_subprocess("-s", *(arguments or ("scenarios",)))


def loaded(result: pytest.RunResult) -> bool:
    result.assert_outcomes(passed=1)
    [said] = [line.rpartition("not ")[1] for line in result.outlines if line.endswith("loaded")]
    return not said


def test_the_fixtures_that_a_conftest_may_name_are_those_of_our_libraries() -> None:
    modules = [library.load() for library in libraries() if library.is_own]
    found = {
        name
        for module in modules
        for name, value in vars(module).items()
        if name.isidentifier() and type(value).__name__ == "FixtureFunctionDefinition"
    }
    assert sorted(found) == [*FIXTURES]


def test_goals_that_their_conftest_satisfies_need_no_library(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    goal(OWN)
    assert not loaded(run(pytester))


def test_a_step_of_a_library(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal('Scenario: ours\n  When I run "true"\n  And it runs\n  Then it is well\n')
    assert loaded(run(pytester))


@pytest.mark.parametrize(
    "more",
    [
        "import pytest\n@pytest.fixture(autouse=True)\ndef server(commands): assert commands.results == []",
        "import pytest\n@pytest.fixture\ndef server(commands): ...\n@given('it is')\ndef there(server): ...",
    ],
)
def test_a_conftest_that_asks_for_a_fixture_of_a_library(
    pytester: pytest.Pytester, goal: WriteGoal, more: str
) -> None:
    goal(OWN)
    assert loaded(run(pytester, more))


def test_a_step_that_asks_for_one_by_another_way(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    """The plugin is not read: what it asks for is found out when it is asked for."""
    pytester.makepyfile(
        far="import pytest\n@pytest.fixture\ndef server(commands): assert commands.results == []"
    )
    goal("Scenario: own\n  Given it is there\n  When it runs\n  Then it is well\n")
    more = "pytest_plugins = ['far']\n@given('it is there')\ndef there(server): ..."
    pytester.syspathinsert()
    assert loaded(run(pytester, more))


def test_a_python_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it="def test_it(commands): assert commands.results == []")
    assert loaded(run(pytester, "", "test_it.py"))


def test_the_list_of_fixtures_has_them(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("--fixtures")
    assert any(line.startswith("commands -- ") for line in result.outlines)
