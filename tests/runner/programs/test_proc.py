"""What /proc tells, compared with what is known about processes and sockets made here."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.programs import proc
from goalkeeper.runner.programs.proc import Listener, Process

VARIABLE = "TEST_PROC_MARK"


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, VARIABLE: "outer:mine"}
    process = subprocess.Popen(["sleep", "600"], env=environment)
    yield process
    process.kill()
    process.wait()


def me() -> Process:
    found = proc.status(os.getpid())
    assert found is not None
    return found.process


def known(process: subprocess.Popen[bytes]) -> Process:
    found = proc.status(process.pid)
    assert found is not None
    return found.process


def test_the_status_of_a_process(sleeper: subprocess.Popen[bytes]) -> None:
    found = proc.status(sleeper.pid)
    assert found is not None
    assert (found.process.pid, found.parent, found.session) == (sleeper.pid, os.getpid(), os.getsid(0))
    assert (found.is_alive, str(found)) == (True, f"{sleeper.pid} sleep")
    assert found in proc.table()


def test_a_name_with_parentheses_and_spaces(tmp_path: Path) -> None:
    program = tmp_path / "a) S (b"
    program.symlink_to("/bin/sleep")
    process = subprocess.Popen([program, "600"])
    try:
        found = proc.status(process.pid)
        assert found is not None
        assert (found.name, found.parent) == ("a) S (b", os.getpid())
    finally:
        process.kill()
        process.wait()


def test_a_process_that_ended_and_one_that_is_gone(sleeper: subprocess.Popen[bytes]) -> None:
    process = known(sleeper)
    assert proc.is_alive(process)
    assert proc.send(process, signal.SIGKILL)
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert not proc.is_alive(process)
    assert not proc.send(process, signal.SIGKILL)
    sleeper.wait()
    assert proc.status(sleeper.pid) is None
    assert not proc.send(process, signal.SIGKILL)


def test_a_number_that_has_another_bearer_gets_no_signal(sleeper: subprocess.Popen[bytes]) -> None:
    earlier = Process(sleeper.pid, known(sleeper).born - 1)
    assert not proc.send(earlier, signal.SIGKILL)
    assert not proc.is_alive(earlier)
    assert proc.family([earlier], VARIABLE, frozenset()) == []
    assert sleeper.poll() is None


def test_a_family_is_found_by_parent_and_by_mark(sleeper: subprocess.Popen[bytes]) -> None:
    process = known(sleeper)
    assert process in [one.process for one in proc.family([me()], VARIABLE, frozenset())]
    for marks, found in [({"mine"}, [process]), ({"outer"}, [process]), ({"min"}, []), ({""}, [])]:
        assert [one.process for one in proc.family([], VARIABLE, frozenset(marks))] == found


def test_tcp_listeners(sleeper: subprocess.Popen[bytes]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert Listener(os.getpid(), port) in proc.listeners([me()])
        assert proc.listeners([known(sleeper)]) == []
        assert proc.is_taken(port)
    assert not proc.is_taken(port)


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_listeners_by_ipv6() -> None:
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as server:
        assert server.getsockname()[1] in [one.port for one in proc.listeners([me()])]


def test_a_port_that_is_bound_but_not_listened_on() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        assert bound.getsockname()[1] not in [one.port for one in proc.listeners([me()])]


@pytest.mark.parametrize("name", ["a socket", "@"])
def test_unix_listeners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    address = f"\0goalkeeper test {os.getpid()}" if name == "@" else name
    shown = address.replace("\0", "@")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        assert shown not in [one.path for one in proc.listeners([me()])]
        server.listen()
        [found] = [one for one in proc.listeners([me()]) if one.path == shown]
        assert str(found) == f"socket {shown}"


def test_a_datagram_socket_listens_once_it_is_bound(tmp_path: Path) -> None:
    path = str(tmp_path / "log")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(path)
        assert path in [one.path for one in proc.listeners([me()])]


def test_a_process_that_is_gone_listens_nowhere() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    gone = known(process)
    process.wait()
    assert proc.listeners([gone]) == []
