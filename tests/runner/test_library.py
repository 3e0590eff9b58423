"""Step definitions as binding and running see them, and the libraries that bring them."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from pytest_bdd import parsers

from goalkeeper import Watch
from goalkeeper.runner import library
from goalkeeper.runner.bdd import StepFunctionContext
from goalkeeper.runner.define import Wording
from goalkeeper.runner.goal import Kind
from goalkeeper.runner.library import Definition, Library, definitions_in, libraries
from goalkeeper.runner.never import Negative
from goalkeeper.runner.pattern import fold

WriteGoal = Callable[..., Path]
HERE = Path(__file__)


def plain(wanted: int, fixture: object, optional: int = 1, *args: object, keyword: int = 2) -> None: ...


def generator() -> Iterator[int]:
    yield 1


async def coroutine() -> None:
    await asyncio.sleep(0)


async def async_generator() -> AsyncIterator[int]:
    yield 1


def arms(word: str) -> Watch[str]:
    return Watch(word)


@functools.wraps(plain)
def wrapped(*args: object, **kwargs: object) -> None: ...


def defined(
    function: Callable[..., Any] = plain,
    parser: parsers.StepParser | None = None,
    kind: Kind | None = "given",
    name: str = "",
) -> Definition:
    return Definition(StepFunctionContext(kind, function, parser or Wording("a {word}")), name)


def test_what_a_definition_says_of_itself() -> None:
    definition = defined(parser=Wording('a {n:int} "{text}" thing'), kind=None)
    assert definition.kind is None
    assert definition.wording == 'a {n:int} "{text}" thing'
    assert definition.skeleton == 'a  "" thing'
    assert definition.function is plain
    assert definition.negative is None
    assert definition.strict
    assert not defined(parser=parsers.string("a")).strict


def test_required_arguments_are_those_without_a_default() -> None:
    assert defined().required == ("wanted", "fixture")
    assert [*defined().parameters] == ["wanted", "fixture", "optional", "args", "keyword"]
    assert defined(wrapped).required == ("wanted", "fixture")
    negative = defined(Negative(arms))
    assert negative.required == ("word",)
    assert negative.negative is negative.function


@pytest.mark.parametrize(
    ("function", "is_plain"),
    [(plain, True), (coroutine, True), (generator, False), (async_generator, False)],
)
def test_only_a_generator_is_not_run_by_calling_it(function: Callable[..., Any], is_plain: bool) -> None:
    assert defined(function).is_plain is is_plain
    assert defined(functools.wraps(function)(lambda: function())).is_plain is is_plain


@pytest.mark.parametrize("function", [plain, wrapped])
def test_a_definition_is_where_its_function_was_written(function: Callable[..., Any]) -> None:
    line = plain.__code__.co_firstlineno
    definition = defined(function)
    assert definition.location == (str(HERE), line)
    assert definition.place(HERE.parent.parent) == f"runner/test_library.py:{line}"
    assert definition.place(HERE.parent / "elsewhere") == f"{HERE}:{line}"
    assert definition.origin(HERE.parent) == f"test_library.py:{line}"
    assert defined(function, name="acme").origin(HERE.parent) == "steps/acme"


def test_a_negative_step_is_where_its_arming_function_was_written() -> None:
    assert defined(Negative(arms)).location == (str(HERE), arms.__code__.co_firstlineno)


def test_a_callable_without_code_has_no_place() -> None:
    assert defined(functools.partial(plain, 1)).location == ("", 0)


@pytest.mark.parametrize(
    ("parser", "prefix"),
    [
        (Wording('I Run "{x}"'), 'i run "'),
        (Wording("no parameter"), "no parameter"),
        (parsers.string("A {brace}"), "a {brace}"),
        (parsers.parse("A {x}"), "a "),
        (parsers.parse("a }} {x}"), "a "),
        (parsers.parse("aßb {x}"), "a"),
        (parsers.cfparse("A {x:d}"), "a "),
        (parsers.re("A (?P<x>.*)"), "a "),
        (parsers.re("a|b"), ""),
    ],
)
def test_prefix(parser: parsers.StepParser, prefix: str) -> None:
    assert defined(parser=parser).prefix == prefix


def test_folding_keeps_the_length_and_what_a_text_begins_with() -> None:
    text = "AΣİßſıΩ"
    assert fold(text) == "aσißsiω"
    assert all(fold(text).startswith(fold(text[:length])) for length in range(len(text)))


@pytest.mark.parametrize(
    ("parser", "arguments"),
    [
        (Wording("it is {n:int}"), {"n": 7}),
        (parsers.string("it is 7"), {}),
        (parsers.parse("it is {n:d}"), {"n": 7}),
        (parsers.cfparse("it is {n:d}"), {"n": 7}),
        (parsers.re(r"it is (?P<n>\d)"), {"n": "7"}),
    ],
)
def test_match_gives_arguments_or_none(parser: parsers.StepParser, arguments: dict[str, object]) -> None:
    match = defined(parser=parser).match
    assert match("it is 7") == arguments
    assert match("it is 7 or so") is None
    assert match("it is") is None


def test_our_libraries_are_installed() -> None:
    found = {library.name: library for library in libraries()}
    assert {"cli", "files"} <= set(found)
    assert [*found] == sorted(found)
    module = found["cli"].load()
    assert module.__name__ == "goalkeeper.steps.cli"
    definitions = [*definitions_in(module, "cli")]
    assert 'I run "{command}"' in {definition.wording for definition in definitions}
    assert {definition.library for definition in definitions} == {"cli"}


def test_libraries_are_read_from_entry_points_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def fake(group: str) -> list[EntryPoint]:
        values = [("z", "acme.z"), ("a", "acme.a"), ("a", "acme.a"), ("b", "acme.b:steps [extra]")]
        return [EntryPoint(name, value, group) for name, value in values]

    monkeypatch.setattr(library, "entry_points", fake)
    assert libraries() == [Library("a", "acme.a"), Library("b", "acme.b"), Library("z", "acme.z")]


ACME = """
from goalkeeper import then, when

@when("acme acts", target_fixture="acted")
def act():
    return [1]

@then("acme is done")
def done(acted):
    assert acted == [2]
"""


@pytest.fixture
def installed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of another author, with a step library of its own, on the path of child processes."""
    site = pytester.mkdir("site")
    (site / "acme_steps.py").write_text(ACME)
    metadata = site / "acme-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[goalkeeper.steps]\nacme = acme_steps\n")
    monkeypatch.setenv("PYTHONPATH", str(site))
    return site


@pytest.mark.usefixtures("installed")
def test_a_library_of_another_package_works_as_ours_do(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal("Scenario: x\n  When acme acts\n  Then acme is done\n")
    result = pytester.runpytest_subprocess("scenarios")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([">   Then acme is done", "*assert [[]1[]] == [[]2[]]"])


@pytest.mark.usefixtures("installed")
def test_a_library_of_another_package_is_suggested(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal("Scenario: x\n  When acme act\n")
    result = pytester.runpytest_subprocess("scenarios")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["    acme acts    steps/acme", "see all steps: goalkeeper steps acme"])


@pytest.mark.parametrize(
    ("entry", "source", "message"),
    [
        (
            "cli = acme_steps",
            ACME,
            'two step libraries are called "cli", acme_steps and goalkeeper.steps.cli*',
        ),
        (
            "acme = acme_steps",
            "1 / 0",
            'the step library "acme" (acme_steps) can\'t be loaded: ZeroDivision*',
        ),
        (
            "acme = acme_gone",
            "",
            'the step library "acme" (acme_gone) can\'t be loaded: ModuleNotFoundError*',
        ),
    ],
)
def test_a_library_that_cannot_be_used_is_named(
    pytester: pytest.Pytester, installed: Path, entry: str, source: str, message: str
) -> None:
    (installed / "acme_steps.py").write_text(source)
    (installed / "acme-1.0.dist-info" / "entry_points.txt").write_text(f"[goalkeeper.steps]\n{entry}\n")
    result = pytester.runpytest_subprocess()
    result.stderr.fnmatch_lines([f"ERROR: {message}"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    command = pytester.run(sys.executable, "-m", "goalkeeper.cli", "steps")
    command.stderr.fnmatch_lines([f"Error: {message}"])
    assert command.ret == 1
