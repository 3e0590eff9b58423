from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.goal import Tag
from goalkeeper.runner.never import window
from goalkeeper.runner.never.window import WindowError, wait_for_quiet, window_of
from goalkeeper.runner.sandbox import Sandbox


@pytest.mark.parametrize(
    ("tier", "tags", "seconds"),
    [
        (0, [], 0.02),
        (1, [], 0.0),
        (2, [], 0.0),
        (0, ["window:2s"], 2.0),
        (1, ["window:300ms"], 0.3),
        (2, ["window:0"], 0.0),
        (0, ["owner:me", "window:2s", "window:1s"], 1.0),
    ],
)
def test_how_long_nothing_may_stir(tier: int, tags: list[str], seconds: float) -> None:
    assert window_of(tier, tuple(map(Tag, tags))) == seconds


@pytest.mark.parametrize(
    ("tier", "tag"), [(0, "window:0"), (0, "window:0 s"), (1, "window:soon"), (2, "window:")]
)
def test_what_is_no_window(tier: int, tag: str) -> None:
    with pytest.raises(WindowError):
        window_of(tier, (Tag(tag),))


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path, Evidence())


class Clock:
    """Time that goes on by a step whenever it is asked for."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_quiet_is_when_nothing_was_seen_for_a_while(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window, "monotonic", Clock(0.1))
    seen = iter([1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3])
    looks: list[int] = []

    def look() -> int:
        looks.append(next(seen))
        return looks[-1]

    assert wait_for_quiet(sandbox, look, 0.25)
    assert looks.count(3) > 2


def test_what_never_rests_is_given_up_in_the_end(sandbox: Sandbox) -> None:
    seen = iter(range(10_000))
    assert not wait_for_quiet(sandbox, lambda: next(seen), 0.001, limit=0.05)


def test_a_process_at_work_is_waited_for(sandbox: Sandbox) -> None:
    """It works, and writes when it is done: then, and not before, all is quiet."""
    script = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done > result"
    program = subprocess.Popen(["sh", "-c", script], cwd=sandbox.work, env=sandbox.environment())
    try:
        assert wait_for_quiet(sandbox, lambda: 0, 0.0, limit=60)
        assert (sandbox.work / "result").exists()
    finally:
        program.kill()
        program.wait()


def test_a_process_that_sleeps_is_quiet(sandbox: Sandbox) -> None:
    program = subprocess.Popen(["cat"], stdin=subprocess.PIPE, env=sandbox.environment())
    assert program.stdin is not None
    try:
        assert wait_for_quiet(sandbox, lambda: 0, 0.0, limit=60)
        assert program.poll() is None
    finally:
        program.stdin.close()
        program.wait()
