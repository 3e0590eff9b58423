"""The steps of steps/process: what each accepts, and what it says where it does not."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.evidence import Evidence, Outcome
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Breach
from goalkeeper.runner.programs import free_port
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import process
from goalkeeper.steps.cli.command import Commands
from goalkeeper.steps.process import never
from goalkeeper.steps.process.manager import Processes, Run

DEADLINE = 30.0
WriteGoal = Callable[..., Path]
Step = Callable[..., None]


def sh(script: str) -> str:
    return shlex.join(["sh", "-c", script])


def failure(step: Step, *arguments: object) -> str:
    with pytest.raises(StepFailed) as caught:
        step(*arguments)
    return str(caught.value)


@pytest.fixture
def observed(evidence: Evidence) -> list[tuple[Outcome, dict[str, Any]]]:
    """What goes into the record about processes, without what differs from run to run."""
    found: list[tuple[Outcome, dict[str, Any]]] = []

    def sink(kind: str, outcome: Outcome, facts: dict[str, Any]) -> None:
        assert kind == "process"
        assert json.loads(json.dumps(facts)) == facts
        found.append((outcome, {k: v for k, v in facts.items() if k not in ("pid", "seconds")}))

    evidence.sink = sink
    return found


def test_a_process_is_given_what_the_table_says(
    processes: Processes, commands: Commands, sandbox: Sandbox
) -> None:
    (sandbox.work / "sub").mkdir()
    commands.environment |= {"A": "scenario", "B": "scenario"}
    rows = [["command", sh("pwd; cat; echo $A $B")], ["directory", "sub"]]
    rows += [["input", "typed\n"], ["env.B", "own"]]
    process.start_with(processes, "p", rows)
    process.exits_with(processes, "p", 0, DEADLINE)
    assert processes.find("p").output.text("stdout") == f"{sandbox.work / 'sub'}\ntyped\nscenario own\n"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [["directory", "."]],
            "this table does not say which command to start: add a row | command | … |",
        ),
        (
            [["comand", "true"]],
            'a process has no option "comand". Did you mean "command"?\n'
            "known: command, directory, input, env.NAME",
        ),
        ([["command"]], "this table needs two columns, a name and a value: | command |"),
        ([["command", "true"], ["directory", "x"]], 'there is no directory "x" to run in'),
        ([["command", "nope"]], 'there is no program "nope": is it installed, and on the PATH?'),
    ],
)
def test_a_table_that_starts_nothing(processes: Processes, rows: list[list[str]], message: str) -> None:
    assert failure(process.start_with, processes, "p", rows) == message
    assert processes.runs("p") == []


def test_a_name_is_taken_while_its_process_runs(processes: Processes) -> None:
    process.start(processes, "p", "sleep 600")
    assert failure(process.start, processes, "p", "sleep 601") == (
        'process "p" is running already\n  sleep 600\nstop it first, or write: I restart process "…"'
    )
    process.stop(processes, "p", DEADLINE)
    process.start(processes, "p", "sleep 601")
    assert processes.find("p").program.launch.line == "sleep 601"


def test_a_process_that_was_never_started(processes: Processes) -> None:
    assert failure(process.is_running, processes, "p") == 'no process "p" was started.\n  started: none'
    process.start(processes, "server", "sleep 600")
    assert failure(process.restart, processes, "sever") == (
        'no process "sever" was started. Did you mean "server"?\n  started: "server"'
    )


def test_waiting_for_what_a_process_prints(processes: Processes) -> None:
    process.start(processes, "p", sh("trap 'echo again' HUP; echo again; while :; do sleep 0.01; done"))
    process.prints(processes, "p", "again", DEADLINE)
    assert failure(process.prints_after_signal, processes, "p", "again", 0) == (
        'process "p" was not sent a signal since it was started'
    )
    process.send(processes, "HUP", "p")
    process.prints_after_signal(processes, "p", "again", DEADLINE)


def test_what_was_printed_before_the_signal_does_not_count(processes: Processes) -> None:
    process.start(processes, "p", sh("trap '' HUP; echo again; exec sleep 600"))
    process.prints(processes, "p", "again", DEADLINE)
    process.send(processes, "HUP", "p")
    assert failure(process.prints_after_signal, processes, "p", "again", 0.02) == (
        'process "p" did not print "again" within 0.02 s\n  stdout:\n  again'
    )


def test_a_process_that_dies_while_it_is_waited_for(processes: Processes, sandbox: Sandbox) -> None:
    process.start(processes, "p", sh("echo cannot bind >&2; exit 2"))
    waits: list[tuple[Step, tuple[object, ...], str]] = [
        (process.prints, ("ready", 600.0), 'print "ready"'),
        (process.listens_on, (1, 600.0), "listen on port 1"),
    ]
    for step, arguments, wanted in waits:
        assert failure(step, processes, "p", *arguments) == (
            f'process "p" ended (exit code 2) and did not {wanted}\n  stderr:\n  cannot bind'
        )
    for other in (process.listens_at, process.writes):
        message = failure(other, processes, sandbox, "p", "x", 600.0)
        assert message.startswith('process "p" ended (exit code 2) and did not ')


def test_waiting_for_a_port_a_socket_and_a_file(processes: Processes, sandbox: Sandbox) -> None:
    port = free_port()
    script = f"""
import signal, socket
tcp = socket.create_server(("127.0.0.1", {port}))
unix = socket.socket(socket.AF_UNIX)
unix.bind("s")
unix.listen()
open("made", "w").close()
signal.pause()
"""
    process.start(processes, "p", shlex.join([sys.executable, "-c", script]))
    process.listens_on(processes, "p", port, DEADLINE)
    process.listens_on(processes, "p", str(port), DEADLINE)
    process.listens_at(processes, sandbox, "p", "s", DEADLINE)
    process.writes(processes, sandbox, "p", "made", DEADLINE)


def test_a_process_that_runs_and_one_that_does_not(processes: Processes) -> None:
    process.start(processes, "p", "sleep 600")
    process.is_running(processes, "p")
    process.keeps_running(processes, "p", 0.01)
    assert failure(process.exits, processes, "p", 0.01) == (
        'process "p" did not end within 0.01 s\n  it printed nothing'
    )
    process.send(processes, "KILL", "p")
    process.is_killed_by(processes, "p", "SIGKILL", DEADLINE)
    ended = ": killed by SIGKILL\n  it printed nothing"
    assert failure(process.is_running, processes, "p") == f'process "p" is not running{ended}'
    assert failure(process.stop, processes, "p", 1.0) == f'process "p" is not running{ended}'
    assert failure(process.keeps_running, processes, "p", 1.0) == f'process "p" is not running{ended}'
    assert failure(process.send, processes, "TERM", "p") == f'process "p" could not be sent SIGTERM{ended}'


def test_a_process_that_ends_while_it_should_keep_running(
    processes: Processes, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(sandbox.work / "gate")
    process.start(processes, "p", sh("read x <gate"))

    def running_until_now(name: str) -> Run:
        run = Processes.running(processes, name)
        (sandbox.work / "gate").write_text("\n")
        return run

    monkeypatch.setattr(processes, "running", running_until_now)
    message = failure(process.keeps_running, processes, "p", 600.0)
    assert message == 'process "p" did not keep running for 600 s: exit code 0\n  it printed nothing'


def test_an_ending_that_is_another(processes: Processes) -> None:
    process.start(processes, "p", sh("echo why; exit 3"))
    process.exits(processes, "p", DEADLINE)
    process.exits_with(processes, "p", 3, 0)
    assert failure(process.exits_with, processes, "p", 0, DEADLINE) == (
        'process "p" ended otherwise\n  expected: exit code 0\n  actual:   exit code 3\n  stdout:\n  why'
    )
    assert failure(process.is_killed_by, processes, "p", "TERM", DEADLINE).splitlines()[1:3] == [
        "  expected: killed by SIGTERM",
        "  actual:   exit code 3",
    ]


@pytest.mark.parametrize("step", [process.send, process.send_to_all])
def test_a_signal_that_does_not_exist(processes: Processes, step: Step) -> None:
    process.start(processes, "p", "sleep 600")
    assert failure(step, processes, "TERMINATE", "p") == (
        'there is no signal "TERMINATE". Did you mean "TERM"?'
    )
    process.is_running(processes, "p")


def test_children_that_are_left_and_children_that_are_gone(processes: Processes) -> None:
    process.start(processes, "p", sh("sleep 600 & echo started; wait"))
    process.prints(processes, "p", "started", DEADLINE)
    process.send(processes, "KILL", "p")
    process.exits(processes, "p", DEADLINE)
    message = failure(process.children_are_gone, processes, "p", 0)
    assert message.startswith('process "p" still has children after 0 s\n  ')
    assert (
        failure(process.send, processes, "TERM", "p").splitlines()[1] == "  1 of its children still running"
    )
    process.send_to_all(processes, "TERM", "p")
    process.children_are_gone(processes, "p", DEADLINE)


def test_a_restart_is_a_new_process_with_output_of_its_own(processes: Processes, sandbox: Sandbox) -> None:
    rows = [["command", sh("echo in $A; exec sleep 600")], ["env.A", "b"]]
    process.start_with(processes, "p", rows)
    process.prints(processes, "p", "in b", DEADLINE)
    first = processes.find("p")
    process.restart(processes, "p")
    assert first.ending is not None
    assert first.ending.code == -signal.SIGTERM
    process.prints(processes, "p", "in b", DEADLINE)
    assert processes.find("p") is not first
    assert len(processes.runs("p")) == 2
    assert len([path for path in sandbox.files.iterdir() if path.suffix == ".stdout"]) == 2


def test_a_process_that_does_not_stop(processes: Processes) -> None:
    process.start(processes, "p", sh("trap 'echo no' TERM; echo ready; while :; do sleep 0.01; done"))
    process.prints(processes, "p", "ready", DEADLINE)
    message = failure(process.stop, processes, "p", 0.1)
    assert message.splitlines()[0] == 'process "p" did not end within 0.1 s of SIGTERM'


@pytest.mark.parametrize(
    ("step", "text", "other", "name"),
    [
        (process.output_contains, "ut 1", "err 1", "output"),
        (process.output_matches, r"^out \d$", "^err", "output"),
        (process.error_output_contains, "rr 1", "out 1", "error output"),
        (process.error_output_matches, r"^err \d$", "^out", "error output"),
    ],
)
def test_what_a_process_has_printed(
    processes: Processes, step: Step, text: str, other: str, name: str
) -> None:
    process.start(processes, "p", sh("echo out 1; echo err 1 >&2"))
    process.exits(processes, "p", DEADLINE)
    step(processes, "p", text)
    message = failure(step, processes, "p", other)
    assert message.startswith(f'the {name} of process "p" does not ')
    assert other in message.splitlines()[0]


def test_names_that_are_no_file_names(processes: Processes) -> None:
    for name in ("a/b", "a b", "é" * 200, ""):
        process.start(processes, name, "true")
        process.exits_with(processes, name, 0, DEADLINE)


def test_what_goes_into_the_record(
    processes: Processes, observed: list[tuple[Outcome, dict[str, Any]]]
) -> None:
    process.start(processes, "p", "sleep 600")
    process.send(processes, "KILL", "p")
    process.exits(processes, "p", DEADLINE)
    process.start(processes, "p", "false")
    process.exits(processes, "p", DEADLINE)
    process.start(processes, "q", "sleep 600")
    processes.close()
    start = {"event": "start", "name": "p"}
    end = {"event": "exit", "name": "p"}
    assert observed == [
        ("ok", {**start, "line": "sleep 600"}),
        ("ok", {"event": "signal", "name": "p", "signal": "SIGKILL", "processes": 1}),
        ("unknown", {**end, "exit_code": None, "ending": "killed by SIGKILL"}),
        ("ok", {**start, "line": "false"}),
        ("failed", {**end, "exit_code": 1, "ending": "exit code 1"}),
        ("ok", {"event": "start", "name": "q", "line": "sleep 600"}),
        ("unknown", {**end, "name": "q", "exit_code": None, "ending": "still running, killed"}),
    ]


def test_the_evidence_tells_the_story(processes: Processes, evidence: Evidence) -> None:
    process.start(processes, "p", sh("trap 'exit 3' TERM; echo ready; while :; do sleep 0.01; done"))
    process.prints(processes, "p", "ready", DEADLINE)
    process.stop(processes, "p", DEADLINE)
    assert [entry.title.rpartition("    ")[2] for entry in evidence.entries] == [
        "(started)",
        "(sent SIGTERM)",
        "(exit code 3)",
    ]
    assert evidence.entries[-1].text() == "stdout:\nready"


def test_an_end_is_seen_also_after_a_restart(processes: Processes, sandbox: Sandbox) -> None:
    os.mkfifo(sandbox.work / "gate")
    process.start(processes, "p", sh("echo one; read x <gate; exit 5"))
    arguments = {"processes": processes, "name": "p"}
    watch, by_itself = never.process_exits.arm(arguments), never.process_exits_by_itself.arm(arguments)
    (sandbox.work / "gate").write_text("\n")
    process.exits(processes, "p", DEADLINE)
    process.restart(processes, "p")
    for one in (watch, by_itself):
        one.look()
        one.look()
    breaches = [Breach('process "p" ended (exit code 5)', "stdout:\none")]
    assert never.no_exit(watch.journal()) == breaches
    assert never.no_exit_by_itself(by_itself.journal()) == breaches
    assert watch.journal().inspected == {"moment": 2}


@pytest.mark.parametrize(
    ("sent", "is_asked"), [("TERM", True), ("KILL", True), ("INT", True), ("HUP", False)]
)
def test_an_end_that_the_scenario_asked_for(processes: Processes, sent: str, is_asked: bool) -> None:
    process.start(processes, "p", "sleep 600")
    arguments = {"processes": processes, "name": "p"}
    watch, by_itself = never.process_exits.arm(arguments), never.process_exits_by_itself.arm(arguments)
    watch.look()
    assert never.no_exit(watch.journal()) == []
    process.send(processes, sent, "p")
    process.exits(processes, "p", DEADLINE)
    watch.look()
    by_itself.look()
    assert len([*never.no_exit(watch.journal())]) == 1
    assert (never.no_exit_by_itself(by_itself.journal()) == []) is is_asked


def test_a_process_that_had_ended_before_is_nothing_to_look_at(processes: Processes) -> None:
    process.start(processes, "p", "true")
    process.exits(processes, "p", DEADLINE)
    watch = never.process_exits.arm({"processes": processes, "name": "p"})
    watch.look()
    assert watch.journal().is_empty


def test_what_a_process_must_not_print(processes: Processes) -> None:
    arguments = {"processes": processes, "name": "p"}
    watch = never.process_prints.arm({**arguments, "text": "b\nc"})
    lines = never.process_prints_line.arm({**arguments, "pattern": "^c$"})
    process.start(processes, "p", r"printf 'ab\nc\n'")
    process.exits(processes, "p", DEADLINE)
    process.start(processes, "q", "echo c")
    process.exits(processes, "q", DEADLINE)
    watch.look()
    lines.look()
    assert never.not_printed(watch.journal()) == [
        Breach('process "p" printed "b\nc" to stdout', "line 1: ab\nline 2: c")
    ]
    assert never.no_such_line(lines.journal()) == [
        Breach('process "p" printed a line that matches ^c$ to stdout', "line 2: c")
    ]
    assert watch.journal().inspected == {"process": 1, "line": 2}


GOAL = """
    @invariant
    Scenario: kept
      Given I start process "p" with "sleep 600"
      When I run "true"
      Then process "p" is running
      But process "p" never exits
      And process "p" never prints "x"

    Scenario: it ended and is back
      Given I start process "p" with "sleep 600"
      When I restart process "p"
      Then process "p" is running
      But process "p" never exits
      And process "p" never exits by itself

    Scenario: nothing of that name
      When I run "true"
      Then the exit code is 0
      But process "p" never exits

    Scenario: it dies while it is waited for
      When I start process "p" with "sh -c 'echo no such port >&2; exit 4'"
      Then process "p" listens on port 1 within 10 min
      But process "p" never prints a line that matches "^no"
"""


def test_the_whole_way(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(GOAL)
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            '>   But process "p" never exits',
            'E     process "p" ended (killed by SIGTERM)',
            '    And process "p" never exits by itself',
            '>   But process "p" never exits',
            "E     this check looked at nothing, so it could not have failed",
            '>   Then process "p" listens on port 1 within 10 min',
            'E     process "p" ended (exit code 4) and did not listen on port 1',
            "E       stderr:",
            "E       no such port",
            '>   But process "p" never prints a line that matches "^no"',
            "E       line 1: no such port",
            'process "p": sh -c *    (started)',
            'process "p"    (exit code 4)',
            "  stderr:",
            "  no such port",
        ]
    )


def test_a_process_does_not_outlive_its_scenario(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    pid = pytester.path / "pid"
    goal(f"""
        Scenario: x
          When I start process "p" with "sh -c 'echo $$ >{pid}; echo ready; exec sleep 600'"
          When process "p" prints "ready" within 30 s
          Then process "p" is running
          But process "p" never prints "x"
    """)
    pytester.runpytest("scenarios").assert_outcomes(passed=1)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
