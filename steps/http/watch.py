"""What negative steps look at: every answer that a server gives from the first When on."""

from __future__ import annotations

from collections.abc import Callable

from ...runner.failure import StepFailed
from ...runner.never import Breach, Journal, Watch
from .client import Client
from .exchange import Answer, Exchange, head
from .rpc import code_of, reply_of

Exchanges = Journal[Exchange]


class AnswerWatch(Watch[Exchange]):
    """Every request that is made while the watch is armed; what is looked at are the answers to them."""

    unit = "answer"

    def __init__(self, client: Client, subject: str) -> None:
        super().__init__(subject)
        self._client = client
        self._next = len(client.exchanges)

    def look(self) -> None:
        made = self._client.exchanges[self._next :]
        self._next += len(made)
        for exchange in made:
            self.record(exchange)
            self.count(self.unit, 1 if self.is_seen(exchange) else 0)

    def is_seen(self, exchange: Exchange) -> bool:
        """Whether there was anything to look at; a part of an answer is something."""
        return exchange.answer is not None or bool(exchange.partial)


class RequestWatch(AnswerWatch):
    """Every request, answered or not; those of a step that waits, and found nobody home yet, do not count."""

    unit = "request"

    def is_seen(self, exchange: Exchange) -> bool:
        return not (exchange.awaited and exchange.outcome == "failed")


class ReplyWatch(AnswerWatch):
    """Every answer to a JSON-RPC call."""

    unit = "call"

    def is_seen(self, exchange: Exchange) -> bool:
        return exchange.answer is not None and code_of(exchange.answer) is not None


def with_status(is_wrong: Callable[[int, str], bool], journal: Exchanges) -> list[Breach]:
    return [
        Breach(f"{exchange.title} was answered with {exchange.answer.ending}", exchange.shown())
        for exchange in journal.entries
        if exchange.answer is not None
        and exchange.answer.status is not None
        and is_wrong(exchange.answer.status, journal.subject)
    ]


def not_sent(journal: Exchanges) -> list[Breach]:
    """In headers, bodies, lines, and answers that broke off."""
    return [
        Breach(
            f'the answer to {exchange.title} has "{journal.subject}" in its {part}', _around(text, journal)
        )
        for exchange in journal.entries
        for part, text in _parts(exchange)
        if journal.subject in text
    ]


def all_answered(journal: Exchanges) -> list[Breach]:
    return [
        Breach(f"{exchange.title} got no answer: {exchange.problem}")
        for exchange in journal.entries
        if exchange.answer is None and not (exchange.awaited and exchange.outcome == "failed")
    ]


def in_time(journal: Exchanges) -> list[Breach]:
    return [
        Breach(f"{exchange.title} took {exchange.seconds:.3f} s ({exchange.ending})")
        for exchange in journal.entries
        if exchange.seconds > float(journal.subject) and exchange.outcome != "failed"
    ]


def without_code(journal: Exchanges) -> list[Breach]:
    return [
        Breach(f"{exchange.title} was answered with error code {journal.subject}", exchange.shown())
        for exchange in journal.entries
        if exchange.answer is not None and _error_code(exchange.answer) == int(journal.subject)
    ]


def _error_code(answer: Answer) -> int | None:
    """None where there is no error, or no answer of JSON-RPC."""
    try:
        return reply_of(answer, None).code
    except StepFailed:
        return None


def _parts(exchange: Exchange) -> list[tuple[str, str]]:
    if exchange.answer is None:
        return [("beginning", exchange.partial.decode("utf-8", errors="replace"))]
    headers = "\n".join(f"{name}: {text}" for name, text in exchange.answer.headers)
    return [("headers", headers), ("body", exchange.answer.text)]


def _around(text: str, journal: Exchanges) -> str:
    """The line in which the text begins, if it is no header that must stay hidden."""
    before = text[: text.index(journal.subject)]
    line = text[len(before) - len(before.rpartition("\n")[2]) :].partition("\n")[0]
    name, colon, rest = line.partition(": ")
    return head(((name, rest),)) if colon else line
