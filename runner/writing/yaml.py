"""A goal as a `.goal.yaml` file in the canonical layout."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat

import yaml
from yaml.resolver import Resolver

from ..goal import Background, DocString, Examples, Goal, Place, Rule, Scenario, Step, Tag
from .page import Comment, Page

_PLAIN = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`~][^\n]*")
_PRINTABLE = re.compile(
    r"[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*"
)
_ESCAPED = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_NO_CELL = re.compile(r"[,\[\]{}]|^(?:null|Null|NULL)$")
_resolve: Callable[..., str] = Resolver().resolve


def to_yaml(goal: Goal, comments: Iterable[Comment] = ()) -> str:
    """The text of the file; keys come in one order, values in their plainest form."""
    trial = Page()
    _Writer(trial).goal(goal)
    page = Page(comments, beside=trial.written - {0})
    _Writer(page).goal(goal)
    return page.text()


class _Writer:
    def __init__(self, page: Page) -> None:
        self.page = page

    def goal(self, goal: Goal) -> None:
        at = goal.key_lines
        self.page.put(0, f"goal: {scalar(goal.id)}", at.get("goal", goal.place.line))
        if goal.tier_stated:
            self.page.put(0, f"tier: {goal.tier}", at.get("tier", 0))
        self.value(0, "title: ", goal.title, at.get("title", 0))
        language = "" if goal.language == "en" else goal.language
        self.field(0, "expect", goal.statement, at.get("expect", 0))
        self.field(0, "hook", goal.hook, at.get("hook", 0))
        self.field(0, "description", goal.description, at.get("description", 0))
        self.words(0, "scope", goal.scope, at.get("scope", 0))
        self.field(0, "owner", goal.owner, at.get("owner", 0))
        self.words(0, "ci", goal.ci, at.get("ci", 0))
        self.words(0, "tags", [tag.name for tag in goal.tags], at.get("tags", 0))
        self.field(0, "language", language, at.get("language", 0))
        self.background(0, goal.background, at.get("background", 0))
        if goal.scenarios:
            self.page.put(0, "scenarios:", at.get("scenarios", 0))
            self.scenarios(1, goal.scenarios)
        if goal.rules:
            self.page.put(0, "rules:", at.get("rules", 0))
            for number, rule in enumerate(goal.rules):
                self.rule(1, rule, number > 0)

    def field(self, depth: int, key: str, text: str, line: int = 0) -> None:
        if text:
            self.value(depth, f"{key}: ", text, line)

    def value(self, depth: int, lead: str, text: str, line: int = 0) -> None:
        """A text after its key: a block where it has several lines and a block can hold it."""
        if "\n" in text and _fits_block(text):
            self.block(depth, lead, text, line)
        else:
            self.page.put(depth, lead + scalar(text), line)

    def block(self, depth: int, lead: str, text: str, line: int = 0) -> None:
        """The text as a `|` block, whose last line end is not part of it."""
        self.page.put(depth, f"{lead}|{'+' if text.endswith(chr(10)) else ''}", line)
        inner = depth + (2 if lead.startswith("- ") else 1)
        for part in text.split("\n"):
            self.page.put(inner if part else 0, part)

    def words(self, depth: int, key: str, words: Sequence[str], line: int = 0) -> None:
        if words:
            self.page.put(depth, f"{key}: {_flow(map(_word, words))}", line)

    def tags(self, depth: int, tags: Sequence[Tag]) -> None:
        self.words(depth, "tags", [tag.name for tag in tags])

    def background(self, depth: int, background: Background | None, line: int = 0) -> None:
        if background is None:
            return
        self.page.put(depth, "background:", line)
        if background.name or background.description:
            self.field(depth + 1, "name", background.name)
            self.field(depth + 1, "description", background.description)
            self.steps(depth + 1, background.steps)
        else:
            self.step_list(depth + 1, background.steps)

    def rule(self, depth: int, rule: Rule, later: bool) -> None:
        self.item(depth, rule.name, rule.place, later)
        self.field(depth + 1, "description", rule.description)
        self.tags(depth + 1, rule.tags)
        self.background(depth + 1, rule.background)
        self.page.put(depth + 1, f"scenarios:{'' if rule.scenarios else ' []'}")
        self.scenarios(depth + 2, rule.scenarios)

    def item(self, depth: int, name: str, place: Place, later: bool) -> None:
        """The first line of a list entry that has a name, with an empty line between entries."""
        if later:
            self.page.gap(place.line)
        self.page.put(depth, f"- name: {scalar(name)}", place.line)

    def scenarios(self, depth: int, scenarios: Sequence[Scenario]) -> None:
        for number, scenario in enumerate(scenarios):
            self.item(depth, scenario.name, scenario.place, number > 0)
            self.field(depth + 1, "description", scenario.description)
            self.tags(depth + 1, scenario.tags)
            self.steps(depth + 1, scenario.steps)
            if scenario.outline:
                self.page.put(depth + 1, f"examples:{'' if scenario.examples else ' []'}")
                for examples in scenario.examples:
                    self.examples(depth + 2, examples)

    def examples(self, depth: int, examples: Examples) -> None:
        starts = chain([(depth, "- ")], repeat((depth + 1, "")))
        line = examples.place.line
        for key, text in (("name", examples.name), ("description", examples.description)):
            if text:
                at, lead = next(starts)
                self.value(at, f"{lead}{key}: ", text, line)
        if examples.tags:
            at, lead = next(starts)
            self.page.put(at, f"{lead}tags: {_flow(_word(tag.name) for tag in examples.tags)}", line)
        at, lead = next(starts)
        self.page.put(at, f"{lead}table:", line)
        rows = (examples.columns, *examples.rows)
        self.rows(depth + 2, rows, (examples.header_place, *examples.row_places))

    def steps(self, depth: int, steps: Sequence[Step]) -> None:
        self.page.put(depth, f"steps:{'' if steps else ' []'}")
        self.step_list(depth + 1, steps)

    def step_list(self, depth: int, steps: Sequence[Step]) -> None:
        for step in steps:
            key = "never" if step.declared_never else step.kind
            self.page.put(depth, f"- {key}: {scalar(step.text)}", step.place.line)
            if step.docstring is not None:
                self.docstring(depth + 1, step.docstring)
            if step.table is not None:
                self.page.put(depth + 1, "table:")
                self.rows(depth + 2, step.table.rows, step.table.row_places)

    def docstring(self, depth: int, docstring: DocString) -> None:
        text, line = docstring.text, docstring.place.line
        if text.strip("\n") and _fits_block(text):
            self.block(depth, "docstring: ", text, line)
        else:
            self.page.put(depth, f"docstring: {_quoted(text)}", line)
        self.field(depth, "media", docstring.media)

    def rows(self, depth: int, rows: Sequence[Sequence[str]], places: Sequence[Place]) -> None:
        for row, place in zip(rows, places, strict=True):
            self.page.put(depth, f"- {_flow(map(_cell, row))}", place.line)


def scalar(text: str) -> str:
    """A text on one line, in quotes only where YAML would read something else without them."""
    if _is_plain(text) and _resolve(yaml.ScalarNode, text, (True, False)) == "tag:yaml.org,2002:str":
        return text
    return _quoted(text)


def _cell(text: str) -> str:
    """A cell may look like a number: it is read as it is written."""
    return text if _is_plain(text) and not _NO_CELL.search(text) else _quoted(text)


def _word(text: str) -> str:
    return _quoted(text) if _NO_CELL.search(text) else scalar(text)


def _flow(parts: Iterable[str]) -> str:
    return f"[{', '.join(parts)}]"


def _is_plain(text: str) -> bool:
    return (
        _PLAIN.fullmatch(text) is not None
        and ": " not in text
        and " #" not in text
        and not text.endswith((":", " "))
        and _PRINTABLE.fullmatch(text) is not None
        and "\t" not in text
    )


def _quoted(text: str) -> str:
    if "\n" not in text and _PRINTABLE.fullmatch(text) and "\t" not in text:
        return "'" + text.replace("'", "''") + "'" if '"' in text or "\\" in text else f'"{text}"'
    escaped = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match.group()):04x}", escaped)


def _fits_block(text: str) -> bool:
    """Whether a `|` block holds the text as it is: printable, and its first line not indented."""
    return not text.startswith((" ", "\n", "\t")) and _PRINTABLE.fullmatch(text) is not None
