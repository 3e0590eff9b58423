"""Endings in words, and signals by name."""

from __future__ import annotations

import signal

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Breach
from goalkeeper.runner.programs.ending import Ended, Ending, signal_name, signal_number


@pytest.mark.parametrize(
    ("code", "text", "outcome", "exit_code"),
    [
        (0, "exit code 0", "ok", 0),
        (1, "exit code 1", "failed", 1),
        (255, "exit code 255", "failed", 255),
        (-15, "killed by SIGTERM", "unknown", None),
        (-35, "killed by signal 35", "unknown", None),
    ],
)
def test_an_ending(code: int, text: str, outcome: str, exit_code: int | None) -> None:
    ending = Ending(code)
    assert (str(ending), ending.outcome, ending.exit_code) == (text, outcome, exit_code)


def test_an_ending_as_a_breach() -> None:
    ended = Ended('process "a"', Ending(1), "stderr:\noh")
    assert ended.breach == Breach('process "a" ended (exit code 1)', "stderr:\noh")


@pytest.mark.parametrize("name", ["USR1", "SIGUSR1", "usr1", "sigusr1"])
def test_a_signal_by_name(name: str) -> None:
    assert signal_number(name) == signal.SIGUSR1
    assert signal_name(signal.SIGUSR1) == "SIGUSR1"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("TREM", 'there is no signal "TREM". Did you mean "TERM"?'),
        ("9", 'there is no signal "9".'),
        ("SIG", 'there is no signal "SIG".'),
    ],
)
def test_what_is_no_signal(name: str, message: str) -> None:
    with pytest.raises(StepFailed) as caught:
        signal_number(name)
    assert str(caught.value) == message
