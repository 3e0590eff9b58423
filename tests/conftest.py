"""What tests of the plugin share: a project in a temporary directory, run by a pytest of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

# pytester forgets the modules that an inner run imported; libyaml's extension can't be imported twice.
assert yaml.CSafeLoader is not None

WriteGoal = Callable[..., Path]

HEAD = """\
    @G1.1
    Feature: A goal
"""


@pytest.fixture
def goal(pytester: pytest.Pytester) -> WriteGoal:
    """Write a goal file; text without a Feature gets a head with the id G1.1."""

    def write(text: str, name: str = "scenarios/a.feature") -> Path:
        body = textwrap.dedent(text).lstrip("\n")
        if name.endswith(".feature") and not body.startswith(("@G", "# language", "Feature:")):
            body = textwrap.dedent(HEAD) + textwrap.indent(body, "  ")
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
        return path

    return write
