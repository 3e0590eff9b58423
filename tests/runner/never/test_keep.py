from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.never.keep import Keep

State = dict[str, tuple[object, ...]]


@pytest.fixture
def world(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    (work / "sub" / "deep").mkdir(parents=True)
    (work / "a.txt").write_text("a")
    (work / "sub" / "b.txt").write_text("b" * 100)
    (work / "sub" / "deep" / "c.bin").write_bytes(os.urandom(200_000))
    (work / "run.sh").write_text("#!/bin/sh\n")
    (work / "run.sh").chmod(0o755)
    (work / "link").symlink_to("a.txt")
    (work / "dangling").symlink_to("nowhere")
    os.mkfifo(work / "pipe")
    return work


def state(root: Path) -> State:
    """All that a program could find out about the files, but for the time of their last change of state."""
    found: State = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            told = path.lstat()
            content = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
            inode = None if path.is_dir() or path.is_symlink() else told.st_ino
            mtime = None if path.is_symlink() else told.st_mtime_ns
            found[str(path.relative_to(root))] = (told.st_mode, inode, mtime, content)
    return found


def replaced(path: Path, content: bytes) -> None:
    new = path.with_name("new")
    new.write_bytes(content)
    new.replace(path)


def appended(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)


def touched_in_secret(path: Path) -> None:
    """The same size and time, other bytes."""
    times = path.stat()
    with path.open("r+b") as file:
        file.write(b"z")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def swapped(work: Path) -> None:
    (work / "a.txt").rename(work / "x")
    (work / "sub" / "b.txt").rename(work / "a.txt")
    (work / "x").rename(work / "sub" / "b.txt")


def gone(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def link_elsewhere(work: Path) -> None:
    gone(work / "link")
    (work / "link").symlink_to("run.sh")


def link_to_file(work: Path) -> None:
    gone(work / "link")
    (work / "link").write_text("x")


def file_to_directory(work: Path) -> None:
    gone(work / "a.txt")
    (work / "a.txt").mkdir()


def directory_to_file(work: Path) -> None:
    gone(work / "sub")
    (work / "sub").write_text("x")


def everything_gone(work: Path) -> None:
    for path in work.iterdir():
        gone(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "nothing": lambda _: None,
    "written": lambda work: (work / "a.txt").write_text("other"),
    "appended": lambda work: appended(work / "sub" / "b.txt", b"more"),
    "emptied": lambda work: (work / "sub" / "deep" / "c.bin").write_bytes(b""),
    "large grown": lambda work: appended(work / "sub" / "deep" / "c.bin", b"x" * 70_000),
    "one byte in secret": lambda work: touched_in_secret(work / "sub" / "deep" / "c.bin"),
    "small in secret": lambda work: touched_in_secret(work / "sub" / "b.txt"),
    "replaced": lambda work: replaced(work / "a.txt", b"other"),
    "replaced by the same": lambda work: replaced(work / "a.txt", b"a"),
    "removed": lambda work: gone(work / "a.txt"),
    "tree removed": lambda work: gone(work / "sub"),
    "made": lambda work: (work / "new.txt").write_text("new"),
    "tree made": lambda work: (work / "p" / "q").mkdir(parents=True),
    "mode": lambda work: (work / "run.sh").chmod(0o600),
    "link elsewhere": link_elsewhere,
    "link to file": link_to_file,
    "file to directory": file_to_directory,
    "directory to file": directory_to_file,
    "pipe gone": lambda work: gone(work / "pipe"),
    "names swapped": swapped,
    "everything gone": everything_gone,
}


@pytest.mark.parametrize("name", CHANGES)
def test_everything_is_put_back(world: Path, name: str) -> None:
    before = state(world)
    keep = Keep([str(world)], str(world.parent / "kept"))
    for _ in range(2):
        CHANGES[name](world)
        assert keep.restore() == []
        assert state(world) == before
    keep.remove()
    assert [path.name for path in world.parent.iterdir()] == ["work"]
    assert state(world) == before


def test_a_program_with_the_file_open_goes_on_in_it(world: Path) -> None:
    with (world / "a.txt").open("a") as log:
        keep = Keep([str(world)], str(world.parent / "kept"))
        (world / "a.txt").rename(world / "a.txt.1")
        (world / "a.txt").write_text("rotated")
        keep.restore()
        log.write("more")
    assert (world / "a.txt").read_text() == "amore"


def test_what_can_not_be_put_back_is_told(world: Path) -> None:
    keep = Keep([str(world)], str(world.parent / "kept"))
    shutil.rmtree(world.parent / "kept")
    (world / "sub" / "deep" / "c.bin").write_bytes(b"")
    assert [problem.rpartition(":")[0] for problem in keep.restore()] == [
        str(world / "sub" / "deep" / "c.bin")
    ]
