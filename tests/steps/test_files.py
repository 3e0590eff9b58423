"""The steps of steps/files: what each accepts, and what it says where it does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.changes import Changes
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import files

Step = Callable[..., object]


def arm(sandbox: Sandbox, path: str) -> object:
    return files.file_appears.arm({"sandbox": sandbox, "changes": Changes(sandbox.work), "path": path})


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
    ],
)
def test_a_then_that_holds(sandbox: Sandbox, step: Step, arguments: tuple[str, ...], content: bytes) -> None:
    (sandbox.work / "a").write_bytes(content)
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
