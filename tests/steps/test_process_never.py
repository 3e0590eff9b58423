"""What the negative steps of steps/process see of all processes, and what violations leave behind."""

from __future__ import annotations

import os
import shlex
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner import wait
from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.never import Negative, Watch
from goalkeeper.runner.programs.proc import Process
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.runner.wait import until
from goalkeeper.steps import cli, process
from goalkeeper.steps.cli.command import Commands
from goalkeeper.steps.process import crowd, never, violations
from goalkeeper.steps.process.crowd import Census, Inhabitant
from goalkeeper.steps.process.manager import Processes

DEADLINE = 30.0


def sh(script: str) -> str:
    return shlex.join(["sh", "-c", script])


@pytest.fixture
def world(census: Census, processes: Processes, commands: Commands) -> dict[str, Any]:
    return {"census": census, "processes": processes, "commands": commands}


def messages(negative: Negative, watch: Watch[Any]) -> list[str]:
    watch.look()
    return [breach.message for breach in negative.judge(watch.journal())]


def named(census: Census, name: str) -> list[Inhabitant]:
    return [one for one in census.glance() if one.name == name]


@pytest.mark.parametrize(
    "script",
    ["sleep 600 &", "(sleep 600 &)", "setsid sleep 600 &", "sh -c 'setsid sleep 600 >/dev/null 2>&1 &'"],
)
def test_what_a_command_leaves_running(world: dict[str, Any], script: str) -> None:
    watch = never.left_running.arm(world)
    cli.run(world["commands"], "true")
    assert messages(never.left_running, watch) == []
    cli.run(world["commands"], sh(script))
    assert until(lambda: named(world["census"], "sleep") or None, DEADLINE)
    [message] = messages(never.left_running, watch)
    assert message.endswith(": sleep 600 is left running")
    assert watch.journal().inspected == {"program": 2}


def test_who_may_be_left_running(world: dict[str, Any]) -> None:
    processes = world["processes"]
    all_of_them = never.left_running.arm(world)
    others = never.left_running_but.arm({**world, "names": "server, worker"})
    process.start(processes, "server", sh("setsid sleep 601 & echo up; wait"))
    process.prints(processes, "server", "up", DEADLINE)
    process.start(processes, "worker", "sleep 602")
    assert until(lambda: len(named(world["census"], "sleep")) == 2 or None, DEADLINE)
    assert len(messages(never.left_running, all_of_them)) == 3
    assert messages(never.left_running_but, others) == []
    process.stop(processes, "server", DEADLINE)
    [message] = messages(never.left_running_but, others)
    assert message.endswith(": sleep 601 is left running"), "its parent has ended, and it goes on"


def test_nothing_was_ever_started(world: dict[str, Any]) -> None:
    watch = never.left_running.arm(world)
    watch.look()
    assert watch.journal().is_empty


def test_more_processes_than_may_be(world: dict[str, Any], sandbox: Sandbox) -> None:
    os.mkfifo(sandbox.work / "gate")
    watch = never.too_many_run.arm({**world, "most": 3})
    like = never.too_many_like_run.arm({**world, "most": 1, "pattern": "sleep 60?"})
    script = "sleep 600 & a=$!; sleep 601 & b=$!; sleep 61 & read x <gate; kill $a $b $!; wait; true"
    process.start(world["processes"], "p", sh(script))
    assert until(lambda: len(named(world["census"], "sleep")) == 3 or None, DEADLINE)
    (sandbox.work / "gate").write_text("\n")
    process.exits(world["processes"], "p", DEADLINE)
    assert messages(never.too_many_run, watch) == ["4 processes ran at once, more than 3"]
    assert messages(never.too_many_like_run, like) == ["2 processes ran at once, more than 1"]
    assert watch.journal().inspected == {"process": 4}
    [breach] = never.not_too_many(like.journal())
    assert sorted(line.partition(": ")[2] for line in breach.evidence.splitlines()) == [
        "sleep 600",
        "sleep 601",
    ]


def test_what_a_given_left_running_counts(world: dict[str, Any]) -> None:
    process.start(world["processes"], "p", "sleep 600")
    watch = never.too_many_run.arm({**world, "most": 1})
    such = never.such_process_runs.arm({**world, "pattern": "sleep"})
    assert messages(never.too_many_run, watch) == []
    assert len(messages(never.such_process_runs, such)) == 1
    process.start(world["processes"], "q", "sleep 601")
    assert len(messages(never.too_many_run, watch)) == 1


@pytest.mark.parametrize(
    ("pattern", "is_like"),
    [
        ("true", True),
        ("tru?", True),
        ("true --forc*", True),
        ("*--force*", True),
        ("*/true --force", True),
        ("force", False),
        ("rue", False),
        ("*", True),
    ],
)
def test_a_program_of_the_scenario_is_seen_however_short_it_lives(
    world: dict[str, Any], pattern: str, is_like: bool
) -> None:
    watch = never.such_process_runs.arm({**world, "pattern": pattern})
    cli.run(world["commands"], "/bin/true --force")
    assert (len(messages(never.such_process_runs, watch)) == 1) is is_like
    assert watch.journal().inspected == {"process": 1}


def test_a_process_that_becomes_another_program(world: dict[str, Any], sandbox: Sandbox) -> None:
    os.mkfifo(sandbox.work / "gate")
    watch = never.such_process_runs.arm({**world, "pattern": "sleep 60[0-9]"})
    process.start(world["processes"], "p", sh("read x <gate; exec sleep 600"))
    assert messages(never.such_process_runs, watch) == []
    (sandbox.work / "gate").write_text("\n")
    assert until(lambda: named(world["census"], "sleep") or None, DEADLINE)
    assert len(messages(never.such_process_runs, watch)) == 1


def test_a_script_goes_by_its_own_name() -> None:
    inhabitant = Inhabitant(Process(1, 1), "deploy", "/bin/sh ./deploy now")
    assert [inhabitant.is_like(one) for one in ("deploy", "sh", "sh ./deploy *", "/bin/sh*", "now")] == [
        True,
        True,
        True,
        True,
        False,
    ]


def test_a_child_does_not_go_by_its_parents_name_at_first(
    census: Census, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crowd, "_FORKING", 600.0)
    cli.run_in_background(commands, sh("(sleep 600; true); true"))
    assert until(lambda: named(census, "sleep") or None, DEADLINE)
    alive = census.glance()
    assert [one.is_like("sh") for one in alive] == [True, False, False]
    assert [bool(one.line) for one in alive] == [True, False, True]
    monkeypatch.setattr(crowd, "_FORKING", 0.0)
    assert [one.is_like("sh") for one in census.glance()] == [True, True, False]


def test_the_shell_at_a_gate_is_none_of_the_scenarios(world: dict[str, Any]) -> None:
    watch = never.such_process_runs.arm({**world, "pattern": "sh"})
    cli.run_copies(world["commands"], "sleep 0.01", 4)
    assert messages(never.such_process_runs, watch) == []


def test_a_thread_is_no_process(census: Census, commands: Commands) -> None:
    script = "import threading, signal; [threading.Thread(target=signal.pause).start() for _ in 'ab']"
    wait_for_threads = "; print('up', flush=True); signal.pause()"
    cli.run_in_background(commands, shlex.join(["python3", "-c", script + wait_for_threads]))
    census.glance()
    cli.background_prints(commands, "up", DEADLINE)
    assert len(census.glance()) == 1


@pytest.mark.parametrize("lie", ["no number is told", "numbers begin anew", "many numbers"])
def test_numbers_that_tell_nothing(
    census: Census, commands: Commands, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    census.glance()
    if lie == "no number is told":
        census._is_reliable = False
        monkeypatch.setattr(crowd, "_NEWEST", "/nowhere")
    else:
        census._newest += 10**6 if lie == "numbers begin anew" else -(10**6)
    cli.run_in_background(commands, "sleep 600")
    assert until(lambda: named(census, "sleep") or None, DEADLINE)


def test_a_number_that_is_given_out_before_its_process_is_there(
    census: Census, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crowd, "_APPEARING", 600.0)
    census.glance()
    with monkeypatch.context() as before:
        before.setattr(crowd, "_told", lambda _: None)
        before.setattr(crowd, "_is_there", lambda _: False)
        cli.run_in_background(commands, "sleep 600")
        assert census.glance() == ()
    assert until(lambda: named(census, "sleep") or None, DEADLINE)


def test_whether_numbers_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert crowd._is_reliable()
    (tmp_path / "newest").write_text("7\n")
    for told in ("/nowhere", str(tmp_path / "newest")):
        monkeypatch.setattr(crowd, "_NEWEST", told)
        assert not crowd._is_reliable()


def test_a_census_that_can_not_go_on(census: Census, monkeypatch: pytest.MonkeyPatch) -> None:
    census.follow()

    def fail() -> None:
        raise OSError("too many open files")

    monkeypatch.setattr(census, "_glance", fail)
    assert until(lambda: census._error, DEADLINE)
    with pytest.raises(OSError, match="too many open files"):
        census.glance()


def test_a_census_stops_when_it_is_closed(census: Census) -> None:
    def threads() -> int:
        return sum(one.name == "goalkeeper-census" for one in threading.enumerate())

    census.follow()
    census.follow()
    assert threads() == 1
    census.close()
    assert threads() == 0


def test_a_violation_leaves_nothing_behind(
    world: dict[str, Any], sandbox: Sandbox, evidence: Evidence
) -> None:
    processes, census = world["processes"], world["census"]
    process.start(processes, "p", "sleep 600")
    assert until(lambda: named(census, "sleep") or None, DEADLINE)
    told: list[object] = []
    evidence.sink = lambda *facts: told.append(facts)

    def everything() -> list[object]:
        files = sorted(path.name for path in sandbox.files.iterdir())
        runs = {name: [*processes.runs(name)] for name in ("p", "q")}
        return [runs, [*processes.programs], census.glance(), [*evidence.entries], files]

    before = everything()
    tried: list[Iterator[Any]] = [
        violations.crash(processes, "p"),
        violations.end_when_told_to(processes, "q"),
        violations.print_text(processes, "p", "x"),
        violations.leave_process(sandbox),
        violations.leave_orphan(sandbox),
        violations.crowd(sandbox, 2),
    ]
    for violation in tried:
        assert next(violation).effect
        assert everything() != before
        next(violation, None)
        assert everything() == before
    assert told == []


@pytest.mark.parametrize(
    ("pattern", "made"),
    [
        ("curl", "curl"),
        ("git push*", "git pushW"),
        ("*a*", "Wa"),
        ("x?y", "xxy"),
        ("[ab]c", "ac"),
        ("[!x]c", "0c"),
        ("a[b", "a[b"),
    ],
)
def test_a_name_like_a_pattern(pattern: str, made: str) -> None:
    assert violations._like(pattern, "W") == made


def test_an_end_is_put_on_record_although_it_was_asked_for_early(
    processes: Processes, evidence: Evidence
) -> None:
    told: list[str] = []
    process.start(processes, "p", "true")
    assert processes.find("p").program.wait(DEADLINE) is not None
    processes.find("p").noted = False
    with wait.at_once():
        process.exits(processes, "p", DEADLINE)
    evidence.sink = lambda _kind, _outcome, facts: told.append(facts["event"])
    process.exits(processes, "p", DEADLINE)
    assert told == ["exit"]
