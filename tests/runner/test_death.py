"""A harness that is killed in the middle of a scenario leaves a readable record, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from goalkeeper.runner.wait import until
from goalkeeper.runner.watcher import cleaner

if TYPE_CHECKING:
    from tests.runner.conftest import Project, Tree

DEADLINE = 60.0
Event = dict[str, Any]
Plant = Callable[[str], "Tree"]

BEFORE = """
    Scenario: before
      When I run "true"
      Then the exit code is 0
"""


def strike(number: int, with_signal: signal.Signals) -> None:
    """By handle, so that no stranger can be hit."""
    handle = os.pidfd_open(number)
    try:
        signal.pidfd_send_signal(handle, with_signal)
    finally:
        os.close(handle)


def is_reaped(number: int) -> bool | None:
    return None if Path(f"/proc/{number}").exists() else True


# Of a scenario with three steps, the last of them a negative one with two violations.
WELL = ["scenario", "step", "step", "step", "proof", "proof", "end"]


def kinds(events: list[Event], name: str = "") -> list[str]:
    """What was said of a scenario, or of the run; what its programs did is left out."""
    said = (e["event"] for e in events if e.get("scenario", "").rpartition("::")[2] == name)
    return [event for event in said if event != "observation"]


@pytest.mark.parametrize("with_signal", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_pytest(project: Project, tree: Plant, with_signal: signal.Signals) -> None:
    grown = tree("a")
    project.goal(f'{BEFORE}\n    Scenario: cut off\n      Given I run "true"\n      {grown.step()}\n')
    running = project.start("scenarios")
    grown.wait()
    [sandbox] = project.sandboxes()
    strike(running.pid, with_signal)
    assert until(grown.is_felled, DEADLINE)
    assert until(project.is_clean, DEADLINE), [*sandbox.rglob("*")]
    assert running.wait(DEADLINE) == {signal.SIGINT: 2}.get(with_signal, -with_signal)
    events = project.record()
    assert kinds(events, "before") == WELL
    assert kinds(events, "cut off")[:2] == ["scenario", "step"]
    assert "end" not in kinds(events, "cut off")
    ended = ["finish"] if with_signal == signal.SIGINT else []
    assert kinds(events) == ["run", "goal", *ended]


def test_a_second_interrupt_while_the_first_is_being_dealt_with(project: Project, tree: Plant) -> None:
    grown = tree("a")
    project.goal(f"Scenario: cut off\n  {grown.step()}\n")
    running = project.start("scenarios")
    grown.wait()
    for _ in range(3):
        strike(running.pid, signal.SIGINT)
    assert until(grown.is_felled, DEADLINE)
    assert until(project.is_clean, DEADLINE)
    assert running.wait(DEADLINE) != 0


def test_mounts_of_a_killed_run(project: Project, tree: Plant) -> None:
    """What is mounted lies in the sandbox; what is in the user's directory, mounted there, stays."""
    grown = tree("a")
    kept = project.home / "file"
    kept.write_text("kept")
    mounts = f"mkdir $HOME/a $HOME/b; mount -t tmpfs none $HOME/a && mount --bind {project.home} $HOME/b"
    project.goal(f"Scenario: cut off\n  {grown.step(f'{mounts} || echo refused > refused')}\n")
    running = project.start("scenarios")
    grown.wait()
    [sandbox] = project.sandboxes()
    if [*project.path.parent.glob("*/refused")]:
        pytest.skip("nothing can be mounted here: run as root, in a container with --cap-add SYS_ADMIN")
    assert len(cleaner.mounts(str(sandbox))) == 2
    strike(running.pid, signal.SIGKILL)
    assert until(grown.is_felled, DEADLINE)
    assert until(project.is_clean, DEADLINE)
    assert cleaner.mounts(str(sandbox)) == []
    assert kept.read_text() == "kept"


def two_scenarios(project: Project, tree: Plant) -> list[Tree]:
    """One for each of two workers."""
    grown = [tree("a"), tree("b")]
    for each, (name, goal_id) in zip(grown, (("a.feature", "G1.1"), ("b.feature", "G1.2")), strict=True):
        project.goal(f"Scenario: cut off\n  {each.step()}\n", name, goal_id)
    return grown


@pytest.mark.parametrize("with_signal", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_controller_of_xdist(project: Project, tree: Plant, with_signal: signal.Signals) -> None:
    """Its workers notice that they are alone."""
    grown = two_scenarios(project, tree)
    running = project.start("scenarios", "-n", "2")
    for each in grown:
        each.wait()
    workers = [each.harness for each in grown]
    assert len({running.pid, *workers}) == 3
    assert len(project.sandboxes()) == 2
    strike(running.pid, with_signal)
    for each in grown:
        assert until(each.is_felled, DEADLINE)
    assert until(project.is_clean, DEADLINE)
    assert running.wait(DEADLINE) != 0
    for worker in workers:
        assert until(partial(is_reaped, worker), DEADLINE)
    assert "end" not in [event["event"] for event in project.record()]


def test_a_killed_worker_of_xdist(project: Project, tree: Plant) -> None:
    """The others go on; of its scenario it is said that nobody knows."""
    grown = tree("a")
    project.goal(f"Scenario: cut off\n  {grown.step()}\n")
    project.goal(BEFORE, "b.feature", "G1.2")
    running = project.start("scenarios", "-n", "2")
    grown.wait()
    assert grown.harness != running.pid
    strike(grown.harness, signal.SIGKILL)
    printed, _ = running.communicate(timeout=DEADLINE)
    assert running.returncode == 1, printed
    assert until(grown.is_felled, DEADLINE)
    assert until(project.is_clean, DEADLINE)
    events = project.record()
    assert kinds(events, "before") == WELL
    cut = [event for event in events if event.get("scenario") == "scenarios/a.feature::cut off"]
    assert [event["event"] for event in cut] == ["scenario", "end"]
    assert {name: cut[1][name] for name in ("by", "outcome", "reason")} == {
        "by": "main",
        "outcome": "unknown",
        "reason": "the worker that ran it has died",
    }
    assert "seconds" not in cut[1]
    assert (events[-1]["event"], events[-1]["status"]) == ("finish", 1)


def test_a_worker_that_dies_in_an_ordinary_test_is_no_matter_of_the_record(project: Project) -> None:
    project.goal(BEFORE)
    (project.path / "test_dies.py").write_text("import os\ndef test_dies(): os.kill(os.getpid(), 9)\n")
    status, printed = project.run(".", "-n", "1")
    assert status == 1, printed
    assert [e["outcome"] for e in project.record() if e["event"] == "end"] == ["ok"]


def test_a_program_that_kills_its_harness(project: Project) -> None:
    """The step is not on record, since nobody knows how it went."""
    project.goal('Scenario: cut off\n  Given I run "true"\n  When I run "sh -c \'kill -9 $PPID\'"\n')
    running = project.start("scenarios")
    assert running.wait(DEADLINE) == -signal.SIGKILL
    assert until(project.is_clean, DEADLINE)
    assert kinds(project.record(), "cut off") == ["scenario", "step"]


def test_a_stranger_who_works_in_a_sandbox_is_not_killed_with_it(project: Project, tree: Plant) -> None:
    grown = tree("a")
    project.goal(f"Scenario: cut off\n  {grown.step()}\n")
    running = project.start("scenarios")
    grown.wait()
    [sandbox] = project.sandboxes()
    with subprocess.Popen(["sleep", "600"], cwd=sandbox / "work") as stranger:
        strike(running.pid, signal.SIGKILL)
        assert until(project.is_clean, DEADLINE)
        assert stranger.poll() is None
        stranger.kill()
