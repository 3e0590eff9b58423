"""Calls step functions: with their wording's values, tables, texts and fixtures, and awaits what is async."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest

from .. import bdd
from ..binding import DOCSTRING, TABLE, BoundStep
from ..failure import StepFailed
from ..library import Definition
from ..loading import LOADER
from ..session import names_of

if TYPE_CHECKING:
    from asyncio import Runner

FAILURES = (Exception, pytest.fail.Exception)


class Calls:
    """What the steps of one scenario are called with, and the calls themselves."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self.request = request
        self._loop: Runner | None = None

    def arguments(self, bound: BoundStep[Definition]) -> dict[str, Any]:
        """What the step function is called with: its wording's values, its table and text, then fixtures."""
        arguments = self._own(bound)
        for name in bound.definition.required:
            if name not in arguments:
                arguments[name] = self._fixture(name)
        return arguments

    def _own(self, bound: BoundStep[Definition]) -> dict[str, Any]:
        """What the step itself says."""
        definition, step = bound.definition, bound.source
        parameters, converters = definition.parameters, definition.context.converters
        arguments = {
            name: converters[name](value) if name in converters else value
            for name, value in bound.arguments.items()
            if name in parameters or name in converters
        }
        if converters:
            arguments = {name: value for name, value in arguments.items() if name in parameters}
        if step.table is not None and TABLE in parameters:
            arguments[TABLE] = [list(row) for row in step.table.rows]
        if step.docstring is not None and DOCSTRING in parameters:
            arguments[DOCSTRING] = step.docstring.text
        if bound.late:
            arguments = {name: self._filled(definition, name, value) for name, value in arguments.items()}
        return arguments

    def others(self, bound: BoundStep[Definition], function: Callable[..., Any]) -> dict[str, Any]:
        """What another function of a step, such as a violation, is called with: what it asks for by name."""
        given = self._own(bound)
        asked = inspect.signature(function).parameters.values()
        return {
            one.name: given[one.name] if one.name in given else self._fixture(one.name)
            for one in asked
            if one.name in given or one.default is one.empty
        }

    def call(self, bound: BoundStep[Definition], arguments: dict[str, Any]) -> None:
        __tracebackhide__ = True
        if bound.sets:
            names = names_of(self.request.node)
            for name, text in bound.sets.items():
                names.remember(name, names.fill(text))
        if bound.parts:
            self._call_parts(bound)
            return
        definition = bound.definition
        value = self._invoke(definition, arguments)
        if definition.context.target_fixture is not None:
            bdd.inject_fixture(self.request, definition.context.target_fixture, value)

    def _call_parts(self, bound: BoundStep[Definition]) -> None:
        """The steps that a phrase stands for; one that fails says which it is."""
        __tracebackhide__ = True
        for part in bound.parts:
            try:
                self.call(part, self.arguments(part))
            except FAILURES as error:
                error.add_note(f"in: {part.source.text}")
                raise

    def _fixture(self, name: str) -> Any:
        """The value of a fixture; where there is none, a library that is not loaded yet may have it."""
        try:
            return self.request.getfixturevalue(name)
        except pytest.FixtureLookupError:
            loader = self.request.config.stash[LOADER]
            if loader.is_done:
                raise
            loader.load()
            return self.request.getfixturevalue(name)

    def _filled(self, definition: Definition, name: str, value: Any) -> Any:
        """An argument with remembered values put in, and then of the type that the wording asks for."""
        names = names_of(self.request.node)
        if isinstance(value, list):
            return [[names.fill(cell) for cell in row] for row in value]
        if not isinstance(value, str) or "${" not in value:
            return value
        text = names.fill(value)
        pattern = definition.pattern
        if pattern is None or name not in pattern.parameters:
            return text
        try:
            return pattern.convert(name, text)
        except ValueError as error:
            raise StepFailed(f"{value}: {error}") from error

    def _invoke(self, definition: Definition, arguments: dict[str, Any]) -> Any:
        """Call a step function; one that yields is finished when the scenario is torn down."""
        __tracebackhide__ = True
        value = definition.function(**arguments)
        if definition.is_plain:
            return self._await(value) if value is not None and inspect.isawaitable(value) else value
        if inspect.isgenerator(value):
            first = next(value)
            self.request.addfinalizer(lambda: next(value, None))
            return first
        first = self._await(anext(value))
        self.request.addfinalizer(lambda: self._await(anext(value, None)))
        return first

    def _await(self, awaitable: Awaitable[Any]) -> Any:
        """Run on the scenario's own event loop, made when first needed, closed after the last finalizer."""
        __tracebackhide__ = True
        if self._loop is None:
            from asyncio import Runner

            self._loop = Runner()
            self.request.addfinalizer(self._loop.close)

        async def waiting() -> Any:
            return await awaitable

        return self._loop.run(waiting())
