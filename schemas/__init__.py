"""JSON Schemas, published with the package so that editors and other tools can use them."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

SUFFIX = ".schema.json"


def text(name: str) -> str:
    """The schema `name` as it is published."""
    return resources.files(__name__).joinpath(name + SUFFIX).read_text(encoding="utf-8")


@cache
def load(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(text(name))
    return schema


def names() -> list[str]:
    found = (entry.name for entry in resources.files(__name__).iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX))
