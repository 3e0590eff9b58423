"""Connections: what becomes of a request when the server does not do what it should."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import pytest

from goalkeeper.steps.http import connection
from goalkeeper.steps.http.address import Address, parse
from goalkeeper.steps.http.exchange import Answer, NoAnswer

Handle = Callable[[socket.socket], None]
LIMIT = 20.0
OK = b"HTTP/1.1 200 OK\r\n"


class Server:
    """Takes connections on a free port and lets a function talk on each of them."""

    def __init__(self, handle: Handle) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = parse(f"http://127.0.0.1:{self._listener.getsockname()[1]}/x")
        self._handle = handle
        self._threads = [threading.Thread(target=self._serve)]
        self._threads[0].start()

    def _serve(self) -> None:
        while True:
            try:
                taken, _ = self._listener.accept()
            except OSError:
                return
            with taken:
                self._handle(taken)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()


@pytest.fixture
def serve() -> Iterator[Callable[[Handle], Address]]:
    servers: list[Server] = []

    def start(handle: Handle) -> Address:
        servers.append(Server(handle))
        return servers[-1].address

    yield start
    for server in servers:
        server.close()


def answering(*parts: bytes) -> Handle:
    """Read the head of a request, send these parts, and close."""

    def handle(taken: socket.socket) -> None:
        read = b""
        while b"\r\n\r\n" not in read:
            chunk = taken.recv(4096)
            if not chunk:
                return
            read += chunk
        for part in parts:
            taken.sendall(part)

    return handle


def ask(address: Address, limit: float = LIMIT, body: bytes = b"", method: str = "GET") -> Answer:
    return connection.ask(address, None, method, (), body, limit)


def refusal(address: Address, limit: float = LIMIT, body: bytes = b"") -> NoAnswer:
    with pytest.raises(NoAnswer) as caught:
        ask(address, limit, body)
    return caught.value


@pytest.mark.parametrize(
    ("parts", "body"),
    [
        ((OK + b"Content-Length: 5\r\n\r\nhello",), b"hello"),
        ((OK + b"Content-Length: 5\r\n\r\n", b"he", b"llo"), b"hello"),
        ((OK + b"\r\n", b"until", b" the end"), b"until the end"),
        ((OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",), b"hello"),
        ((OK + b"Content-Length: 3000000\r\n\r\n", b"\0\xff\n" * 1_000_000), b"\0\xff\n" * 1_000_000),
        ((b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 0\r\n\r\n",), b""),
    ],
    ids=["length", "in parts", "to the end", "chunked", "3 MB of bytes", "after continue"],
)
def test_ways_to_send_a_body(
    serve: Callable[[Handle], Address], parts: tuple[bytes, ...], body: bytes
) -> None:
    answer = ask(serve(answering(*parts)))
    assert (answer.status, answer.reason, answer.body) == (200, "OK", body)


def test_head_has_a_length_but_no_body(serve: Callable[[Handle], Address]) -> None:
    address = serve(answering(OK + b"Content-Length: 5\r\n\r\n"))
    answer = ask(address, method="HEAD")
    assert (answer.status, answer.body, answer.header("content-LENGTH")) == (200, b"", ["5"])


@pytest.mark.parametrize(
    ("parts", "problem", "partial"),
    [
        ((), "the server closed the connection without an answer", b""),
        ((b"HTTP/1.1 2",), "this is no HTTP answer: BadStatusLine: HTTP/1.1 2", b""),
        ((b"SSH-2.0-OpenSSH\r\n",), "this is no HTTP answer: BadStatusLine: SSH-2.0-OpenSSH", b""),
        (
            (OK + b"Content-Length: 100\r\n\r\nhalf",),
            "the server closed the connection early, after 4 of 100 bytes",
            b"half",
        ),
        (
            (OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n9\r\nof",),
            "the server closed the connection early, after 6 bytes",
            b"halfof",
        ),
    ],
)
def test_a_server_that_breaks_off(
    serve: Callable[[Handle], Address], parts: tuple[bytes, ...], problem: str, partial: bytes
) -> None:
    error = refusal(serve(answering(*parts)))
    assert (error.problem, error.partial, error.sent) == (problem, partial, True)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ((), "no answer within 0.3 s"),
        ((b"HTTP/1.1 200 OK\r\nX",), "no answer within 0.3 s"),
        ((OK + b"Content-Length: 100\r\n\r\nhalf",), "no answer within 0.3 s, only 4 bytes of it"),
        ((OK + b"\r\nhalf",), "no answer within 0.3 s, only 4 bytes of it"),
    ],
    ids=["nothing", "half a head", "half a body", "a body without an end"],
)
def test_a_server_that_takes_too_long(
    serve: Callable[[Handle], Address], parts: tuple[bytes, ...], problem: str
) -> None:
    def handle(taken: socket.socket) -> None:
        answering(*parts)(taken)
        taken.recv(1)  # until the client leaves

    error = refusal(serve(handle), 0.3)
    assert (error.problem, error.sent) == (problem, True)


def test_a_server_that_never_stops_sending_a_little(serve: Callable[[Handle], Address]) -> None:
    def handle(taken: socket.socket) -> None:
        answering(OK)(taken)
        gone = threading.Event()
        try:
            while not gone.wait(0.02):
                taken.sendall(b"X: y\r\n")
        except OSError:
            gone.set()

    begun = monotonic()
    assert refusal(serve(handle), 0.3).problem == "no answer within 0.3 s"
    assert monotonic() - begun < LIMIT


def test_a_server_that_does_not_read(serve: Callable[[Handle], Address]) -> None:
    held = threading.Event()

    def handle(_taken: socket.socket) -> None:
        held.wait()

    address = serve(handle)
    try:
        assert refusal(address, 0.3, b"x" * 50_000_000).problem == "no answer within 0.3 s"
    finally:
        held.set()


def test_an_answer_before_the_whole_request_was_read(serve: Callable[[Handle], Address]) -> None:
    def handle(taken: socket.socket) -> None:
        answering(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")(taken)
        taken.shutdown(socket.SHUT_WR)
        while taken.recv(2**20):
            pass

    answer = ask(serve(handle), body=b"x" * 20_000_000, method="POST")
    assert (answer.status, answer.body) == (413, b"no")


def test_a_body_that_is_too_large(
    serve: Callable[[Handle], Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MOST_BYTES", 1000)

    def handle(taken: socket.socket) -> None:
        try:
            answering(OK + b"\r\n", b"x" * 1_000_000)(taken)
        except OSError:
            return

    error = refusal(serve(handle))
    assert error.problem == "the answer is larger than 64 MiB"
    assert set(error.partial) == {ord("x")}


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = parse(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        assert connection.reached(address, None, LIMIT) == "open"
    error = refusal(address)
    assert error.problem == f"nothing listens at {address.origin}: connection refused"
    assert not error.sent
    assert connection.reached(address, None, LIMIT) == "refused"


def test_a_server_without_encryption(serve: Callable[[Handle], Address]) -> None:
    plain = serve(lambda taken: taken.sendall(b"HTTP/1.1 400 Bad\r\n\r\n"))
    error = refusal(Address("https", plain.host, plain.port, "/"))
    assert error.problem.startswith(f"https://127.0.0.1:{plain.port} can't be reached: ")
    assert "SSL" in error.problem
    assert not error.sent


def test_proxies_of_the_environment_are_not_asked(
    serve: Callable[[Handle], Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert ask(serve(answering(OK + b"Content-Length: 2\r\n\r\nok"))).body == b"ok"


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A directory whose name alone is too long for the address of a socket."""
    path = tmp_path / ("d" * 120)
    path.mkdir()
    return path


def listen_at(path: Path, queue: int = 8) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    directory = os.open(path.parent, os.O_PATH)
    listener.bind(f"/proc/self/fd/{directory}/{path.name}")
    os.close(directory)
    listener.listen(queue)
    return listener


def test_a_socket_with_a_long_name(deep: Path) -> None:
    address = parse("unix:a.sock:/x")
    with listen_at(deep / "a.sock") as listener:

        def serve() -> None:
            taken, _ = listener.accept()
            with taken:
                answering(OK + b"Content-Length: 2\r\n\r\nhi")(taken)

        thread = threading.Thread(target=serve)
        thread.start()
        answer = connection.ask(address, deep / "a.sock", "GET", (), b"", LIMIT)
        thread.join()
    assert answer.body == b"hi"


def test_a_socket_whose_queue_is_full(tmp_path: Path) -> None:
    path, address = tmp_path / "a.sock", parse("unix:a.sock")
    with listen_at(path, 0) as listener, socket.socket(socket.AF_UNIX) as waiting:
        waiting.connect(str(path))
        assert connection.reached(address, path, 0.05) == "busy"
        with pytest.raises(NoAnswer) as caught:
            connection.ask_line(address, path, b"x", 0.05)
        assert caught.value.problem == "unix:a.sock took no connection within 0.05 s"
        assert not caught.value.sent
        timer = threading.Timer(0.05, lambda: listener.accept()[0].close())
        timer.start()
        assert connection.reached(address, path, LIMIT) == "open"
        timer.join()


def test_what_is_no_socket(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    listen_at(tmp_path / "left").close()
    problems = {}
    for name in ("none", "file", "left", "no/directory"):
        with pytest.raises(NoAnswer) as caught:
            connection.ask_line(parse(f"unix:{name}"), tmp_path / name, b"x", LIMIT)
        assert not caught.value.sent
        problems[name] = caught.value.problem
    assert problems == {
        "none": 'there is no socket "none"',
        "file": '"file" is no socket',
        "left": "nothing listens at unix:left: connection refused",
        "no/directory": 'there is no socket "no/directory"',
    }


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b'{"result": 1}\n', b'{"result": 1}'),
        (b'{"method": "tick"}\n{"result": 1}\r\n', b'{"result": 1}'),
        (b"no JSON\n", b"no JSON"),
        (b'{"error": {"data": "method"}, "method": "x"}\n', b'{"error": {"data": "method"}, "method": "x"}'),
    ],
)
def test_a_line_for_a_line(serve: Callable[[Handle], Address], sent: bytes, answer: bytes) -> None:
    def handle(taken: socket.socket) -> None:
        read = b""
        while not read.endswith(b"\n"):
            read += taken.recv(4096)
        if read == b"ask\n":
            taken.sendall(sent)

    assert connection.ask_line(serve(handle), None, b"ask", LIMIT) == Answer(answer)


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        (b"", "the server closed the connection without an answer"),
        (b'{"result"', "the server closed the connection early, after 9 bytes"),
    ],
)
def test_a_line_that_does_not_come(serve: Callable[[Handle], Address], sent: bytes, problem: str) -> None:
    def handle(taken: socket.socket) -> None:
        taken.recv(4096)
        taken.sendall(sent)

    with pytest.raises(NoAnswer) as caught:
        connection.ask_line(serve(handle), None, b"ask", LIMIT)
    assert (caught.value.problem, caught.value.partial) == (problem, sent)
