"""Whether the Thens of a scenario hold before it has done anything: then they show nothing."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest

from .. import bdd, wait
from ..binding import DOCSTRING, TABLE, BoundStep
from ..library import Definition
from ..never.marks import Mark, Marked
from ..session import evidence_of, names_of
from .calls import Calls

_FAILURES = (Exception, pytest.fail.Exception, pytest.skip.Exception, pytest.xfail.Exception)
_OURS = f"{__name__.partition('.')[0]}."


def already_held(bound: Sequence[BoundStep[Definition]], calls: Calls) -> list[int]:
    """The Thens, if all of them hold; none if one does not, or can't be asked.

    Steps that are invariants by their definition are not told of, and where all are there is nothing to tell.
    Nothing waits, nothing is put on record, and nobody sees what the steps print.
    """
    thens = [
        (index, one)
        for index, one in enumerate(bound)
        if one.step.kind == "then" and one.definition.negative is None
    ]
    told = [index for index, one in thens if not all(p.definition.is_invariant for p in one.all_parts())]
    if not told:
        return []
    node = calls.request.node
    marks = [names_of(node).mark(), *_marks(thens, calls.request)]
    nobody = StringIO()
    try:
        with wait.at_once(), evidence_of(node).aside(), redirect_stdout(nobody), redirect_stderr(nobody):
            return told if all(_holds(one, calls) for _, one in thens) else []
    finally:
        for put_back in marks:
            put_back()


def _marks(thens: list[tuple[int, BoundStep[Definition]]], request: pytest.FixtureRequest) -> list[Mark]:
    """Of what is made already and ours: which repository is looked at is for the Whens to find as it was."""
    names = {name for _, one in thens for part in one.all_parts() for name in part.definition.required}
    ours = [name for name in names if bdd.is_made(request, name) and _is_ours(request, name)]
    found = (bdd.made_fixture(request, name) for name in ours)
    return [made.mark() for made in found if isinstance(made, Marked)]


def _is_ours(request: pytest.FixtureRequest, name: str) -> bool:
    return bdd.home_of(request, name).startswith(_OURS)


def _holds(bound: BoundStep[Definition], calls: Calls) -> bool:
    parts = bound.all_parts()
    if not all(_can_be_asked(part, calls.request) for part in parts):
        return False
    try:
        for part in parts:
            calls.call(part, calls.arguments(part))
    except _FAILURES:
        return False
    return True


def _can_be_asked(bound: BoundStep[Definition], request: pytest.FixtureRequest) -> bool:
    """Whether a step can be called once more without a trace.

    One that sets a fixture, is async or yields can't. Nor can one that asks for a fixture which nobody has
    made yet and which is not ours: it may be made of what the Whens bring about.
    """
    definition = bound.definition
    function = inspect.unwrap(definition.function)
    if definition.context.target_fixture is not None or not definition.is_plain:
        return False
    if inspect.iscoroutinefunction(function):
        return False
    asked = [name for name in definition.required if name not in (*bound.arguments, TABLE, DOCSTRING)]
    return all(bdd.is_made(request, name) or _is_ours(request, name) for name in asked)
