"""Signs of life while steps run, and nothing left of them afterwards."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from goalkeeper.runner.live import Heart, Live

WriteGoal = Callable[..., Path]
DEADLINE = 30.0


@contextmanager
def piped() -> Iterator[int]:
    """A pipe in the place of stdout; its reading end. Not a fixture: pytest sets stdout before each call."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stdout, redirect_stdout(stdout):
        yield reading
    os.close(reading)


def read(terminal: int) -> str:
    """What comes next, or an empty text when nothing comes for a long time."""
    ready, _, _ = select.select([terminal], [], [], DEADLINE)
    return os.read(terminal, 4096).decode() if ready else ""


def hearts() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "goalkeeper-heart"]


def descriptors() -> set[str]:
    return {entry.name for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()}


def test_a_long_step_is_named_again_and_again() -> None:
    with piped() as terminal, closing(Heart(0.01)) as heart:
        heart.begin("When it lasts")
        first, second = read(terminal), read(terminal)
    for told in (first, second):
        assert told.startswith("\n  … still running after ")
        assert told.endswith(" s: When it lasts\n")


def test_the_next_step_is_named_by_its_own_words() -> None:
    with piped() as terminal, closing(Heart(0.01)) as heart:
        heart.begin("When it lasts")
        assert "When it lasts" in read(terminal)
        heart.end()
        heart.begin("Then it goes on")
        told = read(terminal)
        while "Then it goes on" not in told and "When it lasts" in told:  # said just before the step ended
            told = read(terminal)
    assert "Then it goes on" in told


def test_closing_leaves_neither_thread_nor_descriptor() -> None:
    with piped() as terminal:
        before = descriptors()
        with closing(Heart(0.01)) as heart:
            assert len(descriptors()) == len(before) + 1
            heart.begin("When it lasts")
            assert read(terminal)
            assert len(hearts()) == 1
        heart.close()
        assert hearts() == []
        assert descriptors() == before


def test_no_thread_before_a_step_and_none_without_an_interval() -> None:
    with piped(), closing(Heart(10)) as heart, closing(Heart(0)) as silent:
        silent.begin("When it lasts")
        assert hearts() == []
        heart.begin("When it lasts")
        assert len(hearts()) == 1


def test_a_reader_that_is_gone_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = threading.Semaphore(0)

    def gone(*_: object) -> int:
        tried.release()
        raise BrokenPipeError

    with piped(), closing(Heart(0.01)) as heart:
        monkeypatch.setattr(os, "write", gone)
        heart.begin("When it lasts")
        assert tried.acquire(timeout=DEADLINE)
        assert tried.acquire(timeout=DEADLINE), "the thread ended at the first error"


def test_without_a_terminal_there_is_no_heart() -> None:
    with redirect_stdout(StringIO()), closing(Heart(0.01)) as heart:
        heart.begin("When it lasts")
        assert hearts() == []


@pytest.mark.parametrize("options", [["-q"], ["--gherkin-terminal-reporter"]])
def test_nobody_is_told_where_nobody_would_see_it(pytester: pytest.Pytester, options: list[str]) -> None:
    config = pytester.parseconfigure(*options)
    assert Live.for_config(config) is None


def test_a_worker_tells_nothing_and_a_plain_run_does(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure("-p", "no:xdist")
    live = Live.for_config(config)
    assert live is not None
    live.close()
    config.workerinput = {}  # type: ignore[attr-defined]
    assert Live.for_config(config) is None


WAITING = """
    from goalkeeper import then, when

    WAITED = []

    @when("it waits")
    def wait():
        with open("gate") as gate:
            WAITED.append(gate.read())

    @then("it is done")
    def done(): assert WAITED
"""


def test_a_heartbeat_reaches_the_terminal_past_the_capturing(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    """The step waits until its sign of life was seen; only then is its gate opened."""
    pytester.makeconftest(WAITING)
    goal("Scenario: x\n  When it waits\n  Then it is done\n")
    gate = pytester.path / "gate"
    os.mkfifo(gate)
    command = [sys.executable, "-m", "pytest", "scenarios", "-o", "goal_heartbeat=0.01"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        killer = threading.Timer(DEADLINE, process.kill)
        killer.start()
        assert process.stdout is not None
        seen = next((line for line in process.stdout if "still running" in line), None)
        if seen is not None:
            gate.write_text("")
        rest = process.stdout.read()
        killer.cancel()
    assert seen is not None
    assert seen.endswith(" s: When it waits\n")
    assert "1 passed" in rest


def test_a_run_leaves_neither_thread_nor_descriptor(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal('Scenario: x\n  When I run "true"\n  Then the exit code is 0\n')
    pytester.runpytest_inprocess("scenarios")
    before = descriptors()
    pytester.runpytest_inprocess("scenarios", "-v").assert_outcomes(passed=1)
    assert hearts() == []
    assert descriptors() == before


SKIPPING = """
    import pytest
    from pytest_bdd import given, then, when

    @given("no engine")
    def engine(): pytest.skip("none here")

    @given("a known defect")
    def known(): pytest.xfail("being mended")

    @given("a start")
    def start(): pass

    @when("it acts")
    def act(): pass

    @then("it fails")
    def fails(): assert False
"""


@pytest.mark.parametrize("options", [[], ["-s"], ["-p", "no:capture"]])
def test_verbose_marks_each_step_by_what_became_of_it(
    pytester: pytest.Pytester, goal: WriteGoal, options: list[str]
) -> None:
    pytester.makeconftest(SKIPPING)
    goal(
        """
        Scenario: skipped
          Given no engine
          When it acts
          Then it fails
        Scenario: xfailed
          Given a known defect
          When it acts
        Scenario: failed
          Given a start
          When it acts
          Then it fails
        """
    )
    result = pytester.runpytest_subprocess("scenarios", "-v", *options)
    result.assert_outcomes(skipped=1, xfailed=1, failed=1)
    result.stdout.re_match_lines(
        [
            r"  - Given no engine +\d+\.\d\d s",
            r"  - Given a known defect +\d+\.\d\d s",
            r"    Given a start +\d+\.\d\d s",
            r"  x Then it fails +\d+\.\d\d s",
        ]
    )
    assert "\n  - Then" not in result.stdout.str()


def test_quiet_and_plain_runs_show_no_steps(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal('Scenario: x\n  When I run "true"\n  Then the exit code is 0\n')
    for options in (["-q"], []):
        result = pytester.runpytest_subprocess("scenarios", *options)
        assert result.ret == pytest.ExitCode.OK
        assert "When I run" not in result.stdout.str()
