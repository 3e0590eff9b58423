"""Shell completion, and colours only where a person sees them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

GOALKEEPER = str(Path(sys.executable).with_name("goalkeeper"))


def complete(words: str, position: int, cwd: Path) -> list[str]:
    environment = os.environ | {
        "_GOALKEEPER_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(position),
    }
    ran = subprocess.run([GOALKEEPER], env=environment, cwd=cwd, capture_output=True, text=True, check=True)
    return [line.partition(",")[2] for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_the_shell(shell: str) -> None:
    environment = os.environ | {"_GOALKEEPER_COMPLETE": f"{shell}_source"}
    ran = subprocess.run([GOALKEEPER], env=environment, capture_output=True, text=True, check=True)
    assert "_GOALKEEPER_COMPLETE" in ran.stdout


def test_commands_and_options_are_completed(tmp_path: Path) -> None:
    assert complete("goalkeeper li", 1, tmp_path) == ["lint", "list"]
    assert complete("goalkeeper lint --fo", 2, tmp_path) == ["--format"]
    assert complete("goalkeeper lint --format g", 3, tmp_path) == ["github"]


def on_a_terminal(arguments: list[str], environment: dict[str, str]) -> str:
    """What a program prints when its output is a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(arguments, stdout=theirs, env=os.environ | environment) as process:
        os.close(theirs)
        printed = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            printed += part
        os.close(ours)
        assert process.wait() == 0
    return printed.decode()


@pytest.mark.parametrize("command", [["steps", "files"], ["doctor"]])
def test_colour_is_for_terminals_and_people_who_want_it(command: list[str]) -> None:
    arguments = [GOALKEEPER, *command]
    colourful = {"TERM": "xterm-256color", "NO_COLOR": "", "FORCE_COLOR": ""}
    assert "\x1b[" in on_a_terminal(arguments, colourful)
    assert "\x1b[3" not in on_a_terminal(arguments, colourful | {"NO_COLOR": "1"})
    piped = subprocess.run(arguments, capture_output=True, text=True, env=os.environ | colourful, check=True)
    assert "\x1b[" not in piped.stdout
