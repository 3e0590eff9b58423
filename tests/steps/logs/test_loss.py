"""What counts as losing a line, and what does not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.changes import Changes
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps.logs.log import Logs
from goalkeeper.steps.logs.loss import LossWatch, no_line_lost


def rewrite(path: Path, text: str) -> None:
    """With a time of its own, for file systems whose clock is coarse."""
    path.write_text(text)
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def rotate(path: Path) -> None:
    path.rename(path.with_name("x.log.1"))


def copy_and_empty(path: Path) -> None:
    path.with_name("x.log.1").write_bytes(path.read_bytes())
    rewrite(path, "")


def empty_and_write_again(path: Path) -> None:
    """Nobody saw that it was empty."""
    rewrite(path, "")
    rewrite(path, "a\nb\n")


def came_and_went(path: Path) -> None:
    with path.open("a") as log:
        log.write("c\n")
    os.truncate(path, 4)


def replace(path: Path, text: str) -> None:
    path.with_name("tmp").write_text(text)
    path.with_name("tmp").replace(path)


@pytest.fixture
def log(sandbox: Sandbox) -> Path:
    path = sandbox.work / "x.log"
    path.write_text("a\nb\n")
    return path


@pytest.mark.parametrize(
    ("act", "loss"),
    [
        (Path.touch, ""),
        (lambda log: rewrite(log, "a\nb\nc\n"), ""),
        (lambda log: rewrite(log, "a\nb\nhalf a li"), ""),
        (rotate, ""),
        (copy_and_empty, ""),
        (lambda log: replace(log, "a\nb\nc\n"), ""),
        (lambda log: rewrite(log, "a\n"), "x.log was cut from 4 to 2 bytes; it had 2 lines"),
        (lambda log: rewrite(log, "A\nb\n"), "x.log was changed within its first 2 lines; it had 2 lines"),
        (lambda log: rewrite(log, "b\na\nc\n"), "x.log was changed within its first 2 lines; it had 2 lines"),
        (lambda log: log.unlink(), "x.log is gone; it had 2 lines"),
        (lambda log: replace(log, "b\n"), "x.log is gone; it had 2 lines"),
        (empty_and_write_again, ""),
        (came_and_went, "x.log was written to, but what was written is not there"),
        (lambda log: log.rename(log.with_name("y.log")), "x.log is gone; it had 2 lines"),
    ],
)
def test_what_happens_to_lines(
    logs: Logs, changes: Changes, log: Path, act: Callable[[Path], object], loss: str
) -> None:
    watch = LossWatch(logs, changes, "x.log")
    with changes.settled():
        act(log)
    watch.look()
    watch.look()
    breaches = [breach.message for breach in no_line_lost(watch.journal())]
    assert breaches == ([f'log "x.log" lost lines: {loss}'] if loss else [])
    watch.close()


def test_lines_that_came_and_went_within_one_step(logs: Logs, changes: Changes, log: Path) -> None:
    """Each is read as it comes: in the file, in one that is gone again, and in one that was rotated away."""
    watch = LossWatch(logs, changes, "x.log")
    for name in ("x.log", "x.log.1", "x.log.2"):
        with log.with_name(name).open("a") as file:
            file.write("c\n")
        with changes.settled():
            pass
        os.truncate(log.with_name(name), 0)
        with changes.settled():
            log.with_name(name).unlink()
    watch.look()
    assert watch.entries == [
        "x.log was cut from 6 to 0 bytes; it had 3 lines",
        "x.log.1 was cut from 2 to 0 bytes; it had 1 line",
        "x.log.2 was cut from 2 to 0 bytes; it had 1 line",
    ]
    watch.close()


def test_a_file_that_nobody_could_read(logs: Logs, changes: Changes, log: Path) -> None:
    watch = LossWatch(logs, changes, "y.log")
    with changes.settled():
        log.rename(log.with_name("y.log")).unlink()
    watch.look()
    assert watch.entries == ["y.log is gone; nobody knows what it had"]
    watch.close()


def test_lines_added_since_are_kept_too(logs: Logs, changes: Changes, log: Path) -> None:
    watch = LossWatch(logs, changes, "x.log")
    with log.open("a") as file:
        file.write("c\n")
    watch.look()
    assert watch.journal().inspected == {"line": 3}
    with changes.settled():
        rewrite(log, "a\nb\n")
    watch.look()
    assert watch.entries == ["x.log was cut from 6 to 4 bytes; it had 3 lines"]
    rotate(log)
    watch.look()
    assert len(watch.entries) == 1
    (log.with_name("x.log.1")).unlink()
    watch.look()
    assert watch.entries[1:] == ["x.log is gone; it had 2 lines"]
    watch.close()


def test_a_log_that_never_was(logs: Logs, changes: Changes) -> None:
    watch = LossWatch(logs, changes, "y.log")
    watch.look()
    assert watch.journal().is_empty
