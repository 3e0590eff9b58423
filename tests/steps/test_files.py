"""The steps of steps/files: what each accepts, and what it says where it does not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.changes import Changes
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.notes import Notes
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import files
from goalkeeper.steps.files import never

Step = Callable[..., object]
WriteGoal = Callable[..., Path]


def arm(sandbox: Sandbox, path: str) -> object:
    return never.file_appears.arm({"sandbox": sandbox, "changes": Changes(sandbox.work), "path": path})


def failure(step: Step, *arguments: object) -> str:
    with pytest.raises(StepFailed) as caught:
        step(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("step", "arguments", "content"),
    [
        (files.write_file, ("line 1\nline é",), "line 1\nline é\n"),
        (files.write_file, ("",), "\n"),
        (files.write_line, ("one",), "one\n"),
        (files.write_empty, (), ""),
    ],
)
@pytest.mark.parametrize("path", ["a.txt", "deep/down/a.txt", "./a", "x/../a"])
def test_a_file_is_written(
    sandbox: Sandbox, path: str, step: Step, arguments: tuple[str, ...], content: str
) -> None:
    for _ in range(2):
        step(sandbox, path, *arguments)
        assert (sandbox.work / path).resolve().read_bytes() == content.encode()


def test_a_file_is_replaced(sandbox: Sandbox) -> None:
    files.write_file(sandbox, "a", "a much longer text")
    files.write_line(sandbox, "a", "short")
    assert (sandbox.work / "a").read_text() == "short\n"


def test_a_directory_is_made_with_those_above(sandbox: Sandbox) -> None:
    for _ in range(2):
        files.make_directory(sandbox, "a/b")
        assert (sandbox.work / "a" / "b").is_dir()


@pytest.mark.parametrize(
    ("step", "arguments", "message"),
    [
        (files.write_line, ("dir", "x"), 'file "dir" can\'t be written: Is a directory'),
        (files.write_file, ("file/below", "x"), 'file "file/below" can\'t be written: File exists'),
        (files.write_empty, ("file/far/below",), 'file "file/far/below" can\'t be written: Not a directory'),
        (files.make_directory, ("file",), 'directory "file" can\'t be made: File exists'),
        (files.make_directory, ("file/below",), 'directory "file/below" can\'t be made: Not a directory'),
    ],
)
def test_what_can_not_be_written(
    sandbox: Sandbox, step: Step, arguments: tuple[str, ...], message: str
) -> None:
    (sandbox.work / "dir").mkdir()
    (sandbox.work / "file").touch()
    assert failure(step, sandbox, *arguments) == message


@pytest.mark.parametrize(
    ("step", "arguments", "content"),
    [
        (files.file_exists, (), b""),
        (files.file_contains, ("two",), b"one\ntwo\n"),
        (files.file_contains, ("e\nt",), b"one\ntwo\n"),
        (files.file_contains, ("ok",), b"\xff ok"),
        (files.file_is, ("one\ntwo",), b"one\ntwo\n"),
        (files.file_is, ("one\ntwo",), b"one\ntwo"),
        (files.file_is, ("",), b""),
        (files.file_contains, ("two", 0.01), b"two"),
        (files.file_does_not_contain, ("three",), b"one"),
        (files.file_matches, ("^two$",), b"one\ntwo\n"),
        (files.file_has_lines, (2,), b"one\ntwo\n"),
        (files.file_has_lines, (2,), b"one\ntwo"),
        (files.file_has_lines, (0,), b""),
        (files.file_is_empty, (), b""),
        (files.file_has_mode, ("644",), b""),
        (files.file_has_mode, ("0644",), b""),
        (files.file_is_not_executable, (), b""),
    ],
)
def test_a_then_that_holds(sandbox: Sandbox, step: Step, arguments: tuple[str, ...], content: bytes) -> None:
    (sandbox.work / "a").write_bytes(content)
    (sandbox.work / "a").chmod(0o644)
    step(sandbox, "a", *arguments)


@pytest.mark.parametrize(
    ("step", "text", "content", "message"),
    [
        (files.file_contains, "x", b"one\ntwo\n", 'file "a" does not contain "x"\n  | one\n  | two'),
        (files.file_contains, "x", b"", 'file "a" does not contain "x"\n  it is empty'),
        (files.file_is, "one", b"two", 'file "a" differs\n  expected: one\n  actual:   two'),
        (
            files.file_is,
            "one\ntwo",
            b"one\nTWO\n",
            'file "a" differs\n  --- expected\n  +++ actual\n  @@ -1,2 +1,2 @@\n   one\n  -two\n  +TWO',
        ),
        (
            files.file_is,
            "one\ntwo",
            b"one\r\ntwo\r\n",
            "file \"a\" differs\n  expected: 'one\\ntwo'\n  actual:   'one\\r\\ntwo\\r\\n'",
        ),
    ],
)
def test_a_then_that_does_not_hold(
    sandbox: Sandbox, step: Step, text: str, content: bytes, message: str
) -> None:
    (sandbox.work / "a").write_bytes(content)
    assert failure(step, sandbox, "a", text) == message


def test_a_failure_shows_the_end_of_a_long_file(sandbox: Sandbox) -> None:
    files.write_file(sandbox, "a", "\n".join(map(str, range(100))))
    lines = failure(files.file_contains, sandbox, "a", "x").splitlines()
    assert lines[1:3] == ["  | … 90 lines before this", "  | 90"]


def test_directories_and_files_are_told_apart(sandbox: Sandbox) -> None:
    files.make_directory(sandbox, "dir")
    files.write_empty(sandbox, "dir/file")
    files.directory_exists(sandbox, "dir")
    assert failure(files.file_exists, sandbox, "dir") == 'file "dir" is a directory\nthere is: dir'
    assert failure(files.directory_exists, sandbox, "dir/file") == (
        'directory "dir/file" is a file\nthere is: dir/file'
    )


@pytest.mark.parametrize(
    ("step", "subject"),
    [
        (files.file_exists, "file"),
        (files.directory_exists, "directory"),
        (lambda sandbox, path: files.file_contains(sandbox, path, ""), "file"),
        (lambda sandbox, path: files.file_is(sandbox, path, ""), "file"),
    ],
)
def test_what_is_not_there(sandbox: Sandbox, step: Step, subject: str) -> None:
    assert failure(step, sandbox, "rport.txt") == (
        f'{subject} "rport.txt" does not exist\nthe working directory is empty'
    )
    files.write_empty(sandbox, "zz")
    files.write_empty(sandbox, "report.txt")
    assert (
        failure(step, sandbox, "rport.txt") == f'{subject} "rport.txt" does not exist\nthere is: report.txt'
    )


@pytest.mark.parametrize(
    ("present", "hint"),
    [
        (["b", "a/c"], "there is: a, a/c, b"),
        ([f"f{n}" for n in range(8)], "there is: f0, f1, f2, f3, f4, f5, f6, f7"),
        ([f"f{n}" for n in range(10)], "there is: f0, f1, f2, f3, f4, f5, f6, f7 and 2 more"),
        (["out/report.json", "out/report.txt"], "there is: out/report.txt, out/report.json"),
    ],
)
def test_hints_on_what_is_there_instead(sandbox: Sandbox, present: list[str], hint: str) -> None:
    for name in present:
        files.write_empty(sandbox, name)
    missing = "out/reprot.txt" if "report" in hint else "missing"
    assert failure(files.file_exists, sandbox, missing).splitlines()[1:] == [hint]


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/passwd", "outside/x", "outside"])
@pytest.mark.parametrize(
    ("step", "arguments"),
    [
        (files.write_file, ("x",)),
        (files.write_line, ("x",)),
        (files.write_empty, ()),
        (files.make_directory, ()),
        (files.file_exists, ()),
        (files.file_exists, (600.0,)),
        (files.file_does_not_exist, (600.0,)),
        (files.directory_exists, (600.0,)),
        (files.file_contains, ("", 600.0)),
        (files.directory_is_empty, (600.0,)),
        (files.delete_file, ()),
        (files.delete_directory, ()),
        (files.directory_exists, ()),
        (files.file_contains, ("",)),
        (files.file_is, ("",)),
        (arm, ()),
    ],
)
def test_no_step_reaches_out_of_the_sandbox(
    sandbox: Sandbox,
    tmp_path_factory: pytest.TempPathFactory,
    step: Step,
    arguments: tuple[str, ...],
    path: str,
) -> None:
    outside: Path = tmp_path_factory.mktemp("outside")
    (sandbox.work / "outside").symlink_to(outside)
    message = failure(step, sandbox, path, *arguments)
    assert message == f'"{path}" lies outside of the sandbox: name a path inside it'
    assert list(outside.iterdir()) == []


def test_a_link_that_stays_inside_is_followed(sandbox: Sandbox) -> None:
    files.write_line(sandbox, "real/a", "text")
    (sandbox.work / "link").symlink_to("real")
    files.file_contains(sandbox, "link/a", "text")
    files.write_line(sandbox, "link/b", "more")
    assert (sandbox.work / "real" / "b").read_text() == "more\n"


@pytest.mark.parametrize(
    ("step", "arguments", "message"),
    [
        (files.file_does_not_contain, ("one",), 'file "a" contains "one"\n  | one\n  | two'),
        (files.file_matches, ("^tw$",), 'file "a" does not match ^tw$\n  | one\n  | two'),
        (files.file_matches, ("(",), "this is not a regular expression: "),
        (files.file_has_lines, (3,), 'file "a" has 2 lines, not 3\n  | one\n  | two'),
        (files.file_is_empty, (), 'file "a" is not empty\n  | one\n  | two'),
        (files.file_has_mode, ("600",), 'file "a" has another mode\n  expected: 600\n  actual:   644'),
        (files.file_has_mode, ("rw",), "rw is no mode: write it in octal, as 600 or 755"),
        (files.file_has_mode, ("10000",), "10000 is no mode"),
        (files.file_is_executable, (), 'file "a" is not executable: its mode is 644'),
        (files.file_does_not_exist, (), 'file "a" exists'),
        (files.directory_does_not_exist, (), 'directory "a" exists'),
    ],
)
def test_another_then_that_does_not_hold(
    sandbox: Sandbox, step: Step, arguments: tuple[object, ...], message: str
) -> None:
    (sandbox.work / "a").write_text("one\ntwo\n")
    (sandbox.work / "a").chmod(0o644)
    assert failure(step, sandbox, "a", *arguments).startswith(message)


@pytest.mark.parametrize(
    ("step", "arguments", "problem"),
    [
        (files.file_exists, (), 'file "none" does not exist'),
        (files.directory_exists, (), 'directory "none" does not exist'),
        (files.file_contains, ("x",), 'file "none" does not exist'),
        (files.file_does_not_contain, ("x",), 'file "none" does not exist'),
        (files.file_matches, ("x",), 'file "none" does not exist'),
        (files.file_has_lines, (1,), 'file "none" does not exist'),
        (files.directory_is_empty, (), 'directory "none" does not exist'),
        (files.directory_has_files, (1,), 'directory "none" does not exist'),
    ],
)
def test_a_deadline_that_passes(
    sandbox: Sandbox, step: Step, arguments: tuple[object, ...], problem: str
) -> None:
    assert failure(step, sandbox, "none", *arguments, 0.005).startswith(f"{problem} (waited 0.005 s)\n")


def test_what_has_to_be_gone(sandbox: Sandbox) -> None:
    for step in (files.file_does_not_exist, files.directory_does_not_exist):
        step(sandbox, "none")
        step(sandbox, "none", 0.01)
    (sandbox.work / "link").symlink_to("nowhere")
    assert failure(files.file_does_not_exist, sandbox, "link", 0.005) == 'file "link" exists (waited 0.005 s)'


def test_either_separator(sandbox: Sandbox) -> None:
    files.write_line(sandbox, "a\\b\\c.txt", "x")
    files.file_contains(sandbox, "a/b/c.txt", "x")
    files.file_exists(sandbox, "a\\b/c.txt")
    files.directory_exists(sandbox, "a\\b")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"x\n"),
        (b"a\n", b"a\nx\n"),
        (b"a", b"a\nx\n"),
        (b"a\r\n", b"a\r\nx\n"),
        (b"\xff\n", b"\xff\nx\n"),
    ],
)
def test_appending(sandbox: Sandbox, before: bytes, after: bytes) -> None:
    (sandbox.work / "a").write_bytes(before)
    files.append_line(sandbox, "x", "a")
    assert (sandbox.work / "a").read_bytes() == after


def test_replacing(sandbox: Sandbox) -> None:
    (sandbox.work / "a").write_bytes(b"old \xff old\r\n")
    files.replace_text(sandbox, "old", "né", "a")
    assert (sandbox.work / "a").read_bytes() == "né ".encode() + b"\xff" + " né\r\n".encode()
    for missing in ("old", ""):
        message = failure(files.replace_text, sandbox, missing, "x", "a")
        assert message.startswith(f'file "a" has no "{missing}" to replace\n  | né')
    for step in (files.replace_text, files.append_line):
        arguments = ("x", "y", "b") if step is files.replace_text else ("x", "b")
        assert failure(step, sandbox, *arguments) == 'file "b" does not exist\nthere is: a'


def test_copying_and_moving(sandbox: Sandbox) -> None:
    files.write_line(sandbox, "d/a", "text")
    files.copy(sandbox, "d", "new/copy")
    files.file_equals(sandbox, "new/copy/a", "d/a")
    files.copy(sandbox, "d/a", "b")
    files.move(sandbox, "b", "deep/c")
    files.move(sandbox, "new/copy", "moved")
    files.move(sandbox, "d/a", "moved/a")
    assert (sandbox.work / "moved" / "a").read_text() == "text\n"
    assert not (sandbox.work / "b").exists()
    for step in (files.copy, files.move):
        assert failure(step, sandbox, "zzz", "x").startswith('"zzz" does not exist\nthere is: ')
        assert failure(step, sandbox, "deep/c", "moved") == (
            '"moved" is a directory: say what it is to be called, as "moved/c"'
        )
        assert "is the working directory" in failure(step, sandbox, ".", "x")
        assert "lies outside" in failure(step, sandbox, "deep/c", "../x")
        assert "lies outside" in failure(step, sandbox, "/etc/passwd", "x")
    assert failure(files.move, sandbox, "moved", "deep/c") == (
        '"moved" can\'t be moved to "deep/c": Not a directory'
    )


def test_deleting(sandbox: Sandbox) -> None:
    files.write_empty(sandbox, "d/a")
    assert failure(files.delete_file, sandbox, "d") == 'file "d" is a directory\nthere is: d'
    assert failure(files.delete_directory, sandbox, "d/a").startswith('directory "d/a" is a file')
    assert "is the working directory" in failure(files.delete_directory, sandbox, ".")
    files.delete_file(sandbox, "d/a")
    files.delete_directory(sandbox, "d")
    assert [*sandbox.work.iterdir()] == []
    assert (
        failure(files.delete_file, sandbox, "d") == 'file "d" does not exist\nthe working directory is empty'
    )


def test_modes(sandbox: Sandbox) -> None:
    files.write_empty(sandbox, "a")
    files.set_mode(sandbox, "a", "750")
    files.file_has_mode(sandbox, "a", "750")
    files.file_is_executable(sandbox, "a")
    assert failure(files.file_is_not_executable, sandbox, "a") == 'file "a" is executable: its mode is 750'
    assert failure(files.set_mode, sandbox, "a", "999").startswith("999 is no mode")


def test_links(sandbox: Sandbox) -> None:
    files.write_line(sandbox, "real/a", "text")
    files.make_link(sandbox, "deep/link", "real/a")
    files.file_contains(sandbox, "deep/link", "text")
    files.make_link(sandbox, "later", "not/there")
    assert failure(files.make_link, sandbox, "real/a", "x") == 'link "real/a" can\'t be made: File exists'
    assert "lies outside" in failure(files.make_link, sandbox, "x", "../outside")


def test_two_files(sandbox: Sandbox) -> None:
    (sandbox.work / "a").write_bytes(b"one\n")
    (sandbox.work / "b").write_bytes(b"one\r\n")
    files.file_equals(sandbox, "a", "a")
    assert failure(files.file_equals, sandbox, "a", "b").startswith('file "a" differs from "b"\n')
    assert failure(files.file_equals, sandbox, "a", "c").startswith('file "c" does not exist')
    os.utime(sandbox.work / "a", ns=(10, 10))
    os.utime(sandbox.work / "b", ns=(10, 11))
    files.file_is_newer(sandbox, "b", "a")
    for other in ("a", "b"):
        assert failure(files.file_is_newer, sandbox, "a", other) == f'file "a" is not newer than "{other}"'


def test_what_was_noted(sandbox: Sandbox, notes: Notes) -> None:
    files.write_line(sandbox, "d/a", "one")
    assert "nobody has taken note" in failure(files.file_is_unchanged, sandbox, notes, "d/a")
    files.note_file(sandbox, notes, "d/a")
    files.note_directory(sandbox, notes, "d")
    files.write_line(sandbox, "d/a", "one")
    files.file_is_unchanged(sandbox, notes, "d\\a")
    files.directory_is_unchanged(sandbox, notes, "d")
    assert failure(files.file_has_changed, sandbox, notes, "d/a") == 'file "d/a" is unchanged'
    files.write_line(sandbox, "d/a", "two")
    files.write_line(sandbox, "d/b", "new")
    files.file_has_changed(sandbox, notes, "d/a")
    assert failure(files.file_is_unchanged, sandbox, notes, "d/a") == 'file "d/a" has changed\n  | two'
    assert failure(files.directory_is_unchanged, sandbox, notes, "d") == (
        'directory "d" has changed\n  changed: a\n  new: b'
    )
    files.delete_file(sandbox, "d/a")
    assert failure(files.file_is_unchanged, sandbox, notes, "d/a").startswith('file "d/a" does not exist')


def test_what_is_in_a_directory(sandbox: Sandbox) -> None:
    files.make_directory(sandbox, "d")
    files.directory_is_empty(sandbox, "d")
    files.directory_has_files(sandbox, "d", 0)
    files.write_empty(sandbox, "d/.hidden")
    files.write_empty(sandbox, "d/sub/a")
    files.make_directory(sandbox, "d/none")
    files.directory_has_files(sandbox, "d", 2)
    files.directory_contains(sandbox, "d", [["sub/a"], [".hidden"], ["none/"]])
    assert failure(files.directory_is_empty, sandbox, "d") == (
        'directory "d" is not empty\n  .hidden\n  none/\n  sub/a'
    )
    assert failure(files.directory_has_files, sandbox, "d", 3) == (
        'directory "d" has 2 files, not 3\n  .hidden\n  sub/a'
    )
    assert failure(files.directory_contains, sandbox, "d", [["sub/a"], ["b"]]) == (
        'directory "d" contains something else\n  missing: b\n  not expected: .hidden\n  not expected: none/'
    )
    assert failure(files.directory_contains, sandbox, "d", [["a", "b"]]) == (
        "this table needs one column, a name: | a | b |"
    )


GOAL = """
    Scenario: laid out
      Given the files of "fixtures/tree"
      And the files of "fixtures/tree" in "copy"
      When I run "./bin/hello"
      Then the output contains "hello"
      And file "copy/bin/hello" equals project file "fixtures/tree/bin/hello"
      And file "copy/bin/hello" is executable
      But directory "copy" never changes

    Scenario: outside of the project
      Given the files of "{outside}"
      When I run "true"
      Then file "a" equals project file "../../a"
      But file "b" never exists

    Scenario: a file
      Given the files of "fixtures/tree/bin/hello"
      When I run "true"
      Then the exit code is 0
      But file "b" never exists

    Scenario: a schema
      When I write file "a.yaml" containing "n: x"
      Then file "a.yaml" matches schema "fixtures/s.json"
      When I write file "a.yaml" containing "n: ["
      Then file "a.yaml" matches schema "fixtures/s.json"
      But file "b" never exists
"""


def test_files_of_the_project(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    outside = "../../../../../../../../../../../../etc"
    goal(GOAL.format(outside=outside))
    hello = goal("#!/bin/sh\necho hello", "scenarios/fixtures/tree/bin/hello")
    hello.chmod(0o755)
    goal('{"properties": {"n": {"type": "integer"}}}', "scenarios/fixtures/s.json")
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            f'E     "{outside}" lies outside of the project: name a path inside it',
            'E     "fixtures/tree/bin/hello" is a file: this step takes a folder',
            'E     file "a.yaml" does not match schema "fixtures/s.json"',
            "E       n: 'x' is not of type 'integer'",
        ]
    )
    assert sorted(path.name for path in (hello.parent).iterdir()) == ["hello"]
