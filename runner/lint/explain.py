"""What each rule is about, from RULES.md beside this file."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


@cache
def _sections() -> dict[str, str]:
    text = resources.files(__package__).joinpath("RULES.md").read_text(encoding="utf-8")
    _, *parts = _HEADING.split(text)
    return {rule: f"{rule}\n\n{body.strip()}\n" for rule, body in zip(parts[::2], parts[1::2], strict=True)}


def rule_ids() -> list[str]:
    return [*_sections()]


def explanation(rule: str) -> str | None:
    """The text of a rule, or None where there is no such rule."""
    return _sections().get(rule)
