"""Command lines: run a program as a person would at a prompt, and look at what it printed.

The line is split as a shell splits it (quotes and backslashes work), but no shell is there to expand `*`,
`$X` or `|`: write `sh -c '…'` where one is wanted. A quote inside the quoted command is written `\\"`.

A Then without a name speaks of the last command that was run to its end. A program that has to be signalled,
restarted or told from others is better started as a process: see steps/process. What is marked as Step below
may stand as Given, When or Then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from ...runner.define import given, step, then, when
from ...runner.evidence import Evidence
from ...runner.failure import StepFailed
from ...runner.programs import ready
from ...runner.programs.output import contains, matches
from ...runner.sandbox import Sandbox
from ...runner.values import Rows, differences, pairs
from . import together
from .command import Commands, Options, options_of


@pytest.fixture
def commands(sandbox: Sandbox, evidence: Evidence) -> Iterator[Commands]:
    """The commands of the scenario; what they leave running is killed at its end."""
    ran = Commands(sandbox, evidence)
    yield ran
    ran.close()


@given('environment variable "{name}" is "{value}"')
def set_variable(commands: Commands, name: str, value: str) -> None:
    """Set a variable for every later command and process of the scenario."""
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
    commands.run(command, options_of(datatable, commands.limit))


@given('I run "{command}" in the background')
@when('I run "{command}" in the background')
def run_in_background(commands: Commands, command: str) -> None:
    """Start a command and go on with the next step. It is ended with the scenario."""
    commands.start(command, Options())


@step('the background command prints "{text}" within {limit:duration}')
def background_prints(commands: Commands, text: str, limit: float) -> None:
    """Wait until the command started in the background last has printed this, to either output.

    The step fails at once, and shows the end of the output, when the command ends without having done so.
    """
    ready.prints(commands.background, text, limit)


@step("the background command listens on port {port:int} within {limit:duration}")
@step('the background command listens on port "{port}" within {limit:duration}')
def background_listens_on(commands: Commands, port: int | str, limit: float) -> None:
    """Wait until the command in the background, or a child of it, takes connections on a TCP port.

    Nothing is connected to find out, and somebody else who listens on that port does not count. A value that
    an earlier step has found out stands in quotes.
    """
    ready.listens_on(commands.background, port, limit)


@step('the background command listens at socket "{path}" within {limit:duration}')
def background_listens_at(commands: Commands, sandbox: Sandbox, path: str, limit: float) -> None:
    """Wait until the command in the background, or a child of it, takes connections at a unix socket."""
    ready.listens_at(commands.background, sandbox, path, limit)


@step("the background command ends within {limit:duration}")
def background_ends(commands: Commands, limit: float) -> None:
    """Wait for the end of the command in the background, whatever its exit code.

    From then on it is the last command, of which `the exit code is` and the like speak.
    """
    commands.finish(limit)


@given('I run "{command}" {count:int} times at once')
@when('I run "{command}" {count:int} times at once')
def run_copies(commands: Commands, command: str, count: int) -> None:
    """Run copies of a command that begin at the same moment, and wait for the end of all of them."""
    if count < 2:
        raise StepFailed(f"{count} can't run at once: it takes at least 2")
    commands.run_at_once([command] * count, Options(limit=commands.limit))


@given("I run these commands at once")
@when("I run these commands at once")
def run_together(commands: Commands, datatable: Rows) -> None:
    """Run different commands, one in each row, that begin at the same moment, and wait for the end of all."""
    if any(len(row) != 1 for row in datatable):
        raise StepFailed("this table needs one column, the command")
    if len(datatable) < 2:
        raise StepFailed("one command can't run at once with nothing: name at least 2")
    commands.run_at_once([row[0] for row in datatable], Options(limit=commands.limit))


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
    contains("output", commands.last.stdout, text)


@then('the error output contains "{text}"')
def error_output_contains(commands: Commands, text: str) -> None:
    """The last command printed this text to standard error."""
    contains("error output", commands.last.stderr, text)


@then('the output matches "{pattern}"')
def output_matches(commands: Commands, pattern: str) -> None:
    """The regular expression (Python's) matches somewhere in standard output; ^ and $ match at lines."""
    matches("output", commands.last.stdout, pattern)


@then('the error output matches "{pattern}"')
def error_output_matches(commands: Commands, pattern: str) -> None:
    """The regular expression matches somewhere in standard error."""
    matches("error output", commands.last.stderr, pattern)


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


@then("all exit codes are {code:int}")
def all_exit_codes(commands: Commands, code: int) -> None:
    """Each of the commands that ran at once ended with this exit code."""
    together.all_of(commands.together, together.exits_with(code))


@then("exactly {count:int} of them exits with {code:int}")
@then("exactly {count:int} of them exit with {code:int}")
def exactly_exit_with(commands: Commands, count: int, code: int) -> None:
    """So many of the commands that ran at once ended with this exit code, no more and no fewer."""
    together.exactly(commands.together, count, together.exits_with(code))


@then("at least {count:int} of them exits with {code:int}")
@then("at least {count:int} of them exit with {code:int}")
def at_least_exit_with(commands: Commands, count: int, code: int) -> None:
    """So many of the commands that ran at once, or more, ended with this exit code."""
    together.at_least(commands.together, count, together.exits_with(code))


@then('all of them print "{text}"')
def all_print(commands: Commands, text: str) -> None:
    """Each of the commands that ran at once printed this text to standard output."""
    together.all_of(commands.together, together.prints(text))


@then('exactly {count:int} of them prints "{text}"')
@then('exactly {count:int} of them print "{text}"')
def exactly_print(commands: Commands, count: int, text: str) -> None:
    """So many of the commands that ran at once printed this text to standard output."""
    together.exactly(commands.together, count, together.prints(text))


@then("all outputs are the same")
def outputs_are_the_same(commands: Commands) -> None:
    """The commands that ran at once printed the same to standard output, to the byte."""
    together.same_output(commands.together)


@then("all outputs are different")
def outputs_are_different(commands: Commands) -> None:
    """No two of the commands that ran at once printed the same to standard output."""
    together.different_outputs(commands.together)
