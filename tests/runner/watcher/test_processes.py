"""Finding and ending the processes of a sandbox, and no others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.wait import until
from goalkeeper.runner.watcher import processes

DEADLINE = 30.0
Start = Callable[..., int]


def lives(number: int) -> bool:
    """A zombie does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "gk" / "evidence").mkdir(parents=True)
    return str(tmp_path / "gk")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a shell script that writes numbers into a file; the number that it wrote under a name.

    What is started leads a group of its own and is killed at the end, as is all that it wrote down.
    """
    started: list[subprocess.Popen[bytes]] = []
    numbers: list[int] = []

    def begin(script: str, name: str = "ready", **options: object) -> int:
        environment = {"PATH": os.environ["PATH"], **options.pop("env", {})}  # type: ignore[dict-item]
        place = tmp_path / "numbers"
        place.mkdir(exist_ok=True)
        started.append(
            subprocess.Popen(
                ["sh", "-c", script],
                env=environment,
                cwd=options.pop("cwd", place),  # type: ignore[call-overload]
                start_new_session=True,
                **options,
            )
        )

        def written() -> int | None:
            text = (place / name).read_text() if (place / name).exists() else ""
            return int(text) if text.endswith("\n") else None

        found = until(written, DEADLINE)
        assert found is not None
        numbers.append(found)
        return found

    yield begin
    for number in numbers:
        if lives(number):
            os.kill(number, signal.SIGKILL)
    for process in started:
        process.kill()
        process.wait()


def marked(root: str) -> dict[str, str]:
    return {processes.MARK: root}


def test_a_process_with_the_mark(root: str, start: Start) -> None:
    number = start("echo $$ > ready; exec sleep 600", env=marked(root))
    assert processes.members(root) == {number}
    assert processes.end(root) == (1, [])
    assert not lives(number)
    assert processes.members(root) == set()
    assert processes.end(root) == (0, [])


def test_the_mark_after_a_large_environment(root: str, start: Start) -> None:
    large = {f"LARGE{n}": "x" * 100_000 for n in range(3)}
    number = start("echo $$ > ready; exec sleep 600", env={**large, **marked(root)})
    assert processes.members(root) == {number}


def test_the_mark_of_a_sandbox_inside(root: str, start: Start) -> None:
    number = start("echo $$ > ready; exec sleep 600", env=marked(f"{root}/tmp/gk-inner"))
    assert processes.members(root) == {number}
    assert processes.members(f"{root}/tmp") == {number}


@pytest.mark.parametrize("mark", ["{root}2", "{root[:-1]}", "x{root}", "", "/"])
def test_another_mark(root: str, start: Start, mark: str) -> None:
    other = {"{root}2": f"{root}2", "{root[:-1]}": root[:-1], "x{root}": f"x{root}"}.get(mark, mark)
    start("echo $$ > ready; exec sleep 600", env=marked(other))
    assert processes.members(root) == set()


def test_the_mark_as_part_of_another_variable(root: str, start: Start) -> None:
    start("echo $$ > ready; exec sleep 600", env={f"MY_{processes.MARK}": root})
    assert processes.members(root) == set()


def test_descendants_without_an_environment(root: str, start: Start) -> None:
    """Found as children of a marked process, however deep."""
    script = "env -i sh -c 'env -i sh -c \"echo \\$\\$ > ready; exec sleep 600\"; :' >/dev/null 2>&1; :"
    grandchild = start(script, env=marked(root))
    found = processes.members(root)
    assert grandchild in found
    assert len(found) == 3
    assert processes.end(root) == (3, [])
    assert not lives(grandchild)


def test_an_orphan_with_the_mark_in_a_session_of_its_own(root: str, start: Start) -> None:
    number = start("setsid sh -c 'echo $$ > ready; exec sleep 600' &", env=marked(root))
    assert processes.members(root) == {number}
    assert processes.end(root) == (1, [])


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_an_orphan_without_an_environment_that_prints_into_the_evidence(
    root: str, start: Start, stream: str
) -> None:
    with Path(root, "evidence", f"01.{stream}").open("wb") as output:
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: output}
        number = start("setsid env -i sh -c 'echo $$ > ready; exec sleep 600' &", env=marked(root), **streams)
    assert processes.members(root) == {number}
    assert processes.end(root) == (1, [])
    assert not lives(number)


def test_a_stranger_who_looks_around_in_the_sandbox(root: str, tmp_path: Path, start: Start) -> None:
    """Its directory is there, it reads a file there, it writes one there."""
    inside = Path(root, "evidence", "01.stdout")
    inside.write_text("x")
    script = f"echo $$ > {tmp_path}/numbers/ready; exec sleep 600"
    (tmp_path / "numbers").mkdir()
    with inside.open("rb") as reading, Path(root, "notes").open("wb") as writing:
        number = start(script, cwd=root, stdin=reading, stdout=writing)
    assert processes.members(root) == set()
    assert processes.end(root) == (0, [])
    assert lives(number)


def test_a_process_that_ends_by_itself_is_no_member(root: str) -> None:
    dead = subprocess.Popen(["true"], env={**marked(root), "PATH": os.environ["PATH"]})
    os.waitid(os.P_PID, dead.pid, os.WEXITED | os.WNOWAIT)
    assert processes.members(root) == set()
    dead.wait()


def test_the_caller_is_no_member(root: str, tmp_path: Path) -> None:
    """Goalkeeper may run inside of a sandbox itself."""
    code = "import sys; from goalkeeper.runner.watcher import processes as p; print(p.end(sys.argv[1]))"
    ran = subprocess.run(
        [sys.executable, "-c", code, root],
        env={**os.environ, **marked(root)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "(0, [])\n"


def test_processes_that_start_others_all_the_time(root: str, start: Start) -> None:
    """Each soon makes place for the next, so that whoever is seen may be gone when it is to be killed."""
    chain = Path(root, "chain.sh")
    chain.write_text(
        '[ $1 != 9 ] || echo $$ > ready\n[ $1 = 900 ] && exit\nsleep 0.01\nsh "$0" $(($1 + 1)) &\n'
    )
    start(f"exec sh {chain} 1", env=marked(root))
    killed, left = processes.end(root)
    survivors = processes.members(root)
    chain.unlink()
    assert killed >= 1
    assert (left, survivors) == ([], set())


def test_one_that_does_not_go_is_named_and_not_counted(
    root: str, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = start("echo $$ > ready; exec sleep 600", env=marked(root))

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(signal, "pidfd_send_signal", refused)
    assert processes.end(root, patience=0.01) == (0, [number])
    assert lives(number)
