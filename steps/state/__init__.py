"""State files: JSON, YAML and TOML documents, by handle or by path, and the values in them.

A state is named by the handle that a system's profile gives it (`state "run"`) or by its path
(`state "out/run.json"`). Its format is the one that the profile or the name of the file tells, else what its
content is. All three formats become the values of JSON.

**Paths.** `tasks.0.status` is a dotted path; entries of a list are counted from 0. What begins with `$.` or
`$[` is a JSONPath (RFC 9535): `$.tasks[-1].status`, `$['a key.with dots']`,
`$.tasks[?@.status == 'failed'].id`. A JSONPath that can find but one value is that value; any other is the
list of all that it finds, which may be empty.

**Values.** What stands in a table cell or between the quotes of a step is read as JSON, and as text where it
is no JSON:

| In a cell | Between quotes | Means |
| --- | --- | --- |
| `done` or `"done"` | `is "done"` | the text |
| `1`, `1.0`, `1e0` | `is "1"` | the number, as which all three are the same |
| `"1"` | `is "\\"1\\""` | the text |
| `007` | `is "007"` | the text: no number in JSON |
| `true`, `null`, `[1, 2]` | `is "true"` | the truth value, null, the list |

Types must agree: the number 1 is neither the text `1` nor `true`. Whole numbers are compared to the last
digit, however long. Where a step says what must *not* be (`is not`, `is never`, `never has`), a text that
looks like the number counts as well, so that a doubt about the type can't turn out green.

**Absent is not null.** A value that is null exists; `does not exist` means that the path finds nothing.

**What the formats have of their own.** Dates and times are text: in YAML as they are written, in TOML as
RFC 3339 writes them, with `Z` for UTC. YAML is read as version 1.2: `yes` is text, `010` is ten; keys that
are numbers become text. NaN is a number of YAML and TOML and equal to itself; in JSON it is an error. A key
that stands twice in one mapping, an empty file, several documents in one file, or what is not UTF-8, make a
document unreadable.

**Schemas.** Where a profile gives a state a schema, every document that any step reads must satisfy it.

**Deadlines.** `within 10 s` reads the state again until the step holds; a file that is missing or unreadable
meanwhile is not there yet.

**Negative steps** read every version that the kernel tells of: each time the file is closed by its writer or
moved to its name, and after each step. A version that is replaced within a millisecond or so can be missed;
`-v` then shows `unread versions`. Where the kernel has no inotify queue left, they look after each step only,
and `-v` shows `isolated versions`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...runner import documents
from ...runner.artifacts import Artifacts
from ...runner.deadline import holds
from ...runner.define import given, then, when
from ...runner.failure import StepFailed
from ...runner.notes import Notes
from ...runner.project import project_path
from ...runner.sandbox import Sandbox
from ...runner.values import Rows, differences, find, finds_many, is_kind, is_there, regular, same, shown
from ...runner.values import value as meant
from . import judge
from .edit import drop, put
from .states import States
from .watch import table


@pytest.fixture
def states(artifacts: Artifacts, sandbox: Sandbox) -> States:
    """The states of the systems under test."""
    return States(artifacts, sandbox)


@given('state "{name}" is')
@when('I write state "{name}" with')
def write(states: States, name: str, docstring: str) -> None:
    """Write the doc string as it stands, all at once; it must be a document of the state's format."""
    states.write(name, f"{docstring}\n")


@given('I set "{path}" of state "{name}" to "{value}"')
@when('I set "{path}" of state "{name}" to "{value}"')
def set_value(states: States, path: str, name: str, value: str) -> None:
    """Change one value, all at once; a JSONPath changes every value it finds.

    A dotted path makes the mappings that are missing on its way; the number after the last entry of a list
    adds one. In YAML and TOML, comments and layout are lost, and an unquoted date of YAML becomes a text.
    """
    states.edit(name, lambda document: put(document, path, meant(value)))


@given('I remove "{path}" from state "{name}"')
@when('I remove "{path}" from state "{name}"')
def remove_value(states: States, path: str, name: str) -> None:
    """Take one value out, all at once; a JSONPath takes out every value it finds."""
    states.edit(name, lambda document: drop(document, path))


@given('I note state "{name}"')
@when('I note state "{name}"')
def note(states: States, notes: Notes, name: str) -> None:
    """Keep the document as it is now, for `is unchanged` and `has changed`."""
    notes.take(f'state "{name}"', states.read(name))


@then('state "{name}" exists')
@then('state "{name}" exists within {limit:duration}')
def exists(states: States, name: str, limit: float = 0.0) -> None:
    """It is there and is a readable document."""
    _holds(states, name, lambda: states.read(name), limit)


@then('state "{name}" does not exist')
@then('state "{name}" does not exist within {limit:duration}')
def does_not_exist(states: States, name: str, limit: float = 0.0) -> None:
    """There is no such file; with a deadline, it is gone by then."""

    def look() -> None:
        if paths := states.find(name).paths:
            raise StepFailed(f'state "{name}" exists', notes=[f"  {path}" for path in paths[:8]])

    _holds(states, name, look, limit)


@then('state "{name}" has')
@then('state "{name}" has within {limit:duration}')
def has(states: States, name: str, datatable: Rows, limit: float = 0.0) -> None:
    """Each row is a path and the value found there; with a deadline, all of them at the same moment."""
    rows = table(datatable)

    def look() -> None:
        if wrong := differences(states.read(name), rows):
            raise StepFailed(f'state "{name}" differs', notes=wrong)

    _holds(states, name, look, limit)


@then('state "{name}" is')
def is_document(states: States, name: str, docstring: str) -> None:
    """The whole document equals the doc string, as values: order of keys and layout make no difference."""
    found, expected = states.read(name), states.like(name, docstring)
    if not same(found, expected):
        raise _unlike(name, "differs", expected, found)


@then('state "{name}" matches schema "{schema}"')
@then('state "{name}" matches schema "{schema}" within {limit:duration}')
def matches_schema(
    request: pytest.FixtureRequest, states: States, name: str, schema: str, limit: float = 0.0
) -> None:
    """The document satisfies a JSON Schema, in a file beside the goal or in the project.

    `format` is a remark there, as JSON Schema has it by default; references lead inside the file only.
    """
    demanded = documents.load_schema(project_path(request, schema))

    def look() -> None:
        if wrong := documents.violations(states.read(name), demanded):
            raise StepFailed(f'state "{name}" does not match schema "{schema}"', notes=wrong)

    _holds(states, name, look, limit)


@then('state "{name}" is unchanged')
def is_unchanged(states: States, notes: Notes, name: str) -> None:
    """The document has the same values as when a step said `I note state`."""
    noted, found = notes.of(f'state "{name}"'), states.read(name)
    if not same(noted, found):
        raise _unlike(name, "has changed", noted, found)


@then('state "{name}" has changed')
@then('state "{name}" has changed within {limit:duration}')
def has_changed(states: States, notes: Notes, name: str, limit: float = 0.0) -> None:
    """The document has other values than when a step said `I note state`."""
    noted = notes.of(f'state "{name}"')

    def look() -> None:
        if same(noted, states.read(name)):
            raise StepFailed(f'state "{name}" is unchanged')

    _holds(states, name, look, limit)


@then('value "{path}" of state "{name}" is "{expected}"')
@then('value "{path}" of state "{name}" is "{expected}" within {limit:duration}')
def value_is(states: States, path: str, name: str, expected: str, limit: float = 0.0) -> None:
    """The value and its type are those of the quoted text, read as JSON where it is JSON."""
    _judge(states, path, name, limit, lambda found: judge.differs(found, expected))


@then('value "{path}" of state "{name}" is not "{expected}"')
@then('value "{path}" of state "{name}" is not "{expected}" within {limit:duration}')
def value_is_not(states: States, path: str, name: str, expected: str, limit: float = 0.0) -> None:
    """There is a value, and it is another one; a text that looks like the number counts as the same."""
    _judge(states, path, name, limit, lambda found: judge.is_the_same(found, expected))


@then('every value "{path}" of state "{name}" is "{expected}"')
@then('every value "{path}" of state "{name}" is "{expected}" within {limit:duration}')
def every_value_is(states: States, path: str, name: str, expected: str, limit: float = 0.0) -> None:
    """The JSONPath (or a list) finds one value at least, and each of them is this one."""
    _judge(states, path, name, limit, lambda found: judge.differs_somewhere(found, expected))


@then('value "{path}" of state "{name}" is at least {least:number}')
@then('value "{path}" of state "{name}" is at least {least:number} within {limit:duration}')
def value_is_at_least(states: States, path: str, name: str, least: float, limit: float = 0.0) -> None:
    """A number that is not below this one."""
    _judge(states, path, name, limit, lambda found: judge.is_less(found, least))


@then('value "{path}" of state "{name}" is at most {most:number}')
@then('value "{path}" of state "{name}" is at most {most:number} within {limit:duration}')
def value_is_at_most(states: States, path: str, name: str, most: float, limit: float = 0.0) -> None:
    """A number that is not above this one."""
    _judge(states, path, name, limit, lambda found: judge.is_more(found, most))


@then('value "{path}" of state "{name}" is a {kind}')
@then('value "{path}" of state "{name}" is a {kind} within {limit:duration}')
@then('value "{path}" of state "{name}" is an {kind}')
@then('value "{path}" of state "{name}" is an {kind} within {limit:duration}')
def value_is_a(states: States, path: str, name: str, kind: str, limit: float = 0.0) -> None:
    """Of this kind: text (or string), number, integer, boolean, list (array) or mapping (object)."""
    is_kind(None, kind)  # tells a word that is no kind
    _judge(states, path, name, limit, lambda found: judge.is_other_kind(found, kind))


@then('value "{path}" of state "{name}" matches "{pattern}"')
@then('value "{path}" of state "{name}" matches "{pattern}" within {limit:duration}')
def value_matches(states: States, path: str, name: str, pattern: str, limit: float = 0.0) -> None:
    """A text in which the regular expression (Python's) matches somewhere; ^ and $ match at lines."""
    regex = regular(pattern)
    _judge(states, path, name, limit, lambda found: judge.does_not_match(found, regex))


@then('value "{path}" of state "{name}" has {count:int} entries')
@then('value "{path}" of state "{name}" has {count:int} entries within {limit:duration}')
@then('value "{path}" of state "{name}" has {count:int} entry')
def value_has_entries(states: States, path: str, name: str, count: int, limit: float = 0.0) -> None:
    """A list or mapping of this size; for a JSONPath that may find many, how many it finds."""
    _judge(states, path, name, limit, lambda found: judge.has_other_size(found, count))


@then('value "{path}" of state "{name}" contains "{part}"')
@then('value "{path}" of state "{name}" contains "{part}" within {limit:duration}')
def value_contains(states: States, path: str, name: str, part: str, limit: float = 0.0) -> None:
    """A text with this text in it, a list with this entry, or a mapping with this key."""
    _judge(states, path, name, limit, lambda found: judge.lacks(found, part))


@then('value "{path}" of state "{name}" does not contain "{part}"')
@then('value "{path}" of state "{name}" does not contain "{part}" within {limit:duration}')
def value_does_not_contain(states: States, path: str, name: str, part: str, limit: float = 0.0) -> None:
    """There is a value, without this text, entry or key; an entry that only looks like it counts too."""
    _judge(states, path, name, limit, lambda found: judge.includes(found, part))


@then('value "{path}" of state "{name}" exists')
@then('value "{path}" of state "{name}" exists within {limit:duration}')
def value_exists(states: States, path: str, name: str, limit: float = 0.0) -> None:
    """The path finds something, be it null."""
    many = finds_many(path)
    _judge(states, path, name, limit, lambda found: "does not exist" if many and not found else "")


@then('value "{path}" of state "{name}" does not exist')
@then('value "{path}" of state "{name}" does not exist within {limit:duration}')
def value_does_not_exist(states: States, path: str, name: str, limit: float = 0.0) -> None:
    """The state is there, and the path finds nothing in it."""
    finds_many(path)

    def look() -> None:
        document = states.read(name)
        if is_there(document, path):
            raise StepFailed(f'value "{path}" of state "{name}" exists: {shown(find(document, path))}')

    _holds(states, name, look, limit)


def _holds(states: States, name: str, look: Callable[[], object], limit: float) -> None:
    states.find(name)  # a path outside of the sandbox can't be mended by waiting
    holds(look, limit)


def _judge(states: States, path: str, name: str, limit: float, wrong: Callable[[Any], str]) -> None:
    """Find a value and say what is wrong with it, again and again where there is a deadline."""
    finds_many(path)  # a malformed path can't be mended by waiting

    def look() -> None:
        try:
            problem = wrong(find(states.read(name), path))
        except LookupError as error:
            problem = f"does not exist: {error}"
        if problem:
            raise StepFailed(f'value "{path}" of state "{name}" {problem}')

    _holds(states, name, look, limit)


def _unlike(name: str, problem: str, expected: Any, found: Any) -> StepFailed:
    """Two documents side by side, whatever their format."""
    texts = [documents.dump(one, "json", "{\n  ") for one in (expected, found)]
    return StepFailed(f'state "{name}" {problem}', expected=texts[0], actual=texts[1])
