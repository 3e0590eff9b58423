"""Steps about the order of events: what they read, and what they say where the order is another."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from ...runner.failure import StepFailed
from . import order
from .log import Logs


def before(logs: Logs, name: str, first: str, second: str) -> None:
    with logs.whole(name) as log:
        found = order.first_of_each(log.entries(first, second), (first, second))
        for event in (first, second):
            if event not in found:
                raise log.absence(event)
    if [*found] != [*dict.fromkeys((first, second))]:
        message = f'{log.title} records "{second}" before "{first}"'
        raise StepFailed(message, notes=[f"  {line}" for line in found.values()])


def in_order(logs: Logs, name: str, events: Sequence[str], limit: float) -> None:
    progress = order.Progress(events)
    with logs.open(name) as log:
        if log.wait(lambda: progress.feed(log.entries(*events)), limit) is not None:
            return
        done = len(progress.found)
        if not done:
            raise log.absence(events[0])
        message = f'{log.title} does not record "{events[done]}" after "{events[done - 1]}"'
        raise StepFailed(message, notes=[*(f"  {line}" for line in progress.found), *log.notes()])


def between(logs: Logs, name: str, event: str, first: str, second: str, *, wanted: bool) -> None:
    with logs.whole(name) as log:
        spans = order.spans(log.entries(event, first, second), first, second, event)
        log.require()
        if not spans:
            message = f'{log.title} never records "{first}" and then "{second}", so nothing is between them'
            raise StepFailed(message, notes=log.notes())
    for span in spans:
        if (span.inside is not None) != wanted:
            verb = "does not record" if wanted else "records"
            message = f'{log.title} {verb} "{event}" between "{first}" and "{second}"'
            lines = [span.begin, *([span.inside] if span.inside is not None else []), span.end]
            raise StepFailed(message, notes=[f"  {line}" for line in lines])


def followed(logs: Logs, name: str, first: str, second: str, field: str, limit: float) -> None:
    with logs.whole(name) as log:
        answers = order.answers(log.entries(first, second), first, second, field, timed=limit < inf)
        if not answers:
            raise log.absence(first)
    alike = f' with the same "{field}"' if field else ""
    message = f'a "{first}" in {log.title} is not followed by "{second}"{alike}'
    for answer in answers:
        if answer.followed is None:
            raise StepFailed(message, notes=[f"  {answer.line}"])
        if answer.seconds > limit:
            raise StepFailed(
                f"{message} in time",
                expected=f"within {limit:g} s",
                actual=f"after {answer.seconds:.3f} s",
                notes=[f"  {answer.line}", f"  {answer.followed}"],
            )
