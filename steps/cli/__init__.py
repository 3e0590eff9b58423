"""Command lines: run a program as a person would at a prompt, and look at what it printed.

The line is split as a shell splits it (quotes and backslashes work), but no shell is there to expand `*`,
`$X` or `|`: write `sh -c '…'` where one is wanted. A quote inside the quoted command is written `\\"`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from ...runner.define import given, never, then, when
from ...runner.evidence import Evidence, shorten
from ...runner.failure import StepFailed
from ...runner.never import Breach, Journal, Watch
from ...runner.pattern import seconds
from ...runner.problem import did_you_mean
from ...runner.sandbox import Sandbox
from ...runner.values import Rows, differences, pairs
from .command import Commands, Options, Result


@pytest.fixture
def commands(sandbox: Sandbox, evidence: Evidence) -> Iterator[Commands]:
    """The commands of the scenario; what they leave running is killed at its end."""
    ran = Commands(sandbox, evidence)
    yield ran
    ran.close()


@given('environment variable "{name}" is "{value}"')
def set_variable(commands: Commands, name: str, value: str) -> None:
    """Set a variable for every later command of the scenario."""
    commands.environment[name] = value


@given("commands may take up to {limit:duration}")
def set_limit(commands: Commands, limit: float) -> None:
    """The time limit for every later command; without this step it is 60 s."""
    commands.limit = limit


@given('I run "{command}"')
@when('I run "{command}"')
def run(commands: Commands, command: str) -> None:
    """Run a command and wait for its end. Its exit code is for a Then to judge, whatever it is."""
    commands.run(command, Options(limit=commands.limit))


@given('I run "{command}" in "{directory}"')
@when('I run "{command}" in "{directory}"')
def run_in(commands: Commands, command: str, directory: str) -> None:
    """Run a command in a directory below the scenario's working directory."""
    commands.run(command, Options(directory, limit=commands.limit))


@given('I run "{command}" with input')
@when('I run "{command}" with input')
def run_with_input(commands: Commands, command: str, docstring: str) -> None:
    """Run a command whose standard input is the doc string, ended by a newline."""
    commands.run(command, Options(stdin=f"{docstring}\n", limit=commands.limit))


@given('I run "{command}" for at most {limit:duration}')
@when('I run "{command}" for at most {limit:duration}')
def run_for(commands: Commands, command: str, limit: float) -> None:
    """Run a command that is killed, and the step failed, when it takes longer."""
    commands.run(command, Options(limit=limit))


@given('I run "{command}" with')
@when('I run "{command}" with')
def run_with(commands: Commands, command: str, datatable: Rows) -> None:
    """Run a command with a table of options: directory, input, limit, and env.NAME for a variable."""
    commands.run(command, _options(datatable, commands.limit))


@then("the exit code is {code:int}")
def exit_code_is(commands: Commands, code: int) -> None:
    """The last command ended with this exit code."""
    last = commands.last
    if last.exit_code != code:
        raise StepFailed("the command ended otherwise", expected=f"exit code {code}", actual=last.ending)


@then("the exit code is not {code:int}")
def exit_code_is_not(commands: Commands, code: int) -> None:
    """The last command ended with any other exit code, or was killed."""
    last = commands.last
    if last.exit_code == code:
        raise StepFailed(f'"{last.line}" ended with exit code {code}')


@then('the output contains "{text}"')
def output_contains(commands: Commands, text: str) -> None:
    """The last command printed this text to standard output."""
    _contains("output", commands.last.stdout, text)


@then('the error output contains "{text}"')
def error_output_contains(commands: Commands, text: str) -> None:
    """The last command printed this text to standard error."""
    _contains("error output", commands.last.stderr, text)


@then('the output matches "{pattern}"')
def output_matches(commands: Commands, pattern: str) -> None:
    """The regular expression (Python's) matches somewhere in standard output; ^ and $ match at lines."""
    _matches("output", commands.last.stdout, pattern)


@then('the error output matches "{pattern}"')
def error_output_matches(commands: Commands, pattern: str) -> None:
    """The regular expression matches somewhere in standard error."""
    _matches("error output", commands.last.stderr, pattern)


@then("the output is")
def output_is(commands: Commands, docstring: str) -> None:
    """Standard output equals the doc string; a newline at its end makes no difference."""
    actual = commands.last.stdout
    if actual.removesuffix("\n") != docstring.removesuffix("\n"):
        raise StepFailed("the output differs", expected=docstring, actual=actual)


@then("the output is empty")
def output_is_empty(commands: Commands) -> None:
    """The last command printed nothing to standard output."""
    if commands.last.stdout:
        raise StepFailed("the output is not empty", expected="", actual=commands.last.stdout)


@then("the output is JSON with")
def output_is_json(commands: Commands, datatable: Rows) -> None:
    """Standard output is one JSON document; each row is a dotted path and the JSON value found there.

    A value that is no JSON is text, so `ok` and `"ok"` mean the same, while `1` is a number and `"1"` is
    text. List entries are numbered from 0: `items.0.name`.
    """
    text = commands.last.stdout
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StepFailed(f"the output is not JSON: {error}") from error
    wrong = differences(document, pairs(datatable))
    if wrong:
        raise StepFailed("the JSON output differs", notes=wrong)


class OutputWatch(Watch[Result]):
    """Every command that runs while the watch is armed; again when its background children print more."""

    def __init__(self, commands: Commands) -> None:
        super().__init__("the output of every command")
        self._commands = commands
        self._first = len(commands.results)
        self._seen: dict[Result, tuple[int, int]] = {}

    def look(self) -> None:
        for result in self._commands.results[self._first :]:
            known, counted = self._seen.get(result, (-1, 0))
            size = result.size
            if size == known:
                continue
            now = replace(result)
            lines = len(now.stdout.splitlines()) + len(now.stderr.splitlines())
            self.count("command", 0 if result in self._seen else 1)
            self.count("line", lines - counted)
            self.record(now)
            self._seen[result] = (size, lines)


class PhraseWatch(OutputWatch):
    def __init__(self, commands: Commands, text: str) -> None:
        super().__init__(commands)
        self.subject = text


@never('the command never prints "{text}"')
def command_prints(commands: Commands, text: str) -> PhraseWatch:
    """No command that runs from the first When on prints this text, to standard output or standard error."""
    return PhraseWatch(commands, text)


@command_prints.check
def not_printed(journal: Journal[Result]) -> list[Breach]:
    breaches = (
        Breach(
            f'"{result.line}" printed "{journal.subject}" to {stream}',
            evidence=_around(text, journal.subject),
        )
        for result in journal.entries
        for stream, text in (("stdout", result.stdout), ("stderr", result.stderr))
        if journal.subject in text
    )
    return list(dict.fromkeys(breaches))


def _around(text: str, phrase: str) -> str:
    """The lines in which the phrase stands, numbered."""
    before = text[: text.index(phrase)].count("\n")
    lines = text.split("\n")[before : before + phrase.count("\n") + 1]
    return "\n".join(f"line {before + number}: {line}" for number, line in enumerate(lines, 1))


def _contains(name: str, actual: str, text: str) -> None:
    if text not in actual:
        raise StepFailed(f'the {name} does not contain "{text}"', notes=_shown(name, actual))


def _matches(name: str, actual: str, pattern: str) -> None:
    try:
        found = re.search(pattern, actual, re.MULTILINE)
    except re.error as error:
        raise StepFailed(f"this is not a regular expression: {error}", notes=[f"  {pattern}"]) from error
    if found is None:
        raise StepFailed(f"the {name} does not match {pattern}", notes=_shown(name, actual))


def _shown(name: str, actual: str) -> list[str]:
    """What was there instead, as a note under a failure."""
    if not actual:
        return [f"  the {name} is empty"]
    return [f"  the {name} is", *(f"  | {line}" for line in shorten(actual, 10).splitlines())]


def _options(rows: Rows, limit: float) -> Options:
    known: dict[str, Any] = {"directory": ".", "input": None, "limit": None}
    environment: dict[str, str] = {}
    for name, value in pairs(rows):
        if name.startswith("env."):
            environment[name.removeprefix("env.")] = value
        elif name in known:
            known[name] = value
        else:
            message = f'a command has no option "{name}".' + did_you_mean(name, [*known, "env."])
            raise StepFailed(message, notes=["known: directory, input, limit, env.NAME"])
    if known["limit"] is not None:
        limit = _limit(known["limit"])
    return Options(known["directory"], environment, known["input"], limit)


def _limit(text: str) -> float:
    try:
        return seconds(text)
    except ValueError as error:
        raise StepFailed(str(error)) from error
