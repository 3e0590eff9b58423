"""Step definitions, and the libraries they come from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_bdd import parsers

from . import bdd
from .define import INVARIANT, PLACE, Wording
from .never import Negative
from .pattern import Pattern, fold, literal_prefix, parse_prefix, skeleton

GROUP = "goalkeeper.steps"
NEVER = "never"


@dataclass(frozen=True)
class Library:
    """A module of steps that an installed package names in the entry-point group `goalkeeper.steps`."""

    name: str
    module_name: str

    @property
    def is_own(self) -> bool:
        """Whether it comes with Goalkeeper."""
        return self.module_name.startswith(f"{__name__.partition('.')[0]}.steps.")

    @property
    def never_name(self) -> str:
        """The module beside it that may hold its negative steps."""
        return f"{self.module_name}.{NEVER}"

    def load(self) -> ModuleType:
        return self._import(self.module_name)

    def parts(self) -> list[ModuleType]:
        """The module, and the one with its negative steps where a package keeps them apart."""
        module = self.load()
        places = [Path(place, f"{NEVER}.py") for place in getattr(module, "__path__", ())]
        return [module, *([self._import(self.never_name)] if any(p.is_file() for p in places) else [])]

    def _import(self, name: str) -> ModuleType:
        try:
            return import_module(name)
        except Exception as error:
            message = f'the step library "{self.name}" ({self.module_name}) can\'t be loaded'
            raise LibraryError(f"{message}: {type(error).__name__}: {error}") from error


class LibraryError(Exception):
    """An installed step library that can't be used."""


def libraries() -> list[Library]:
    """All installed step libraries by name, of which there may be one of each."""
    found: list[EntryPoint] = [*entry_points(group=GROUP)]
    known: dict[str, Library] = {}
    for library in sorted(
        {Library(e.name, e.module) for e in found}, key=lambda lib: (lib.name, lib.module_name)
    ):
        other = known.setdefault(library.name, library)
        if other is not library:
            both = f"{other.module_name} and {library.module_name}"
            raise LibraryError(
                f'two step libraries are called "{library.name}", {both}: uninstall one of them'
            )
    return [*known.values()]


@dataclass(frozen=True, eq=False)
class Definition:
    """One step definition, with everything that binding and running need to know worked out once."""

    context: bdd.StepFunctionContext
    library: str = ""

    @property
    def identity(self) -> int:
        """The same for a definition that is met twice, by import."""
        return id(self.context)

    @cached_property
    def function(self) -> Callable[..., Any]:
        function: Callable[..., Any] = self.context.step_func
        return function

    @cached_property
    def negative(self) -> Negative | None:
        return self.function if isinstance(self.function, Negative) else None

    @cached_property
    def is_invariant(self) -> bool:
        """Whether its author says that it holds before and after."""
        return getattr(self.function, INVARIANT, False)

    @property
    def kind(self) -> str | None:
        kind: str | None = self.context.type
        return kind

    @property
    def wording(self) -> str:
        wording: str = self.context.parser.name
        return wording

    @property
    def strict(self) -> bool:
        """Whether the step was written for Goalkeeper, and so can be held to what its signature says."""
        return self.pattern is not None

    @property
    def pattern(self) -> Pattern | None:
        """The wording as Goalkeeper reads it, where it is one of its own."""
        parser = self.context.parser
        return parser.pattern if isinstance(parser, Wording) else None

    @cached_property
    def skeleton(self) -> str:
        return skeleton(self.wording)

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The arguments that the step must get, from its wording, its table or a fixture."""
        return tuple(
            p.name
            for p in self.parameters.values()
            if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty
        )

    @cached_property
    def is_plain(self) -> bool:
        """Whether calling the function runs it, rather than handing out a generator."""
        function = inspect.unwrap(self.function)
        return not (inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function))

    @cached_property
    def match(self) -> Callable[[str], Mapping[str, Any] | None]:
        """Arguments of a step's text, or None: one pass where the parser allows it.

        A user's own kind of a known parser may match otherwise, so here and below only the exact types count.
        """
        parser = self.context.parser
        if isinstance(parser, Wording):
            return parser.pattern.match
        if type(parser) is parsers.string:
            return lambda text: {} if text == parser.name else None
        if type(parser) is parsers.re:
            return parser.parse_arguments
        return lambda text: parser.parse_arguments(text) if parser.is_matching(text) else None

    @cached_property
    def prefix(self) -> str:
        """Text that every match begins with, folded; empty where the parser does not tell."""
        parser = self.context.parser
        if isinstance(parser, Wording):
            return fold(parser.pattern.prefix)
        if type(parser) is parsers.string:
            return fold(parser.name)
        if type(parser) in (parsers.parse, parsers.cfparse):
            return fold(parse_prefix(parser.name))
        if type(parser) is parsers.re:
            return fold(literal_prefix(parser.regex))
        return ""

    @cached_property
    def location(self) -> tuple[str, int]:
        """File and line of the function."""
        function = inspect.unwrap(self.function)
        if place := getattr(function, PLACE, None):
            return (str(place[0]), int(place[1]))
        code = getattr(function, "__code__", None)
        return (code.co_filename, code.co_firstlineno) if code is not None else ("", 0)

    def origin(self, base: Path) -> str:
        """Where a reader finds it: the library's name, or file and line seen from `base`."""
        return f"steps/{self.library}" if self.library else self.place(base)

    def place(self, base: Path) -> str:
        name, line = self.location
        path = Path(name)
        return f"{path.relative_to(base) if path.is_relative_to(base) else path}:{line}"


def definitions_in(holder: object, library: str = "") -> Iterator[Definition]:
    """The steps that a module (or a plugin object) defines or imports."""
    for context in bdd.contexts_in(holder):
        yield Definition(context, library)
