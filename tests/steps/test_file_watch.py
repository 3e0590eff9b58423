"""steps/files/watch.py: the negative steps see what comes and goes within one step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.changes import Changes, inotify
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Breach, Negative, Watch
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps.files import never

Arm = Callable[..., Watch[Any]]
WriteGoal = Callable[..., Path]


@pytest.fixture
def arm(sandbox: Sandbox, changes: Changes) -> Iterator[Arm]:
    armed: list[Watch[Any]] = []

    def arming(step: Negative, path: str, **arguments: object) -> Watch[Any]:
        armed.append(step.arm({"sandbox": sandbox, "changes": changes, "path": path, **arguments}))
        return armed[-1]

    yield arming
    for watch in armed:
        watch.close()


def messages(step: Negative, watch: Watch[Any]) -> list[str]:
    watch.look()
    return [breach.message for breach in step.judge(watch.journal())]


@pytest.mark.parametrize("path", ["lock", "deep/down/lock", "deep\\lock"])
def test_a_file_that_came_and_went(arm: Arm, changes: Changes, sandbox: Sandbox, path: str) -> None:
    watch = arm(never.file_appears, path)
    assert messages(never.file_appears, watch) == []
    lock = sandbox.work / path.replace("\\", "/")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with changes.settled():
        pass
    lock.touch()
    lock.unlink()
    was_there = f'file "{path}" was there during a step, and was gone after it'
    assert messages(never.file_appears, watch) == [was_there]
    lock.touch()
    assert messages(never.file_appears, watch) == [was_there, f'file "{path}" was there after a step']
    assert watch.journal().looked_at == "4 moments"


def test_one_that_is_removed_and_made_again(arm: Arm, sandbox: Sandbox) -> None:
    (sandbox.work / "lock").touch()
    watch = arm(never.file_appears, "lock")
    (sandbox.work / "lock").unlink()
    assert messages(never.file_appears, watch) == ['file "lock" was there when the scenario began']
    (sandbox.work / "lock").touch()
    (sandbox.work / "lock").unlink()
    assert len(messages(never.file_appears, watch)) == 2


def test_a_neighbour_may_come_and_go(arm: Arm, sandbox: Sandbox) -> None:
    watch = arm(never.file_appears, "lock")
    (sandbox.work / "lock2").touch()
    (sandbox.work / "deep").mkdir()
    (sandbox.work / "deep" / "lock").touch()
    assert messages(never.file_appears, watch) == []


def test_a_file_that_never_changes(arm: Arm, changes: Changes, sandbox: Sandbox) -> None:
    path = sandbox.work / "a"
    path.write_text("one")
    quiet, watch = arm(never.file_changes, "a"), arm(never.file_changes, "a")
    path.chmod(0o600)
    path.read_text()
    (sandbox.work / "same").write_text("one")
    (sandbox.work / "same").replace(path)
    assert messages(never.file_changes, quiet) == []
    assert quiet.journal().looked_at == "1 version"
    (sandbox.work / "other").write_text("two")
    (sandbox.work / "other").replace(path)
    with changes.settled():
        pass
    (sandbox.work / "same").write_text("one")
    (sandbox.work / "same").replace(path)
    assert messages(never.file_changes, watch) == ['file "a" had changed during a step']


def test_a_file_that_is_written_with_what_it_holds(arm: Arm, sandbox: Sandbox) -> None:
    (sandbox.work / "a").write_text("one")
    watch = arm(never.file_changes, "a")
    (sandbox.work / "a").write_text("one")
    assert messages(never.file_changes, watch) == ['file "a" was written to during a step']


def test_a_file_that_must_stay(arm: Arm, sandbox: Sandbox) -> None:
    path = sandbox.work / "a"
    path.write_text("one")
    changing, going = arm(never.file_changes, "a"), arm(never.file_disappears, "a")
    late = arm(never.file_disappears, "b")
    (sandbox.work / "b").touch()
    path.rename(sandbox.work / "c")
    (sandbox.work / "c").rename(path)
    assert messages(never.file_changes, changing) == ['file "a" was gone during a step']
    assert messages(never.file_disappears, going) == ['file "a" was gone during a step']
    assert messages(never.file_disappears, late) == []
    (sandbox.work / "b").unlink()
    assert messages(never.file_disappears, late) == ['file "b" was gone during a step']


@pytest.mark.parametrize("step", [never.file_disappears, never.file_comes_to_contain])
def test_a_file_that_is_never_there_is_nothing_to_look_at(arm: Arm, step: Negative) -> None:
    watch = arm(step, "a", **({"text": "x"} if step is never.file_comes_to_contain else {}))
    assert messages(step, watch) == []
    assert watch.journal().is_empty


def test_a_file_that_never_contains(arm: Arm, changes: Changes, sandbox: Sandbox) -> None:
    watch = arm(never.file_comes_to_contain, "log", text="SECRET é")
    with (sandbox.work / "log").open("w", encoding="utf-8") as log:
        log.write("fine\nSEC")
        log.flush()
        assert messages(never.file_comes_to_contain, watch) == []
        log.write("RET é, really\nmore\n")
        log.flush()
        with changes.settled():
            pass
    (sandbox.work / "log").write_text("clean")
    watch.look()
    assert never.file_comes_to_contain.judge(watch.journal()) == [
        Breach('file "log" contained it during a step', "line 2: SECRET é, really")
    ]


def test_a_file_that_contains_it_from_the_start(arm: Arm, sandbox: Sandbox) -> None:
    (sandbox.work / "log").write_text("a\nb\nc\n")
    watch = arm(never.file_comes_to_contain, "log", text="b\nc")
    assert never.file_comes_to_contain.judge(watch.journal()) == [
        Breach('file "log" contained it when the scenario began', "line 2: b\nline 3: c")
    ]


def test_a_directory_that_never_changes(arm: Arm, sandbox: Sandbox) -> None:
    deep = sandbox.work / "d" / "deep"
    deep.mkdir(parents=True)
    (deep / "a").write_text("x")
    watch = arm(never.directory_changes, "d")
    (sandbox.work / "beside").touch()
    (deep / "a").read_text()
    assert messages(never.directory_changes, watch) == []
    assert watch.journal().looked_at == "2 moments"
    (deep / "brief").touch()
    (deep / "brief").unlink()
    (deep / "a").write_text("y")
    [breach] = never.directory_changes.judge(_looked(watch))
    assert breach == Breach(
        'directory "d" changed', "deep/brief: created during a step\ndeep/a: written during a step"
    )
    for number in range(10):
        (deep / str(number)).touch()
    [breach] = never.directory_changes.judge(_looked(watch))
    assert breach.evidence.endswith("and 4 more")


def _looked(watch: Watch[Any]) -> Any:
    watch.look()
    return watch.journal()


def test_names_that_a_directory_never_has(arm: Arm, sandbox: Sandbox) -> None:
    names, paths = (arm(never.directory_comes_to_have, "d", pattern=p) for p in ("*.tmp", "sub/*.log"))
    assert names.journal().is_empty
    (sandbox.work / "d" / "sub").mkdir(parents=True)
    (sandbox.work / "a.tmp").touch()
    assert messages(never.directory_comes_to_have, names) == []
    assert not names.journal().is_empty
    (sandbox.work / "d" / "sub" / "a.tmp").touch()
    (sandbox.work / "d" / "sub" / "a.tmp").rename(sandbox.work / "d" / "sub" / "a.log")
    (sandbox.work / "d" / "b.log").touch()
    assert messages(never.directory_comes_to_have, names) == ['directory "d" had sub/a.tmp during a step']
    assert messages(never.directory_comes_to_have, paths) == ['directory "d" had sub/a.log during a step']


def test_names_that_are_there_from_the_start(arm: Arm, sandbox: Sandbox) -> None:
    (sandbox.work / "a.tmp").touch()
    watch = arm(never.directory_comes_to_have, ".", pattern="*.tmp")
    assert messages(never.directory_comes_to_have, watch) == [
        'directory "." had a.tmp when the scenario began'
    ]


def test_what_is_written_outside_a_directory(arm: Arm, changes: Changes, sandbox: Sandbox) -> None:
    (sandbox.work / "a").write_text("x")
    watch = arm(never.written_outside, "far/out")
    (sandbox.work / "far" / "out" / "deep").mkdir(parents=True)
    (sandbox.work / "far" / "out" / "b").write_text("x")
    (sandbox.work / "a").chmod(0o600)
    (sandbox.work / "a").read_text()
    (sandbox.root / "bin" / "x").touch()
    assert messages(never.written_outside, watch) == []
    assert watch.journal().looked_at == "2 moments"
    (sandbox.root / "home" / ".config").mkdir()
    (sandbox.work / "far" / "out" / "b").rename(sandbox.root / "tmp" / "b")
    (sandbox.root / "tmp" / "b").unlink()
    (sandbox.root / "run" / "socket").touch()
    (sandbox.work / "far" / "out" / "link").symlink_to(sandbox.work / "a")
    (sandbox.work / "far" / "out" / "link").write_text("y")
    with changes.settled():
        pass
    (sandbox.work / "far" / "outer").touch()
    (sandbox.work / "a").unlink()
    [breach] = never.written_outside.judge(_looked(watch))
    assert breach.message == 'something was written outside directory "far/out"'
    assert breach.evidence.splitlines() == [
        "~/.config: created during a step",
        "$TMPDIR/b: appeared during a step",
        "$XDG_RUNTIME_DIR/socket: created during a step",
        "far/outer: created during a step",
        "a: written during a step",
    ]
    gone = arm(never.written_outside, "far/out")
    (sandbox.work / "far" / "outer").unlink()
    [breach] = never.written_outside.judge(_looked(gone))
    assert breach.evidence == "far/outer: gone during a step"


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (never.file_changes, 'file "none" does not exist'),
        (
            never.directory_changes,
            'directory "none" is not there, so that it can\'t be seen to stay as it is',
        ),
    ],
)
def test_what_must_be_there_before(arm: Arm, step: Negative, message: str) -> None:
    with pytest.raises(StepFailed) as caught:
        arm(step, "none")
    assert caught.value.message == message


def test_without_inotify_they_look_after_each_step(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left() -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(inotify, "borrow", none_left)
    (sandbox.work / "a").write_text("x")
    arguments = {"sandbox": sandbox, "changes": Changes(sandbox.work)}
    presence = never.file_appears.arm({**arguments, "path": "b"})
    content = never.file_changes.arm({**arguments, "path": "a"})
    folder = never.directory_changes.arm({**arguments, "path": "."})
    outside = never.written_outside.arm({**arguments, "path": "d"})
    (sandbox.work / "a").write_text("longer")
    (sandbox.work / "b").touch()
    (sandbox.work / "d").mkdir()
    (sandbox.work / "d" / "e").touch()
    (sandbox.root / "home" / "x").touch()
    assert messages(never.file_appears, presence) == ['file "b" was there after a step']
    assert messages(never.file_changes, content) == ['file "a" had changed after a step']
    folder.look()
    [breach] = never.directory_changes.judge(folder.journal())
    assert breach.evidence.splitlines() == [
        f"{name}: changed after a step" for name in ("a", "b", "d", "d/e")
    ]
    [breach] = never.written_outside.judge(_looked(outside))
    assert breach.evidence.splitlines() == [f"{name}: changed after a step" for name in ("~/x", "a", "b")]
    assert presence.journal().looked_at == folder.journal().looked_at == "2 isolated moments"
    assert content.journal().looked_at == "2 isolated versions"


GOAL = """
    Scenario: a lock that came and went while one command ran
      When I run "sh -c 'touch lock; rm lock'"
      Then the exit code is 0
      But file "lock" never exists

    Scenario: a file that was changed and changed back while one command ran
      Given a file "a" containing "one"
      When I run "sh -c 'echo two > a; echo one > a'"
      Then file "a" contains "one"
      But file "a" never changes
"""


def test_the_whole_way(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(GOAL)
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            'E     file "lock" was there during a step, and was gone after it',
            'E     file "a" was written to during a step',
        ]
    )
