"""What a goal is, whichever way it was spelled.

Values only: nothing here reads a file, and neither pytest nor a step library is needed to hold a goal.
Where two spellings may differ without a difference in meaning (the word `And`, a line number), the field
does not take part in comparison.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Literal

Kind = Literal["given", "when", "then"]

GOAL_ID = re.compile(r"(?:[A-Z][A-Z0-9]*-)?G(?P<tier>[0-2])\.[0-9]+[a-z]?")
PLACEHOLDER = re.compile(r"<([^<>\s](?:[^<>]*[^<>\s])?)>")
_ARTIFACT = re.compile(
    r"\b(state|log|file|directory|output|repository|branch|tag|worktree|container|image|network|volume|database)"
    r'\s+"([^"]+)"'
)
_OUTPUT = re.compile(r"\b(?:output|exit code|prints)\b")
_NEVER = re.compile(r"\bnever\b", re.IGNORECASE)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a goal file, counted from one as editors do."""

    line: int
    column: int = 1


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag without its `@`. `key:value` is metadata; anything else becomes a pytest mark."""

    name: str
    place: Place = field(default=Place(0), compare=False)

    @property
    def is_mark(self) -> bool:
        return ":" not in self.name


@dataclass(frozen=True, slots=True)
class Table:
    rows: tuple[tuple[str, ...], ...]
    place: Place = field(default=Place(0), compare=False)
    row_places: tuple[Place, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class DocString:
    text: str
    media: str = ""
    place: Place = field(default=Place(0), compare=False)


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a scenario. `negative` says that it is written as one; its definition has the last word.

    `declared_never` is the word that claims it, `never`, `But` or an `And` that goes on from it: there a
    definition that is no negative step is a mistake.
    """

    kind: Kind
    text: str
    negative: bool = False
    table: Table | None = None
    docstring: DocString | None = None
    keyword: str = field(default="", compare=False)
    declared_never: str = field(default="", compare=False)
    place: Place = field(default=Place(0), compare=False)
    text_place: Place = field(default=Place(0), compare=False)

    def rendered(self, values: Mapping[str, str]) -> Step:
        """This step with the placeholders of an Examples row filled in."""
        table, docstring = self.table, self.docstring
        if table is not None:
            table = replace(table, rows=tuple(tuple(fill(c, values) for c in row) for row in table.rows))
        if docstring is not None:
            docstring = replace(docstring, text=fill(docstring.text, values))
        return replace(self, text=fill(self.text, values), table=table, docstring=docstring)

    def texts(self) -> Iterator[tuple[str, Place]]:
        """Everything in the step that may hold a placeholder, with the place to point at."""
        yield self.text, self.text_place
        if self.table is not None:
            yield from ((cell, self.table.place) for row in self.table.rows for cell in row)
        if self.docstring is not None:
            yield self.docstring.text, self.docstring.place


@dataclass(frozen=True, slots=True)
class Background:
    steps: tuple[Step, ...]
    name: str = ""
    description: str = ""
    place: Place = field(default=Place(0), compare=False)
    keyword: str = field(default="Background", compare=False)


@dataclass(frozen=True, slots=True)
class Examples:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    name: str = ""
    description: str = ""
    tags: tuple[Tag, ...] = ()
    place: Place = field(default=Place(0), compare=False)
    row_places: tuple[Place, ...] = field(default=(), compare=False)
    header_place: Place = field(default=Place(0), compare=False)
    keyword: str = field(default="Examples", compare=False)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario as written; an outline stands for as many cases as its Examples have rows."""

    name: str
    steps: tuple[Step, ...]
    description: str = ""
    tags: tuple[Tag, ...] = ()
    examples: tuple[Examples, ...] = ()
    outline: bool = False
    keyword: str = field(default="Scenario", compare=False)
    place: Place = field(default=Place(0), compare=False)


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    scenarios: tuple[Scenario, ...]
    description: str = ""
    tags: tuple[Tag, ...] = ()
    background: Background | None = None
    keyword: str = field(default="Rule", compare=False)
    place: Place = field(default=Place(0), compare=False)


@dataclass(frozen=True, slots=True)
class Case:
    """One path to run: a scenario, or one row of an outline, with every background step before its own."""

    name: str
    scenario: Scenario
    steps: tuple[Step, ...]
    tags: tuple[Tag, ...]
    place: Place
    rule: Rule | None = None
    values: Mapping[str, str] | None = None

    @property
    def node_name(self) -> str:
        """What pytest calls it: the name on one line, without the `::` that separates parts of a node id."""
        return " ".join(self.name.split()).replace("::", ":")


@dataclass(frozen=True, slots=True)
class Goal:
    """One expectation: an id, a tier, and the scenarios that show it. One file, one goal."""

    id: str
    tier: int
    title: str
    scenarios: tuple[Scenario, ...]
    statement: str = ""
    hook: str = ""
    description: str = ""
    scope: tuple[str, ...] = ()
    owner: str = ""
    ci: tuple[str, ...] = ()
    tags: tuple[Tag, ...] = ()
    language: str = "en"
    background: Background | None = None
    rules: tuple[Rule, ...] = ()
    keyword: str = field(default="Feature", compare=False)
    tier_stated: bool = field(default=False, compare=False)
    key_lines: Mapping[str, int] = field(default_factory=dict, compare=False, hash=False)
    place: Place = field(default=Place(1), compare=False)
    path: Path = field(default=Path(), compare=False)

    def all_scenarios(self) -> Iterator[tuple[Rule | None, Scenario]]:
        yield from ((None, scenario) for scenario in self.scenarios)
        yield from ((rule, scenario) for rule in self.rules for scenario in rule.scenarios)

    def all_steps(self) -> Iterator[Step]:
        """Every step as written, backgrounds first."""
        backgrounds = (self.background, *(rule.background for rule in self.rules))
        yield from chain.from_iterable(b.steps for b in backgrounds if b is not None)
        yield from chain.from_iterable(scenario.steps for _, scenario in self.all_scenarios())

    def cases(self) -> Iterator[Case]:
        """Everything this goal asks to be run, in the order of the file."""
        for rule, scenario in self.all_scenarios():
            yield from self._cases_of(rule, scenario)

    def _cases_of(self, rule: Rule | None, scenario: Scenario) -> Iterator[Case]:
        before = () if self.background is None else self.background.steps
        if rule is not None and rule.background is not None:
            before += rule.background.steps
        steps = before + scenario.steps
        tags = (*self.tags, *(rule.tags if rule is not None else ()), *scenario.tags)
        if not scenario.outline:
            yield Case(scenario.name, scenario, steps, tags, scenario.place, rule)
            return
        for examples in scenario.examples:
            for row, place in zip(examples.rows, examples.row_places, strict=True):
                values = dict(zip(examples.columns, row, strict=True))
                yield Case(
                    name=f"{fill(scenario.name, values)}[{'-'.join(row)}]",
                    scenario=scenario,
                    steps=tuple(step.rendered(values) for step in steps),
                    tags=(*tags, *examples.tags),
                    place=place,
                    rule=rule,
                    values=values,
                )

    @property
    def configuration(self) -> tuple[tuple[str, str], ...]:
        """The settings the goal presumes: the two-column tables of its backgrounds' Givens."""
        backgrounds = (self.background, *(rule.background for rule in self.rules))
        tables = (
            step.table
            for background in backgrounds
            if background is not None
            for step in background.steps
            if step.kind == "given" and step.table is not None
        )
        return tuple((row[0], row[1]) for table in tables for row in table.rows if len(row) == 2)

    @property
    def artifacts(self) -> tuple[str, ...]:
        """What its steps speak of by handle, such as `log "orchestrator"`, and the output; each once."""
        return tuple(dict.fromkeys(self.each_artifact()))

    def each_artifact(self) -> Iterator[str]:
        """The same, as often as it is spoken of."""
        for step in self.all_steps():
            yield from (" ".join(match.group().split()) for match in _ARTIFACT.finditer(step.text))
            if _OUTPUT.search(_QUOTED.sub("", step.text)):
                yield "output"

    def never_list(self, is_negative: Callable[[Step], bool] = lambda step: step.negative) -> tuple[str, ...]:
        """What must not happen, each once; a caller that has bound the steps knows better than we do."""
        return tuple(dict.fromkeys(step.text for step in self.all_steps() if is_negative(step)))


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replace each `<column>` by its value; what is no column stays as it is."""
    if "<" not in text:
        return text
    return PLACEHOLDER.sub(lambda match: values.get(match.group(1), match.group()), text)


def reads_negative(kind: Kind, text: str) -> bool:
    """Whether a Then itself says "never", outside of what it quotes."""
    return kind == "then" and "never" in text.lower() and _NEVER.search(_QUOTED.sub("", text)) is not None


def tier_of(goal_id: str) -> int | None:
    """The tier that a well-formed id carries in itself: `G0.1` is of tier 0."""
    match = GOAL_ID.fullmatch(goal_id)
    return None if match is None else int(match["tier"])
