"""Every negative step of steps/cli, steps/process and steps/http is proven, alone and beside the others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from goalkeeper.runner.never import Negative, Violation, Watch
from goalkeeper.runner.programs import output
from goalkeeper.steps.cli import never as cli
from goalkeeper.steps.cli import watch as cli_watch
from goalkeeper.steps.http import never as http
from goalkeeper.steps.http import watch as http_watch
from goalkeeper.steps.process import never as process
from goalkeeper.steps.process import watch as process_watch

WriteGoal = Callable[..., Path]
Proofs = list[dict[str, Any]]

RUN = """\
    Given I start process "server" with "sh -c 'echo up; exec sleep 600'"
    And process "server" prints "up" within 30 s
    When I run "sh -c 'echo fine; exit 3'"
    Then the output contains "fine"
"""
CALL = """\
    When I call "add" at "/rpc"
    Then the call succeeds
"""
STEPS = {
    "cli": [
        'the command never prints "SECRET"',
        r'the command never prints a line that matches "^E\d+: \w+$"',
        'the output never contains "token"',
        'the error output never contains "panic"',
        "the command never prints to the error output",
        "the command never exits with code 7",
        "the command never succeeds",
        "the command never dies of a signal",
        "the command never runs longer than 30 s",
    ],
    "process": [
        'process "server" never exits',
        'process "server" never exits by itself',
        'process "server" never prints "Traceback"',
        'process "server" never prints a line that matches "^(WARN|ERROR)"',
        'no process but "server" is left running',
        "never more than 3 processes run at once",
        'never more than 1 processes like "sleep *" run at once',
        'no process like "curl" ever runs',
        'no process like "git push*[!x]--forc?" ever runs',
    ],
    "http": [
        "the server never answers with status 404",
        "the server never answers with a server error",
        'the server never sends "Traceback"',
        "the server never leaves a request unanswered",
        "the server never takes longer than 30 s to answer",
        "the server never answers with error code -32601",
    ],
}
LIBRARIES = {"cli": cli, "process": process, "http": http}


def scenario(name: str, start: str, steps: list[str]) -> str:
    first, *others = steps
    nevers = [f"    But {first}", *(f"    And {step}" for step in others)]
    return "\n".join([f"  Scenario: {name}", start.rstrip(), *nevers, ""])


class Adder(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": 3}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Adder)
    thread = Thread(target=partial(server.serve_forever, 0.01))
    thread.start()
    yield int(server.server_address[1])
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def prove(pytester: pytest.Pytester, goal: WriteGoal, port: int) -> Callable[..., Proofs]:
    """Run scenarios of tier 0, and read from the record what became of the violations."""

    def run(*scenarios: str, **outcomes: int) -> Proofs:
        background = f'  Background:\n    Given the server is at "http://127.0.0.1:{port}"\n\n'
        goal("@G0.1\nFeature: A goal\n" + background + "\n".join(scenarios))
        pytester.runpytest("scenarios").assert_outcomes(**outcomes)
        [record] = pytester.path.glob(".goalkeeper/runs/*/record.jsonl")
        events = [json.loads(line) for line in record.read_text().splitlines()]
        return [event for event in events if event["event"] == "proof"]

    return run


def test_every_step_is_proven_beside_all_others(prove: Callable[..., Proofs]) -> None:
    programs, everything = STEPS["cli"] + STEPS["process"], [step for one in STEPS.values() for step in one]
    proofs = prove(
        scenario("programs", RUN, programs),
        scenario("requests", CALL, STEPS["http"]),
        scenario("everything", RUN + CALL, everything),
        passed=3,
    )
    wrong = [proof for proof in proofs if proof["outcome"] != "proven"]
    assert not wrong
    assert len(proofs) == 4 * len(everything)


def test_nothing_is_left_running_of_a_scenario_that_ends_what_it_began(prove: Callable[..., Proofs]) -> None:
    start = f'{RUN}    When I stop process "server" within 30 s\n    Then process "server" exits within 0 s\n'
    steps = ["no process is left running", 'no process but "server" is left running', *STEPS["cli"]]
    assert {proof["outcome"] for proof in prove(scenario("x", start, steps), passed=1)} == {"proven"}


def violations_of(library: object) -> list[tuple[Negative, Violation]]:
    negatives = [one for one in vars(library).values() if isinstance(one, Negative)]
    return [(negative, violation) for negative in negatives for violation in negative.violations]


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_step_is_tried_here(name: str) -> None:
    negatives = [one for one in vars(LIBRARIES[name]).values() if isinstance(one, Negative)]
    tried = len(STEPS[name]) + (1 if name == "process" else 0)
    again = 1 if name == "process" else 0  # one of them twice, one in a test of its own
    assert len(negatives) == tried - again
    assert all({v.strength for v in one.violations} == {"gross", "minimal"} for one in negatives)


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_a_violation_implies_exists(name: str) -> None:
    known = {
        f"{library}.{one.name}"
        for library, module in LIBRARIES.items()
        for one in vars(module).values()
        if isinstance(one, Negative)
    }
    for _, violation in violations_of(LIBRARIES[name]):
        assert {one if "." in one else f"{name}.{one}" for one in violation.implies} <= known


BLIND: list[tuple[type[Watch[Any]], str, str, list[str]]] = [
    (output.OutputWatch, "command", RUN, STEPS["cli"][:5] + STEPS["process"][2:4]),
    (cli_watch.EndingWatch, "command", RUN, STEPS["cli"][5:8]),
    (cli_watch.TimeWatch, "command", RUN, STEPS["cli"][8:]),
    (process_watch.EndWatch, "moment", RUN, STEPS["process"][:2]),
    (process_watch.LeftWatch, "program", RUN, STEPS["process"][4:5]),
    (process_watch.TogetherWatch, "process", RUN, STEPS["process"][5:7]),
    (process_watch.RunWatch, "process", RUN, STEPS["process"][7:]),
    (http_watch.AnswerWatch, "answer", CALL, STEPS["http"]),
]


@pytest.mark.parametrize(
    ("watch", "unit", "start", "steps"), BLIND, ids=lambda one: getattr(one, "__name__", "")
)
def test_a_watch_that_is_blind_is_found_out(
    prove: Callable[..., Proofs],
    monkeypatch: pytest.MonkeyPatch,
    watch: type[Watch[Any]],
    unit: str,
    start: str,
    steps: list[str],
) -> None:
    monkeypatch.setattr(watch, "look", lambda self: self.count(unit))
    proofs = prove(scenario("x", start, steps), failed=1)
    assert [proof["outcome"] for proof in proofs] == ["vacuous"] * 2 * len(steps)
