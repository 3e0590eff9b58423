"""Goal files: `.feature` (Gherkin) and `.goal.yaml`, two spellings of one model."""

from __future__ import annotations

from pathlib import Path

from .source import GoalFileText, Parsed, read_text

SUFFIXES = (".feature", ".goal.yaml", ".goal.yml")

__all__ = ["SUFFIXES", "GoalFileText", "Parsed", "is_goal_file", "parse", "read"]


def is_goal_file(path: Path) -> bool:
    return path.name.endswith(SUFFIXES)


def read(path: Path) -> Parsed:
    """Read one goal file; whatever is wrong with it is in the result, nothing is raised."""
    source = read_text(path)
    return Parsed(None, source, source.problems) if source.problems else parse(source)


def parse(source: GoalFileText) -> Parsed:
    """Parse the text of a goal file by the spelling that its name announces."""
    if source.path.name.endswith(".feature"):
        from .gherkin import parse_gherkin

        return parse_gherkin(source)
    from .yaml import parse_yaml

    return parse_yaml(source)
