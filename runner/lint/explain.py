"""What each rule is about, from RULES.md beside this file."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def _sections() -> dict[str, str]:
    """The text below each heading of the second level, without what stands below those of the first."""
    text = resources.files(__package__).joinpath("RULES.md").read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {}
    rule, fenced = "", False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            level, _, title = line.partition(" ")
            rule = title if level == "##" else ""
        elif rule:
            sections.setdefault(rule, []).append(line)
    return {rule: "\n".join([rule, *lines]).rstrip() + "\n" for rule, lines in sections.items()}


def rule_ids() -> list[str]:
    return [*_sections()]


def explanation(rule: str) -> str | None:
    """The text of a rule, or None where there is no such rule."""
    return _sections().get(rule)
