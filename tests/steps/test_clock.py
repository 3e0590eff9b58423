"""The step of steps/clock: what programs see, which moments it takes, and what if there is no libfaketime."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.runner.sandbox import clock as faketime
from goalkeeper.steps import cli, clock
from goalkeeper.steps.cli.command import Commands

WriteGoal = Callable[..., Path]
MISSING = (
    "there is no libfaketime: install libfaketime: pip install libfaketime, or apt-get install libfaketime"
)


@pytest.fixture
def installed() -> None:
    try:
        faketime.variables("2000-01-01 00:00:00")
    except faketime.ClockError as error:
        pytest.skip(str(error))


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(faketime, "_library", lambda: None)
    yield


def printed(commands: Commands, command: str) -> str:
    cli.run(commands, command)
    return commands.last.stdout.strip()


@pytest.mark.usefixtures("installed")
def test_programs_of_any_kind_see_the_moment(sandbox: Sandbox, commands: Commands) -> None:
    clock.clock_stands(sandbox, "2001-02-03T04:05:06Z")
    assert printed(commands, "date +%FT%T%z") == "2001-02-03T04:05:06+0000"
    assert printed(commands, "sh -c 'echo $(date +%s)'") == "981173106"
    python = f"{sys.executable} -c 'import time; print(int(time.time()))'"
    assert printed(commands, python) == "981173106"


@pytest.mark.usefixtures("installed")
def test_waiting_goes_on(sandbox: Sandbox, commands: Commands) -> None:
    clock.clock_stands(sandbox, "2001-02-03")
    moves = "import time; a = time.monotonic(); time.sleep(0.01); print(time.monotonic() > a)"
    assert printed(commands, f'{sys.executable} -c "{moves}"') == "True"
    cli.set_limit(commands, 0.05)
    with pytest.raises(StepFailed, match="did not end within"):
        cli.run(commands, "sleep 600")


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31 12:00:00"),
        ("2026-01-31T12:00:00+05:30", "2026-01-31 06:30:00"),
        ("2026-01-31T23:00:00-02:00", "2026-02-01 01:00:00"),
        ("2026-01-31 12:00:00", "2026-01-31 12:00:00"),
        ("2026-01-31T12:00", "2026-01-31 12:00:00"),
        ("2026-01-31", "2026-01-31 00:00:00"),
        ("2026-01-31T12:00:00.75Z", "2026-01-31 12:00:00"),
    ],
)
def test_a_moment_is_told_in_utc(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, moment: str, expected: str
) -> None:
    monkeypatch.setattr(faketime, "_library", lambda: Path("/lib/fake.so"))
    clock.clock_stands(sandbox, moment)
    assert sandbox.variables["FAKETIME"] == expected
    assert sandbox.variables["LD_PRELOAD"] == "/lib/fake.so"


@pytest.mark.parametrize(
    "moment",
    ["", "noon", "12:00", "2026-02-30", "31.1.2026", "2026-01-31T25:00:00Z", "0001-01-01T00:00:00+01:00"],
)
def test_a_moment_that_is_none(sandbox: Sandbox, moment: str) -> None:
    with pytest.raises(StepFailed) as caught:
        clock.clock_stands(sandbox, moment)
    assert str(caught.value) == f'"{moment}" is no date and time: write it as 2026-01-31T12:00:00Z'
    assert sandbox.variables == {}


@pytest.mark.usefixtures("missing")
def test_without_the_library_a_scenario_is_skipped_with_the_remedy(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    goal("""
        Scenario: x
          Given the clock stands at "2026-01-31"
          When I run "date"
          Then the command never prints "2027"
        Scenario: y
          When I run "date"
          Then the command never prints "no such clock"
    """)
    result = pytester.runpytest_inprocess("scenarios", "-rs")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines([f"SKIPPED [[]1] scenarios/a.feature:3: {MISSING}"])


def test_a_library_that_does_not_move_the_clock_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "libfaketime.so.1").write_bytes(b"no library")
    monkeypatch.setattr(
        faketime, "_candidates", lambda: [tmp_path / "libfaketime.so.1", tmp_path / "gone.so"]
    )
    monkeypatch.setattr(faketime, "_library", faketime._library.__wrapped__)
    with pytest.raises(faketime.ClockError) as caught:
        faketime.variables("2000-01-01 00:00:00")
    assert str(caught.value) == MISSING
