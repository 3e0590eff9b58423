"""The README of each step library is made from its docstrings."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from goalkeeper import steps
from goalkeeper.cli import main
from goalkeeper.runner.library import libraries

FOLDER = Path(steps.__path__[0])
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/__init__.py"))


def test_every_folder_is_an_installed_library() -> None:
    own = [library.name for library in libraries() if library.module_name.startswith(f"{steps.__name__}.")]
    assert own == NAMES, "pyproject.toml names the libraries under goalkeeper.steps; then reinstall"


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_is_up_to_date(name: str) -> None:
    made = CliRunner().invoke(main, ["steps", name, "--format", "markdown"])
    assert made.exit_code == 0
    assert (FOLDER / name / "README.md").read_text(encoding="utf-8") == made.output, (
        f"regenerate it: goalkeeper steps {name} --format markdown > steps/{name}/README.md"
    )
