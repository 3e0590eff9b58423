"""What steps expect of answers. Where it is otherwise, `StepFailed` says what is there instead."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

from ...runner import values
from ...runner.failure import StepFailed
from ...runner.pattern import seconds
from ...runner.problem import did_you_mean
from ...runner.sandbox import Sandbox
from ...runner.values import Rows, differences, pairs, same
from .client import Client, Options
from .exchange import Exchange, body_note
from .rpc import Reply, code_of, reply_of

_OPTIONS = ("body", "file", "limit", "redirects")


def answered(sent: Exchange) -> None:
    if sent.answer is None:
        raise StepFailed(f"{sent.title} got no answer: {sent.problem}")


def unanswered(sent: Exchange) -> None:
    if sent.answer is not None:
        raise StepFailed(f"{sent.title} got an answer: {sent.ending}", notes=body_note(sent.answer))


def settled(problem: str, waited: tuple[Exchange, list[str]], limit: float) -> None:
    sent, wrong = waited
    if wrong:
        raise StepFailed(f"{sent.title} {problem} within {limit:g} s", notes=wrong)


def status_of(client: Client) -> int:
    status = client.answer.status
    if status is None:
        raise StepFailed(f"{client.last.title} was answered by a line, which has no status")
    return status


def header_of(client: Client, name: str) -> list[str]:
    found = client.answer.header(name)
    if not found:
        known = [known for known, _ in client.answer.headers]
        notes = [f"  there are: {', '.join(known) or 'none'}"]
        raise StepFailed(f'there is no header "{name}".{did_you_mean(name, known)}', notes=notes)
    return found


def holds(what: str, document: object, rows: Rows) -> None:
    wrong = differences(document, pairs(rows))
    if wrong:
        raise StepFailed(f"{what} differs", notes=wrong)


def equals(what: str, document: object, text: str) -> None:
    try:
        expected = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StepFailed(f"the doc string of this step is not JSON: {error}") from error
    if not same(document, expected):
        raise StepFailed(f"{what} differs", expected=_lines(expected), actual=_lines(document))


def _lines(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True)


def reply_to(client: Client) -> Reply:
    return reply_of(client.answer, client.last.call)


def result_of(client: Client) -> object:
    reply = reply_to(client)
    if reply.error is not None:
        raise StepFailed(f"{client.last.title} gave {reply.ending}")
    return reply.result


def check_status_count(made: list[Exchange], code: int, least: int, most: int | None = None) -> None:
    def fits(sent: Exchange) -> bool:
        return sent.answer is not None and sent.answer.status == code

    check_count(made, f"status {code}", fits, least, most)


def check_code_count(made: list[Exchange], code: int, number: int) -> None:
    """Code 0 stands for a result."""

    def fits(sent: Exchange) -> bool:
        return sent.answer is not None and code_of(sent.answer) == code

    check_count(made, f"error {code}" if code else "a result", fits, number, number)


def check_count(
    made: list[Exchange], what: str, fits: Callable[[Exchange], bool], least: int, most: int | None
) -> None:
    """Of the requests that were made at once, at least and at most so many got what is wanted."""
    found = sum(map(fits, made))
    if found < least or (most is not None and found > most):
        wanted = f"{least}" if most is not None else f"at least {least}"
        endings = Counter(exchange.ending for exchange in made)
        notes = [f"  {times} × {ending}" for ending, times in endings.most_common(8)]
        raise StepFailed(f"of {len(made)} at once, {found} got {what}, not {wanted}", notes=notes)


def options(sandbox: Sandbox, rows: Rows) -> Options:
    """A table of what a request has besides its method and address."""
    known, headers = values.options(rows, _OPTIONS, "a request", "header.")
    if {"body", "file"} <= known.keys():
        raise StepFailed("a request has one body: write body or file, not both")
    body = content_of(sandbox, known["file"]) if "file" in known else known.get("body", "").encode()
    return Options(headers, body, _limit(known.get("limit")), _follows(known.get("redirects")))


def _limit(text: str | None) -> float | None:
    try:
        return None if text is None else seconds(text)
    except ValueError as error:
        raise StepFailed(str(error)) from error


def _follows(text: str | None) -> bool | None:
    if text not in (None, "followed", "not followed"):
        raise StepFailed(f'redirects are "followed" or "not followed", not "{text}"')
    return None if text is None else text == "followed"


def content_of(sandbox: Sandbox, name: str) -> bytes:
    """The bytes of a file in the sandbox."""
    try:
        return sandbox.path(name).read_bytes()
    except OSError as error:
        raise StepFailed(f'file "{name}" can\'t be read: {error.strerror}') from error
