"""The steps of steps/state: what each accepts, and what it says where it does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.artifacts import Artifacts
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.notes import Notes
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import state
from goalkeeper.steps.state.states import States

Step = Callable[..., object]
WriteGoal = Callable[..., Path]

DOCUMENT = (
    '{"s": "done", "n": 3, "text": "1", "none": null, "l": [1, 2], "tasks": [{"id": "a"}, {"id": "b"}]}'
)


@pytest.fixture(autouse=True)
def document(sandbox: Sandbox) -> Path:
    path = sandbox.work / "a.json"
    path.write_text(DOCUMENT)
    return path


def failure(step: Step, *arguments: object) -> str:
    with pytest.raises(StepFailed) as caught:
        step(*arguments)
    return str(caught.value)


HOLDING: list[tuple[Step, str, tuple[object, ...]]] = [
    (state.value_is, "s", ("done",)),
    (state.value_is, "n", ("3",)),
    (state.value_is, "text", ('"1"',)),
    (state.value_is, "none", ("null",)),
    (state.value_is, "$.tasks[*].id", ('["a", "b"]',)),
    (state.value_is_not, "s", ("failed",)),
    (state.every_value_is, "$.tasks[:1].id", ("a",)),
    (state.value_is_at_least, "n", (3.0,)),
    (state.value_is_at_most, "n", (3.0,)),
    (state.value_is_a, "l", ("list",)),
    (state.value_matches, "s", ("^d.n",)),
    (state.value_has_entries, "tasks", (2,)),
    (state.value_has_entries, "$.tasks[?@.id == 'z']", (0,)),
    (state.value_contains, "l", ("2",)),
    (state.value_does_not_contain, "l", ("3",)),
    (state.value_exists, "none", ()),
    (state.value_exists, "$.tasks[?@.id == 'a']", ()),
    (state.value_does_not_exist, "zz", ()),
    (state.value_does_not_exist, "$.tasks[?@.id == 'z']", ()),
]
FAILING: list[tuple[Step, str, tuple[object, ...], str]] = [
    (state.value_is, "s", ("failed",), 'is "done", not "failed"'),
    (state.value_is, "text", ("1",), 'is "1" (text), not 1 (number): write the text as \\"1\\"'),
    (state.value_is, "task", ("3",), 'does not exist: there is no task. Did you mean "tasks"?'),
    (state.value_is_not, "text", ("1",), 'is "1"'),
    (state.value_is_not, "zz", ("1",), "does not exist: there is no zz."),
    (state.every_value_is, "$.tasks[*].id", ("a",), 'has 1 of 2 that are not "a": "b"'),
    (state.value_is_at_least, "n", (4.0,), "is 3, less than 4"),
    (state.value_is_at_most, "n", (2.0,), "is 3, more than 2"),
    (state.value_is_a, "n", ("text",), "is not of the kind text, but number: 3"),
    (state.value_matches, "s", ("x",), 'does not match x: "done"'),
    (state.value_has_entries, "l", (3,), "has not 3 entries, but 2: [1, 2]"),
    (state.value_contains, "l", ("3",), "does not contain 3: [1, 2]"),
    (state.value_does_not_contain, "s", ("on",), 'contains on: "done"'),
    (state.value_exists, "zz", (), "does not exist: there is no zz."),
    (state.value_exists, "$.tasks[?@.id == 'z']", (), "does not exist"),
    (state.value_does_not_exist, "none", (), "exists: null"),
]


@pytest.mark.parametrize(("step", "path", "arguments"), HOLDING)
def test_a_then_that_holds(states: States, step: Step, path: str, arguments: tuple[object, ...]) -> None:
    step(states, path, "a.json", *arguments)
    step(states, path, "a.json", *arguments, 0.01)


@pytest.mark.parametrize(("step", "path", "arguments", "problem"), FAILING)
def test_a_then_that_does_not_hold(
    states: States, step: Step, path: str, arguments: tuple[object, ...], problem: str
) -> None:
    subject = f'value "{path}" of state "a.json"'
    assert failure(step, states, path, "a.json", *arguments) == f"{subject} {problem}"
    late = failure(step, states, path, "a.json", *arguments, 0.005)
    assert late == f"{subject} {problem} (waited 0.005 s)"


VALUES = {step: arguments for step, _, arguments in HOLDING}


@pytest.mark.parametrize("step", VALUES)
def test_a_state_that_is_missing_or_cut_off_is_not_yet_there(
    states: States, step: Step, document: Path
) -> None:
    document.unlink()
    message = failure(step, states, "s", "a.json", *VALUES[step])
    assert message == 'state "a.json" is not there'
    document.write_text(DOCUMENT[:-1])
    message = failure(step, states, "s", "a.json", *VALUES[step], 0.005)
    assert message.startswith('state "a.json" can\'t be read: it is not JSON: Expecting')
    assert message.endswith(" (waited 0.005 s)")


@pytest.mark.parametrize("step", VALUES)
def test_a_malformed_path_is_told_without_waiting(states: States, step: Step, document: Path) -> None:
    document.unlink()
    message = failure(step, states, "$.a[", "a.json", *VALUES[step], 600.0)
    assert message.startswith("this is no JSONPath: ")


def test_other_mistakes_are_told_without_waiting(states: States, document: Path) -> None:
    document.unlink()
    assert "not a regular expression" in failure(state.value_matches, states, "s", "a.json", "(", 600.0)
    assert 'no kind of value called "nmber"' in failure(
        state.value_is_a, states, "s", "a.json", "nmber", 600.0
    )
    assert "two columns" in failure(state.has, states, "a.json", [["a"]], 600.0)
    assert "outside of the sandbox" in failure(state.exists, states, "../a.json", 600.0)
    assert "outside of the sandbox" in failure(state.value_is, states, "s", "../a.json", "x", 600.0)


class Slowly(States):
    """A state that becomes what it is to be at the third reading."""

    readings = 0

    def read(self, _: str) -> Any:
        self.readings += 1
        if self.readings == 1:
            raise StepFailed("not there")
        return {"s": "done" if self.readings > 2 else "running"}


def test_a_deadline_reads_again(artifacts: Artifacts, sandbox: Sandbox) -> None:
    slowly = Slowly(artifacts, sandbox)
    state.value_is(slowly, "s", "a.json", "done", 60.0)
    assert slowly.readings == 3
    slowly.readings = 0
    state.has(slowly, "a.json", [["s", "done"]], 60.0)
    assert slowly.readings == 3


def test_a_table(states: States) -> None:
    state.has(states, "a.json", [["s", "done"], ["$.tasks[*].id", '["a", "b"]']])
    assert failure(state.has, states, "a.json", [["s", "x"], ["n", '"3"'], ["zz", "1"]]) == (
        'state "a.json" differs\n  s: expected "x", got "done"\n  n: expected "3", got 3\n'
        "  zz: there is no zz."
    )


def test_existence(states: States, document: Path) -> None:
    state.exists(states, "a.json")
    assert failure(state.does_not_exist, states, "a.json") == f'state "a.json" exists\n  {document}'
    document.unlink()
    state.does_not_exist(states, "a.json")
    assert failure(state.exists, states, "a.json", 0.005).endswith("(waited 0.005 s)")


def test_a_whole_document(states: States, sandbox: Sandbox) -> None:
    (sandbox.work / "b.yaml").write_text("x: 1\ny: [a]")
    state.is_document(states, "b.yaml", "y:\n- a\nx: 1.0")
    assert failure(state.is_document, states, "b.yaml", "x: 1\ny: [b]").splitlines() == [
        'state "b.yaml" differs',
        "  --- expected",
        "  +++ actual",
        "  @@ -1,6 +1,6 @@",
        "   {",
        '     "x": 1,',
        '     "y": [',
        '  -    "b"',
        '  +    "a"',
        "     ]",
        "   }",
    ]
    assert "no document for" in failure(state.is_document, states, "b.yaml", "y: [")


def test_writing_and_editing(states: States) -> None:
    state.write(states, "new/b.toml", "x = 1")
    state.set_value(states, "y.z", "new\\b.toml", "[1, 2]")
    state.remove_value(states, "x", "new/b.toml")
    state.is_document(states, "new/b.toml", "[y]\nz = [1, 2]")
    assert failure(state.set_value, states, "y.z.0.k", "new/b.toml", "1").startswith("y.z.0.k can't be")
    assert failure(state.remove_value, states, "zz", "new/b.toml").startswith("there is nothing at zz")
    assert failure(state.set_value, states, "x", "none.json", "1").startswith(
        'state "none.json" is not there'
    )


def test_notes(states: States, notes: Notes, document: Path) -> None:
    assert "nobody has taken note of" in failure(state.is_unchanged, states, notes, "a.json")
    state.note(states, notes, "a.json")
    document.write_text(DOCUMENT.replace("{", "{\n"))
    state.is_unchanged(states, notes, "a.json")
    assert failure(state.has_changed, states, notes, "a.json") == 'state "a.json" is unchanged'
    document.write_text(DOCUMENT.replace("3", "4"))
    state.has_changed(states, notes, "a.json")
    assert failure(state.is_unchanged, states, notes, "a.json").startswith('state "a.json" has changed\n')


GOAL = """
    Scenario: a schema that is met
      Given state "a.json" is
        \"\"\"
        {"n": 1}
        \"\"\"
      When I run "cp a.json c.json"
      Then state "c.json" matches schema "schemas/n.yaml"
      And file "a.json" matches schema "schemas/n.yaml"
      But state "b.json" never exists

    Scenario: a schema that is not met
      When I write state "a.json" with
        \"\"\"
        {"n": "x"}
        \"\"\"
      Then state "a.json" matches schema "schemas/n.yaml"
      And file "a.json" matches schema "schemas/m.yaml"
      But value "n" of state "a.json" is never "x"
      And value "m" of state "a.json" is never "x"

    Scenario: a value that came and went
      Given state "a.json" is
        \"\"\"
        {"status": "running"}
        \"\"\"
      When I set "status" of state "a.json" to "merged"
      And I set "status" of state "a.json" to "failed"
      Then value "status" of state "a.json" is "failed"
      But value "status" of state "a.json" is never "merged"
"""


def test_the_whole_way(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(GOAL)
    goal("properties: {n: {type: integer}}", "scenarios/schemas/n.yaml")
    result = pytester.runpytest("scenarios", "-v")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            'E     state "a.json" does not match schema "schemas/n.yaml"',
            "E       n: 'x' is not of type 'integer'",
            'E     there is no "schemas/m.yaml" beside the goal file or in the project: *',
            "E     there is: n.yaml",
            'E     value "n" of state "a.json" was "x" during a step',
            "E     this check looked at nothing, so it could not have failed",
            'E     value "status" of state "a.json" was "merged" during a step',
        ]
    )
