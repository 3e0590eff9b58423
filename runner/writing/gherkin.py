"""A goal as a `.feature` file in the canonical layout."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from gherkin.dialect import Dialect

from ..goal import Background, DocString, Examples, Goal, Place, Rule, Scenario, Step, Tag, reads_negative
from .page import Comment, Page

_BARE_BACKSLASH = re.compile(r"\\(?=[n|\\\n]|$)")


def to_gherkin(goal: Goal, comments: Iterable[Comment] = ()) -> str:
    """The text of the file. Keywords stay as they were written; those of a YAML goal are the usual ones."""
    return _Writer(goal, Page(comments)).text()


class _Writer:
    def __init__(self, goal: Goal, page: Page) -> None:
        self.goal = goal
        self.page = page
        dialect: Any = Dialect.for_name(goal.language)
        self._own_keywords = goal.path.name.endswith(".feature")
        self._spec: dict[str, list[str]] = dialect.spec

    def text(self) -> str:
        goal, page = self.goal, self.page
        if goal.language != "en":
            page.put(0, f"# language: {goal.language}")
        page.put(0, " ".join(f"@{tag}" for tag in _goal_tags(goal)), _first(goal.tags, goal.place))
        page.put(0, f"{self.keyword('feature', goal.keyword)}: {goal.title}".rstrip(), goal.place.line)
        if goal.statement:
            page.put(1, f"Expect: {goal.statement}")
        if goal.hook:
            page.put(1, f"Hook: {goal.hook}")
        if goal.description and (goal.statement or goal.hook):
            page.gap()
        self.description(1, goal.description)
        self.children(1, goal.background, goal.scenarios)
        for rule in goal.rules:
            self.rule(rule)
        return page.text()

    def keyword(self, name: str, written: str) -> str:
        if self._own_keywords:
            return written
        words = self._spec[name]
        return words[1] if name == "scenario" and len(words) > 1 else words[0]

    def description(self, depth: int, text: str) -> None:
        for line in text.splitlines():
            self.page.put(depth if line else 0, line)

    def children(self, depth: int, background: Background | None, scenarios: Sequence[Scenario]) -> None:
        if background is not None:
            self.page.gap(background.place.line)
            head = f"{self.keyword('background', background.keyword)}: {background.name}"
            self.page.put(depth, head.rstrip(), background.place.line)
            self.description(depth + 1, background.description)
            self.steps(depth + 1, background.steps)
        for scenario in scenarios:
            self.scenario(depth, scenario)

    def rule(self, rule: Rule) -> None:
        self.head(1, f"{self.keyword('rule', rule.keyword)}: {rule.name}", rule.tags, rule.place)
        self.description(2, rule.description)
        self.children(2, rule.background, rule.scenarios)

    def scenario(self, depth: int, scenario: Scenario) -> None:
        name = "scenarioOutline" if scenario.outline else "scenario"
        head = f"{self.keyword(name, scenario.keyword)}: {scenario.name}"
        self.head(depth, head, scenario.tags, scenario.place)
        self.description(depth + 1, scenario.description)
        self.steps(depth + 1, scenario.steps)
        for examples in scenario.examples:
            self.examples(depth + 1, examples)

    def examples(self, depth: int, examples: Examples) -> None:
        head = f"{self.keyword('examples', examples.keyword)}: {examples.name}"
        self.head(depth, head.rstrip(), examples.tags, examples.place)
        self.description(depth + 1, examples.description)
        if examples.columns:
            places = (examples.header_place, *examples.row_places)
            self.table(depth + 1, (examples.columns, *examples.rows), places)

    def head(self, depth: int, text: str, tags: tuple[Tag, ...], place: Place) -> None:
        """The tags and first line of a block, with an empty line above."""
        first = _first(tags, place)
        self.page.gap(first)
        if tags:
            self.page.put(depth, " ".join(f"@{tag.name}" for tag in tags), first)
        self.page.put(depth, text, place.line)

    def steps(self, depth: int, steps: Sequence[Step]) -> None:
        before: Step | None = None
        for step in steps:
            self.page.put(depth, f"{self.step_keyword(step, before)}{step.text}".rstrip(), step.place.line)
            if step.docstring is not None:
                self.docstring(depth + 1, step.docstring)
            if step.table is not None:
                self.table(depth + 1, step.table.rows, step.table.row_places)
            before = step

    def step_keyword(self, step: Step, before: Step | None) -> str:
        """With the space after it, which some languages do without."""
        if self._own_keywords:
            glued = step.text_place.column - step.place.column == len(step.keyword)
            return step.keyword if glued else f"{step.keyword} "
        name: str = step.kind
        if before is not None and before.kind == step.kind:
            if step.declared_never:
                name = "and" if before.declared_never and reads_negative(step.kind, step.text) else "but"
            elif not before.declared_never:
                name = "and"
        return next(word for word in self._spec[name] if word != "* ")

    def docstring(self, depth: int, docstring: DocString) -> None:
        fence, text = _fence(docstring.text)
        self.page.put(depth, f"{fence}{docstring.media}", docstring.place.line)
        for line in text.split("\n") if text else ():
            self.page.put(depth if line else 0, line)
        self.page.put(depth, fence)

    def table(self, depth: int, rows: Sequence[Sequence[str]], places: Sequence[Place]) -> None:
        cells = [[_cell(cell) for cell in row] for row in rows]
        widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
        for row, place in zip(cells, places, strict=True):
            padded = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
            self.page.put(depth, f"| {' | '.join(padded)} |", place.line)


def _goal_tags(goal: Goal) -> list[str]:
    own = [goal.id, *([f"tier{goal.tier}"] if goal.tier_stated else [])]
    scope, ci = (
        [f"{key}:{word}" for word in words] for key, words in (("scope", goal.scope), ("ci", goal.ci))
    )
    owner = [f"owner:{goal.owner}"] if goal.owner else []
    return [tag for tag in chain(own, scope, owner, ci, (tag.name for tag in goal.tags)) if tag]


def _first(tags: Sequence[Tag], place: Place) -> int:
    """The line in which a block begins: that of its first tag, where it has tags that know theirs."""
    lines = [tag.place.line for tag in tags if tag.place.line]
    return min([*lines, place.line])


def _cell(text: str) -> str:
    """A cell with what ends it escaped; a backslash only where it would be read as an escape."""
    return _BARE_BACKSLASH.sub(r"\\\\", text).replace("|", "\\|").replace("\n", "\\n")


def _width(text: str) -> int:
    """Columns on a terminal: East Asian wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def _fence(text: str) -> tuple[str, str]:
    """A delimiter that the text does not hold, or the text with the delimiter escaped."""
    for fence, escaped in (('"""', '\\"\\"\\"'), ("```", "\\`\\`\\`")):
        if fence not in text and escaped not in text:
            return fence, text
    return '"""', text.replace('"""', '\\"\\"\\"')
