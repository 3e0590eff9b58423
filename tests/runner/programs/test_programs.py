"""Programs that a scenario starts: handles, endings, descendants, and that nothing of them is left."""

from __future__ import annotations

import os
import shlex
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.programs import (
    MARK,
    Launch,
    Program,
    Programs,
    free_port,
    options,
    proc,
    wait_for_all,
)
from goalkeeper.runner.programs.ending import Ending
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.runner.wait import until

DEADLINE = 30.0
# A daemon as of old: it leaves its parent and its session, and keeps nothing but its environment.
DAEMON = "setsid sh -c 'sleep 600 & echo $! >daemon' </dev/null >/dev/null 2>&1; true"


@pytest.fixture
def programs(sandbox: Sandbox) -> Iterator[Programs]:
    started = Programs(sandbox)
    yield started
    started.close()


def start(programs: Programs, script: str) -> Program:
    launch = Launch(shlex.join(["sh", "-c", script]))
    return programs.start(launch, "it", f"{len(programs.started)}")


def has_printed(program: Program, text: str) -> None:
    assert until(lambda: True if text in program.output.text("stdout") else None, DEADLINE)


def is_alive(pid: int) -> bool:
    found = proc.status(pid)
    return found is not None and found.is_alive


def test_a_program_from_start_to_end(programs: Programs, sandbox: Sandbox) -> None:
    os.mkfifo(sandbox.work / "gate")
    program = start(programs, "echo out; echo err >&2; read x <gate; exit 4")
    has_printed(program, "out")
    assert (program.is_running, program.ending, program.wait(0.01)) == (True, None, None)
    (sandbox.work / "gate").write_text("\n")
    assert program.wait(DEADLINE) == program.ending == Ending(4)
    assert not program.is_running
    assert program.output.text("stderr") == "err\n"
    seconds = program.seconds
    assert 0 < seconds == program.seconds


def test_a_signal_goes_to_the_program_alone(programs: Programs) -> None:
    program = start(programs, "sleep 600 & echo started; wait")
    has_printed(program, "started")
    assert program.send(signal.SIGTERM)
    assert program.wait(DEADLINE) == Ending(-signal.SIGTERM)
    assert not program.send(signal.SIGTERM)
    assert len(program.children()) == 1
    assert program.send_all(signal.SIGTERM) == 1
    assert until(lambda: True if not program.children() else None, DEADLINE)
    assert program.send_all(signal.SIGTERM) == 0


def test_a_signal_to_a_program_and_its_children(programs: Programs) -> None:
    program = start(programs, "sleep 600 & sleep 600 & echo started; wait")
    has_printed(program, "started")
    assert program.send_all(signal.SIGKILL) == 3
    assert program.wait(DEADLINE) == Ending(-signal.SIGKILL)
    assert until(lambda: True if not program.family() else None, DEADLINE)


def test_a_program_is_frozen_when_the_signal_was_sent(programs: Programs) -> None:
    program = start(programs, "exec sleep 600")
    for _ in range(3):
        assert program.send(signal.SIGSTOP)
        stat = Path(f"/proc/{program.process.pid}/stat").read_text()
        assert stat.rpartition(")")[2].split()[0] == "T"
        assert program.send(signal.SIGCONT)
    assert program.is_running


def test_freezing_a_program_that_can_not_be_frozen_any_more(programs: Programs) -> None:
    program = start(programs, "exit 0")
    os.waitid(os.P_PID, program.process.pid, os.WEXITED | os.WNOWAIT)
    assert not program.send(signal.SIGSTOP)


def test_daemons_are_descendants_and_do_not_outlive_the_scenario(
    programs: Programs, sandbox: Sandbox
) -> None:
    program = start(programs, DAEMON)
    assert program.wait(DEADLINE) == Ending(0)
    pid = int((sandbox.work / "daemon").read_text())
    assert [one.process.pid for one in program.children()] == [pid]
    assert os.getsid(pid) != program.process.pid
    programs.close()
    assert not is_alive(pid)


def test_a_descendant_that_was_met_is_not_lost_with_its_mark(programs: Programs, sandbox: Sandbox) -> None:
    """It clears its environment and leaves, but was seen as a child before."""
    os.mkfifo(sandbox.work / "gate")
    inner = "echo ready; read x <gate; exec setsid env -i sleep 600"
    program = start(programs, f"sh -c '{inner}' & wait")
    has_printed(program, "ready")
    [met] = program.children()
    program.send(signal.SIGKILL)
    (sandbox.work / "gate").write_text("\n")
    assert until(lambda: True if [c.name for c in program.children()] == ["sleep"] else None, DEADLINE)
    assert program.children()[0].process == met.process


def test_the_mark_of_a_harness_around_this_one_is_kept(
    programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, "outer")
    program = start(programs, f"echo ${MARK}")
    program.wait(DEADLINE)
    assert program.output.text("stdout") == f"outer:{program.sign}\n"


def test_a_program_that_is_forgotten(programs: Programs, sandbox: Sandbox) -> None:
    kept = start(programs, "exec sleep 600")
    before = {*sandbox.files.iterdir()}
    forgotten = start(programs, "sleep 601 & echo x; wait")
    has_printed(forgotten, "x")
    programs.forget([forgotten])
    assert programs.started == [kept]
    assert {*sandbox.files.iterdir()} == before
    assert kept.is_running
    with pytest.raises(ProcessLookupError):
        os.kill(forgotten.process.pid, 0)


def test_a_program_that_is_dated_back(programs: Programs) -> None:
    program = start(programs, "exit 0")
    assert program.wait(DEADLINE) is not None
    took = program.seconds
    program.date_back(100)
    assert program.seconds == pytest.approx(took + 100)


def test_a_program_that_is_held(programs: Programs) -> None:
    program = start(programs, "exec sleep 600")
    assert not proc.is_held(program.process)
    program.send(signal.SIGSTOP)
    assert proc.is_held(program.process)


def test_programs_that_are_not_related(programs: Programs) -> None:
    one, other = start(programs, "exec sleep 600"), start(programs, "exec sleep 600")
    assert [len(one.family()), len(other.family())] == [1, 1]
    assert one.children() == []


def test_waiting_for_several(programs: Programs) -> None:
    quick, slow = start(programs, "exit 1"), start(programs, "exec sleep 600")
    wait_for_all([quick], DEADLINE)
    wait_for_all([quick, slow], 0.01)
    assert (quick.has_ended, slow.has_ended) == (True, False)
    slow.send(signal.SIGTERM)
    wait_for_all([quick, slow], DEADLINE)
    assert (quick.ending, slow.ending) == (Ending(1), Ending(-15))


def test_programs_that_begin_at_once(programs: Programs) -> None:
    line = "sh -c 'mkdir lock 2>/dev/null && echo won'"
    started = programs.start_at_once([Launch(line)] * 5, "all")
    wait_for_all(started, DEADLINE)
    outputs = [program.output.text("stdout") for program in started]
    assert sorted(outputs) == ["", "", "", "", "won\n"]
    assert len({program.output.stdout for program in started}) == 5


def test_none_begins_before_all_are_there(programs: Programs) -> None:
    """The first would be done long before the last is started."""
    started = programs.start_at_once([Launch("sh -c 'ls -d /proc/[0-9]*'")] * 20, "all")
    wait_for_all(started, DEADLINE)
    seen = started[0].output.text("stdout").splitlines()
    assert f"/proc/{started[-1].process.pid}" in seen


def test_what_runs_at_once_gets_its_own_input_and_directory(programs: Programs, sandbox: Sandbox) -> None:
    (sandbox.work / "sub").mkdir()
    echo = Launch("sh -c 'echo $A \"$0\"' 'b  c'", environment={"A": "x"})
    launches = [Launch("sh -c 'pwd; cat'", "sub", stdin="typed"), echo]
    started = programs.start_at_once(launches, "all")
    wait_for_all(started, DEADLINE)
    assert started[0].output.text("stdout") == f"{sandbox.work / 'sub'}\ntyped"
    assert started[1].output.text("stdout") == "x b  c\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no-such-program", 'there is no program "no-such-program": is it installed, and on the PATH?'),
        ("./nothing", 'there is no program "./nothing": is it installed, and on the PATH?'),
        ("./plain", '"./plain" can\'t be started: Permission denied'),
        ("", "there is no command to run"),
    ],
)
def test_a_program_that_is_not_there_keeps_all_from_running(
    programs: Programs, sandbox: Sandbox, line: str, message: str
) -> None:
    (sandbox.work / "plain").touch()
    with pytest.raises(StepFailed) as caught:
        programs.start_at_once([Launch("touch made"), Launch(line)], "all")
    assert str(caught.value) == message
    assert not (sandbox.work / "made").exists()
    assert programs.started == []


def test_a_reopened_stream_is_written_on(programs: Programs) -> None:
    program = start(programs, "echo one >>/dev/stdout; echo two")
    program.wait(DEADLINE)
    assert program.output.text("stdout") == "one\ntwo\n"


def test_a_program_after_the_evidence_was_removed(programs: Programs) -> None:
    start(programs, "rm -r ../evidence").wait(DEADLINE)
    program = start(programs, "echo still here")
    program.wait(DEADLINE)
    assert program.output.text("stdout") == "still here\n"


def test_closing_twice(programs: Programs) -> None:
    program = start(programs, "exec sleep 600")
    programs.close()
    assert proc.status(program.process.pid) is None
    programs.close()


def test_a_free_port_can_be_taken() -> None:
    with socket.create_server(("127.0.0.1", free_port())) as server:
        assert server.getsockname()[1] > 0


def test_a_table_of_options() -> None:
    rows = [["size", "1"], ["env.A", "x=y"], ["env.B", ""]]
    assert options(rows, ("size",), "a thing") == ({"size": "1"}, {"A": "x=y", "B": ""})
    with pytest.raises(StepFailed) as caught:
        options([["siz", "1"]], ("size",), "a thing")
    assert str(caught.value) == 'a thing has no option "siz". Did you mean "size"?\nknown: size, env.NAME'
