"""The steps of steps/http against real servers: what each accepts, and what it says where it does not."""

from __future__ import annotations

import json
import os
import socketserver
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner import wait
from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Breach, Negative, Watch, Witness
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.runner.wait import until
from goalkeeper.steps import http as steps
from goalkeeper.steps.http import never, violations
from goalkeeper.steps.http.client import Client

Step = Callable[..., None]
WriteGoal = Callable[..., Path]
HEALTH = {"status": "ok", "agents": 1, "list": [{"name": None}], "port": "80"}
ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/health": (200, {"Content-Type": "application/json"}, json.dumps(HEALTH).encode()),
    "/latin": (200, {"Content-Type": "text/plain; charset=iso-8859-1"}, "Grüße\nalle\n".encode("latin-1")),
    "/bytes": (200, {}, b"\0\xff\0"),
    "/empty": (204, {}, b""),
    "/broken": (500, {}, b'{"half": '),
    "/moved": (302, {"Location": "/health"}, b""),
    "/near": (307, {"Location": "echo"}, b""),
    "/loop": (302, {"Location": "/loop"}, b""),
    "/away": (302, {"Location": "http://example.org/"}, b""),
    "/cookie": (200, {"Set-Cookie": "session=s3cret", "X-Kind": "a, b"}, b"{}"),
}


class App(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: dict[str, int]

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with self.server.lock:  # type: ignore[attr-defined]
            times = self.server.asked[self.path] = self.server.asked.get(self.path, 0) + 1  # type: ignore[attr-defined]
        if self.path == "/drop":
            self.close_connection = True
            return
        if self.path == "/echo":
            told = {"method": self.command, "body": body.decode(), "headers": dict(self.headers.items())}
            self.reply(200, {}, json.dumps(told).encode())
        elif self.path == "/once":
            self.reply(201 if times == 1 else 409, {}, b"")
        elif self.path == "/later":
            self.reply(503 if times < 3 else 200, {}, json.dumps({"times": times}).encode())
        elif self.path == "/rpc":
            self.reply(200, {}, answer_call(body))
        else:
            self.reply(*ANSWERS.get(self.path, (404, {}, b"no such page\n")))

    do_POST = do_PUT = do_DELETE = do_HEAD = do_GET  # noqa: N815

    def reply(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def address_string(self) -> str:
        return "client"

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class UnixServer(ThreadingHTTPServer):
    address_family = 1  # AF_UNIX

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)


def answer_call(line: bytes) -> bytes:
    """A small JSON-RPC server, as a daemon on a socket has it."""
    try:
        call = json.loads(line)
    except ValueError:
        return b'{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}}'
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": call.get("id")}
    method, parameters = call.get("method"), call.get("params", {})
    if method == "echo":
        answer["result"] = {"params": parameters, "has": "params" in call}
    elif method == "other":
        answer |= {"id": 77, "result": 1}
    elif method == "old":
        answer |= {"jsonrpc": "1.0", "result": 1}
    elif method == "both":
        answer |= {"result": 1, "error": {"code": 1}}
    elif method == "codeless":
        answer["error"] = {"message": "x"}
    elif method == "list":
        return b"[1]"
    else:
        answer["error"] = {"code": -32601, "message": "Method not found"}
    return json.dumps(answer).encode()


class LineHandler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        for line in self.rfile:
            if not line.endswith(b"\n"):
                self.server.parts.append(line)  # type: ignore[attr-defined]
            elif b"hang up" in line:
                return
            elif b"silent" not in line:
                self.wfile.write(answer_call(line) + b"\n")


class LineServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path: str) -> None:
        self.parts: list[bytes] = []
        super().__init__(path, LineHandler)


@pytest.fixture
def running() -> Iterator[Callable[[socketserver.BaseServer], None]]:
    started: list[tuple[socketserver.BaseServer, threading.Thread]] = []

    def start(server: socketserver.BaseServer) -> None:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        started.append((server, thread))

    yield start
    for server, thread in started:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def port(running: Callable[[socketserver.BaseServer], None]) -> int:
    server = ThreadingHTTPServer(("127.0.0.1", 0), App)
    server.daemon_threads = True
    server.lock, server.asked = threading.Lock(), {}  # type: ignore[attr-defined]
    running(server)
    return int(server.server_address[1])


@pytest.fixture
def server(http: Client, port: int) -> Client:
    """A client for which there is a server."""
    steps.set_base(http, f"http://127.0.0.1:{port}")
    return http


@pytest.fixture
def lines(
    sandbox: Sandbox, running: Callable[[socketserver.BaseServer], None], monkeypatch: pytest.MonkeyPatch
) -> LineServer:
    """A daemon that speaks lines at the socket run/daemon.sock."""
    (sandbox.work / "run").mkdir()
    monkeypatch.chdir(sandbox.work / "run")
    server = LineServer("daemon.sock")
    running(server)
    return server


SOCKET = "unix:run/daemon.sock"


def failure(step: Step, *arguments: object) -> str:
    with pytest.raises(StepFailed) as caught:
        step(*arguments)
    return str(caught.value)


def echoed(http: Client) -> dict[str, Any]:
    found: dict[str, Any] = http.answer.document()
    return found


def test_ways_to_make_a_request(server: Client, sandbox: Sandbox) -> None:
    (sandbox.work / "body").write_bytes(b"from a file")
    steps.set_header(server, "X-Api-Key", "k")
    steps.request(server, "DELETE /echo")
    assert (echoed(server)["method"], echoed(server)["body"]) == ("DELETE", "")
    assert echoed(server)["headers"]["X-Api-Key"] == "k"
    steps.request_with_body(server, "POST /echo", '{"a": "ü"}')
    assert echoed(server)["body"] == '{"a": "ü"}'
    assert echoed(server)["headers"]["Content-Type"] == "application/json"
    steps.request_with_body(server, "PUT /echo", "text")
    assert echoed(server)["headers"]["Content-Type"] == "text/plain; charset=utf-8"
    rows = [["header.content-type", "x/y"], ["header.X-API-KEY", ""], ["file", "body"], ["limit", "20 s"]]
    steps.request_with(server, sandbox, "POST /echo", rows)
    assert echoed(server)["body"] == "from a file"
    assert echoed(server)["headers"]["content-type"] == "x/y"
    assert "x-api-key" not in {name.lower() for name in echoed(server)["headers"]}
    steps.request_with(server, sandbox, "POST /echo", [["body", "[]"]])
    assert echoed(server)["headers"]["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [["headers.X", "1"]],
            'a request has no option "headers.X". Did you mean "header."?\n'
            "known: body, file, limit, redirects, header.NAME",
        ),
        (
            [["limits", "1 s"]],
            'a request has no option "limits". Did you mean "limit"?\n'
            "known: body, file, limit, redirects, header.NAME",
        ),
        ([["limit", "soon"]], '"soon" is not a duration: write it as 200 ms, 5 s, 2 min or 1 h'),
        ([["redirects", "yes"]], 'redirects are "followed" or "not followed", not "yes"'),
        ([["body", "x"], ["file", "y"]], "a request has one body: write body or file, not both"),
        ([["file", "none"]], 'file "none" can\'t be read: No such file or directory'),
        ([["file", "../x"]], '"../x" lies outside of the sandbox: name a path inside it'),
        ([["header.a b", "1"]], '"a b" is no name of a header'),
        ([["header.A", "1\nB: 2"]], 'header "A" can\'t be sent: its value must be one line of ASCII'),
        ([["header.A", "ü"]], 'header "A" can\'t be sent: its value must be one line of ASCII'),
    ],
)
def test_options_that_a_request_does_not_have(
    server: Client, sandbox: Sandbox, rows: list[list[str]], message: str
) -> None:
    assert failure(steps.request_with, server, sandbox, "GET /health", rows) == message
    assert server.exchanges == []


def test_http_over_a_socket(
    http: Client,
    sandbox: Sandbox,
    running: Callable[[socketserver.BaseServer], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(sandbox.work)
    server = UnixServer("app.sock", App)  # type: ignore[arg-type]
    server.lock, server.asked = threading.Lock(), {}  # type: ignore[attr-defined]
    running(server)
    steps.request(http, "GET unix:app.sock:/health")
    steps.status_is(http, 200)
    steps.set_base(http, "unix:app.sock")
    steps.request(http, "GET /echo")
    assert echoed(http)["headers"]["Host"] == "localhost"
    steps.call(http, "echo", "/rpc")
    steps.call_succeeds(http)
    assert http.last.title == 'call "echo" at unix:app.sock:/rpc'


@pytest.mark.parametrize("address", ["unix:../x.sock", "unix:/run/x.sock"])
def test_sockets_outside_of_the_sandbox(http: Client, tmp_path: Path, address: str) -> None:
    assert "lies outside of the sandbox" in failure(steps.request, http, f"GET {address}")
    steps.permit(http, f"unix:{tmp_path}/x.sock")
    message = failure(steps.request, http, f"GET unix:{tmp_path}/x.sock:/y")
    assert message == (f'GET unix:{tmp_path}/x.sock:/y got no answer: there is no socket "{tmp_path}/x.sock"')


HOLDS: list[tuple[str, Step, tuple[object, ...]]] = [
    ("/health", steps.status_is, (200,)),
    ("/nothing", steps.status_is, (404,)),
    ("/health", steps.status_is_not, (404,)),
    ("/health", steps.header_is, ("content-type", "application/json")),
    ("/health", steps.header_contains, ("Content-Type", "json")),
    ("/cookie", steps.header_is, ("X-Kind", "a, b")),
    ("/health", steps.no_header, ("X-Kind",)),
    ("/latin", steps.body_is, ("Grüße\nalle",)),
    ("/latin", steps.body_contains, ("üße\na",)),
    ("/latin", steps.body_matches, ("^al+e$",)),
    ("/empty", steps.body_is_empty, ()),
    ("/health", steps.json_has, ([["status", "ok"], ["agents", "1"], ["list.0.name", "null"]],)),
    ("/health", steps.json_has, ([["port", '"80"']],)),
    ("/health", steps.json_is, (json.dumps(dict(reversed(HEALTH.items())), indent=3),)),
    ("/health", steps.json_matches, ('{"properties": {"agents": {"type": "integer"}}}',)),
    ("/health", steps.came_within, (20.0,)),
]  # fmt: skip


@pytest.mark.parametrize(("path", "step", "arguments"), HOLDS)
def test_a_then_that_holds(server: Client, path: str, step: Step, arguments: tuple[object, ...]) -> None:
    steps.request(server, f"GET {path}")
    step(server, *arguments)


FAILS: list[tuple[str, Step, tuple[object, ...], str]] = [
    (
        "/nothing",
        steps.status_is,
        (200,),
        "the status is another\n  expected: 200\n  actual:   404 Not Found\n  the body is\n  | no such page",
    ),
    ("/health", steps.status_is_not, (200,), "GET http://127.0.0.1:PORT/health was answered with 200 OK"),
    (
        "/health",
        steps.header_is,
        ("Content-Type", "text"),
        'header "Content-Type" differs\n  expected: text\n  actual:   application/json',
    ),
    (
        "/health",
        steps.header_contains,
        ("Content-Type", "text"),
        'header "Content-Type" does not contain "text"\n  Content-Type: application/json',
    ),
    (
        "/cookie",
        steps.header_is,
        ("set-cookie", "x"),
        'header "set-cookie" differs\n  expected: x\n  actual:   (hidden)',
    ),
    (
        "/health",
        steps.header_is,
        ("Content-Typ", "x"),
        'there is no header "Content-Typ". Did you mean "Content-Type"?\n'
        "  there are: Server, Date, Content-Type, Content-Length",
    ),
    ("/cookie", steps.no_header, ("X-Kind",), 'there is a header "X-Kind"\n  a, b'),
    (
        "/latin",
        steps.body_is,
        ("Grüße\nkeine",),
        "the body differs\n  --- expected\n  +++ actual\n  @@ -1,2 +1,2 @@\n   Grüße\n  -keine\n  +alle",
    ),
    (
        "/bytes",
        steps.body_is_empty,
        (),
        "the body is not empty\n  the body is\n  | (3 bytes that are no text)",
    ),
    (
        "/latin",
        steps.body_contains,
        ("x",),
        'the body does not contain "x"\n  the body is\n  | Grüße\n  | alle',
    ),
    ("/empty", steps.body_contains, ("x",), 'the body does not contain "x"\n  the body is empty'),
    ("/empty", steps.body_matches, ("x",), "the body does not match x\n  the body is empty"),
    (
        "/empty",
        steps.body_matches,
        ("(",),
        "this is not a regular expression: missing ), unterminated subpattern at position 0\n  (",
    ),
    (
        "/health",
        steps.json_has,
        ([["status", "bad"], ["agents", '"1"'], ["stats", "1"]],),
        'the JSON body differs\n  status: expected "bad", got "ok"\n  agents: expected "1", got 1\n'
        '  stats: there is no stats. Did you mean "status"?',
    ),
    ("/empty", steps.json_has, ([],), "the body is empty, so it is not JSON"),
    (
        "/broken",
        steps.json_has,
        ([],),
        'the body is not JSON: Expecting value: line 1 column 10 (char 9)\n  the body is\n  | {"half": ',
    ),
    (
        "/cookie",
        steps.json_is,
        ('{"a": 1}',),
        "the JSON body differs\n  --- expected\n  +++ actual\n  @@ -1,3 +1 @@\n"
        '  -{\n  -  "a": 1\n  -}\n  +{}',
    ),
    (
        "/cookie",
        steps.json_is,
        ("{",),
        "the doc string of this step is not JSON: "
        "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    ),
    (
        "/health",
        steps.json_matches,
        ('{"properties": {"agents": {"type": "string"}, "list": {"items": {"required": ["id"]}}}}',),
        "the JSON body does not fit the schema\n  agents: 1 is not of type 'string'\n"
        "  list.0: 'id' is a required property",
    ),
    (
        "/health",
        steps.json_matches,
        ('{"type": "strin"}',),
        "this is no JSON Schema: 'strin' is not valid under any of the given schemas",
    ),
    (
        "/health",
        steps.json_matches,
        ("{",),
        "this schema is not JSON: Expecting property name enclosed in double quotes: line 1",
    ),
    ("/health", steps.result_is, ("1",), 'this is no answer of JSON-RPC 2.0: "jsonrpc" is null'),
]


@pytest.mark.parametrize(("path", "step", "arguments", "message"), FAILS)
def test_a_then_that_does_not_hold(
    server: Client, port: int, path: str, step: Step, arguments: tuple[object, ...], message: str
) -> None:
    steps.request(server, f"GET {path}")
    assert failure(step, server, *arguments).startswith(message.replace("PORT", str(port)))


def test_a_schema_does_not_fetch_anything(server: Client, port: int) -> None:
    steps.request(server, "GET /health")
    schema = json.dumps({"$ref": f"http://127.0.0.1:{port}/schema"})
    assert failure(steps.json_matches, server, schema).startswith(
        "this schema refers to what it does not hold: "
    )


def test_an_answer_that_took_longer(server: Client) -> None:
    steps.request(server, "GET /health")
    assert failure(steps.came_within, server, 0.0).startswith("the answer took longer\n  expected: 0 s\n")


def test_the_bytes_of_a_body(server: Client, sandbox: Sandbox) -> None:
    for name, content in (("same", b"\0\xff\0"), ("longer", b"\0\xff\0\0"), ("other", b"\0\xff1")):
        (sandbox.work / name).write_bytes(content)
    steps.request(server, "GET /bytes")
    steps.body_is_file(server, sandbox, "same")
    assert failure(steps.body_is_file, server, sandbox, "longer") == (
        'the body is not the content of "longer"\n  expected: 4 bytes\n  actual:   3 bytes'
    )
    assert "both have the same size, other bytes" in failure(steps.body_is_file, server, sandbox, "other")


def test_without_any_request(http: Client) -> None:
    assert failure(steps.status_is, http, 200) == (
        "no request has been made: this step looks at the answer to the last one"
    )
    assert failure(steps.every_status, http, 200) == (
        "nothing has been requested at once: this step counts what came of that"
    )


def test_a_request_without_an_answer(server: Client, port: int) -> None:
    assert failure(steps.request, server, "POST /drop") == (
        f"POST http://127.0.0.1:{port}/drop got no answer: the server closed the connection without an answer"
    )
    assert failure(steps.status_is, server, 200).endswith("closed the connection without an answer")
    steps.request_in_vain(server, "POST /drop")
    assert failure(steps.request_in_vain, server, "GET /empty") == (
        f"GET http://127.0.0.1:{port}/empty got an answer: 204 No Content\n  the body is empty"
    )


def test_redirects(server: Client, sandbox: Sandbox) -> None:
    steps.request(server, "GET /moved")
    steps.status_is(server, 302)
    steps.request_with(server, sandbox, "POST /moved", [["redirects", "followed"], ["body", "x"]])
    steps.status_is(server, 200)
    steps.json_has(server, [["status", "ok"]])
    steps.follow(server)
    steps.request_with_body(server, "PUT /near", "kept")
    assert (echoed(server)["method"], echoed(server)["body"]) == ("PUT", "kept")
    steps.request_with(server, sandbox, "GET /moved", [["redirects", "not followed"]])
    steps.status_is(server, 302)
    assert "is redirected again, after 10 redirects" in failure(steps.request, server, "GET /loop")
    assert "http://example.org:80 is not on this machine" in failure(steps.request, server, "GET /away")


def test_a_redirect_to_another_server_takes_no_secrets_along(
    server: Client, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same server under another name is another one."""
    location = f"http://localhost:{port}/echo"
    monkeypatch.setitem(ANSWERS, "/elsewhere", (302, {"Location": location}, b""))
    monkeypatch.setitem(ANSWERS, "/here", (302, {"Location": "/echo"}, b""))
    steps.set_header(server, "Authorization", "Bearer x")
    steps.set_header(server, "X-Colour", "blue")
    steps.follow(server)
    steps.request(server, "GET /here")
    assert echoed(server)["headers"]["Authorization"] == "Bearer x"
    steps.request(server, "GET /elsewhere")
    assert "Authorization" not in echoed(server)["headers"]
    assert echoed(server)["headers"]["X-Colour"] == "blue"


def test_waiting_for_an_answer(server: Client, port: int) -> None:
    steps.answers_status(server, "GET /later", 200, 20.0)
    steps.json_has(server, [["times", "3"]])
    assert [one.awaited for one in server.exchanges] == [True] * 3
    steps.answers_json(server, "GET /later", 20.0, [["times", "5"]])
    assert failure(steps.answers_status, server, "GET /health", 404, 0.05) == (
        f"GET http://127.0.0.1:{port}/health did not answer with status 404 within 0.05 s\n"
        "  the last answer: 200 OK"
    )
    assert failure(steps.answers_json, server, "GET /health", 0.05, [["agents", "2"]]) == (
        f"GET http://127.0.0.1:{port}/health did not answer as expected within 0.05 s\n"
        "  agents: expected 2, got 1"
    )
    assert failure(steps.answers_json, server, "GET /broken", 0.0, [["a", "2"]]).splitlines()[1] == (
        "  the last answer: 500 Internal Server Error, "
        "the body is not JSON: Expecting value: line 1 column 10 (char 9)"
    )
    assert failure(steps.answers_status, server, "POST /health", 200, 1.0) == (
        "POST is not asked again and again, since each may change something: use GET"
    )


def test_waiting_for_a_server(http: Client, sandbox: Sandbox) -> None:
    (sandbox.work / "run").mkdir()
    assert failure(steps.accepts, http, "unix:run/late.sock", 0.0) == (
        "nobody accepts connections at unix:run/late.sock after 0 s"
    )
    assert failure(steps.answers_status, http, "GET unix:run/late.sock:/", 200, 0.0).endswith(
        'the last answer: there is no socket "run/late.sock"'
    )
    directory = os.open(sandbox.work / "run", os.O_PATH)
    servers: list[LineServer] = []
    timer = threading.Timer(0.05, lambda: servers.append(LineServer(f"/proc/self/fd/{directory}/late.sock")))
    timer.start()
    steps.accepts(http, "unix:run/late.sock", 20.0)
    timer.join()
    os.close(directory)
    assert failure(steps.refuses, http, "unix:run/late.sock", 0.02) == (
        "something still listens at unix:run/late.sock after 0.02 s"
    )
    servers[0].server_close()
    steps.refuses(http, "unix:run/late.sock", 20.0)


def test_requests_at_once(server: Client) -> None:
    steps.request_at_once(server, "POST /once", 12)
    steps.exactly_status(server, 1, 201)
    steps.exactly_status(server, 11, 409)
    steps.at_least_status(server, 10, 409)
    steps.exactly_unanswered(server, 0)
    assert failure(steps.exactly_status, server, 2, 201) == (
        "of 12 at once, 1 got status 201, not 2\n  11 × 409 Conflict\n  1 × 201 Created"
    )
    assert failure(steps.at_least_status, server, 2, 201).startswith(
        "of 12 at once, 1 got status 201, not at least 2\n"
    )
    assert failure(steps.every_status, server, 409).startswith("of 12 at once, 11 got status 409, not ")
    assert failure(steps.exactly_unanswered, server, 1).startswith("of 12 at once, 0 got no answer, not 1\n")
    steps.make_requests(server, [["GET /health", ""], ["POST /echo", "x"], ["GET /drop", ""]])
    assert [one.answer and one.answer.status for one in server.batch] == [200, 200, None]
    assert server.batch[1].answer is not None
    assert json.loads(server.batch[1].answer.body)["body"] == "x"
    steps.exactly_unanswered(server, 1)
    steps.make_requests(server, [["GET /health"]])
    steps.every_status(server, 200)
    steps.request_at_once(server, "POST /echo", 2, "body")
    assert [json.loads(one.answer.body)["body"] for one in server.batch if one.answer] == ["body", "body"]


@pytest.mark.parametrize("number", [0, 501])
def test_how_many_at_once(server: Client, number: int) -> None:
    assert failure(steps.request_at_once, server, "GET /health", number) == (
        f"from 1 to 500 can be sent at once, not {number}"
    )


def test_requests_that_are_none(server: Client) -> None:
    assert failure(steps.make_requests, server, [["a", "b", "c"]]) == (
        "this table has a column of requests, and at most one more, of their bodies"
    )
    assert failure(steps.request, server, "/health") == (
        '"/health" is no request: write method and address, as in "GET /health"'
    )
    assert "is not on this machine" in failure(steps.request, server, "GET https://example.org/")


@pytest.mark.usefixtures("lines")
def test_a_limit_for_all_requests(http: Client) -> None:
    steps.set_limit(http, 0.2)
    assert failure(steps.call, http, "silent", SOCKET) == (
        f'call "silent" at {SOCKET} got no answer: no answer within 0.2 s'
    )
    assert http.last.outcome == "unknown"
    steps.call_in_vain(http, "silent", SOCKET)


@pytest.mark.parametrize("transport", ["lines", "HTTP"])
@pytest.mark.usefixtures("lines")
def test_calls(server: Client, transport: str) -> None:
    place = SOCKET if transport == "lines" else "/rpc"
    steps.call(server, "echo", place)
    steps.result_is(server, '{"params": {}, "has": false}')
    steps.call_with(server, "echo", place, datatable=[["a", "1"], ["b", "x y"], ["c", "[null]"]])
    steps.result_has(server, [["params.a", "1"], ["params.b", "x y"], ["params.c.0", "null"]])
    steps.call_with(server, "echo", place, docstring='["ü\\n"]')
    steps.result_has(server, [["params.0", '"ü\\n"']])
    steps.call_succeeds(server)
    assert failure(steps.error_code_is, server, 1).startswith(
        "the call was answered otherwise\n  expected: error 1\n  actual:   the result {"
    )
    assert failure(steps.error_message_contains, server, "x").startswith(
        'there is no error with "x" in its message\n  the result {'
    )
    assert failure(steps.result_has, server, [["params.1", "1"]]).startswith("the result differs\n")
    steps.call(server, "missing", place)
    steps.error_code_is(server, -32601)
    steps.error_message_contains(server, "not found")
    for step in (steps.call_succeeds, lambda http: steps.result_is(http, "1")):
        assert failure(step, server).endswith("gave error -32601: Method not found")
    assert failure(steps.error_code_is, server, 0).endswith("actual:   error -32601: Method not found")
    assert failure(steps.error_message_contains, server, "x").endswith("  error -32601: Method not found")
    assert failure(steps.call_in_vain, server, "echo", place).startswith('call "echo" at ')


@pytest.mark.usefixtures("lines")
@pytest.mark.parametrize(
    ("method", "problem"),
    [
        ("other", "its id is 77, but 1 was asked"),
        ("old", '"jsonrpc" is "1.0"'),
        ("both", "it must have either a result or an error"),
        ("codeless", "its error has no code"),
        ("list", "it is no object"),
    ],
)
def test_answers_that_are_none_of_json_rpc(http: Client, method: str, problem: str) -> None:
    steps.call(http, method, SOCKET)
    message = failure(steps.call_succeeds, http)
    assert message.splitlines()[0] == f"this is no answer of JSON-RPC 2.0: {problem}"
    assert failure(steps.error_code_is, http, 1) == message


@pytest.mark.usefixtures("lines")
def test_parameters_that_are_none(http: Client) -> None:
    assert failure(steps.call_with, http, "echo", SOCKET) == (
        "this step needs the parameters below it: a table, or JSON in a doc string"
    )
    assert failure(steps.call_with, http, "echo", SOCKET, None, "{") == (
        "these parameters are not JSON: "
        "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
    )
    assert failure(steps.call_with, http, "echo", SOCKET, None, "1") == (
        "parameters are a JSON object or list, not 1"
    )
    assert failure(steps.make_calls, http, SOCKET, [["a"]]) == (
        'the first row of this table names its columns, one of them "method"'
    )
    assert failure(steps.status_is, http, 200).startswith("no request")
    assert http.exchanges == []


def test_lines_as_they_stand(http: Client, lines: LineServer, port: int) -> None:
    steps.send_line(http, "{broken", SOCKET)
    steps.error_code_is(http, -32700)
    steps.send_line(http, '{"method": "echo"}', SOCKET)
    steps.result_is(http, '{"params": {}, "has": false}')
    assert failure(steps.status_is, http, 200) == (
        f"line to {SOCKET} was answered by a line, which has no status"
    )
    assert failure(steps.send_line, http, "hang up", SOCKET).endswith(
        "the server closed the connection without an answer"
    )
    assert failure(steps.send_line, http, "x", f"http://127.0.0.1:{port}/rpc") == (
        f"http://127.0.0.1:{port}/rpc speaks HTTP: lines go to unix:… without a path, or to tcp:…"
    )
    steps.send_and_leave(http, '{"half', SOCKET)
    assert until(lambda: lines.parts or None, 20.0) == [b'{"half']
    assert failure(steps.send_and_leave, http, "x", "unix:none") == (
        'nothing could be sent to unix:none: there is no socket "none"'
    )


@pytest.mark.usefixtures("lines")
def test_calls_at_once(http: Client) -> None:
    rows = [
        ["method", "n", "text"],
        ["echo", "1", ""],
        ["echo", "", "x"],
        ["missing", "", ""],
        ["hang up", "", ""],
    ]
    steps.make_calls(http, SOCKET, rows)
    steps.exactly_succeeded(http, 2)
    steps.exactly_failed(http, 1, -32601)
    steps.exactly_unanswered(http, 1)
    results = [json.loads(one.answer.body).get("result") for one in http.batch if one.answer]
    assert [one and one["params"] for one in results] == [{"n": 1}, {"text": "x"}, None]
    assert failure(steps.exactly_succeeded, http, 3).startswith("of 4 at once, 2 got a result, not 3\n")
    assert failure(steps.exactly_failed, http, 0, -32601).startswith(
        "of 4 at once, 1 got error -32601, not 0"
    )


def test_secrets_do_not_get_into_evidence(server: Client, evidence: Evidence) -> None:
    seen: list[Any] = []
    evidence.sink = lambda *observed: seen.append(observed)
    for name in ("Authorization", "Cookie", "X-Api-Key", "X-Auth-Token"):
        steps.set_header(server, name, "s3cret")
    steps.request(server, "GET /cookie?token=s3cret")
    steps.call(server, "echo", "/rpc")
    text = repr([(entry.title, entry.text()) for entry in evidence.entries]) + repr(seen)
    assert "s3cret" not in text
    assert text.count("(hidden)") >= 4


def test_what_goes_on_record(server: Client, port: int, evidence: Evidence) -> None:
    seen: list[Any] = []
    evidence.sink = lambda kind, outcome, facts: seen.append((kind, outcome, facts))
    steps.request(server, "GET /health")
    steps.request_in_vain(server, "GET /drop")
    steps.request_in_vain(server, "GET unix:none:/")
    steps.answers_status(server, "GET /later", 200, 20.0)
    for _, _, facts in seen:
        assert facts.pop("seconds") >= 0
        assert json.loads(json.dumps(facts)) == facts
    here, closed = f"GET http://127.0.0.1:{port}", "the server closed the connection without an answer"
    assert seen == [
        ("request", "ok", {"request": f"{here}/health", "ending": "200 OK", "status": 200}),
        ("request", "unknown", {"request": f"{here}/drop", "ending": closed}),
        ("request", "failed", {"request": "GET unix:none:/", "ending": 'there is no socket "none"'}),
        ("request", "ok", {"request": f"{here}/later", "ending": "200 OK", "status": 200, "tries": 3}),
    ]  # fmt: skip
    titles = [entry.title for entry in evidence.entries]
    assert titles[0] == f"{here}/health    (200 OK)"
    assert '"status": "ok"' in evidence.entries[0].text()


def test_evidence_of_many_requests_shows_one_of_each_kind(server: Client, evidence: Evidence) -> None:
    steps.make_requests(server, [["GET /health"], ["GET /broken"], ["GET /health"]])
    assert evidence.entries[-1].title == "3 at once    (2 × 200 OK, 1 × 500 Internal Server Error)"
    assert evidence.entries[-1].text().count("/health    (200 OK)") == 1


def armed(negative: Negative, http: Client, **arguments: object) -> Watch[Any]:
    return negative.arm({"http": http, **arguments})


def judged(negative: Negative, watch: Watch[Any]) -> list[Breach]:
    watch.look()
    return [*negative.judge(watch.journal())]


def test_never_a_status(server: Client) -> None:
    steps.request(server, "GET /broken")
    status = armed(never.answers_with_status, server, code=500)
    errors = armed(never.answers_with_error, server)
    assert judged(never.answers_with_status, status) == []
    assert status.journal().is_empty
    steps.request(server, "GET /nothing")
    assert judged(never.answers_with_error, errors) == judged(never.answers_with_status, status) == []
    assert status.journal().inspected == {"answer": 1}
    steps.request_at_once(server, "GET /broken", 2)
    steps.request(server, "GET /health")
    for negative, watch in ((never.answers_with_status, status), (never.answers_with_error, errors)):
        found = judged(negative, watch)
        assert [breach.message.split(" was ")[1] for breach in found] == (
            ["answered with 500 Internal Server Error"] * 2
        )
        assert '{"half": ' in found[0].evidence
    steps.answers_status(server, "GET /later", 200, 20.0)
    assert len(judged(never.answers_with_error, errors)) == 4


@pytest.mark.usefixtures("lines")
def test_never_a_text(server: Client) -> None:
    watch = armed(never.sends, server, text="s3cret")
    body = armed(never.sends, server, text="status")
    late = armed(never.sends, server, text="not found")
    steps.request(server, "GET /cookie")
    steps.request(server, "GET /health")
    steps.call(server, "missing", SOCKET)
    [breach] = judged(never.sends, watch)
    assert breach.message.endswith('/cookie has "s3cret" in its headers')
    assert breach.evidence == "Set-Cookie: (hidden)"
    [breach] = judged(never.sends, body)
    assert breach.message.endswith('/health has "status" in its body')
    [breach] = judged(never.sends, late)
    assert breach.message == f'the answer to call "missing" at {SOCKET} has "not found" in its body'
    assert watch.journal().inspected == {"answer": 3}


def test_never_unanswered(server: Client, port: int) -> None:
    watch = armed(never.leaves_unanswered, server)
    with pytest.raises(StepFailed):
        steps.answers_status(server, "GET unix:none:/", 200, 0.0)
    assert judged(never.leaves_unanswered, watch) == []
    assert watch.journal().is_empty
    steps.request(server, "GET /broken")
    steps.request_in_vain(server, "GET unix:none:/")
    steps.request_in_vain(server, "GET /drop")
    assert judged(never.leaves_unanswered, watch) == [
        Breach('GET unix:none:/ got no answer: there is no socket "none"'),
        Breach(
            f"GET http://127.0.0.1:{port}/drop got no answer: "
            "the server closed the connection without an answer"
        ),
    ]
    assert watch.journal().inspected == {"request": 3}


@pytest.mark.usefixtures("lines")
def test_never_slower(http: Client) -> None:
    slow, fast = armed(never.takes_longer, http, limit=0.1), armed(never.takes_longer, http, limit=20.0)
    steps.set_limit(http, 0.2)
    steps.call_in_vain(http, "silent", SOCKET)
    [breach] = judged(never.takes_longer, slow)
    assert breach.message.startswith(f'call "silent" at {SOCKET} took 0.')
    assert judged(never.takes_longer, fast) == []


@pytest.mark.usefixtures("lines")
def test_never_an_error_code(http: Client) -> None:
    watch = armed(never.answers_with_code, http, code=-32601)
    steps.send_line(http, "nonsense", SOCKET)
    assert judged(never.answers_with_code, watch) == []
    steps.call(http, "echo", SOCKET)
    steps.call(http, "missing", SOCKET)
    [breach] = judged(never.answers_with_code, watch)
    assert breach.message == f'call "missing" at {SOCKET} was answered with error code -32601'
    assert watch.journal().inspected == {"call": 3}


@pytest.mark.usefixtures("lines")
def test_an_error_code_of_nought_is_not_a_result(http: Client) -> None:
    watch = armed(never.answers_with_code, http, code=0)
    steps.call(http, "echo", SOCKET)
    assert judged(never.answers_with_code, watch) == []
    violation = violations.fail_call_on_a_line(http, 0)
    assert next(violation).effect
    assert len(judged(never.answers_with_code, watch)) == 1
    next(violation, None)


@pytest.mark.parametrize("act", [violations.answer_late, violations.answer_a_little_late])
@pytest.mark.parametrize("limit", [0.01, 3600.0])
def test_an_answer_that_is_too_late(
    http: Client, act: Callable[..., Iterator[Witness]], limit: float
) -> None:
    watch, patient = (armed(never.takes_longer, http, limit=one) for one in (limit, 1e6))
    violation = act(http, limit)
    witness = next(violation)
    [breach] = judged(never.takes_longer, watch)
    assert witness.effect
    assert witness.trace in breach.message
    assert judged(never.takes_longer, patient) == []
    next(violation, None)


@pytest.mark.parametrize(
    ("code", "effect", "breaches"),
    [(204, True, 1), (304, True, 1), (999, True, 1), (1000, False, 0), (7, False, 0), (100, True, 0)],
)
@pytest.mark.parametrize("act", [violations.answer_with_status, violations.tell_status_only])
def test_statuses_of_all_kinds(
    http: Client, act: Callable[..., Iterator[Witness]], code: int, effect: bool, breaches: int
) -> None:
    watch = armed(never.answers_with_status, http, code=code)
    violation = act(http, code)
    assert next(violation).effect is effect
    assert len(judged(never.answers_with_status, watch)) == breaches
    next(violation, None)


def test_a_violation_leaves_nothing_behind(server: Client, evidence: Evidence) -> None:
    steps.set_header(server, "Authorization", "Bearer s3cret")
    steps.set_limit(server, 5.0)
    steps.request_at_once(server, "GET /health", 2)
    told: list[Any] = []
    evidence.sink = lambda *facts: told.append(facts)

    def everything() -> list[Any]:
        kept = [server.headers, server.limit, server.follows, server.clock, server.base]
        return [[*server.exchanges], server.batch, *kept, [*evidence.entries]]

    before = everything()
    for violation in (
        violations.send_page(server, "x"),
        violations.hang_up(server),
        violations.answer_late(server, 1.0),
        violations.fail_call(server, 1),
    ):
        assert next(violation).effect
        assert everything() != before
        assert "s3cret" not in repr(server.exchanges[-1])
        next(violation, None)
        assert everything() == before
    assert told == []
    assert not [one for one in threading.enumerate() if one.name == "goalkeeper-violation"]


def test_nothing_is_sent_by_who_only_asks(server: Client, port: int) -> None:
    address = f"http://127.0.0.1:{port}"
    with wait.at_once():
        for step, arguments in (
            (steps.answers_status, ("GET /later", 200, 20.0)),
            (steps.answers_json, ("GET /health", 20.0, [["status", "ok"]])),
            (steps.accepts, (address, 20.0)),
            (steps.refuses, (address, 20.0)),
        ):
            message = failure(step, server, *arguments)
            assert message == "nothing is sent before the first When to find this out"
    assert server.exchanges == []


GOAL = """
    Background:
      Given the server is at "http://127.0.0.1:PORT"
      And request header "Authorization" is "Bearer s3cret"

    Scenario: kept
      Given I request "GET /broken"
      When I request "POST /echo" with body
        \"\"\"
        {"a": 1}
        \"\"\"
      Then the status is 200
      And the JSON body has
        | method | POST |
      And "GET /later" answers with status 200 within 20 s
      But the server never answers with status 500
      And the server never leaves a request unanswered

    Scenario: broken
      When I request "GET /broken"
      Then the status is 200
      But the server never answers with a server error

    Scenario: nothing looked at
      When "http://127.0.0.1:PORT" accepts connections within 20 s
      Then "http://127.0.0.1:PORT" accepts connections within 20 s
      But the server never sends "x"
"""


def test_the_whole_way(pytester: pytest.Pytester, goal: WriteGoal, port: int) -> None:
    goal(GOAL.replace("PORT", str(port)))
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            ">   Then the status is 200",
            "E     the status is another",
            "E       actual:   500 Internal Server Error",
            ">   But the server never answers with a server error",
            f"E     GET http://127.0.0.1:{port}/broken was answered with 500 Internal Server Error",
            "E     this check looked at nothing, so it could not have failed",
        ]
    )
    telling = {line.strip() for line in result.outlines if "s3cret" in line}
    assert telling == {'And request header "Authorization" is "Bearer s3cret"'}
