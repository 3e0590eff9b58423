"""The `.goal.yaml` spelling, read as nodes so that every value keeps its place and its written form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ... import schemas
from ..goal import (
    Background,
    DocString,
    Examples,
    Goal,
    Kind,
    Place,
    Rule,
    Scenario,
    Step,
    Table,
    Tag,
    reads_negative,
    tier_of,
)
from ..problem import Problem
from .language import unknown_language
from .nodes import fields_of, items_of, place_of, text_of, text_place_of
from .shape import Shape
from .source import GoalFileText, Parsed, one_line, tidy, tier_mismatch
from .yaml_errors import explain, unprintable, within

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_KINDS: dict[str, Kind] = {"given": "given", "when": "when", "then": "then", "never": "then"}
_DEEPEST = 50


@cache
def _shape() -> Shape:
    return Shape(schemas.load("goal"))


def parse_yaml(source: GoalFileText) -> Parsed:
    """Parse one `.goal.yaml` file and hold it against the published schema."""
    document = compose(source, _shape(), "there is no goal in this file")
    if not isinstance(document, Node):
        return Parsed(None, source, document)
    return _goal(document, source)


def compose(source: GoalFileText, shape: Shape, empty: str) -> Node | tuple[Problem, ...]:
    """A YAML document that fits a shape, or what is wrong with it; `empty` is said of an empty one."""
    try:
        if (deep := _too_deep(source.text)) is not None:
            return (deep,)
        document = yaml.compose(source.text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        return (explain(error, source),)
    except yaml.reader.ReaderError as error:
        return (unprintable(error, source),)
    except yaml.YAMLError as error:
        return (Problem("syntax", Place(1), f"this is not YAML: {error}"),)
    if document is None or (isinstance(document, ScalarNode) and not document.value):
        return (Problem("empty-file", Place(1), empty),)
    problems = [*_aliases(document)] if "&" in source.text else []
    problems = problems or shape.check(document)
    problems += [*_cut_by_comment(document, source)] if not problems else []
    if problems:
        return tuple(replace(p, place=within(p.place, source)) for p in problems)
    checked: Node = document
    return checked


def _goal(document: Node, source: GoalFileText) -> Parsed:
    fields = fields_of(document)
    goal_id = text_of(fields.get("goal"))
    tier = tier_of(goal_id) or 0
    problems: list[Problem] = []
    if "tier" in fields and int(text_of(fields["tier"])) != tier:
        problems.append(tier_mismatch(goal_id, int(text_of(fields["tier"])), place_of(fields["tier"])))
    if "language" in fields:
        wrong = unknown_language(text_of(fields["language"]), text_place_of(fields["language"]))
        problems += [wrong] if wrong is not None else []
    build = _Builder()
    goal = Goal(
        id=goal_id,
        tier=tier,
        title=build.line(fields["title"]),
        scenarios=build.scenarios(fields.get("scenarios")),
        statement=one_line(text_of(fields.get("expect"))),
        hook=one_line(text_of(fields.get("hook"))),
        description=tidy(text_of(fields.get("description"))),
        scope=tuple(text_of(n) for n in items_of(fields.get("scope"))),
        owner=build.line(fields.get("owner")),
        ci=tuple(text_of(n) for n in items_of(fields.get("ci"))),
        tags=_tags(fields.get("tags")),
        language=text_of(fields.get("language")) or "en",
        background=build.background(fields.get("background")),
        rules=tuple(build.rule(node) for node in items_of(fields.get("rules"))),
        tier_stated="tier" in fields,
        key_lines={key.value: key.start_mark.line + 1 for key, _ in document.value},
        place=place_of(document),
        path=source.path,
    )
    return Parsed(goal, source, (*problems, *build.problems))


def steps_of(node: Node) -> tuple[tuple[Step, ...], list[Problem]]:
    """The steps in a list that fits the schema, and what a schema can't see."""
    build = _Builder()
    return build.steps(node), build.problems


class _Builder:
    """Nodes that fit the schema in, model out; ragged tables are what a schema can't see."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def line(self, node: Node | None) -> str:
        """A name or sentence: one line, whatever it is folded into, without spaces around it."""
        text = text_of(node).strip()
        if node is not None and "\n" in text:
            message = "this must be one line of text: write > instead of | to fold several into one"
            self.problems.append(Problem("several-lines", place_of(node), message))
        return text

    def background(self, node: Node | None) -> Background | None:
        if node is None:
            return None
        if isinstance(node, SequenceNode):
            return Background(self.steps(node), place=place_of(node))
        fields = fields_of(node)
        steps = self.steps(fields["steps"])
        description = tidy(text_of(fields.get("description")))
        return Background(steps, self.line(fields.get("name")), description, place_of(node))

    def rule(self, node: Node) -> Rule:
        fields = fields_of(node)
        return Rule(
            name=self.line(fields["name"]),
            scenarios=self.scenarios(fields["scenarios"]),
            description=tidy(text_of(fields.get("description"))),
            tags=_tags(fields.get("tags")),
            background=self.background(fields.get("background")),
            place=place_of(node),
        )

    def scenarios(self, node: Node | None) -> tuple[Scenario, ...]:
        return tuple(self.scenario(item) for item in items_of(node))

    def scenario(self, node: Node) -> Scenario:
        fields = fields_of(node)
        outline = "examples" in fields
        return Scenario(
            name=self.line(fields["name"]),
            steps=self.steps(fields["steps"]),
            description=tidy(text_of(fields.get("description"))),
            tags=_tags(fields.get("tags")),
            examples=tuple(self.examples(item) for item in items_of(fields.get("examples"))),
            outline=outline,
            keyword="Scenario Outline" if outline else "Scenario",
            place=place_of(node),
        )

    def examples(self, node: Node) -> Examples:
        fields = fields_of(node)
        table = self.table(fields["table"])
        columns = table.rows[0]
        whole = [n for n, row in enumerate(table.rows) if n and len(row) == len(columns)]
        return Examples(
            columns=columns,
            rows=tuple(table.rows[n] for n in whole),
            name=self.line(fields.get("name")),
            description=tidy(text_of(fields.get("description"))),
            tags=_tags(fields.get("tags")),
            place=place_of(node),
            row_places=tuple(table.row_places[n] for n in whole),
            header_place=table.place,
        )

    def steps(self, node: Node) -> tuple[Step, ...]:
        steps: list[Step] = []
        for item in items_of(node):
            steps.append(self.step(item, steps[-1] if steps else None))
        return tuple(steps)

    def step(self, node: Node, before: Step | None) -> Step:
        fields = fields_of(node)
        key = next(key for key in fields if key in _KINDS)
        kind, text = _KINDS[key], self.line(fields[key])
        negative = key == "never" or reads_negative(kind, text)
        if negative and not (before is not None and before.negative):
            keyword = "But" if before is not None and before.kind == "then" else "Then"
        else:
            keyword = "And" if before is not None and before.kind == kind else kind.capitalize()
        doc = fields.get("docstring")
        return Step(
            kind=kind,
            text=text,
            negative=negative,
            table=self.table(fields["table"]) if "table" in fields else None,
            docstring=None if doc is None else _docstring(doc, fields.get("media")),
            keyword=keyword,
            declared_never=key if key == "never" else "",
            place=place_of(node),
            text_place=text_place_of(fields[key]),
        )

    def table(self, node: Node) -> Table:
        rows = tuple(tuple(text_of(cell) for cell in items_of(row)) for row in items_of(node))
        for row_node, row in zip(items_of(node), rows, strict=True):
            if len(row) != len(rows[0]):
                cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
                message = f"this row has {cells}, the first row has {len(rows[0])}"
                self.problems.append(Problem("ragged-table", place_of(row_node), message))
        return Table(rows, place_of(node), tuple(place_of(row) for row in items_of(node)))


def _docstring(node: Node, media: Node | None) -> DocString:
    """A block (`|`) ends with its last line, as a doc string in Gherkin does, and not with an empty one."""
    text = text_of(node)
    if isinstance(node, ScalarNode) and node.style in ("|", ">"):
        text = text.removesuffix("\n")
    return DocString(text, text_of(media), place_of(node))


def _tags(node: Node | None) -> tuple[Tag, ...]:
    return tuple(Tag(text_of(item), place_of(item)) for item in items_of(node))


def _aliases(document: Node) -> Iterator[Problem]:
    """A node met twice came through an alias: nested, they stand for billions of lines; none is taken."""
    seen: set[int] = set()
    stack = [document]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            message = "anchors and aliases (&name, *name) are not for goal files: write the text out"
            yield Problem("alias", place_of(node), message)
            return
        seen.add(id(node))
        if isinstance(node, MappingNode):
            stack += [part for pair in node.value for part in pair]
        elif isinstance(node, SequenceNode):
            stack += node.value


def _cut_by_comment(document: Node, source: GoalFileText) -> Iterator[Problem]:
    """Plain text that YAML ended at ` #`: the rest of the sentence would be lost without a word."""
    if " #" not in source.text:
        return
    stack = [document]
    while stack:
        node = stack.pop()
        if isinstance(node, ScalarNode):
            end = node.end_mark
            rest = source.lines[end.line][end.column :] if end.line < len(source.lines) else ""
            if not node.style and str(node.value).count('"') % 2 and rest.lstrip().startswith("#"):
                message = "YAML takes everything from # on as a comment: put the sentence in quotes"
                place = Place(end.line + 1, end.column + 1 + rest.index("#"))
                yield Problem("cut-by-comment", place, message)
        elif isinstance(node, MappingNode):
            stack += [value for _, value in node.value]
        else:
            stack += node.value


def _too_deep(text: str) -> Problem | None:
    """libyaml builds nodes by recursion without a bound: ten thousands of brackets would end the process."""
    if len(text) < 5000 and _Loader is not yaml.SafeLoader:
        return None
    depth = 0
    event: Any
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            place = Place(event.start_mark.line + 1, event.start_mark.column + 1)
            message = f"lists and mappings within each other, more than {_DEEPEST} deep"
            return Problem("too-deep", place, message)
    return None
