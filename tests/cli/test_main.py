"""The goalkeeper command itself: help, version, unknown commands, and what it does not import."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

import goalkeeper
from goalkeeper.cli import COMMANDS, main

HEAVY = ["docker", "git", "jinja2", "pytest", "pytest_bdd"]


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_every_command(option: str) -> None:
    result = CliRunner().invoke(main, [option], prog_name="goalkeeper")
    assert result.exit_code == 0
    assert result.output.startswith("Usage: goalkeeper [OPTIONS] COMMAND")
    shown = result.output.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in shown] == sorted(COMMANDS)


def test_the_version() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert result.exit_code == 0
    assert result.output == f"goalkeeper, version {goalkeeper.__version__}\n"


@pytest.mark.parametrize("name", sorted(COMMANDS))
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_each_command_has_the_help_that_the_list_promises(name: str, option: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.get_short_help_str(limit=100) == COMMANDS[name]
    result = CliRunner().invoke(main, [name, option])
    assert result.exit_code == 0
    assert COMMANDS[name] in result.output


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("stesp", 'Error: no such command "stesp". Did you mean "steps"?'),
        ("shcema", 'Error: no such command "shcema". Did you mean "schema"?'),
        ("xyzzy", f'Error: no such command "xyzzy". There are: {", ".join(sorted(COMMANDS))}.'),
        ("", f'Error: no such command "". There are: {", ".join(sorted(COMMANDS))}.'),
    ],
)
def test_an_unknown_command(word: str, message: str) -> None:
    result = CliRunner().invoke(main, [word, "--help"])
    assert result.exit_code == 2
    assert result.output.splitlines()[-1] == message


def test_an_unknown_option() -> None:
    result = CliRunner().invoke(main, ["--verison"])
    assert result.exit_code == 2
    assert "--version" in result.output.splitlines()[-1]


def test_the_module_can_be_run() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "goalkeeper.cli", "--help"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Usage: goalkeeper [OPTIONS] COMMAND")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["schema", "goal"], ["schema", "--help"]])
def test_what_needs_no_pytest_does_not_import_it(arguments: list[str]) -> None:
    code = (
        "import sys; from goalkeeper.cli import main\n"
        f"main({arguments!r}, standalone_mode=False)\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout
    assert done.stderr == "[]\n"
