"""Sentences of a system profile that stand for a command or for other steps.

A phrase is spelled out when a goal is bound: what runs are the steps that it stands for.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ..goal import Kind, Place, Step, Table
from ..pattern import Pattern, fold, skeleton

PARAMETER = re.compile(r"(?<!\$)\{(\w+)\}")


@dataclass(frozen=True)
class Command:
    """What a phrase runs: words for the system's program, and how."""

    words: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()

    def step(self, system: str, values: Mapping[str, str]) -> Step:
        """The step of the cli library that runs it."""
        line = shlex.join([system, *(fill(word, values) for word in self.words)])
        rows = tuple((name, fill(value, values)) for name, value in self.options)
        text = f'I run "{_escaped(line)}"'
        return Step("when", f"{text} with" if rows else text, table=Table(rows) if rows else None)


@dataclass(frozen=True, eq=False)
class Phrase:
    """One sentence. Whatever the library of steps says of a definition, it says of itself."""

    kind: Kind
    wording: str
    system: str
    path: Path
    line: int
    steps: tuple[Step, ...] = ()
    command: Command | None = None
    is_never: bool = False
    library: str = ""
    strict: bool = True
    negative: None = None
    required: tuple[str, ...] = ()
    parameters: tuple[str, ...] = field(default=())

    @property
    def identity(self) -> int:
        return id(self)

    @cached_property
    def pattern(self) -> Pattern:
        return Pattern(self.wording)

    @property
    def match(self) -> Callable[[str], Mapping[str, str] | None]:
        """What is written is passed on as it is written: another step will convert it."""
        return self.pattern.texts

    @cached_property
    def prefix(self) -> str:
        return fold(self.pattern.prefix)

    @cached_property
    def skeleton(self) -> str:
        return skeleton(self.wording)

    def origin(self, _base: Path) -> str:
        return f"phrase of {self.system}"

    def place(self, base: Path) -> str:
        path = self.path.relative_to(base) if self.path.is_relative_to(base) else self.path
        return f"{path}:{self.line}"

    def spelled_out(self, step: Step, values: Mapping[str, str]) -> tuple[Step, ...]:
        """The steps that stand behind a goal's line, at the place of that line."""
        found = [] if self.command is None else [self.command.step(self.system, values)]
        quoted = {name: _escaped(value) for name, value in values.items()}
        found += [_filled(inner, values, quoted) for inner in self.steps]
        declared = "never" if self.is_never else step.declared_never
        return tuple(
            replace(
                inner,
                keyword=step.keyword,
                place=step.place,
                text_place=step.text_place,
                declared_never=inner.declared_never or declared,
            )
            for inner in found
        )


def fill(text: str, values: Mapping[str, str]) -> str:
    """A text with the parameters of the sentence filled in; other braces stay."""
    return PARAMETER.sub(lambda match: values.get(match[1], match[0]), text)


def _filled(step: Step, values: Mapping[str, str], quoted: Mapping[str, str]) -> Step:
    table, docstring = step.table, step.docstring
    if table is not None:
        table = replace(table, rows=tuple(tuple(fill(cell, values) for cell in row) for row in table.rows))
    if docstring is not None:
        docstring = replace(docstring, text=fill(docstring.text, values))
    return replace(step, text=fill(step.text, quoted), table=table, docstring=docstring)


def _escaped(text: str) -> str:
    return text.replace('"', '\\"')


def unknown_parameters(phrase: Phrase) -> set[str]:
    """What a phrase speaks of and its sentence has no parameter for."""
    words = [] if phrase.command is None else [*phrase.command.words, *(v for _, v in phrase.command.options)]
    texts = [*words, *(text for step in phrase.steps for text, _ in _texts(step))]
    return {name for text in texts for name in PARAMETER.findall(text)} - set(phrase.pattern.parameters)


def _texts(step: Step) -> list[tuple[str, Place]]:
    """What may hold a parameter; a doc string may hold braces of its own."""
    return [*replace(step, docstring=None).texts()]
