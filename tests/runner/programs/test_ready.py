"""Waiting for a program: what counts as ready, and what a failure tells."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.programs import Launch, Program, Programs, free_port, ready
from goalkeeper.runner.sandbox import Sandbox

DEADLINE = 30.0
TCP = "import signal, socket; s = socket.create_server(('127.0.0.1', {port})); signal.pause()"
UNIX = """
import os, signal, socket
s = socket.socket(socket.AF_UNIX)
s.bind({path!r})
s.listen()
os.chdir({directory!r})
signal.pause()
"""
Start = Callable[..., Program]


@pytest.fixture
def start(sandbox: Sandbox) -> Iterator[Start]:
    programs = Programs(sandbox)

    def begin(*arguments: str) -> Program:
        return programs.start(Launch(shlex.join(arguments)), "it", f"{len(programs.started)}")

    yield begin
    programs.close()


def python(start: Start, script: str, **values: object) -> Program:
    return start(sys.executable, "-c", script.format(**values))


def failure(action: Callable[[], None]) -> str:
    with pytest.raises(StepFailed) as caught:
        action()
    return str(caught.value)


def test_printed_to_either_stream(start: Start) -> None:
    program = start("sh", "-c", "echo out; echo err >&2; exec sleep 600")
    ready.prints(program, "out", DEADLINE)
    ready.prints(program, "err", DEADLINE)
    assert failure(lambda: ready.prints(program, "other", 0)) == (
        'it did not print "other" within 0 s\n  stdout:\n  out\n  stderr:\n  err'
    )


def test_printed_last_before_the_end(start: Start) -> None:
    program = start("sh", "-c", "echo done; exit 1")
    program.wait(DEADLINE)
    ready.prints(program, "done", DEADLINE)


def test_a_program_that_dies_is_not_waited_for(start: Start) -> None:
    program = start("sh", "-c", "echo oh no >&2; exit 7")
    assert failure(lambda: ready.prints(program, "ready", 600.0)) == (
        'it ended (exit code 7) and did not print "ready"\n  stderr:\n  oh no'
    )
    killed = start("sleep", "600")
    killed.send(signal.SIGKILL)
    assert failure(lambda: ready.listens_on(killed, 1, 600.0)) == (
        "it ended (killed by SIGKILL) and did not listen on port 1\n  it printed nothing"
    )


def test_what_ended_well_may_have_left_a_daemon(start: Start, sandbox: Sandbox) -> None:
    os.mkfifo(sandbox.work / "gate")
    program = start("sh", "-c", "sh -c 'read x <gate; echo ready; exec sleep 600' & exit 0")
    program.wait(DEADLINE)
    message = failure(lambda: ready.prints(program, "ready", 0))
    assert message.splitlines()[:2] == [
        'it did not print "ready" within 0 s',
        "  it has ended (exit code 0), and left children behind",
    ]
    (sandbox.work / "gate").write_text("\n")
    ready.prints(program, "ready", DEADLINE)


def test_a_child_that_a_failed_program_left_keeps_nobody_waiting(start: Start) -> None:
    program = start("sh", "-c", "sleep 600 & exit 1")
    assert failure(lambda: ready.prints(program, "ready", 600.0)).startswith("it ended (exit code 1) and did")


@pytest.mark.parametrize("written", [int, str])
def test_a_port(start: Start, written: Callable[[int], int | str]) -> None:
    port = free_port()
    program = python(start, TCP, port=port)
    ready.listens_on(program, written(port), DEADLINE)
    other = free_port()
    assert failure(lambda: ready.listens_on(program, other, 0)) == (
        f"it did not listen on port {other} within 0 s\n  it listens on port {port}\n  it printed nothing"
    )


def test_a_port_of_a_child(start: Start) -> None:
    port = free_port()
    program = start("sh", "-c", '"$@" & wait', "-", sys.executable, "-c", TCP.format(port=port))
    ready.listens_on(program, port, DEADLINE)


def test_a_port_of_somebody_else_does_not_count(start: Start) -> None:
    program = start("sleep", "600")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert failure(lambda: ready.listens_on(program, port, 0)) == (
            f"it did not listen on port {port} within 0 s\n"
            f"  another program listens on port {port}\n"
            "  it printed nothing"
        )


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", ""])
def test_what_is_no_port(start: Start, port: str) -> None:
    program = start("true")
    message = failure(lambda: ready.listens_on(program, port, DEADLINE))
    assert message == f'"{port}" is not a port: write a number from 1 to 65535'


@pytest.mark.parametrize("directory", [".", "/"])
def test_a_socket_that_the_program_names_from_where_it_is_or_was(
    start: Start, sandbox: Sandbox, directory: str
) -> None:
    (sandbox.work / "run").mkdir()
    program = python(start, UNIX, path="run/s", directory=directory)
    ready.listens_at(program, sandbox, "run/s", DEADLINE)
    ready.listens_at(program, sandbox, "run/../run/s", DEADLINE)
    ready.listens_at(program, sandbox, str(sandbox.work / "run" / "s"), DEADLINE)
    message = failure(lambda: ready.listens_at(program, sandbox, "s", 0))
    assert message.splitlines()[:2] == [
        'it did not listen at socket "s" within 0 s',
        "  it listens on socket run/s",
    ]


def test_a_socket_by_its_whole_path_or_by_a_link(start: Start, sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (sandbox.work / "link").symlink_to(tmp_path / "s")
    program = python(start, UNIX, path=f"{tmp_path}/s/s", directory="/")
    ready.listens_at(program, sandbox, f"{tmp_path}/s/s", DEADLINE)
    assert "outside of the sandbox" in failure(lambda: ready.listens_at(program, sandbox, "link/s", DEADLINE))


def test_a_socket_without_a_file(start: Start, sandbox: Sandbox) -> None:
    name = f"goalkeeper-{os.getpid()}"
    program = python(start, UNIX, path=f"\0{name}", directory="/")
    ready.listens_at(program, sandbox, f"@{name}", DEADLINE)


def test_a_socket_file_that_an_earlier_program_left(start: Start, sandbox: Sandbox) -> None:
    earlier = python(start, UNIX, path="s", directory="/")
    ready.listens_at(earlier, sandbox, "s", DEADLINE)
    earlier.send(signal.SIGKILL)
    program = start("sleep", "600")
    assert failure(lambda: ready.listens_at(program, sandbox, "s", 0)) == (
        'it did not listen at socket "s" within 0 s\n'
        '  there is a file "s", but the program does not listen there\n'
        "  it printed nothing"
    )


def test_a_socket_whose_file_is_gone(start: Start, sandbox: Sandbox) -> None:
    program = python(start, UNIX, path="s", directory="/")
    ready.listens_at(program, sandbox, "s", DEADLINE)
    (sandbox.work / "s").unlink()
    assert "did not listen at socket" in failure(lambda: ready.listens_at(program, sandbox, "s", 0))


def test_a_file_that_was_written_since_the_start(start: Start, sandbox: Sandbox) -> None:
    path = sandbox.work / "pid"
    path.write_text("stale")
    os.mkfifo(sandbox.work / "gate")
    later = sandbox.work / "later"
    later.touch()
    while later.stat().st_ctime_ns == path.stat().st_ctime_ns:  # until the clock of files has ticked
        later.touch()
    program = start("sh", "-c", "read x <gate; echo $$ >pid; exec sleep 600")
    assert failure(lambda: ready.writes(program, path, "pid", 0)) == (
        'it did not write file "pid" within 0 s\n  file "pid" is older than the program\n  it printed nothing'
    )
    (sandbox.work / "gate").write_text("\n")
    ready.writes(program, path, "pid", DEADLINE)


def test_a_file_that_is_not_there(start: Start, sandbox: Sandbox) -> None:
    program = start("sleep", "600")
    message = failure(lambda: ready.writes(program, sandbox.work / "pid", "pid", 0))
    assert message == 'it did not write file "pid" within 0 s\n  it printed nothing'
