"""The `.feature` spelling, read by gherkin-official."""

from __future__ import annotations

from typing import Any

from gherkin.dialect import Dialect
from gherkin.errors import CompositeParserException, ParserError, ParserException

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
)
from ..problem import Problem
from .gherkin_errors import complaints
from .parser import parse_document
from .source import GoalFileText, GoalTags, Parsed, split_description, tidy

_KINDS: dict[str, Kind] = {"Context": "given", "Action": "when", "Outcome": "then"}


def parse_gherkin(source: GoalFileText) -> Parsed:
    """Parse one `.feature` file. All syntax errors are reported, not the first alone."""
    try:
        document = parse_document(source.text)
    except CompositeParserException as error:
        return Parsed(None, source, complaints(error.errors, source))
    except ParserException as error:
        return Parsed(None, source, complaints([error], source))
    except ParserError as error:
        return Parsed(None, source, (Problem("syntax", Place(1), str(error)),))
    if not document.get("feature"):
        message = "there is no goal in this file: it needs a Feature"
        return Parsed(None, source, (Problem("empty-file", Place(1), message),))
    return _Builder(source).goal(document["feature"])


class _Builder:
    """Turns the parser's dictionaries into the model and keeps the problems met on the way."""

    def __init__(self, source: GoalFileText) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.but: frozenset[str] = frozenset()
        self.outlines: frozenset[str] = frozenset()

    def goal(self, feature: dict[str, Any]) -> Parsed:
        place = _place(feature)
        dialect: Any = Dialect.for_name(feature["language"])
        self.but = frozenset(dialect.but_keywords) - {"* "}
        self.outlines = frozenset(dialect.scenario_outline_keywords)
        tags = GoalTags.sort(_tags(feature), place)
        self.problems += tags.problems
        statement, hook, description = split_description(feature["description"])
        background, scenarios, rules = self.children(feature["children"], None)
        goal = Goal(
            id=tags.id,
            tier=tags.tier if tags.tier is not None else 2,
            title=feature["name"],
            scenarios=scenarios,
            statement=statement,
            hook=hook,
            description=description,
            scope=tuple(tags.scope),
            owner=tags.owner,
            ci=tuple(tags.ci),
            tags=tuple(tags.rest),
            language=feature["language"],
            background=background,
            rules=rules,
            keyword=feature["keyword"],
            tier_stated=tags.tier_stated,
            place=place,
            path=self.source.path,
        )
        return Parsed(goal, self.source, tuple(self.problems))

    def children(
        self, children: list[dict[str, Any]], kind: Kind | None
    ) -> tuple[Background | None, tuple[Scenario, ...], tuple[Rule, ...]]:
        """The parts of a feature or rule; `kind` is what an And at the start of a scenario continues."""
        background: Background | None = None
        scenarios: list[Scenario] = []
        rules: list[Rule] = []
        for child in children:
            if "background" in child:
                background = self.background(child["background"], kind)
                kind = background.steps[-1].kind if background.steps else kind
            elif "rule" in child:
                rules.append(self.rule(child["rule"], kind))
            else:
                scenarios.append(self.scenario(child["scenario"], kind))
        return background, tuple(scenarios), tuple(rules)

    def background(self, data: dict[str, Any], kind: Kind | None) -> Background:
        steps = self.steps(data["steps"], kind)
        return Background(steps, data["name"], _description(data), _place(data), data["keyword"])

    def rule(self, data: dict[str, Any], kind: Kind | None) -> Rule:
        background, scenarios, _ = self.children(data["children"], kind)
        return Rule(
            name=data["name"],
            scenarios=scenarios,
            description=_description(data),
            tags=tuple(_tags(data)),
            background=background,
            keyword=data["keyword"],
            place=_place(data),
        )

    def scenario(self, data: dict[str, Any], kind: Kind | None) -> Scenario:
        examples = tuple(_examples(e) for e in data["examples"])
        return Scenario(
            name=data["name"],
            steps=self.steps(data["steps"], kind),
            description=_description(data),
            tags=tuple(_tags(data)),
            examples=examples,
            outline=bool(examples) or data["keyword"] in self.outlines,
            keyword=data["keyword"],
            place=_place(data),
        )

    def steps(self, steps: list[dict[str, Any]], kind: Kind | None) -> tuple[Step, ...]:
        built: list[Step] = []
        for data in steps:
            built.append(self.step(data, kind, bool(built and built[-1].declared_never)))
            kind = built[-1].kind
        return tuple(built)

    def step(self, data: dict[str, Any], before: Kind | None, after_never: bool) -> Step:
        place, keyword, text = _place(data), data["keyword"], data["text"]
        kind = _KINDS.get(data["keywordType"], before)
        if kind is None:
            kind = "given"
            if keyword != "* ":
                word = keyword.strip()
                message = f"{word} continues nothing here: begin with Given, When or Then"
                self.problems.append(Problem("dangling-and", place, message, span=len(word)))
        if table := data.get("dataTable"):
            rows = tuple(tuple(cell["value"] for cell in row["cells"]) for row in table["rows"])
            table = Table(rows, _place(table), tuple(_place(row) for row in table["rows"]))
        if doc := data.get("docString"):
            doc = DocString(doc["content"], doc.get("mediaType", ""), _place(doc))
        negative = reads_negative(kind, text)
        goes_on = after_never and negative and data["keywordType"] == "Conjunction"
        declared = keyword.strip() if kind == "then" and (goes_on or keyword in self.but) else ""
        rest = self.source.lines[place.line - 1][place.column - 1 + len(keyword) :]
        text_place = Place(place.line, place.column + len(keyword) + len(rest) - len(rest.lstrip()))
        return Step(
            kind=kind,
            text=text,
            negative=negative or bool(declared),
            table=table,
            docstring=doc,
            keyword=keyword.strip(),
            declared_never=declared,
            place=place,
            text_place=text_place,
        )


def _examples(data: dict[str, Any]) -> Examples:
    header, body = data.get("tableHeader"), data.get("tableBody") or ()
    return Examples(
        columns=tuple(cell["value"] for cell in header["cells"]) if header else (),
        rows=tuple(tuple(cell["value"] for cell in row["cells"]) for row in body),
        name=data["name"],
        description=_description(data),
        tags=tuple(_tags(data)),
        place=_place(data),
        row_places=tuple(_place(row) for row in body),
        header_place=_place(header) if header else _place(data),
        keyword=data["keyword"],
    )


def _tags(data: dict[str, Any]) -> list[Tag]:
    return [Tag(tag["name"].removeprefix("@"), _place(tag)) for tag in data["tags"]]


def _place(data: dict[str, Any]) -> Place:
    location = data["location"]
    return Place(location["line"], location.get("column", 1))


def _description(data: dict[str, Any]) -> str:
    return tidy(data["description"])
