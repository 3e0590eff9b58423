"""Values that a scenario remembers and speaks of later as `${name}`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .binding import BoundStep, D
from .failure import StepFailed
from .goal import Place, Step
from .never.marks import Mark, mark
from .pattern import introduced
from .problem import Problem, did_you_mean

# `$${name}` stands for `${name}` itself, which a shell may want.
_USE = re.compile(r"\$(\$?)\{(\w+)\}")


class Names:
    """What one scenario remembers. Values are text, as they stand in a goal."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def remember(self, name: str, value: str) -> None:
        self._values[name] = value

    def mark(self) -> Mark:
        """What is returned forgets all that is remembered from here on."""
        return mark(self)

    def get(self, name: str) -> str | None:
        return self._values.get(name)

    def fill(self, text: str) -> str:
        """A text with the values in the place of their names."""
        return _USE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        escaped, name = match.groups()
        if escaped:
            return match[0][1:]
        if name not in self._values:
            known = f" Remembered: {', '.join(self._values)}" if self._values else ""
            raise StepFailed(f'nothing is remembered as "{name}".{did_you_mean(name, self._values)}{known}')
        return self._values[name]


def used(text: str) -> list[str]:
    """The names that a text speaks of."""
    return [name for escaped, name in _USE.findall(text) if not escaped]


def unknown_names(bound: Sequence[BoundStep[D]]) -> Iterator[Problem]:
    """Names that nothing can have remembered when they are used, as far as that can be told beforehand.

    A step that is not from a library may remember what it likes, so after one nothing is certain.
    """
    if not any(one.late for one in bound):
        return
    known: set[str] = set()
    armed: set[str] | None = None
    for one in bound:
        if armed is None and one.step.kind != "given":
            armed = set(known)
        if not all(part.definition.library for part in one.all_parts()):
            return
        negative = one.definition.negative is not None and armed is not None
        yield from _missing(one.step, armed if negative and armed is not None else known, known)
        for part in one.all_parts():
            known |= introduced(part.definition.wording, part.arguments) | part.sets.keys()
        known |= one.sets.keys()


def _missing(step: Step, known: set[str], later: set[str]) -> Iterator[Problem]:
    for text, place in step.texts():
        for name in used(text) if "${" in text else ():
            if name in known:
                continue
            if name in later:
                message = (
                    f'"{name}" is remembered after the first When, but a negative step watches from there on'
                )
                hint = "remember it in a Given, or speak of the artifact without it"
            else:
                message = f'nothing before this remembers "{name}".{did_you_mean(name, known)}'
                hint = f"a variable of the shell is written ${name} or $${{{name}}}"
            yield _problem(step, text, place, name, message, hint)


def _problem(step: Step, text: str, place: Place, name: str, message: str, hint: str) -> Problem:
    at = place
    if text is step.text:
        start = next(use.start() for use in _USE.finditer(text) if use.groups() == ("", name))
        at = Place(place.line, place.column + start)
    return Problem("unknown-name", at, message, span=len(name) + 3, hints=(hint,))
