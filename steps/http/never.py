"""The negative steps of this library. What others ask of a server than the scenario is not seen."""

from __future__ import annotations

from functools import partial

from ...runner.define import never
from . import violations, watch
from .client import Client


@never("the server never answers with status {code:int}")
def answers_with_status(http: Client, code: int) -> watch.AnswerWatch:
    """No answer from the first When on, tries while waiting and redirects included, has this status.

    100 is no answer, but a word before one, and is not seen.
    """
    return watch.AnswerWatch(http, str(code))


answers_with_status.check(partial(watch.with_status, lambda status, code: status == int(code)))
answers_with_status.violation("gross", implies=("http.answers_with_error",))(violations.answer_with_status)
answers_with_status.violation("minimal", implies=("http.answers_with_error",))(violations.tell_status_only)


@never("the server never answers with a server error")
def answers_with_error(http: Client) -> watch.AnswerWatch:
    """No answer from the first When on has a status of 500 or above."""
    return watch.AnswerWatch(http, "a server error")


answers_with_error.check(partial(watch.with_status, lambda status, _: status >= 500))
answers_with_error.violation("gross", implies=("http.answers_with_status",))(violations.answer_with_error)
answers_with_error.violation("minimal", implies=("http.answers_with_status",))(violations.tell_error_only)


@never('the server never sends "{text}"')
def sends(http: Client, text: str) -> watch.AnswerWatch:
    """The text is in no answer from the first When on: headers, bodies, lines, and answers that broke off."""
    return watch.AnswerWatch(http, text)


sends.check(watch.not_sent)
sends.violation("gross", implies=("http.sends",))(violations.send_page)
sends.violation("minimal", implies=("http.sends",))(violations.send_in_two_chunks)


@never("the server never leaves a request unanswered")
def leaves_unanswered(http: Client) -> watch.RequestWatch:
    """Every request and call from the first When on gets a whole answer in time.

    That nobody listens yet is no fault where a step waits for the server.
    """
    return watch.RequestWatch(http, "every request")


leaves_unanswered.check(watch.all_answered)
leaves_unanswered.violation("gross")(violations.hang_up)
leaves_unanswered.violation("minimal")(violations.keep_the_last_byte)


@never("the server never takes longer than {limit:duration} to answer")
def takes_longer(http: Client, limit: float) -> watch.RequestWatch:
    """Every request and call from the first When on ends within this time, answered or not."""
    return watch.RequestWatch(http, f"{limit}")


takes_longer.check(watch.in_time)
takes_longer.violation("gross", implies=("http.takes_longer",))(violations.answer_late)
takes_longer.violation("minimal", implies=("http.takes_longer",))(violations.answer_a_little_late)


@never("the server never answers with error code {code:int}")
def answers_with_code(http: Client, code: int) -> watch.ReplyWatch:
    """No JSON-RPC call from the first When on gives an error with this code."""
    return watch.ReplyWatch(http, str(code))


answers_with_code.check(watch.without_code)
answers_with_code.violation("gross", implies=("http.sends",))(violations.fail_call)
answers_with_code.violation("minimal", implies=("http.sends",))(violations.fail_call_on_a_line)
