"""steps/state/watch.py: the negative steps see every version of a state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.artifacts import Artifact, Artifacts
from goalkeeper.runner.changes import Changes, inotify
from goalkeeper.runner.changes.versions import START
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Breach, Journal, Negative, Watch
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps.state import never
from goalkeeper.steps.state.states import States
from goalkeeper.steps.state.watch import Asked, Reading

Arm = Callable[..., Watch[Any]]


@pytest.fixture
def path(sandbox: Sandbox) -> Path:
    return sandbox.work / "run.json"


@pytest.fixture
def arm(states: States, changes: Changes) -> Iterator[Arm]:
    armed: list[Watch[Any]] = []

    def arming(step: Negative, **arguments: object) -> Watch[Any]:
        armed.append(step.arm({"states": states, "changes": changes, "name": "run.json", **arguments}))
        return armed[-1]

    yield arming
    for watch in armed:
        watch.close()


def replaced(path: Path, *texts: str) -> None:
    """Each text in turn, moved into place."""
    for text in texts:
        new = path.with_suffix(".new")
        new.write_text(text)
        new.replace(path)


def seen(watch: Watch[Any], changes: Changes, path: Path, *texts: str) -> Journal[Any]:
    """The journal after these texts, each read before the next one comes, and a look at the end."""
    for text in texts:
        replaced(path, text)
        with changes.settled():
            pass
    watch.look()
    return watch.journal()


CASES: list[tuple[Negative, dict[str, object], str, list[str], str]] = [
    (never.value_becomes, {"path": "s", "expected": "merged"}, '{"s": "a"}',
     ['{"s": "merged"}', '{"s": "b"}'],
     'value "s" of state "run.json" was "merged" during a step'),
    (never.value_becomes, {"path": "n", "expected": "1"}, '{"n": 0}', ['{"n": "1"}', '{"n": 0}'],
     'value "n" of state "run.json" was "1" during a step'),
    (never.value_becomes, {"path": "$.t[*].s", "expected": "x"}, '{"t": [{"s": "a"}]}',
     ['{"t": [{"s": "a"}, {"s": "x"}]}', '{"t": [{"s": "a"}]}'],
     'value "$.t[*].s" of state "run.json" was ["a", "x"] during a step'),
    (never.value_appears, {"path": "e"}, "{}", ['{"e": null}', "{}"],
     'value "e" of state "run.json" was there during a step: null'),
    (never.value_changes, {"path": "id"}, '{"id": 1}', ['{"id": 2}', '{"id": 1}'],
     'value "id" of state "run.json" was 2 during a step; it had been 1'),
    (never.value_changes, {"path": "id"}, "{}", ['{"id": 1}', "{}"],
     'value "id" of state "run.json" was gone during a step; it had been 1'),
    (never.value_decreases, {"path": "n"}, '{"n": 1}', ['{"n": 3}', '{"n": 2}', '{"n": 5}'],
     'value "n" of state "run.json" went back from 3 to 2 during a step'),
    (never.value_decreases, {"path": "n"}, '{"n": 1}', ['{"n": "2"}'],
     'value "n" of state "run.json" was no number during a step: "2"'),
    (never.value_decreases, {"path": "n"}, '{"n": 2}', ["{}", '{"n": 1}'],
     'value "n" of state "run.json" went back from 2 to 1 during a step'),
    (never.comes_to_have, {"datatable": [["s", "done"], ["e", "1"]]}, '{"s": "a", "e": 1}',
     ['{"s": "done", "e": 1}', '{"s": "done", "e": 0}'], 'state "run.json" had these values during a step'),
    (never.changes_state, {}, '{"a": 1}', ['{"a": 2}', '{"a": 1}'],
     'state "run.json" had changed during a step'),
]  # fmt: skip
QUIET: list[tuple[Negative, dict[str, object], str, list[str]]] = [
    (never.value_becomes, {"path": "s", "expected": "merged"}, '{"s": "a"}', ['{"s": "b"}', "{}"]),
    (never.value_appears, {"path": "e"}, "{}", ['{"f": 1}']),
    (never.value_changes, {"path": "id"}, "{}", ['{"id": 1}', '{"id": 1.0, "x": 2}']),
    (never.value_decreases, {"path": "n"}, '{"n": 1}', ['{"n": 1}', "{}", '{"n": 2.5}']),
    (never.comes_to_have, {"datatable": [["s", "done"], ["e", "1"]]}, '{"e": 1}', ['{"s": "done", "e": 0}']),
    (never.changes_state, {}, '{"a": 1, "b": 2}', ['{"b": 2, "a": 1}']),
    (never.is_half_written, {}, '{"a": 1}', ['{"a": 2}', '{"a": 3}']),
    (never.disappears, {}, '{"a": 1}', ['{"a": 2}', '{"a": 3}']),
]


@pytest.mark.parametrize(("step", "arguments", "start", "texts", "message"), CASES)
def test_a_version_that_came_and_went_is_seen(
    arm: Arm,
    changes: Changes,
    path: Path,
    step: Negative,
    arguments: dict[str, object],
    start: str,
    texts: list[str],
    message: str,
) -> None:
    path.write_text(start)
    journal = seen(arm(step, **arguments), changes, path, *texts)
    assert [breach.message for breach in step.judge(journal)] == [message]


@pytest.mark.parametrize(("step", "arguments", "start", "texts"), QUIET)
@pytest.mark.parametrize("late", [False, True])
def test_what_is_allowed(
    arm: Arm,
    changes: Changes,
    path: Path,
    step: Negative,
    arguments: dict[str, object],
    start: str,
    texts: list[str],
    late: bool,
) -> None:
    if not late:
        path.write_text(start)
    journal = seen(arm(step, **arguments), changes, path, *([start, *texts] if late else texts))
    assert step.judge(journal) == []
    assert not journal.is_empty


@pytest.mark.parametrize(("step", "arguments"), [(step, arguments) for step, arguments, *_ in QUIET])
def test_a_state_that_is_never_there_is_nothing_to_look_at(
    arm: Arm, step: Negative, arguments: dict[str, object]
) -> None:
    watch = arm(step, **arguments)
    watch.look()
    assert watch.journal().is_empty
    assert step.judge(watch.journal()) == []


@pytest.mark.parametrize("step", [never.value_becomes, never.value_changes, never.value_decreases])
def test_a_path_that_finds_nothing_is_nothing_to_look_at(
    arm: Arm, changes: Changes, path: Path, step: Negative
) -> None:
    path.write_text('{"status": 1}')
    expected = {"expected": "1"} if step is never.value_becomes else {}
    journal = seen(arm(step, path="statsu", **expected), changes, path, '{"status": 2}')
    assert journal.is_empty


def test_how_much_was_looked_at(arm: Arm, changes: Changes, path: Path) -> None:
    path.write_text('{"n": 1}')
    watch = arm(never.value_decreases, path="n")
    assert seen(watch, changes, path, '{"n": 2}', '{"n": 3}').looked_at == "3 values"
    with changes.settled():
        replaced(path, '{"n": 4}', '{"n": 5}')
    assert seen(watch, changes, path).looked_at == "4 values, 1 unread version"


def test_a_document_written_in_place(arm: Arm, changes: Changes, path: Path) -> None:
    path.write_text('{"a": 1}')
    watch = arm(never.is_half_written)
    with changes.settled():
        path.write_text('{"a": 2}')
    [breach] = never.is_half_written.judge(seen(watch, changes, path))
    assert breach.message == 'state "run.json" was written in place'
    with path.open("w") as writing:
        writing.write('{"a": ')
        writing.flush()
        with changes.settled():
            pass
        writing.write("2}")
    cut, in_place = never.is_half_written.judge(seen(watch, changes, path))
    assert cut.message.startswith('state "run.json" could not be read during a step: it is ')
    assert in_place == breach


def test_a_document_that_a_reader_could_not_find(arm: Arm, changes: Changes, path: Path) -> None:
    path.write_text("{}")
    watch = arm(never.is_unreadable)
    assert never.is_unreadable.judge(seen(watch, changes, path, '{"a": 1}')) == []
    with changes.settled():
        path.rename(path.with_suffix(".bak"))
        replaced(path, "{}")
    assert never.is_unreadable.judge(seen(watch, changes, path)) == [
        Breach('state "run.json" was gone during a step')
    ]
    with changes.settled():
        path.write_text('{"a": 2}')
    in_place, gone = never.is_unreadable.judge(seen(watch, changes, path))
    assert in_place.message == 'state "run.json" was written in place'
    assert gone.message == 'state "run.json" was gone during a step'


def test_one_made_in_place_and_gone_at_once(arm: Arm, changes: Changes, path: Path) -> None:
    watch = arm(never.is_half_written)
    with changes.settled():
        path.write_text("{}")
        path.unlink()
    [breach] = never.is_half_written.judge(seen(watch, changes, path))
    assert breach.message == 'state "run.json" was written in place'


def test_an_unreadable_document_that_was_moved_into_place(arm: Arm, changes: Changes, path: Path) -> None:
    watch = arm(never.is_half_written)
    assert never.is_half_written.judge(seen(watch, changes, path, "{}", '{\n"a":', "{}")) == [
        Breach(
            'state "run.json" could not be read during a step: '
            "it is not JSON: Expecting value: line 2 column 5 (char 6)",
            '| {\n| "a":',
        )
    ]


def test_presence(arm: Arm, changes: Changes, path: Path) -> None:
    absent, stays = arm(never.appears), arm(never.disappears)
    assert never.appears.judge(seen(absent, changes, path)) == []
    assert absent.journal().looked_at == "2 moments"
    with changes.settled():
        path.write_text("{}")
        path.unlink()
    [breach] = never.appears.judge(seen(absent, changes, path))
    assert breach.message == 'state "run.json" was there during a step'
    replaced(path, "{}")
    with changes.settled():
        path.rename(path.with_suffix(".bak"))
        replaced(path, "{}")
    [breach] = never.disappears.judge(seen(stays, changes, path))
    assert breach.message == 'state "run.json" was gone during a step'


@pytest.mark.parametrize(
    ("step", "arguments"),
    [
        (step, arguments)
        for step, arguments, *_ in QUIET
        if step not in (never.is_half_written, never.disappears)
    ],
)
def test_a_state_that_can_not_be_read_at_the_end_can_not_be_judged(
    arm: Arm, changes: Changes, path: Path, step: Negative, arguments: dict[str, object]
) -> None:
    path.write_text("{}")
    watch = arm(step, **arguments)
    assert step.judge(seen(watch, changes, path, "{", "{}")) == []
    [breach] = step.judge(seen(watch, changes, path, "{"))
    assert breach.message.startswith('state "run.json" could not be read at the end: it is not JSON')


def test_a_malformed_path_can_not_be_armed(arm: Arm) -> None:
    with pytest.raises(StepFailed, match="this is no JSONPath"):
        arm(never.value_changes, path="$.a[")
    with pytest.raises(StepFailed, match="this is no JSONPath"):
        arm(never.comes_to_have, datatable=[["$.a[", "1"]])
    with pytest.raises(StepFailed, match="outside of the sandbox"):
        arm(never.changes_state, name="../run.json")


class Runs(Artifacts):
    """A handle over a pattern, as a profile gives it."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox)
        self.work = sandbox.work

    def find(self, kind: str, name: str) -> Artifact:
        paths = tuple(sorted(self.work.glob("home/*/run-*.json")))
        schema = {"properties": {"s": {"type": "string"}}}
        return Artifact(f'{kind} "{name}"', "home/*/run-*.json", paths, "json", schema)


def test_files_of_a_handle_that_come_to_be_later(sandbox: Sandbox, changes: Changes, arm: Arm) -> None:
    states = States(Runs(sandbox), sandbox)
    watch = arm(never.value_becomes, states=states, name="run", path="s", expected="merged")
    folder = sandbox.work / "home" / "toy"
    folder.mkdir(parents=True)
    for name, text in (
        ("run-1.json", '{"s": "a"}'),
        ("run-2.json", '{"s": "merged"}'),
        ("run-2.json", '{"s": "b"}'),
    ):
        with changes.settled():
            pass
        replaced(folder / name, text)
    watch.look()
    assert [b.message for b in never.value_becomes.judge(watch.journal())] == [
        'value "s" of state "run" was "merged" during a step'
    ]
    assert watch.journal().looked_at == "3 values"


def test_a_version_that_does_not_satisfy_its_schema(sandbox: Sandbox, changes: Changes, arm: Arm) -> None:
    (sandbox.work / "home" / "toy").mkdir(parents=True)
    path = sandbox.work / "home" / "toy" / "run-1.json"
    path.write_text('{"s": "a"}')
    watch = arm(
        never.value_becomes, states=States(Runs(sandbox), sandbox), name="run", path="s", expected="z"
    )
    [breach] = never.value_becomes.judge(seen(watch, changes, path, '{"s": 5}', '{"s": "a"}'))
    assert breach == Breach(
        'state "run" does not satisfy its schema during a step', "  s: 5 is not of type 'string'"
    )


def test_without_inotify_it_looks_after_each_step(
    sandbox: Sandbox, states: States, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left() -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(inotify, "borrow", none_left)
    arguments = {"states": states, "changes": Changes(sandbox.work), "name": "run.json"}
    path.write_text('{"s": 1}')
    watch = never.changes_state.arm(arguments)
    replaced(path, '{"s": 2}')
    watch.look()
    assert [breach.message for breach in never.changes_state.judge(watch.journal())] == [
        'state "run.json" had changed after a step'
    ]
    assert watch.journal().looked_at == "2 isolated versions"
    absent = never.appears.arm({**arguments, "name": "none.json"})
    assert absent.journal().looked_at == "1 isolated moment"


def test_a_check_needs_nothing_but_the_journal() -> None:
    reading = Reading(Asked('state "x"', "s", "merged"), Path("x"), START, document={"s": "merged"})
    [breach] = never.value_becomes.judge(Journal('state "x"', (reading,)))
    assert breach.message == 'value "s" of state "x" was "merged" when the scenario began'
