"""`goalkeeper schema`: what is published is what is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from goalkeeper import schemas
from goalkeeper.cli import main

FOLDER = Path(schemas.__path__[0])


@pytest.mark.parametrize("name", schemas.names())
def test_a_schema_is_printed_as_it_is_published(name: str) -> None:
    result = CliRunner().invoke(main, ["schema", name])
    assert result.exit_code == 0
    assert result.stdout_bytes == (FOLDER / f"{name}.schema.json").read_bytes()
    Draft202012Validator.check_schema(json.loads(result.output))


def test_the_goal_schema_judges() -> None:
    validator = Draft202012Validator(json.loads(CliRunner().invoke(main, ["schema", "goal"]).output))
    assert validator.is_valid({"goal": "G0.1", "title": "t"})
    assert not validator.is_valid({"goal": "G9.1", "title": "t"})


@pytest.mark.parametrize("arguments", [[], ["gaol"]])
def test_without_a_known_name(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, ["schema", *arguments])
    assert result.exit_code == 2
    assert "goal" in result.output
