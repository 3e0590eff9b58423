"""Python's garbage collector is held off goals, and is back as it was afterwards."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from goalkeeper.runner import garbage

WriteGoal = Callable[..., Path]


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Whatever a test does to it, the collector runs on for the others."""
    yield
    gc.enable()
    gc.unfreeze()


def test_paused_gives_the_collector_back_running() -> None:
    with garbage.paused():
        assert not gc.isenabled()
        with garbage.paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_paused_gives_it_back_after_an_error() -> None:
    with pytest.raises(ValueError, match="wrong"), garbage.paused():
        raise ValueError("wrong")
    assert gc.isenabled()


def test_paused_leaves_it_off_for_whoever_turned_it_off() -> None:
    gc.disable()
    with garbage.paused():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_what_is_frozen_is_thawed() -> None:
    garbage.freeze()
    assert gc.get_freeze_count() > 0
    garbage.thaw()
    assert gc.get_freeze_count() == 0


TOLD = """
    import gc

    AT_FIRST = gc.get_freeze_count()

    def pytest_runtest_call(item):
        print("TRACE", item.name, gc.isenabled(), gc.get_freeze_count() > AT_FIRST)
"""
# A process of its own, because pytest's plugins freeze and thaw the collector of the whole process.
RUN = """
import gc, sys, pytest
at_first = gc.get_freeze_count()
pytest.main(["-s", "-p", "no:cacheprovider", *sys.argv[1:]])
print("TRACE after", gc.isenabled(), gc.get_freeze_count() > at_first, gc.get_freeze_count() == at_first)
"""
# Some releases of Python freeze a part of themselves, which thawing thaws with the rest.
AT_FIRST = gc.get_freeze_count()


def told(pytester: pytest.Pytester, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", RUN, *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=pytester.path)
    return [line.partition("TRACE ")[2] for line in ran.stdout.splitlines() if "TRACE " in line]


def test_goals_are_frozen_while_scenarios_run(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pytester.makeconftest(TOLD)
    goal('Scenario: x\n  When I run "true"\n')
    assert told(pytester, "scenarios") == ["x True True", f"after True False {not AT_FIRST}"]


def test_a_run_without_goals_is_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(TOLD)
    pytester.makepyfile("def test_it(): pass")
    assert told(pytester) == ["test_it True False", "after True False True"]


def test_a_broken_goal_file_leaves_the_collector_running(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal("Scenario: x\n  When nobody knows\n")
    assert told(pytester, "scenarios") == ["after True False True"]
