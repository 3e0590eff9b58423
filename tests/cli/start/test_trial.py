"""A command is tried once, where it can do no harm, and not for long."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from goalkeeper.cli.start.program import Program
from goalkeeper.cli.start.trial import TrialError, attempt, first_that_works


def shell(text: str, **fields: object) -> Program:
    return Program("x", ("sh", "-c", text), **fields)  # type: ignore[arg-type]


def test_what_it_did(tmp_path: Path) -> None:
    trial = attempt(shell("echo out; echo err >&2; touch core; exit 3"), (), tmp_path)
    assert (trial.exit_code, trial.stdout, trial.stderr) == (3, "out\n", "err\n")
    assert trial.left == {"core"}
    assert [*tmp_path.iterdir()] == [], "it does not run in the repository"


def test_it_is_offered_no_input(tmp_path: Path) -> None:
    assert attempt(Program("cat"), (), tmp_path).stdout == ""


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (Program("no-such-program"), 'there is no program "no-such-program"'),
        (shell("kill -9 $$"), "was killed by SIGKILL"),
        (shell("cat /dev/zero > /dev/null", limit=0.1), "did not end within 0.1 s"),
    ],
)
def test_what_cannot_be_used(program: Program, reason: str, tmp_path: Path) -> None:
    with pytest.raises(TrialError, match=reason):
        attempt(program, (), tmp_path)


def test_the_first_that_ends_well_and_says_something(tmp_path: Path) -> None:
    risky = shell(f"touch {tmp_path}/harm", safe=False)
    program = Program(
        "y", (sys.executable, "-c", "import sys; print('v') if '-v' in sys.argv else sys.exit(2)")
    )
    wanted = Program(program.name, program.start, asks=(("-h",), ("-v",)))
    guesses = [
        Program("no-such-program"),
        shell("exit 1"),
        shell("exit 0"),
        risky,
        wanted,
        shell("echo late"),
    ]
    trial, untried = first_that_works(guesses, tmp_path)
    assert trial is not None
    assert (trial.program, trial.arguments) == (wanted, ("-v",))
    assert untried == [risky]
    assert not (tmp_path / "harm").exists()


def test_nothing_works(tmp_path: Path) -> None:
    assert first_that_works([shell("exit 1")], tmp_path) == (None, [])
