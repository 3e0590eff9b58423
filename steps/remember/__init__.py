"""Values that one step finds and a later one uses, as `${name}`.

A remembered value is text and stands wherever a later step has `${name}`: in the sentence, in a table, in a
doc string, also where a number or a duration is expected. A value that is no text is remembered as JSON
writes it, so `5` and `true` keep their meaning in a table. A name may be given a new value at any time.

A name that nothing can have remembered is found before the scenario runs. A negative step watches from the
first When on, so it can only use what a Given remembers. Where a shell is to get `${name}`, write `$${name}`.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from ...runner.define import step, then
from ...runner.failure import StepFailed
from ...runner.names import Names
from ...runner.programs import free_port
from ...runner.sandbox import Sandbox
from ...runner.values import find, regular, shown
from ..cli.command import Commands
from ..logs.log import Logs
from ..state.states import States


@step('I remember "{value}" as "{name:name}"')
def remember_value(names: Names, value: str, name: str) -> None:
    """Give a value a name; other remembered values may stand in it."""
    names.remember(name, value)


@step('I remember a free port as "{name:name}"')
def remember_port(names: Names, name: str) -> None:
    """A TCP port that nobody listens on. It is not held: start the server that is to use it soon."""
    names.remember(name, str(free_port()))


@step('I remember the working directory as "{name:name}"')
def remember_directory(names: Names, sandbox: Sandbox, name: str) -> None:
    """The scenario's working directory in full, for programs that want an absolute path."""
    names.remember(name, str(sandbox.work))


@step('I remember the output as "{name:name}"')
def remember_output(names: Names, commands: Commands, name: str) -> None:
    """What the last command printed to standard output, without the newlines at its end."""
    names.remember(name, _not_empty(commands.last.stdout.rstrip("\r\n"), "the output is empty"))


@step('I remember what matches "{pattern}" in the output as "{name:name}"')
def remember_match(names: Names, commands: Commands, pattern: str, name: str) -> None:
    """The first match of a regular expression; of one with a group, what the first group matched."""
    match = regular(pattern).search(commands.last.stdout)
    if match is None:
        raise StepFailed(f"the output does not match {pattern}", notes=[f"  {commands.last.stdout[:1000]}"])
    found = match[1] if match.re.groups else match[0]
    names.remember(name, _not_empty(found or "", f"{pattern} matches nothing but emptiness"))


@step('I remember value "{path}" of the output as "{name:name}"')
def remember_output_value(names: Names, commands: Commands, path: str, name: str) -> None:
    """The value at a dotted path or JSONPath in the JSON document that the last command printed."""
    import json

    try:
        document = json.loads(commands.last.stdout)
    except (ValueError, RecursionError) as error:
        raise StepFailed(f"the output is not JSON: {error}") from error
    names.remember(name, _text(document, path, "the output"))


@step('I remember value "{path}" of state "{state}" as "{name:name}"')
def remember_state_value(names: Names, states: States, path: str, state: str, name: str) -> None:
    """The value at a dotted path or JSONPath in a state."""
    names.remember(name, _text(states.read(state), path, f'state "{state}"'))


@step('I remember field "{field}" of the last "{event}" in log "{log}" as "{name:name}"')
def remember_field(names: Names, logs: Logs, field: str, event: str, log: str, name: str) -> None:
    """A field of the last line that records an event."""
    with logs.open(log) as opened:
        found = deque(opened.entries(event), maxlen=1)
        if not found:
            raise opened.absence(event)
    names.remember(name, _text(found[0].value, field, f'"{event}" in log "{log}"'))


@step('I remember the content of file "{path}" as "{name:name}"')
def remember_content(names: Names, sandbox: Sandbox, path: str, name: str) -> None:
    """The text of a file, without the newlines at its end."""
    try:
        content = sandbox.path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise StepFailed(f'file "{path}" can\'t be read: {error.strerror}') from error
    except UnicodeDecodeError as error:
        raise StepFailed(f'file "{path}" is no text: {error}') from error
    names.remember(name, _not_empty(content.rstrip("\r\n"), f'file "{path}" is empty'))


@then('"{one}" is "{other}"')
def values_are_equal(one: str, other: str) -> None:
    """Two texts are the same: a remembered value and what it should be, or two remembered values."""
    if one != other:
        raise StepFailed("the values differ", expected=other, actual=one)


@then('"{one}" is not "{other}"')
def values_differ(one: str, other: str) -> None:
    """Two texts are not the same."""
    if one == other:
        raise StepFailed(f'both values are "{one}"')


def _text(document: Any, path: str, title: str) -> str:
    try:
        found = find(document, path)
    except LookupError as error:
        raise StepFailed(f"{title} has no value {path}: {error}") from error
    return found if isinstance(found, str) else shown(found)


def _not_empty(text: str, message: str) -> str:
    """A name for nothing would make later steps mean something else than they say."""
    if not text:
        raise StepFailed(f"there is nothing to remember: {message}")
    return text
