"""Which definition a step means.

Definitions live in scopes: one for all plugins and step libraries, one per conftest.py. The nearest scope
that matches decides, as pytest users expect of fixtures; two matches within one scope are an error. In each
scope, definitions are found by the literal text they begin with, so that a lookup costs the same with twenty
definitions and with three hundred.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from .goal import Place, Step
from .pattern import fold, skeleton
from .problem import Problem

TABLE, DOCSTRING = "datatable", "docstring"


class NegativeStep(Protocol):
    """What binding asks of a negative step: its name, and whether it has a check."""

    @property
    def name(self) -> str: ...
    @property
    def is_complete(self) -> bool: ...


class StepDefinition(Protocol):
    """What binding asks of a definition, whether it was imported or read from its text."""

    @property
    def identity(self) -> int: ...
    @property
    def kind(self) -> str | None: ...
    @property
    def wording(self) -> str: ...
    @property
    def skeleton(self) -> str: ...
    @property
    def prefix(self) -> str: ...
    @property
    def match(self) -> Callable[[str], Mapping[str, Any] | None]: ...
    @property
    def parameters(self) -> Container[str]: ...
    @property
    def required(self) -> tuple[str, ...]: ...
    @property
    def negative(self) -> NegativeStep | None: ...
    @property
    def strict(self) -> bool: ...
    @property
    def library(self) -> str: ...
    def origin(self, base: Path) -> str: ...
    def place(self, base: Path) -> str: ...


class Phrase(StepDefinition, Protocol):
    """A sentence that stands for other steps."""

    def spelled_out(self, step: Step, values: Mapping[str, str]) -> tuple[Step, ...]: ...


D = TypeVar("D", bound=StepDefinition)


@dataclass(frozen=True, slots=True)
class BoundStep(Generic[D]):
    """A step and what it will call.

    Where the step is a phrase of one step, `called` is that one; of several, `parts` are what it stands for.
    `sets` are names that the phrase gives values to. `late` says that remembered values must be put in first.
    """

    step: Step
    definition: D
    arguments: Mapping[str, Any]
    called: Step | None = None
    parts: tuple[BoundStep[D], ...] = ()
    sets: Mapping[str, str] = field(default_factory=dict)
    late: bool = False

    @property
    def source(self) -> Step:
        """Where its table and doc string stand."""
        return self.called or self.step

    def all_parts(self) -> tuple[BoundStep[D], ...]:
        return self.parts or (self,)

    def flat(self) -> tuple[BoundStep[D], ...]:
        """The same for a larger whole: the first part sets the names that this one would set."""
        first, *others = self.all_parts()
        return (replace(first, sets={**self.sets, **first.sets}), *others)


class Scope(Generic[D]):
    """The definitions of one place, indexed by kind and literal beginning."""

    def __init__(self, definitions: Iterable[D]) -> None:
        self._definitions: dict[int, D] = {d.identity: d for d in definitions}
        self._index: dict[tuple[str, str], list[D]] = {}
        for definition in self:
            kinds = (definition.kind,) if definition.kind else ("given", "when", "then")
            for kind in kinds:
                self._index.setdefault((kind, definition.prefix), []).append(definition)
        self._lengths = sorted({len(definition.prefix) for definition in self}, reverse=True)

    def __iter__(self) -> Iterator[D]:
        return iter(self._definitions.values())

    def find(self, kind: str, text: str) -> list[tuple[D, Mapping[str, Any]]]:
        """Every definition here that matches, with the arguments it found."""
        folded = fold(text)
        found = []
        for length in self._lengths:
            if length > len(text):
                continue
            for definition in self._index.get((kind, folded[:length]), ()):
                arguments = definition.match(text)
                if arguments is not None:
                    found.append((definition, arguments))
        return found


class Binder(Generic[D]):
    """Binds steps against a chain of scopes, nearest first."""

    def __init__(self, scopes: Sequence[Scope[D]], base: Path, phrases: Scope[Any] | None = None) -> None:
        self.scopes = scopes
        self.base = base
        self.phrases: Scope[Any] = phrases if phrases is not None else Scope(())

    def bind(self, step: Step, within: tuple[Phrase, ...] = ()) -> BoundStep[D] | Problem:
        """Whatever lies nearest: a conftest.py, a phrase of a system, the libraries."""
        near, widest = self.scopes[:-1], self.scopes[-1:]
        for scope in near:
            if found := scope.find(step.kind, step.text):
                return self._bound(step, found)
        if phrases := self.phrases.find(step.kind, step.text):
            if len(phrases) > 1:
                return self._ambiguous(step, [phrase for phrase, _ in phrases])
            return self._spell_out(step, *phrases[0], within)
        found = [match for scope in widest for match in scope.find(step.kind, step.text)]
        return self._bound(step, found) if found else self._unknown(step)

    def _bound(self, step: Step, found: list[tuple[D, Mapping[str, Any]]]) -> BoundStep[D] | Problem:
        if len(found) > 1:
            return self._ambiguous(step, [definition for definition, _ in found])
        definition, arguments = found[0]
        wrong = _misfit(step, definition, arguments)
        return wrong or BoundStep(step, definition, arguments, late=_is_late(step))

    def _spell_out(
        self, step: Step, phrase: Phrase, values: Mapping[str, str], within: tuple[Phrase, ...]
    ) -> BoundStep[D] | Problem:
        """The steps that a phrase stands for, as one."""
        if step.table is not None or step.docstring is not None:
            return _problem(
                "extra-argument", step, "a phrase takes no table or doc string: it would be ignored"
            )
        if phrase in within:
            return _problem("phrase", step, f"this phrase stands for itself: {phrase.place(self.base)}")
        parts: list[BoundStep[D]] = []
        for inner in phrase.spelled_out(step, values):
            bound = self.bind(inner, (*within, phrase))
            if isinstance(bound, Problem):
                where = f"in the phrase at {phrase.place(self.base)}"
                return _problem(
                    bound.rule, step, f"{where}: {bound.message}", (f"    {inner.text}", *bound.hints)
                )
            parts.append(bound)
        if len(parts) == 1:
            one = parts[0]
            return replace(one, step=step, called=one.source, sets={**values, **one.sets})
        if any(part.definition.negative is not None for part in parts):
            return _problem(
                "phrase", step, "a phrase of several steps can't hold a negative one: let it stand alone"
            )
        flat = tuple(inner for part in parts for inner in part.flat())
        late = any(part.late for part in flat)
        return BoundStep(step, parts[0].definition, {}, parts=flat, sets=values, late=late)

    def knows(self, text: str) -> bool:
        """Whether a step could read so, whatever its kind; a wording that takes any text tells nothing."""
        kinds = ("given", "when", "then")
        found = (scope.find(kind, text) for scope in self._all() for kind in kinds)
        return any(definition.prefix for definitions in found for definition, _ in definitions)

    def _ambiguous(self, step: Step, found: Sequence[StepDefinition]) -> Problem:
        return _problem(
            "ambiguous-step",
            step,
            "more than one step matches this line; change the wording of one of them:",
            tuple(f"    {d.wording}    {d.place(self.base)}" for d in found),
        )

    def _unknown(self, step: Step) -> Problem:
        others: dict[str, list[StepDefinition]] = {
            kind: [definition for scope in self._all() for definition, _ in scope.find(kind, step.text)]
            for kind in ("given", "when", "then")
        }
        if any(others.values()):
            kinds = " or ".join(kind.capitalize() for kind, found in others.items() if found)
            message = f"this is a {kinds} step, but stands here as a {step.kind.capitalize()}:"
            listed = self._listed([*chain.from_iterable(others.values())])
            return _problem("wrong-kind", step, message, listed)
        return _problem("unknown-step", step, *self._advice(step))

    def _advice(self, step: Step) -> tuple[str, tuple[str, ...]]:
        """What to say of a step that nothing matches, and what to show below it."""
        if escaped := self._escaped(step):
            return 'no step matches this line; a quote inside quoted text is written \\":', (
                f"    {escaped}",
            )
        close = self._near(step)
        names = {definition.library for definition in close if definition.library}
        see = f"see all steps: goalkeeper steps {names.pop() if len(names) == 1 else ''}".rstrip()
        if not close:
            return "no step matches this line.", (see,)
        return "no step matches this line. Did you mean", (*self._listed(close), see)

    def _escaped(self, step: Step) -> str:
        """The step with the quotes inside its first and last quote escaped, where that makes it match."""
        before, first, rest = step.text.partition('"')
        inside, last, after = rest.rpartition('"')
        text = "".join((before, first, inside.replace('"', '\\"'), last, after))
        return text if any(scope.find(step.kind, text) for scope in self._all()) else ""

    def _all(self) -> tuple[Scope[Any], ...]:
        return (*self.scopes, self.phrases)

    def _near(self, step: Step, most: int = 3) -> list[StepDefinition]:
        matcher = difflib.SequenceMatcher(b=skeleton(step.text).lower())
        rated: list[tuple[float, str, StepDefinition]] = []
        for definition in {d.wording: d for scope in reversed(self._all()) for d in scope}.values():
            matcher.set_seq1(definition.skeleton.lower())
            if matcher.real_quick_ratio() > 0.6 and matcher.quick_ratio() > 0.6 and matcher.ratio() > 0.6:
                rated.append((-matcher.ratio(), definition.wording, definition))
        return [definition for _, _, definition in sorted(rated, key=lambda r: r[:2])[:most]]

    def _listed(self, definitions: Sequence[StepDefinition]) -> tuple[str, ...]:
        width = max(len(d.wording) for d in definitions)
        lines = (f"    {d.wording:<{width}}    {d.origin(self.base)}" for d in definitions)
        return tuple(dict.fromkeys(lines))


def _is_late(step: Step) -> bool:
    if step.table is None and step.docstring is None:
        return "${" in step.text
    return any("${" in text for text, _ in step.texts())


def _problem(rule: str, step: Step, message: str, hints: tuple[str, ...] = ()) -> Problem:
    return Problem(rule, step.text_place, message, span=len(step.text), hints=hints)


def _misfit(step: Step, definition: StepDefinition, arguments: Mapping[str, Any]) -> Problem | None:
    """What is wrong between a step and the definition that matches it, where that can be told beforehand."""
    reserved = [name for name in (TABLE, DOCSTRING) if name in arguments]
    if reserved:
        message = f'"{reserved[0]}" is a reserved name: rename the parameter in {definition.wording}'
        return _problem("reserved-name", step, message)
    required = definition.required
    given = {TABLE: step.table, DOCSTRING: step.docstring}
    for name, called in ((TABLE, "a table"), (DOCSTRING, "a doc string")):
        value = given[name]
        if name in required and value is None:
            return _problem("missing-argument", step, f"this step needs {called} below it")
        if value is not None and definition.strict and name not in definition.parameters:
            place = Place(value.place.line, value.place.column)
            return Problem("extra-argument", place, f"this step takes no {called[2:]}: it would be ignored")
    negative = definition.negative
    if step.declared_never and negative is None:
        word = step.declared_never
        right = "then" if word == "never" else "Then"
        return _problem("not-negative", step, f"this is no negative step: write {right} instead of {word}")
    if negative is not None and not negative.is_complete:
        message = f"the negative step {negative.name} has no check and could not fail"
        return _problem("no-check", step, message, (f"write one under @{negative.name}.check",))
    return None
