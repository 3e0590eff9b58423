"""`goalkeeper steps`: the catalogue on the terminal and for machines."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from goalkeeper.cli import main
from goalkeeper.runner.catalogue import catalogue, markdown, search
from goalkeeper.runner.library import libraries


def steps(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["steps", *arguments])


def test_all_steps_under_the_names_of_their_libraries() -> None:
    result = steps()
    assert result.exit_code == 0
    lines = result.output.splitlines()
    headings = [line for line in lines if line and not line.startswith(" ")]
    assert headings == [f"steps/{library.name}" for library in libraries()]
    for entry in catalogue():
        assert any(line.endswith(f" {entry.wording}") for line in lines)


def test_one_library() -> None:
    result = steps("files")
    assert result.exit_code == 0
    assert result.output.splitlines()[:3] == [
        "steps/files",
        '  Given       a file "{path}" with',
        "              Create or replace a file; its content is the doc string, ended by a newline.",
    ]
    assert "steps/cli" not in result.output


def test_where_a_step_may_stand() -> None:
    lines = steps("cli").output.splitlines()
    assert '  Given/When  I run "{command}"' in lines
    assert "  Then        the exit code is {code:int}" in lines
    assert '  Never       the command never prints "{text}"' in lines


def test_only_the_summary_is_shown() -> None:
    output = steps("cli", "JSON").output
    assert "Standard output is one JSON document" in output
    assert "List entries are numbered" not in output


@pytest.mark.parametrize("words", [("file", "never"), ("NEVER", "File"), ("files", "never")])
def test_words_that_a_step_must_all_have(words: tuple[str, ...]) -> None:
    result = steps(*words)
    assert result.exit_code == 0
    assert '  Never       file "{path}" never exists' in result.output.splitlines()
    assert 'file "{path}" contains' not in result.output


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_nothing_found(form: str) -> None:
    result = steps("cli", "teleport", "--format", form)
    assert result.exit_code == 1
    assert result.output == "Error: no step has cli and teleport; see all: goalkeeper steps\n"


def test_json() -> None:
    result = steps("never", "--format", "json")
    assert result.exit_code == 0
    data = json.loads(result.output)
    assert {
        "library": "files",
        "wording": 'file "{path}" never exists',
        "kinds": ["never"],
        "takes": [],
        "documentation": "At no moment is there anything of that name, file, directory or link, "
        "be it for a short time.",
        "violations": ["gross make_file", "minimal make_and_remove_file"],
    } in data
    assert len(data) == len(search(catalogue(), ["never"]))


def test_json_of_nothing_is_an_empty_list() -> None:
    result = steps("teleport", "--format", "json")
    assert (result.exit_code, json.loads(result.output)) == (0, [])


def test_markdown() -> None:
    result = steps("cli", "--format", "markdown")
    assert result.exit_code == 0
    assert result.output == markdown(search(catalogue(), ["cli"]))
    assert result.output.startswith("# steps/cli\n\nCommand lines: run a program")


def test_an_unknown_format() -> None:
    result = steps("--format", "xml")
    assert result.exit_code == 2
    assert "'text', 'json', 'markdown'" in result.output
