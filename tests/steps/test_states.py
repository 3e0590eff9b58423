"""steps/state/states.py: documents on disk, by handle and by path."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.artifacts import Artifact, Artifacts
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps.state.states import States


class Handles(Artifacts):
    """Artifacts as a profile gives them: a handle `run` over a pattern, with a format and a schema."""

    def __init__(self, sandbox: Sandbox, pattern: str, form: str, schema: Mapping[str, Any] | None) -> None:
        super().__init__(sandbox)
        self.work, self.pattern, self.form, self.schema = sandbox.work, pattern, form, schema

    def find(self, kind: str, name: str) -> Artifact:
        if name != "run":
            return super().find(kind, name)
        paths = tuple(sorted(self.work.glob(self.pattern)))
        return Artifact('state "run"', self.pattern, paths, self.form, self.schema)


def handles(sandbox: Sandbox, pattern: str, form: str = "", schema: Any = None) -> States:
    return States(Handles(sandbox, pattern, form, schema), sandbox)


def failure(states: States, name: str) -> str:
    with pytest.raises(StepFailed) as caught:
        states.read(name)
    return str(caught.value)


def test_what_can_not_be_read(states: States, sandbox: Sandbox) -> None:
    assert failure(states, "a.json") == 'state "a.json" is not there'
    (sandbox.work / "a.json").write_text('{"a": 1')
    assert failure(states, "a.json").startswith('state "a.json" can\'t be read: it is not JSON: Expecting')
    (sandbox.work / "a.json").write_bytes(b"")
    assert failure(states, "a.json") == 'state "a.json" can\'t be read: it is empty'
    assert "lies outside of the sandbox" in failure(states, "../a.json")


def test_a_path_in_either_spelling(states: States, sandbox: Sandbox) -> None:
    (sandbox.work / "d").mkdir()
    (sandbox.work / "d" / "a.toml").write_text("x = 1")
    assert states.read("d/a.toml") == states.read("d\\a.toml") == {"x": 1}


def test_a_handle_has_a_format_and_a_schema(sandbox: Sandbox) -> None:
    states = handles(sandbox, "runs/*.state", "yaml", {"properties": {"a": {"type": "integer"}}})
    assert failure(states, "run") == 'state "run" is not there: nothing matches runs/*.state'
    (sandbox.work / "runs").mkdir()
    path = sandbox.work / "runs" / "1.state"
    path.write_text("a: 1")
    assert states.read("run") == {"a": 1}
    path.write_text("a: x")
    assert failure(states, "run") == (
        "state \"run\" does not satisfy its schema\n  a: 'x' is not of type 'integer'"
    )
    with pytest.raises(StepFailed, match='state "run" does not satisfy its schema'):
        states.write("run", "a: y")
    (sandbox.work / "runs" / "2.state").touch()
    assert failure(states, "run").startswith('state "run" is not one file, but 2')


def test_where_a_new_state_is_written(sandbox: Sandbox) -> None:
    handles(sandbox, "home/run.json").write("run", "{}\n")
    assert (sandbox.work / "home" / "run.json").read_text() == "{}\n"
    with pytest.raises(StepFailed, match="is not there: nothing matches"):
        handles(sandbox, "home/*.yaml").write("run", "{}")


def test_writing_replaces_at_once(states: States, sandbox: Sandbox) -> None:
    path = sandbox.work / "a.json"
    path.write_text("{}")
    path.chmod(0o640)
    inode = path.stat().st_ino
    with path.open() as reading:
        states.write("a.json", '{"b": 1}\n')
        assert reading.read() == "{}"
    assert path.read_text() == '{"b": 1}\n'
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.stat().st_ino != inode
    assert [*sandbox.work.iterdir()] == [path]


def test_a_link_stays_a_link(states: States, sandbox: Sandbox) -> None:
    (sandbox.work / "real.json").write_text("{}")
    (sandbox.work / "latest.json").symlink_to("real.json")
    states.edit("latest.json", lambda document: document.update(a=1))
    assert (sandbox.work / "latest.json").is_symlink()
    assert (sandbox.work / "real.json").read_text() == '{"a": 1}\n'


def test_a_text_that_is_no_document_is_not_written(states: States, sandbox: Sandbox) -> None:
    with pytest.raises(StepFailed) as caught:
        states.write("a.json", "{")
    assert str(caught.value).startswith(
        'the text below this step is no document for state "a.json": it is not JSON: Expecting'
    )
    assert not (sandbox.work / "a.json").exists()


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.json", '{\n  "b": 1\n}\n', '{\n  "b": 2\n}\n'),
        ("a.json", '\ufeff{"b": 1}', '{"b": 2}\n'),
        ("a.yaml", "# why\nb: 1\n", "b: 2\n"),
        ("a.toml", "b = 1\nd = 2024-01-02\n", "b = 2\nd = 2024-01-02\n"),
        ("plain", '{"b": 1}', '{"b": 2}\n'),
        ("plain", "b = 1\n", "b = 2\n"),
        ("plain", "b: 1\n", "b: 2\n"),
    ],
)
def test_editing(states: States, sandbox: Sandbox, name: str, before: str, after: str) -> None:
    (sandbox.work / name).write_text(before)
    states.edit(name, lambda document: document.update(b=2))
    assert (sandbox.work / name).read_text() == after


def test_a_place_that_can_not_be_written(states: States, sandbox: Sandbox) -> None:
    (sandbox.work / "file").touch()
    (sandbox.work / "dir.json").mkdir()
    with pytest.raises(
        StepFailed, match=r'state "file/a.json" can\'t be written: (File exists|Not a directory)'
    ):
        states.write("file/a.json", "{}")
    with pytest.raises(StepFailed, match=r'state "dir.json" can\'t be written: Is a directory'):
        states.write("dir.json", "{}")
    assert sorted(path.name for path in sandbox.work.iterdir()) == ["dir.json", "file"]


def test_the_folder_of_a_pattern(sandbox: Sandbox) -> None:
    states = handles(sandbox, "home/state/*/run-*.json")
    assert states.folder(states.find("run")) == sandbox.work / "home" / "state"
    assert states.folder(states.find("a/b.json")) is None
    assert states.place(states.find("a/b.json")) == Path(sandbox.work / "a" / "b.json")
