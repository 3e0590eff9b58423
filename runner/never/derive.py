"""A negative step out of another: its check and its violations, under a sentence of its own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..define import PLACE, Wording, define
from . import Negative

_OPEN = re.compile(r"\{(\w+)\}")


def derived(wording: str, base: Negative, values: Mapping[str, str]) -> Negative:
    """The step `base` with these values, in which `{name}` stands for a parameter of the wording.

    To be called by a function that is called where the step is to be defined.
    """
    parser = Wording(wording)
    known = parser.pattern.parameters
    for text in values.values():
        for name in _OPEN.findall(text):
            if name not in known:
                raise TypeError(f"{{{name}}} is no parameter of the wording: {wording}")
    arm = _bound(base.arm_function, known, values)
    arm.__name__, arm.__doc__ = base.name, base.arm_function.__doc__
    caller = inspect.stack(context=0)[2]
    setattr(arm, PLACE, (caller.filename, caller.lineno))
    negative = Negative(arm)
    negative.check(base.judge)
    for violation in base.violations:
        act = _bound(violation.act, known, values)
        act.__name__ = violation.name
        negative.violation(violation.strength, implies=violation.implies)(act)
    return define(negative, parser, depth=3)


def _bound(
    function: Callable[..., Any], known: tuple[str, ...], values: Mapping[str, str]
) -> Callable[..., Any]:
    """A function that is given the parameters of the wording, and whatever else the other one asks for."""
    asked = inspect.signature(function).parameters

    def call(**given: Any) -> Any:
        own = {name: given.pop(name) for name in known}
        filled = {name: _OPEN.sub(lambda m: str(own[m[1]]), text) for name, text in values.items()}
        return function(**given, **{name: text for name, text in filled.items() if name in asked})

    rest = [one for name, one in asked.items() if name not in values]
    names = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in known]
    call.__signature__ = inspect.Signature([*names, *rest])  # type: ignore[attr-defined]
    return call
