"""TOML held against a schema: what is wrong is said with its line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from goalkeeper import schemas
from goalkeeper.runner.toml import TomlError, read_toml


def read(tmp_path: Path, text: str) -> dict[str, Any]:
    (tmp_path / "x.toml").write_bytes(text.encode())
    return read_toml(tmp_path / "x.toml", "configuration")


def problems(tmp_path: Path, text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(TomlError) as caught:
        read(tmp_path, text)
    found = sorted(caught.value.problems, key=lambda problem: problem.place.line)
    return [(problem.place.line, problem.place.column, problem.message) for problem in found]


GOOD = """\
# a comment
goals = ["scenarios", "more"]
reports = "out"
keep = 3

[sandbox]
pass = ["CARGO_HOME"]

[systems.one]
command = "one --flag"
[systems."two words"]
command = ["two"]
profile = "two.yaml"
environment = { A = "1", B = "2" }
"""


def test_a_good_file(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD) == tomllib.loads(GOOD)
    assert read(tmp_path, GOOD.replace("\n", "\r\n")) == tomllib.loads(GOOD)
    assert read(tmp_path, "") == {}


WRONG = {
    "unknown": ("goals = ['a']\ngaols = []\n", (2, 1, 'this file has no "gaols". Did you mean "goals"?')),
    "text": ("\n  reports = 1\n", (2, 3, '"reports" must be text')),
    "boolean": ("keep = true\n", (1, 1, '"keep" must be a number')),
    "date": ("keep = 2000-01-01\n", (1, 1, '"keep" must be a number')),
    "in a table": ("[sandbox]\n# x\nallow = []\n", (3, 1, '"sandbox" has no "allow".')),
    "in a list": ("[sandbox]\npass = [\n  'A',\n  1,\n]\n", (2, 1, 'each entry of "pass" must be text')),
    "dotted": ("sandbox.pass = 'A'\n", (1, 1, '"pass" must be a list')),
    "dotted table": ("[systems.a]\nprofile = 'x'\n", (1, 2, '"a" lacks "command"')),
    "quoted": ("[systems.'a b']\ncommand = ''\n", (2, 1, '"command" must not be empty')),
    "inline": ("[systems]\na = { command = 1 }\n", (2, 1, '"command" must be text or a list')),
    "many tables": ("[[systems.a]]\ncommand = 'x'\n", (1, 3, '"a" must be a mapping')),
    "after a list of lists": (
        "goals = [\n  'a',\n]\nkeep = 'x'\n",
        (4, 1, '"keep" must be a number'),
    ),
    "below what looks like a table": (
        "[systems.a]\ncommand = [\n['x'],\n]\nprofile = 1\n",
        (5, 1, '"profile" must be text'),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_problem_has_the_line_of_its_key(tmp_path: Path, name: str) -> None:
    text, expected = WRONG[name]
    assert expected in problems(tmp_path, text)
    assert not Draft202012Validator(schemas.load("configuration")).is_valid(tomllib.loads(text))


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    assert [line for line, _, _ in problems(tmp_path, "a = 1\nkeep = 'x'\n[sandbox]\nb = 1\n")] == [1, 2, 4]


def test_the_message_shows_the_line(tmp_path: Path) -> None:
    with pytest.raises(TomlError) as caught:
        read(tmp_path, "\ngaols = []\n")
    told = str(caught.value).splitlines()
    assert told[0] == f"{tmp_path}/x.toml:2:1: unknown-key"
    assert "gaols = []" in told[1]


def test_what_is_no_toml_is_left_to_the_caller(tmp_path: Path) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        read(tmp_path, "goals = [\n")
    with pytest.raises(UnicodeDecodeError):
        (tmp_path / "x.toml").write_bytes(b"\xff")
        read_toml(tmp_path / "x.toml", "configuration")
