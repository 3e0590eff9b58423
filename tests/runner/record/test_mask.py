"""Which variables hold secrets, and which only sound like it."""

from __future__ import annotations

import pytest

from goalkeeper.runner.record.mask import Mask


@pytest.mark.parametrize("name", ["DB_PWD", "PWD_FOR_DB", "DB_PWD_2", "API_TOKEN", "GH_PAT", "PASSWORD"])
def test_the_value_of_a_secret_is_masked(name: str) -> None:
    assert Mask({name: "s3cret"})("it is s3cret") == "it is ***"


@pytest.mark.parametrize("name", ["PWD", "OLDPWD", "PATH", "PATTERN"])
def test_a_place_is_no_secret(name: str) -> None:
    """The working directory is part of nearly everything that is put on record."""
    assert Mask({name: "/project"})("/project/tool") == "/project/tool"
