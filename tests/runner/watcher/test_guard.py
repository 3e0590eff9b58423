"""The watcher as a process: it lives as long as it is needed, and cleans up for a harness that is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.sandbox import Sandboxes
from goalkeeper.runner.wait import until
from goalkeeper.runner.watcher.guard import Watcher

DEADLINE = 30.0

HARNESS = """
import os, subprocess, sys
from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.sandbox import Sandboxes
from goalkeeper.runner.watcher.guard import Watcher

made = Sandboxes().make(Evidence())
child = subprocess.Popen(["sleep", "600"], env=made.environment())
print(made.root, child.pid, flush=True)
"""


def children() -> set[int]:
    """The processes that this one started and that are alive."""
    tables = Path("/proc/self/task").glob("*/children")
    return {
        number for table in tables for number in map(int, table.read_text().split()) if not is_gone(number)
    }


def is_gone(number: int) -> bool | None:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return True if state in "ZX" else None


def is_removed(path: Path) -> bool | None:
    return None if path.exists() else True


@pytest.fixture
def sandboxes() -> Iterator[Sandboxes]:
    made = Sandboxes()
    yield made
    made.close()


@contextmanager
def watching() -> Iterator[tuple[Watcher, int]]:
    """A watcher with the number of its process; it is closed at the end."""
    before = children()
    made = Watcher()
    [number] = children() - before
    yield made, number
    made.close()


def harness(tmp_path: Path, end: str) -> tuple[subprocess.Popen[str], Path, int]:
    """A harness in a process of its own, with a sandbox and a program in it."""
    process = subprocess.Popen(
        [sys.executable, "-c", HARNESS + end], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    root, number = process.stdout.readline().split()
    return process, Path(root), int(number)


@pytest.mark.parametrize("ending", ["SIGKILL", "SIGTERM", "SIGINT", "SIGSEGV", "os._exit(3)"])
def test_a_dead_harness_leaves_nothing(tmp_path: Path, ending: str) -> None:
    dies_itself = not ending.startswith("SIG")
    process, root, number = harness(tmp_path, ending if dies_itself else "import signal; signal.pause()")
    with process:
        if not dies_itself:
            process.send_signal(getattr(signal, ending))
        assert until(lambda: is_removed(root), DEADLINE)
        assert is_gone(number)
        assert process.wait(DEADLINE) != 0


def test_a_forked_child_of_the_harness_does_not_hide_its_death(tmp_path: Path) -> None:
    """It inherits the pipe, so the pipe does not hang up."""
    forks = "child = os.fork()\nif child: print(child, flush=True)\nimport signal; signal.pause()"
    process, root, number = harness(tmp_path, forks)
    with process:
        assert process.stdout is not None
        forked = int(process.stdout.readline())
        process.kill()
        assert until(lambda: is_removed(root), DEADLINE)
        assert is_gone(number)
        assert not is_gone(forked)
        os.kill(forked, signal.SIGKILL)


def test_a_forked_child_does_not_keep_the_harness_from_ending(tmp_path: Path) -> None:
    forks = (
        "watcher = Watcher()\n"
        "child = os.fork()\n"
        "if not child:\n    import signal; signal.pause()\n"
        "watcher.close()\n"
        "os.kill(child, 9)\n"
        "print('closed', flush=True)"
    )
    process, root, _ = harness(tmp_path, forks)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "closed\n"
    assert until(lambda: is_removed(root), DEADLINE)


def test_closing_removes_what_was_not_released(tmp_path: Path) -> None:
    with watching() as (watcher, _):
        for name in ("kept", "left", "odd\nname ü"):
            (tmp_path / name).mkdir()
            watcher.guard(str(tmp_path / name))
        watcher.release(str(tmp_path / "kept"))
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_that_are_meant_for_the_harness_do_not_end_the_watcher(
    tmp_path: Path, number: signal.Signals
) -> None:
    with watching() as (watcher, process):
        (tmp_path / "left").mkdir()
        watcher.guard(str(tmp_path / "left"))
        os.kill(process, number)
    assert [*tmp_path.iterdir()] == []


def test_the_watcher_shares_nothing_with_the_terminal_or_a_directory() -> None:
    with watching() as (_, number):
        assert os.getsid(number) == number
        assert Path(f"/proc/{number}/cwd").readlink() == Path("/")
        assert {str(Path(f"/proc/{number}/fd/{n}").readlink()) for n in range(3)} == {"/dev/null"}


def test_a_watcher_that_was_killed_gets_a_successor(sandboxes: Sandboxes) -> None:
    before = children()
    sandboxes.remove(sandboxes.make(Evidence()))
    [first] = children() - before
    os.kill(first, signal.SIGKILL)
    assert until(lambda: is_gone(first), DEADLINE)
    made = sandboxes.make(Evidence())
    [second] = children() - before
    assert second != first
    sandboxes.close()
    assert not made.root.exists()


def test_one_watcher_for_all_sandboxes_and_none_without(sandboxes: Sandboxes) -> None:
    before = children()
    for _ in range(3):
        sandboxes.remove(sandboxes.make(Evidence()))
    assert len(children() - before) == 1
    sandboxes.close()
    assert children() == before
    sandboxes.close()


def test_the_watcher_starts_without_the_rest_of_the_package() -> None:
    """Its start is waited for, by every run that has a sandbox."""
    with watching() as (_, number):
        program = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")[5].decode()
    listing = "; print(*sorted(name for name in sys.modules if '.' not in name))"
    imports = program.partition("; watch(")[0] + listing
    ran = subprocess.run(
        [sys.executable, "-E", "-s", "-S", "-c", imports], capture_output=True, text=True, check=True
    )
    loaded = {*ran.stdout.split()}
    assert "watcher" in loaded
    assert loaded.isdisjoint({"goalkeeper", "typing", "subprocess", "shutil", "pathlib", "re"})
