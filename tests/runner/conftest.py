"""A project of its own whose goals are run by a pytest in another process, and what such a run leaves."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from goalkeeper import schemas
from goalkeeper.runner.wait import until

DEADLINE = 60.0
NOBODY = 65534
Event = dict[str, Any]


@pytest.fixture(scope="session")
def read_record() -> Callable[[Path], list[Event]]:
    """The events of a record, each of them valid."""
    validator = Draft202012Validator(schemas.load("record"))

    def read(path: Path) -> list[Event]:
        lines = path.read_bytes().split(b"\n")
        assert lines.pop() == b"", "the last line is not ended"
        events: list[Event] = [json.loads(line) for line in lines]
        for event in events:
            validator.validate(event)
        return events

    return read


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory of an ordinary user, who the test is until its end: to root no permission matters."""
    made = Path(tempfile.mkdtemp())
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(made, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    yield made
    if is_root:
        os.seteuid(0)
    subprocess.run(["chmod", "-R", "u+rwx", made], check=True)
    shutil.rmtree(made)


def is_gone(number: int) -> bool | None:
    """Whether a process is no more, or only a zombie; None where it lives, for `until`."""
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return True if state in "ZX" else None


class Project:
    """Goals in a directory, with a home and a place for sandboxes beside it."""

    def __init__(
        self, base: Path, read: Callable[[Path], list[Event]], write: Callable[[Path, str], None]
    ) -> None:
        self._read, self._write = read, write
        self._running: list[subprocess.Popen[str]] = []
        self.path, self.home, self.place = base / "project", base / "home", base / "t"
        for folder in (self.path / "scenarios", self.home, self.place):
            folder.mkdir(parents=True)
        (self.path / "pytest.ini").write_text("[pytest]\n")
        dropped = ("GIT_", "PYTEST_", "XDG_", "CI")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        self.environment = {**kept, "HOME": str(self.home), "TMPDIR": str(self.place)}

    def goal(self, text: str, name: str = "a.feature", goal_id: str = "G1.1") -> Path:
        body = textwrap.indent(textwrap.dedent(text).strip("\n"), "  ")
        path = self.path / "scenarios" / name
        self._write(path, f"@{goal_id}\nFeature: A goal\n{body}\n")
        return path

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A pytest that runs, and is killed at the end of the test if it still does."""
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *arguments],
            cwd=self.path,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._running.append(process)
        return process

    def run(self, *arguments: str) -> tuple[int, str]:
        """A pytest that has run: its exit code and what it printed."""
        process = self.start(*arguments)
        printed, _ = process.communicate(timeout=DEADLINE)
        return process.returncode, printed

    def runs(self) -> list[Path]:
        return sorted((self.path / ".goalkeeper" / "runs").glob("[0-9]*"))

    def record(self) -> list[Event]:
        """The record of the one run there was."""
        [run] = self.runs()
        return self._read(run / "record.jsonl")

    def sandboxes(self) -> list[Path]:
        return sorted(self.place.glob("gk-*"))

    def is_clean(self) -> bool | None:
        return None if self.sandboxes() else True

    def close(self) -> None:
        for process in self._running:
            with process:
                process.kill()


@pytest.fixture
def project(
    tmp_path: Path,
    read_record: Callable[[Path], list[Event]],
    write_with_negatives: Callable[[Path, str], None],
) -> Iterator[Project]:
    made = Project(tmp_path, read_record, write_with_negatives)
    yield made
    made.close()


TREE = """\
# A child, a child and a grandchild in a session of their own, an orphan, and two without an environment.
cd "$1"
echo $PPID > parent
echo $$ >> numbers
sleep 600 & echo $! >> numbers
setsid sh -c 'echo $$ >> numbers; sleep 600 & echo $! >> numbers; wait' &
sh -c 'setsid sleep 600 & echo $! >> numbers'
env -i sleep 600 & echo $! >> numbers
sh -c 'env -i setsid sleep 600 & echo $! >> numbers'
eval "$2"
while [ "$(wc -l < numbers)" != 7 ]; do :; done
echo ready > ready
wait
"""


class Tree:
    """The processes of a scenario that does not end by itself."""

    def __init__(self, project: Project, name: str) -> None:
        self._folder = project.path.parent / f"tree-{name}"
        self._folder.mkdir()
        (self._folder / "tree.sh").write_text(TREE)

    def step(self, also: str = ":") -> str:
        """The step that plants it; `also` is for the shell to do."""
        return f"When I run \"sh {self._folder}/tree.sh {self._folder} '{also}'\""

    def wait(self) -> None:
        """Until all of them run."""
        assert until(lambda: (self._folder / "ready").exists() or None, DEADLINE)
        assert not any(is_gone(number) for number in self.numbers)

    @property
    def numbers(self) -> list[int]:
        return [int(line) for line in (self._folder / "numbers").read_text().split()]

    @property
    def harness(self) -> int:
        """The process that runs the scenario."""
        return int((self._folder / "parent").read_text())

    def is_felled(self) -> bool | None:
        return True if all(is_gone(number) for number in self.numbers) else None

    def close(self) -> None:
        if (self._folder / "numbers").exists():
            for number in self.numbers:
                if not is_gone(number):
                    os.kill(number, signal.SIGKILL)


@pytest.fixture
def tree(project: Project) -> Iterator[Callable[[str], Tree]]:
    planted: list[Tree] = []

    def plant(name: str) -> Tree:
        planted.append(Tree(project, name))
        return planted[-1]

    yield plant
    for each in planted:
        each.close()
