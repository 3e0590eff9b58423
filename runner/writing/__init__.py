"""Goals written out: in the canonical layout, in either spelling, with their comments."""

from __future__ import annotations

from pathlib import Path

from ..files import GoalFileText, Parsed, parse
from ..goal import Goal, Place
from ..problem import GoalError, Problem
from .comments import comments_of
from .gherkin import to_gherkin
from .yaml import to_yaml

__all__ = ["formatted", "rewritten", "to_gherkin", "to_yaml"]

_FIELDS = {
    "title": "title",
    "statement": "statement",
    "hook": "hook",
    "description": "description",
    "scope": "scope",
    "owner": "owner",
    "ci": "list of CI jobs",
    "tags": "tags",
    "background": "background",
}


def formatted(parsed: Parsed) -> str:
    """A goal file in the canonical layout of its own spelling."""
    return rewritten(parsed, parsed.source.path)


def rewritten(parsed: Parsed, path: Path) -> str:
    """A goal file as the file `path` would hold it; the name tells the spelling.

    What has been written is read again: a goal that the other spelling can't hold is an error, never a loss.
    """
    goal, source = parsed.unwrap(), parsed.source
    write = to_gherkin if path.name.endswith(".feature") else to_yaml
    comments = comments_of(source)
    text = write(goal, comments)
    again = parse(GoalFileText(path, text))
    lost = _difference(goal, again)
    if lost is not None:
        raise GoalError(source.path, [lost], source.lines)
    kept = sorted(comment.text for comment in comments_of(again.source))
    if kept != sorted(comment.text for comment in comments):
        problem = Problem(
            "not-expressible", Place(1), "a comment of this file would be lost in the other spelling"
        )
        raise GoalError(source.path, [problem], source.lines)
    return text


def _difference(goal: Goal, again: Parsed) -> Problem | None:
    """What the written file does not say as the goal did."""
    spelling = "Gherkin" if again.source.path.name.endswith(".feature") else "YAML"
    if again.goal is None or again.problems:
        reason = again.problems[0].message if again.problems else "it reads as nothing"
        return Problem("not-expressible", goal.place, f"this goal can't be written in {spelling}: {reason}")
    if again.goal == goal:
        return None
    said = f"can't be said in {spelling}: it would be read as something else"
    for name, called in _FIELDS.items():
        if getattr(goal, name) != getattr(again.goal, name):
            return Problem("not-expressible", goal.place, f"the {called} of this goal {said}")
    for (_, ours), (_, theirs) in zip(goal.all_scenarios(), again.goal.all_scenarios(), strict=False):
        if ours != theirs:
            return Problem("not-expressible", ours.place, f'scenario "{ours.name}" {said}')
    return Problem("not-expressible", goal.place, f"the scenarios or rules of this goal {said}")
