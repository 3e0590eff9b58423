"""Does what the negative steps of this library forbid: a server of its own, asked as a step asks one.

It listens on a port of this machine, answers one request, and is gone. What it has sent is known by itself.
"""

from __future__ import annotations

import json
import secrets
import select
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from time import monotonic

from ...runner.never import Witness
from .client import Client, Options

# For an answer that does not matter by its status: no server gives this one.
_OTHER = 299
_PATIENCE = 10.0
# A delay of no more than this is really waited for; at a longer one the client's clock is moved on.
_WAITED_FOR = 0.02

Acts = Iterator[Witness]
Reply = Callable[[bytes], list[bytes]]


def answer_with_status(http: Client, code: int) -> Acts:
    """The status, as an answer to a GET."""
    with _server(_says(_head(code))) as server, http.aside():
        http.request(f"GET {server.place}", Options())
        yield _status(server, code)


def tell_status_only(http: Client, code: int) -> Acts:
    """A line with nothing but the status, as an answer to a HEAD."""
    with _server(_says(f"HTTP/1.0 {code}\r\n\r\n".encode())) as server, http.aside():
        http.request(f"HEAD {server.place}", Options())
        yield _status(server, code)


def answer_with_error(http: Client) -> Acts:
    """503, as an answer to a GET."""
    yield from answer_with_status(http, 503)


def tell_error_only(http: Client) -> Acts:
    """A line with nothing but 500, the least of them, as an answer to a HEAD."""
    yield from tell_status_only(http, 500)


def send_page(http: Client, text: str) -> Acts:
    """The text in the middle of a body."""
    body = f"before\n{text}\nafter\n".encode()
    with _server(_says(_head(_OTHER, len(body)), body)) as server, http.aside():
        http.request(f"GET {server.place}", Options())
        yield Witness(f"the server sent {body[:80]!r}", body in server.sent, server.word)


def send_in_two_chunks(http: Client, text: str) -> Acts:
    """A body that is the text alone, cut in two in the middle."""
    body = text.encode()
    middle = len(body) // 2
    chunks = [b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:middle], body[middle:]) if part]
    start = f"HTTP/1.1 {_OTHER} Other\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    with _server(_says(start, *chunks, b"0\r\n\r\n")) as server, http.aside():
        http.request(f"GET {server.place}", Options())
        told = f"the server sent {len(chunks)} chunks: {body[:80]!r}"
        yield Witness(told, all(chunk in server.sent for chunk in chunks), server.word)


def hang_up(http: Client) -> Acts:
    """The connection is closed once the request is there."""
    with _server(_says()) as server, http.aside():
        http.request(f"GET {server.place}", Options())
        told = f"the server got {len(server.got)} bytes and sent {len(server.sent)}"
        yield Witness(told, bool(server.got) and not server.sent, server.word)


def keep_the_last_byte(http: Client) -> Acts:
    """An answer of which one byte is missing when the connection is closed."""
    with _server(_says(_head(_OTHER, 1))) as server, http.aside():
        http.request(f"GET {server.place}", Options())
        _, _, body = server.sent.partition(b"\r\n\r\n")
        told = f"the server told of 1 byte and sent {len(body)}"
        yield Witness(told, b"Length: 1\r\n" in server.sent and not body, server.word)


def answer_late(http: Client, limit: float) -> Acts:
    """Ten times the time that an answer may take."""
    yield from _answer_after(http, limit, 10 * limit if limit > _WAITED_FOR else 2 * limit)


def answer_a_little_late(http: Client, limit: float) -> Acts:
    """Less than a hundredth of a second too late."""
    yield from _answer_after(http, limit, limit + 0.001)


def fail_call(http: Client, code: int) -> Acts:
    """An error as an answer to a call by HTTP."""

    def reply(got: bytes) -> list[bytes]:
        call = json.loads(got.partition(b"\r\n\r\n")[2])
        body = _error(code, call["id"], message=call["method"])
        return [_head(_OTHER, len(body)), body]

    with _server(reply) as server, http.aside():
        http.call(server.word, server.place)
        yield _failed(server, code)


def fail_call_on_a_line(http: Client, code: int) -> Acts:
    """An error with nothing but its code, as an answer to nobody in particular, on a line."""
    with _server(_says(_error(code) + b"\n")) as server, http.aside():
        http.call(server.word, f"tcp:127.0.0.1:{server.port}")
        yield _failed(server, code)


class _Clock:
    """The clock on the wall, moved on."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return monotonic() + self.ahead


def _answer_after(http: Client, limit: float, delay: float) -> Acts:
    """An answer that takes so long. Nobody can wait for minutes here, so the client's clock is moved on
    between question and answer; a short delay is waited for.
    """
    clock = _Clock()
    moments: list[float] = []

    def reply(_: bytes) -> list[bytes]:
        moments.append(clock())
        if limit > _WAITED_FOR:
            clock.ahead = delay
        while clock() - moments[0] < delay:
            select.select((), (), (), max(0.0, delay - (clock() - moments[0])))
        moments.append(clock())
        return [_head(_OTHER)]

    with _server(reply) as server, http.aside():
        http.clock = clock
        http.request(f"GET {server.place}", Options())
        took = moments[-1] - moments[0]
        yield Witness(f"the server took {took:.3f} s by the client's clock", took > limit, server.word)


class _Server(Thread):
    """Takes one connection, reads what is asked, sends the parts of the answer, and closes it."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(name="goalkeeper-violation", daemon=True)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(_PATIENCE)
        self._reply = reply
        self.port: int = self._listener.getsockname()[1]
        self.word = secrets.token_hex(8)
        self._got = self._sent = b""

    @property
    def place(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.word}"

    @property
    def got(self) -> bytes:
        """What it was asked, once it has answered."""
        self.join(_PATIENCE)
        return self._got

    @property
    def sent(self) -> bytes:
        self.join(_PATIENCE)
        return self._sent

    def run(self) -> None:
        with suppress(OSError), self._listener.accept()[0] as connection:
            connection.settimeout(_PATIENCE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while not _is_whole(self._got) and (part := connection.recv(65536)):
                self._got += part
            for part in self._reply(self._got):
                connection.sendall(part)
                self._sent += part

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self.join(_PATIENCE)
        self._listener.close()


@contextmanager
def _server(reply: Reply) -> Iterator[_Server]:
    server = _Server(reply)
    server.start()
    try:
        yield server
    finally:
        server.close()


def _is_whole(request: bytes) -> bool:
    """A line is one request, and so is a head with as many bytes as it tells of."""
    if request.startswith(b"{"):
        return request.endswith(b"\n")
    head, found, body = request.partition(b"\r\n\r\n")
    lengths = [line[15:] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return bool(found) and len(body) >= sum(map(int, lengths))


def _says(*parts: bytes) -> Reply:
    return lambda _: [*parts]


def _head(code: int, length: int = 0) -> bytes:
    return f"HTTP/1.1 {code} Other\r\nContent-Length: {length}\r\n\r\n".encode()


def _error(code: int, identity: int | None = None, **more: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": identity, "error": {"code": code, **more}}).encode()


def _status(server: _Server, code: int) -> Witness:
    """What was sent of it; what has not three digits is no status."""
    line = server.sent.partition(b"\r\n")[0]
    effect = line.split(b" ")[1:2] == [b"%d" % code] and 100 <= code <= 999
    return Witness(f"the server sent {line!r}", effect, server.word)


def _failed(server: _Server, code: int) -> Witness:
    sent = server.sent.rpartition(b"\r\n")[2].strip()
    return Witness(f"the server sent {sent!r}", f'"code": {code}' in sent.decode(), server.word)
