"""The requests of one scenario: how they are made, and what came of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from threading import Barrier
from time import monotonic
from typing import Any
from urllib.parse import urljoin

from ...runner.evidence import Evidence, Outcome
from ...runner.failure import StepFailed
from ...runner.sandbox import Sandbox
from ...runner.wait import is_only_asked, until
from .address import Address, check_permitted, parse, split_request
from .exchange import Answer, Exchange, Headers, NoAnswer, content, head, is_secret
from .rpc import call_text

DEFAULT_LIMIT = 10.0
MOST_AT_ONCE = 500
_MOST_REDIRECTS = 10
_REDIRECTS = (301, 302, 303, 307, 308)
Send = Callable[[], Exchange]


@dataclass(frozen=True)
class Options:
    """What one request has besides method and address. A header with an empty value is not sent at all."""

    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    limit: float | None = None
    follows: bool | None = None


class Client:
    """Sends requests, one connection each, and keeps what came of them in the order they were made.

    No proxy of the environment is asked. `batch` is what the last step that made several at once got. `clock`
    tells how long an answer takes; it does not tell when to wait no longer.
    """

    def __init__(self, sandbox: Sandbox, evidence: Evidence) -> None:
        self._sandbox = sandbox
        self._evidence = evidence
        self._ids = count(1)
        self.base = ""
        self.headers: dict[str, str] = {}
        self.origins: set[str] = set()
        self.limit = DEFAULT_LIMIT
        self.follows = False
        self.exchanges: list[Exchange] = []
        self.batch: list[Exchange] = []
        self.clock: Callable[[], float] = monotonic

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is sent in the block is no part of the scenario, and nothing of it is kept afterwards.

        It is for those who show that a negative step can fail. Nothing that the scenario sends with each
        request goes out meanwhile.
        """
        sent, kept = len(self.exchanges), (self.batch, self.headers, self.limit, self.follows, self.clock)
        self.headers, self.limit, self.follows = {}, DEFAULT_LIMIT, False
        with self._evidence.aside():
            try:
                yield
            finally:
                del self.exchanges[sent:]
                self.batch, self.headers, self.limit, self.follows, self.clock = kept

    @property
    def last(self) -> Exchange:
        if not self.exchanges:
            raise StepFailed("no request has been made: this step looks at the answer to the last one")
        return self.exchanges[-1]

    @property
    def answer(self) -> Answer:
        """The answer to the last request."""
        last = self.last
        if last.answer is None:
            raise StepFailed(f"{last.title} got no answer: {last.problem}")
        return last.answer

    @property
    def together(self) -> list[Exchange]:
        """What the last step that made several requests or calls at once got."""
        if not self.batch:
            raise StepFailed("nothing has been requested at once: this step counts what came of that")
        return self.batch

    def address(self, text: str) -> Address:
        """The address that a step names, if a request may go there."""
        address = parse(text, self.base)
        check_permitted(address, self.origins)
        return address

    def socket_of(self, address: Address) -> Path | None:
        if address.scheme != "unix":
            return None
        return Path(address.host) if address.origin in self.origins else self._sandbox.path(address.host)

    def request(self, line: str, options: Options) -> Exchange:
        """Make a request, and those that its redirects ask for."""
        method, text = split_request(line)
        address = self.address(text)
        follows = self.follows if options.follows is None else options.follows
        for _ in range(_MOST_REDIRECTS + 1):
            [sent] = self._keep([self._http(method, address, options)()])
            target = _redirect(sent.answer) if follows else ""
            if not target:
                return sent
            method, there, options = _redirected(method, address, target, options, sent.answer)
            if there.origin != address.origin:
                options = self._without_secrets(options)
            check_permitted(there, self.origins)
            address = there
        raise StepFailed(f"{sent.title} is redirected again, after {_MOST_REDIRECTS} redirects")

    def request_until(
        self, line: str, limit: float, wrong: Callable[[Exchange], list[str]]
    ) -> tuple[Exchange, list[str]]:
        """Ask again and again until nothing is wrong with the answer or the time is up: the last one.

        Every answer is kept for negative steps; evidence is left of the last one only.
        """
        method, text = split_request(line)
        if method not in ("GET", "HEAD"):
            raise StepFailed(
                f"{method} is not asked again and again, since each may change something: use GET"
            )
        address, begun, tries = self.address(text), monotonic(), 0
        _must_not_only_be_asked()

        def look() -> Exchange | None:
            nonlocal tries
            tries += 1
            left = max(0.05, limit - (monotonic() - begun))
            sent = self._http(method, address, Options(limit=min(self.limit, left)))()
            self.exchanges.append(replace(sent, awaited=True))
            return None if wrong(sent) else sent

        until(look, limit)
        last = self.exchanges[-1]
        self._report([replace(last, facts={**last.facts, "tries": tries})])
        return last, wrong(last)

    def call(self, method: str, place: str, parameters: Any = None) -> Exchange:
        return self._keep([self._call(method, self.address(place), parameters)()])[0]

    def send_line(self, text: str, place: str) -> Exchange:
        return self._keep([self._line(f"line to {place}", text, self.address(place))()])[0]

    def reached(self, place: str, limit: float) -> str:
        """Whether a connection is taken there: `open`, `busy` or `refused`."""
        from . import connection

        address = self.address(place)
        _must_not_only_be_asked()
        within = max(0.05, min(self.limit, limit))
        return connection.reached(address, self.socket_of(address), within)

    def send_and_leave(self, text: str, place: str) -> None:
        """Send a text and close the connection without waiting for anything."""
        from . import connection

        address = self.address(place)
        try:
            connection.send_and_leave(address, self.socket_of(address), text.encode(), self.limit)
        except NoAnswer as error:
            raise StepFailed(f"nothing could be sent to {address}: {error.problem}") from error

    def requests(self, wanted: Sequence[tuple[str, bytes]]) -> list[Exchange]:
        """Make several requests, given as lines and bodies, at the same moment."""
        split = [(*split_request(line), body) for line, body in wanted]
        return self._together(
            [self._http(m, self.address(text), Options(body=body)) for m, text, body in split]
        )

    def calls(self, place: str, wanted: Sequence[tuple[str, Any]]) -> list[Exchange]:
        """Make several calls, given as methods and parameters, at the same moment."""
        address = self.address(place)
        return self._together([self._call(method, address, parameters) for method, parameters in wanted])

    def _together(self, sends: list[Send]) -> list[Exchange]:
        """Each from a thread of its own, all begun when the last one is ready."""
        if not 1 <= len(sends) <= MOST_AT_ONCE:
            raise StepFailed(f"from 1 to {MOST_AT_ONCE} can be sent at once, not {len(sends)}")
        start = Barrier(len(sends))

        def run(send: Send) -> Exchange:
            start.wait()
            return send()

        with ThreadPoolExecutor(len(sends)) as pool:
            self.batch = self._keep([*pool.map(run, sends)])
        return self.batch

    def _http(self, method: str, address: Address, options: Options) -> Send:
        """A request that is ready to be sent."""
        from . import connection

        address = address if address.is_http else replace(address, target="/")
        headers = _headers(options.body, self.headers, options.headers)
        shown = content(options.body, options.body.decode("utf-8", errors="replace"))
        limit = self.limit if options.limit is None else options.limit
        ask = partial(connection.ask, address, self.socket_of(address), method, headers, options.body, limit)
        return partial(self._timed, f"{method} {address}", f"{head(headers)}\n\n{shown}".strip("\n"), ask)

    def _call(self, method: str, address: Address, parameters: Any) -> Send:
        from . import connection

        number = next(self._ids)
        title, text = f'call "{method}" at {address}', call_text(number, method, parameters)
        if not address.is_http:
            return partial(self._line(title, text, address), call=number)
        headers = _headers(text.encode(), self.headers, {})
        ask = partial(
            connection.ask, address, self.socket_of(address), "POST", headers, text.encode(), self.limit
        )
        return partial(self._timed, title, f"{head(headers)}\n\n{text}", ask, call=number)

    def _line(self, title: str, text: str, address: Address) -> partial[Exchange]:
        from . import connection

        if address.is_http:
            raise StepFailed(f"{address} speaks HTTP: lines go to unix:… without a path, or to tcp:…")
        ask = partial(connection.ask_line, address, self.socket_of(address), text.encode(), self.limit)
        return partial(self._timed, title, text, ask)

    def _timed(self, title: str, text: str, ask: Callable[[], Answer], call: int | None = None) -> Exchange:
        begun = self.clock()
        try:
            answer = ask()
        except NoAnswer as error:
            outcome: Outcome = "unknown" if error.sent else "failed"
            seconds = self.clock() - begun
            return Exchange(title, text, None, seconds, outcome, error.problem, error.partial, call=call)
        facts = {} if answer.status is None else {"status": answer.status}
        return Exchange(title, text, answer, self.clock() - begun, call=call, facts=facts)

    def _without_secrets(self, options: Options) -> Options:
        secret = {name: "" for name in (*self.headers, *options.headers) if is_secret(name)}
        return replace(options, headers={**options.headers, **secret})

    def _keep(self, exchanges: list[Exchange]) -> list[Exchange]:
        self.exchanges += exchanges
        self._report(exchanges)
        return exchanges

    def _report(self, exchanges: Sequence[Exchange]) -> None:
        """Put requests on record, and leave one piece of evidence of them."""
        for exchange in exchanges:
            facts = {"request": exchange.title, "ending": exchange.ending, **exchange.facts}
            self._evidence.observe("request", exchange.outcome, seconds=round(exchange.seconds, 6), **facts)
        if len(exchanges) == 1:
            self._evidence.attach(f"{exchanges[0].title}    ({exchanges[0].ending})", exchanges[0].shown)
            return
        endings = Counter(exchange.ending for exchange in exchanges)
        tally = ", ".join(f"{number} × {ending}" for ending, number in endings.most_common())
        samples = {exchange.ending: exchange for exchange in reversed(exchanges)}.values()
        self._evidence.attach(
            f"{len(exchanges)} at once    ({tally})",
            lambda: "\n\n".join(f"{one.title}    ({one.ending})\n{one.shown()}" for one in samples),
        )


def _must_not_only_be_asked() -> None:
    """A server is not to be troubled by who only wants to know whether a Then holds already."""
    if is_only_asked():
        raise StepFailed("nothing is sent before the first When to find this out")


def _headers(body: bytes, general: Mapping[str, str], own: Mapping[str, str]) -> Headers:
    """One value under each name, whatever its case: the request's own, else the scenario's, else a guess."""
    guess = {"Content-Type": "application/json" if _looks_like_json(body) else "text/plain; charset=utf-8"}
    merged: dict[str, tuple[str, str]] = {}
    for name, text in (*(guess if body else {}).items(), *general.items(), *own.items()):
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            raise StepFailed(f'"{name}" is no name of a header')
        if re.search(r"[\r\n\0]", text) or not text.isascii():
            raise StepFailed(f'header "{name}" can\'t be sent: its value must be one line of ASCII')
        merged[name.lower()] = (name, text)
    return tuple((name, text) for name, text in merged.values() if text)


def _looks_like_json(body: bytes) -> bool:
    return body.lstrip()[:1] in (b"{", b"[")


def _redirect(answer: Answer | None) -> str:
    """Where an answer sends us, if it does."""
    if answer is None or answer.status not in _REDIRECTS:
        return ""
    return next(iter(answer.header("Location")), "")


def _redirected(
    method: str, here: Address, target: str, options: Options, answer: Answer | None
) -> tuple[str, Address, Options]:
    """The request that a redirect asks for, as browsers understand it."""
    absolute = re.match(r"[a-z]+:", target) is not None
    there = parse(target) if absolute else replace(here, target=urljoin(here.target, target))
    status = None if answer is None else answer.status
    if (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST"):
        return "GET", there, replace(options, body=b"")
    return method, there, options
