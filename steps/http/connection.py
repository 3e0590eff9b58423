"""Sends one request over one connection, which is closed afterwards, and waits no longer than it may.

Imported when the first request is made: the standard library's HTTP brings all of its encryption along.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead, RemoteDisconnected
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Literal

from .address import Address
from .exchange import Answer, Headers, NoAnswer

MOST_BYTES = 64 * 2**20
_CHUNK = 2**16
_TOO_LARGE = f"the answer is larger than {MOST_BYTES // 2**20} MiB"


class Line:
    """An open connection that is cut when its time is up, whatever it is waiting for by then.

    A time limit on each read alone would let a server that sends one byte a second go on for ever.
    """

    def __init__(self, address: Address, path: Path | None, limit: float) -> None:
        self.limit = limit
        self.is_cut = False
        end = monotonic() + limit
        self.socket = _connect(address, path, limit)
        self._timer = Timer(max(0.0, end - monotonic()), self._cut)
        self._timer.daemon = True
        self._timer.start()

    def _cut(self) -> None:
        self.is_cut = True
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def close(self) -> None:
        self._timer.cancel()
        self.socket.close()
        self._timer.join()


@contextmanager
def _open(address: Address, path: Path | None, limit: float, came: bytearray) -> Iterator[Line]:
    """A connection; what goes wrong on it is told as `NoAnswer`."""
    line = Line(address, path, limit)
    try:
        yield line
    except (OSError, HTTPException, ValueError) as error:
        if line.is_cut:
            much = f", only {len(came)} bytes of it" if came else ""
            raise NoAnswer(f"no answer within {limit:g} s{much}", partial=bytes(came)) from error
        raise NoAnswer(_explained(error, len(came)), partial=bytes(came)) from error
    finally:
        line.close()


def ask(
    address: Address, path: Path | None, method: str, headers: Headers, body: bytes, limit: float
) -> Answer:
    """Send an HTTP request and read the whole answer."""
    came = bytearray()
    with _open(address, path, limit, came) as line:
        connection = HTTPConnection("localhost" if path is not None else address.host, address.port or 80)
        connection.sock = line.socket
        with suppress(BrokenPipeError, ConnectionResetError):  # it may answer before it has all of it
            connection.request(method, address.target, body or None, dict(headers))
        response = connection.getresponse()
        with response:
            _read(response, came)
            _check_whole(line, response, came)
            return Answer(bytes(came), response.status, response.reason, tuple(response.getheaders()))


def _read(response: HTTPResponse, came: bytearray) -> None:
    while chunk := response.read1(_CHUNK) if response.chunked else response.read(_CHUNK):
        came += chunk
        if len(came) > MOST_BYTES:
            raise NoAnswer(_TOO_LARGE, partial=bytes(came[:_CHUNK]))


def _check_whole(line: Line, response: HTTPResponse, came: bytearray) -> None:
    """Reading by chunks takes a connection that closed for the end of the body; its length tells."""
    if line.is_cut or response.length:
        raise IncompleteRead(bytes(came), response.length)


def ask_line(address: Address, path: Path | None, text: bytes, limit: float) -> Answer:
    """Send a line and read lines until one is the answer to it: one that is no request of the server's."""
    came = bytearray()
    with _open(address, path, limit, came) as line:
        line.socket.sendall(text + b"\n")
        with line.socket.makefile("rb") as reader:
            while True:
                read = reader.readline(MOST_BYTES)
                came += read
                if len(came) >= MOST_BYTES:
                    raise NoAnswer(_TOO_LARGE, partial=bytes(came[:_CHUNK]))
                if line.is_cut or not read.endswith(b"\n"):
                    raise IncompleteRead(read) if came else RemoteDisconnected
                if not _is_request(read):
                    return Answer(read.rstrip(b"\r\n"))


def _is_request(line: bytes) -> bool:
    """Whether a line asks or tells something of its own accord, as a JSON-RPC server may between answers."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and "method" in document and not {"result", "error"} & document.keys()


def send_and_leave(address: Address, path: Path | None, text: bytes, limit: float) -> None:
    """Send bytes and close the connection without waiting for anything."""
    with _open(address, path, limit, bytearray()) as line:
        line.socket.sendall(text)


def reached(address: Address, path: Path | None, limit: float) -> Literal["open", "busy", "refused"]:
    """Whether a connection is taken at this address. Busy: somebody listens, but takes none in time."""
    try:
        _connect(address, path, limit).close()
    except NoAnswer as error:
        return "busy" if isinstance(error.__cause__, TimeoutError) else "refused"
    return "open"


def _connect(address: Address, path: Path | None, limit: float) -> socket.socket:
    try:
        if path is not None:
            return _connect_unix(path, limit)
        plain = socket.create_connection((address.host, address.port), timeout=max(limit, 0.001))
        plain.settimeout(None)
        return _encrypted(plain, address.host, limit) if address.scheme == "https" else plain
    except TimeoutError as error:
        raise NoAnswer(f"{address.origin} took no connection within {limit:g} s", sent=False) from error
    except OSError as error:
        raise NoAnswer(_not_connected(address, path, error), sent=False) from error


def _connect_unix(path: Path, limit: float) -> socket.socket:
    """Through its directory, since the address of a socket may not be longer than 107 bytes.

    The limit is the kernel's, not Python's: that would not wait at all for a server whose queue is full.
    """
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    plain = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _set_send_limit(plain, max(limit, 0.001))
        plain.connect(f"/proc/self/fd/{directory}/{path.name}")
        _set_send_limit(plain, 0.0)
    except BlockingIOError as error:
        plain.close()
        raise TimeoutError from error
    except OSError:
        plain.close()
        raise
    finally:
        os.close(directory)
    return plain


def _set_send_limit(plain: socket.socket, limit: float) -> None:
    whole = int(limit)
    plain.setsockopt(
        socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", whole, int((limit - whole) * 1e6))
    )


def _encrypted(plain: socket.socket, host: str, limit: float) -> socket.socket:
    import ssl

    plain.settimeout(limit)
    try:
        encrypted = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except OSError:
        plain.close()
        raise
    encrypted.settimeout(None)
    return encrypted


def _not_connected(address: Address, path: Path | None, error: OSError) -> str:
    if path is not None:
        try:
            is_socket = stat.S_ISSOCK(path.stat().st_mode)
        except OSError:
            return f'there is no socket "{address.host}"'
        if not is_socket:
            return f'"{address.host}" is no socket'
    if isinstance(error, ConnectionRefusedError):
        return f"nothing listens at {address.origin}: connection refused"
    return f"{address.origin} can't be reached: {error.strerror or error}"


def _explained(error: Exception, came: int) -> str:
    if isinstance(error, RemoteDisconnected):
        return "the server closed the connection without an answer"
    if isinstance(error, IncompleteRead):
        much = f"{came} of {came + error.expected} bytes" if error.expected else f"{came} bytes"
        return f"the server closed the connection early, after {much}"
    if isinstance(error, ConnectionResetError | BrokenPipeError):
        return "the server broke off the connection without an answer"
    if isinstance(error, OSError):
        return f"the connection failed: {error.strerror or error}"
    return f"this is no HTTP answer: {type(error).__name__}: {error}".rstrip(": \r\n")
