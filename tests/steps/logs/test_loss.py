"""What counts as losing a line, and what does not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps.logs import no_line_lost
from goalkeeper.steps.logs.log import Logs
from goalkeeper.steps.logs.loss import LossWatch


def rewrite(path: Path, text: str) -> None:
    """With a time of its own, for file systems whose clock is coarse."""
    path.write_text(text)
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def rotate(path: Path) -> None:
    path.rename(path.with_name("x.log.1"))


def copy_and_empty(path: Path) -> None:
    path.with_name("x.log.1").write_bytes(path.read_bytes())
    rewrite(path, "")


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
    ],
)
def test_what_happens_to_lines(logs: Logs, log: Path, act: Callable[[Path], object], loss: str) -> None:
    watch = LossWatch(logs, "x.log")
    act(log)
    watch.look()
    watch.look()
    breaches = [breach.message for breach in no_line_lost(watch.journal())]
    assert breaches == ([f'log "x.log" lost lines: {loss}'] if loss else [])
    watch.close()


def test_lines_added_since_are_kept_too(logs: Logs, log: Path) -> None:
    watch = LossWatch(logs, "x.log")
    rewrite(log, "a\nb\nc\n")
    watch.look()
    assert watch.journal().inspected == {"line": 3}
    rewrite(log, "a\nb\n")
    watch.look()
    assert watch.entries == ["x.log was cut from 6 to 4 bytes; it had 3 lines"]
    rotate(log)
    watch.look()
    (log.with_name("x.log.1")).unlink()
    watch.look()
    assert watch.entries[1:] == ["x.log is gone; it had 2 lines"]
    watch.close()


def test_a_log_that_never_was(logs: Logs) -> None:
    watch = LossWatch(logs, "y.log")
    watch.look()
    assert watch.journal().is_empty
