"""Compares commands that ran at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...runner.evidence import shorten
from ...runner.failure import StepFailed
from .command import Result, labels

_MOST = 8


@dataclass(frozen=True)
class Demand:
    """Something that holds for a command or does not. `told` says of a command what it did instead."""

    wanted: str
    holds: Callable[[Result], bool]
    told: Callable[[Result], str]


def exits_with(code: int) -> Demand:
    return Demand(f"exit code {code}", lambda result: result.exit_code == code, lambda result: result.ending)


def prints(text: str) -> Demand:
    return Demand(f'"{text}" in the output', lambda result: text in result.stdout, _output)


def all_of(results: Sequence[Result], demand: Demand) -> None:
    found = _those(results, demand)
    if len(found) != len(results):
        raise _otherwise(results, demand, f"all {len(results)}", len(found))


def exactly(results: Sequence[Result], count: int, demand: Demand) -> None:
    found = _those(results, demand)
    if len(found) != count:
        raise _otherwise(results, demand, f"exactly {count}", len(found))


def at_least(results: Sequence[Result], count: int, demand: Demand) -> None:
    found = _those(results, demand)
    if len(found) < count:
        raise _otherwise(results, demand, f"at least {count}", len(found))


def same_output(results: Sequence[Result]) -> None:
    first, first_label = results[0], labels(results)[0]
    for label, result in zip(labels(results), results, strict=True):
        if result.stdout != first.stdout:
            message = f"the outputs of {first_label} and {label} differ"
            raise StepFailed(message, expected=first.stdout, actual=result.stdout)


def different_outputs(results: Sequence[Result]) -> None:
    seen: dict[str, str] = {}
    for label, result in zip(labels(results), results, strict=True):
        other = seen.setdefault(result.stdout, label)
        if other != label:
            raise StepFailed(
                f"the outputs of {other} and {label} are the same", notes=[f"  {_output(result)}"]
            )


def _those(results: Sequence[Result], demand: Demand) -> list[Result]:
    return [result for result in results if demand.holds(result)]


def _otherwise(results: Sequence[Result], demand: Demand, wanted: str, found: int) -> StepFailed:
    """What each of the commands did, as far as there is room."""
    lines = [f"  {label}: {demand.told(one)}" for label, one in zip(labels(results), results, strict=True)]
    more = [f"  and {len(lines) - _MOST} more"] if len(lines) > _MOST else []
    return StepFailed(
        f"not as many with {demand.wanted} as there should be",
        expected=f"{wanted} of {len(results)}",
        actual=f"{found} of {len(results)}",
        notes=[*lines[:_MOST], *more],
    )


def _output(result: Result) -> str:
    """The end of the output, on one line."""
    lines = shorten(result.stdout, 3).splitlines()
    return " / ".join(lines) if lines else "no output"
