"""HTTP and JSON-RPC: requests to a server that the scenario started, and what it answered.

A request is a method and an address: `"GET http://127.0.0.1:8080/health"`. `unix:run/app.sock:/health` is
the same over a socket in the sandbox. Once `the server is at "…"`, an address may begin with a slash.
JSON-RPC calls go to such addresses by HTTP POST, or, one line each way, to `unix:run/app.sock` (no path) and
`tcp:127.0.0.1:8080`.

Requests go to this machine only, unless a goal says otherwise, and never through a proxy. Each has a
connection of its own and 10 s from connecting to the last byte. Redirects are not followed unless a step says
so. A request that gets no answer fails its step; whether it had an effect is then unknown, and the run record
says so. Headers that hold secrets (Authorization, Cookie, X-Api-Key and the like) are hidden in reports.
"""

from __future__ import annotations

import pytest

from ...runner.define import given, step, then, when
from ...runner.evidence import Evidence
from ...runner.failure import StepFailed
from ...runner.sandbox import Sandbox
from ...runner.values import Rows, differences, pairs, regular
from ...runner.wait import until
from . import judge
from .address import parse
from .client import Client, Options
from .exchange import Exchange, body_note, visible
from .rpc import calls_of, parameters_of
from .schema import misfits


@pytest.fixture
def http(sandbox: Sandbox, evidence: Evidence) -> Client:
    """The requests of the scenario and their answers."""
    return Client(sandbox, evidence)


@given('the server is at "{address}"')
def set_base(http: Client, address: str) -> None:
    """Where later requests go whose address begins with a slash."""
    parse(address)
    http.base = address


@given('request header "{name}" is "{value}"')
def set_header(http: Client, name: str, value: str) -> None:
    """Send a header with every later request of the scenario."""
    http.headers[name] = value


@given("requests may take up to {limit:duration}")
def set_limit(http: Client, limit: float) -> None:
    """The time limit for every later request and call; without this step it is 10 s."""
    http.limit = limit


@given('requests may go to "{address}"')
def permit(http: Client, address: str) -> None:
    """Let requests leave this machine, or the sandbox, for one server: `https://example.org`."""
    http.origins.add(parse(address).origin)


@given("redirects are followed")
def follow(http: Client) -> None:
    """Go where answers send us, 10 times at most; the answer is then the last one."""
    http.follows = True


@given('I request "{request}"')
@when('I request "{request}"')
def request(http: Client, request: str) -> None:
    """Make a request and wait for the answer. Its status is for a Then to judge, whatever it is."""
    judge.answered(http.request(request, Options()))


@given('I request "{request}" with body')
@when('I request "{request}" with body')
def request_with_body(http: Client, request: str, docstring: str) -> None:
    """Make a request whose body is the doc string: sent as JSON if it begins with { or [, else as text."""
    judge.answered(http.request(request, Options(body=docstring.encode())))


@given('I request "{request}" with')
@when('I request "{request}" with')
def request_with(http: Client, sandbox: Sandbox, request: str, datatable: Rows) -> None:
    """Make a request with a table of options: header.NAME, body, file, limit, redirects (`followed`).

    `file` is a path in the sandbox whose bytes are the body. An empty header is not sent, even if the
    scenario has set one.
    """
    judge.answered(http.request(request, judge.options(sandbox, datatable)))


@given('I request "{request}" and get no answer')
@when('I request "{request}" and get no answer')
def request_in_vain(http: Client, request: str) -> None:
    """Make a request that nobody takes, that breaks off, or that gets no answer in time."""
    judge.unanswered(http.request(request, Options()))


@when('I request "{request}" {number:int} times at once')
def request_at_once(http: Client, request: str, number: int, docstring: str = "") -> None:
    """Make the same request so many times at the same moment, 500 at most; a doc string is the body of each.

    Whatever comes of them, also no answer, is for a Then to count.
    """
    http.requests([(request, docstring.encode())] * number)


@when("I make these requests at once")
def make_requests(http: Client, datatable: Rows) -> None:
    """Make the requests of a table at the same moment: a column of requests, and one of bodies if any."""
    if any(len(row) > 2 for row in datatable):
        raise StepFailed("this table has a column of requests, and at most one more, of their bodies")
    http.requests([(row[0], "".join(row[1:]).encode()) for row in datatable])


@step('"{request}" answers with status {code:int} within {limit:duration}')
def answers_status(http: Client, request: str, code: int, limit: float) -> None:
    """Ask again and again until the status is this, also where nobody listens yet. Only GET and HEAD."""

    def wrong(sent: Exchange) -> list[str]:
        fits = sent.answer is not None and sent.answer.status == code
        return [] if fits else [f"  the last answer: {sent.ending}"]

    judge.settled(f"did not answer with status {code}", http.request_until(request, limit, wrong), limit)


@step('"{request}" answers within {limit:duration} with')
def answers_json(http: Client, request: str, limit: float, datatable: Rows) -> None:
    """Ask again and again until the body is JSON with these values; rows are as in `the JSON body has`."""
    expected = pairs(datatable)

    def wrong(sent: Exchange) -> list[str]:
        if sent.answer is None:
            return [f"  the last answer: {sent.ending}"]
        try:
            return differences(sent.answer.document(), expected)
        except StepFailed as error:
            return [f"  the last answer: {sent.ending}, {error.message}"]

    judge.settled("did not answer as expected", http.request_until(request, limit, wrong), limit)


@step('"{address}" accepts connections within {limit:duration}')
def accepts(http: Client, address: str, limit: float) -> None:
    """Somebody takes connections at this address, or does so before the time is up. Nothing is sent."""
    if until(lambda: http.reached(address, limit) == "open" or None, limit) is None:
        raise StepFailed(f"nobody accepts connections at {http.address(address).origin} after {limit:g} s")


@step('"{address}" refuses connections within {limit:duration}')
def refuses(http: Client, address: str, limit: float) -> None:
    """Nobody listens at this address any more, at the latest when the time is up."""
    if until(lambda: http.reached(address, limit) == "refused" or None, limit) is None:
        raise StepFailed(f"something still listens at {http.address(address).origin} after {limit:g} s")


@then("the status is {code:int}")
def status_is(http: Client, code: int) -> None:
    """The last answer has this status."""
    if judge.status_of(http) != code:
        notes = body_note(http.answer)
        raise StepFailed("the status is another", f"{code}", http.answer.ending, notes)


@then("the status is not {code:int}")
def status_is_not(http: Client, code: int) -> None:
    """The last answer has any other status."""
    if judge.status_of(http) == code:
        raise StepFailed(f"{http.last.title} was answered with {http.answer.ending}")


@then('header "{name}" is "{text}"')
def header_is(http: Client, name: str, text: str) -> None:
    """The last answer has this header with exactly this value; one of them, if it has several."""
    found = judge.header_of(http, name)
    if text not in found:
        actual = ", ".join(visible(name, one) for one in found)
        raise StepFailed(f'header "{name}" differs', expected=text, actual=actual)


@then('header "{name}" contains "{text}"')
def header_contains(http: Client, name: str, text: str) -> None:
    """The last answer has this header, and the text occurs in it."""
    found = judge.header_of(http, name)
    if not any(text in one for one in found):
        notes = [f"  {name}: {visible(name, one)}" for one in found]
        raise StepFailed(f'header "{name}" does not contain "{text}"', notes=notes)


@then('there is no header "{name}"')
def no_header(http: Client, name: str) -> None:
    """The last answer does not have this header."""
    found = http.answer.header(name)
    if found:
        raise StepFailed(f'there is a header "{name}"', notes=[f"  {visible(name, one)}" for one in found])


@then("the body is")
def body_is(http: Client, docstring: str) -> None:
    """The body of the last answer equals the doc string; a newline at its end makes no difference."""
    actual = http.answer.text
    if actual.removesuffix("\n") != docstring.removesuffix("\n"):
        raise StepFailed("the body differs", expected=docstring, actual=actual)


@then("the body is empty")
def body_is_empty(http: Client) -> None:
    """The last answer has no body."""
    if http.answer.body:
        raise StepFailed("the body is not empty", notes=body_note(http.answer))


@then('the body contains "{text}"')
def body_contains(http: Client, text: str) -> None:
    """The text occurs in the body of the last answer."""
    if text not in http.answer.text:
        raise StepFailed(f'the body does not contain "{text}"', notes=body_note(http.answer))


@then('the body matches "{pattern}"')
def body_matches(http: Client, pattern: str) -> None:
    """The regular expression (Python's) matches somewhere in the body; ^ and $ match at lines."""
    if regular(pattern).search(http.answer.text) is None:
        raise StepFailed(f"the body does not match {pattern}", notes=body_note(http.answer))


@then('the body is the content of file "{path}"')
def body_is_file(http: Client, sandbox: Sandbox, path: str) -> None:
    """The body has the same bytes as a file in the sandbox."""
    expected, actual = judge.content_of(sandbox, path), http.answer.body
    if expected != actual:
        sizes = (f"{len(expected)} bytes", f"{len(actual)} bytes")
        same_size = [] if len(expected) != len(actual) else ["  both have the same size, other bytes"]
        raise StepFailed(f'the body is not the content of "{path}"', *sizes, same_size)


@then("the JSON body has")
def json_has(http: Client, datatable: Rows) -> None:
    """The body is JSON; each row is a dotted path and the JSON value found there.

    A value that is no JSON is text, so `ok` and `"ok"` mean the same, while `1` is a number and `"1"` is
    text. List entries are numbered from 0: `items.0.name`.
    """
    judge.holds("the JSON body", http.answer.document(), datatable)


@then("the JSON body is")
def json_is(http: Client, docstring: str) -> None:
    """The body is the same JSON as the doc string; order of keys and white space make no difference."""
    judge.equals("the JSON body", http.answer.document(), docstring)


@then("the JSON body matches the schema")
def json_matches(http: Client, docstring: str) -> None:
    """The body is JSON that fits the JSON Schema in the doc string."""
    wrong = misfits(http.answer.document(), docstring)
    if wrong:
        raise StepFailed("the JSON body does not fit the schema", notes=wrong)


@then("the answer came within {limit:duration}")
def came_within(http: Client, limit: float) -> None:
    """The last request took no longer than this, from connecting to the last byte."""
    if http.answer is not None and http.last.seconds > limit:
        raise StepFailed("the answer took longer", f"{limit:g} s", f"{http.last.seconds:.3f} s")


@then("exactly {number:int} of the answers have status {code:int}")
@then("exactly {number:int} of the answers has status {code:int}")
def exactly_status(http: Client, number: int, code: int) -> None:
    """So many of the requests that were made at once got this status."""
    judge.check_status_count(http.together, code, number, number)


@then("at least {number:int} of the answers have status {code:int}")
def at_least_status(http: Client, number: int, code: int) -> None:
    """So many of the requests that were made at once got this status, or more."""
    judge.check_status_count(http.together, code, number)


@then("every answer has status {code:int}")
def every_status(http: Client, code: int) -> None:
    """All requests that were made at once were answered, with this status."""
    judge.check_status_count(http.together, code, len(http.together))


@then("exactly {number:int} of the requests got no answer")
def exactly_unanswered(http: Client, number: int) -> None:
    """So many of the requests or calls that were made at once were refused, broke off, or took too long."""
    judge.check_count(http.together, "no answer", lambda one: one.answer is None, number, number)


@given('I call "{method}" at "{address}"')
@when('I call "{method}" at "{address}"')
def call(http: Client, method: str, address: str) -> None:
    """Call a JSON-RPC method without parameters. A result or an error is for a Then to judge."""
    judge.answered(http.call(method, address))


@given('I call "{method}" at "{address}" with')
@when('I call "{method}" at "{address}" with')
def call_with(
    http: Client, method: str, address: str, datatable: Rows | None = None, docstring: str | None = None
) -> None:
    """Call a JSON-RPC method; its parameters are JSON in a doc string, or a table of names and values."""
    judge.answered(http.call(method, address, parameters_of(docstring, datatable)))


@when('I call "{method}" at "{address}" and get no answer')
def call_in_vain(http: Client, method: str, address: str) -> None:
    """Call a JSON-RPC method where nobody takes the call, it breaks off, or no answer comes in time."""
    judge.unanswered(http.call(method, address))


@when('I make these calls at "{address}" at once')
def make_calls(http: Client, address: str, datatable: Rows) -> None:
    """Make the JSON-RPC calls of a table at the same moment.

    Its first row names the columns: `method`, and one for each parameter. An empty cell leaves a parameter
    out.
    """
    http.calls(address, calls_of(datatable))


@when('I send line "{line}" to "{address}"')
def send_line(http: Client, line: str, address: str) -> None:
    """Send a line as it stands, JSON or not, and wait for the line that answers it."""
    judge.answered(http.send_line(line, address))


@when('I send "{text}" to "{address}" and hang up')
def send_and_leave(http: Client, text: str, address: str) -> None:
    """Send a part of a line and close the connection, as a client does that dies meanwhile."""
    http.send_and_leave(text, address)


@then("the result has")
def result_has(http: Client, datatable: Rows) -> None:
    """The last call gave a result; each row is a dotted path and the JSON value found there."""
    judge.holds("the result", judge.result_of(http), datatable)


@then("the result is")
def result_is(http: Client, docstring: str) -> None:
    """The last call gave the same JSON as the doc string."""
    judge.equals("the result", judge.result_of(http), docstring)


@then("the call succeeds")
def call_succeeds(http: Client) -> None:
    """The last call gave a result, whatever it is."""
    judge.result_of(http)


@then("the error code is {code:int}")
def error_code_is(http: Client, code: int) -> None:
    """The last call gave an error with this code."""
    reply = judge.reply_to(http)
    if reply.code != code:
        raise StepFailed("the call was answered otherwise", f"error {code}", reply.ending)


@then('the error message contains "{text}"')
def error_message_contains(http: Client, text: str) -> None:
    """The last call gave an error, and the text occurs in its message."""
    reply = judge.reply_to(http)
    if reply.error is None or text not in str(reply.error.get("message", "")):
        raise StepFailed(f'there is no error with "{text}" in its message', notes=[f"  {reply.ending}"])


@then("exactly {number:int} of the calls succeeded")
def exactly_succeeded(http: Client, number: int) -> None:
    """So many of the calls that were made at once gave a result."""
    judge.check_code_count(http.together, 0, number)


@then("exactly {number:int} of the calls failed with code {code:int}")
def exactly_failed(http: Client, number: int, code: int) -> None:
    """So many of the calls that were made at once gave an error with this code."""
    judge.check_code_count(http.together, code, number)
