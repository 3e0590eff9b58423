"""Model to file to model, in both spellings and across: nothing is lost, or the loss is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from goalkeeper.runner.files import GoalFileText, Parsed, parse
from goalkeeper.runner.goal import (
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
from goalkeeper.runner.problem import GoalError
from goalkeeper.runner.writing import formatted, rewritten, to_gherkin, to_yaml

FEATURE, YAML = Path("a.feature"), Path("a.goal.yaml")

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
lines = st.text(st.sampled_from("aZ09 :#-'\"\\|<>@*,[]{}&!%`é日🥒.\t"), max_size=16).map(
    lambda text: " ".join(text.split())
)
# What Gherkin would read as something else than a description is for the tests of refusals below.
prose = lines.map(lambda text: f"x {text}".strip())
words = st.text(st.sampled_from("abcXYZ019_./-+é"), min_size=1, max_size=6)
tags = st.lists(words.map(lambda word: f"t{word}").map(Tag), max_size=3).map(tuple)
cells = st.text(st.sampled_from("aé 0.1\\|n\"'#:,[]{}~-<>\n"), max_size=8).map(str.strip)
docs = st.text(st.sampled_from("aé日 \\\"`'#:|\n\t@-"), max_size=30)


@st.composite
def tables(draw: st.DrawFn) -> tuple[tuple[str, ...], ...]:
    width = draw(st.integers(1, 3))
    row = st.lists(cells, min_size=width, max_size=width).map(tuple)
    return tuple(draw(st.lists(row, min_size=1, max_size=3)))


@st.composite
def steps(draw: st.DrawFn, kind: Kind, after: Kind | None) -> Step:
    """A step; as negative as its words, or any Then after a Then, where Gherkin has `But` for it."""
    text = draw(prose | prose.map(lambda text: f"never {text}"))
    extra = draw(st.sampled_from(["", "table", "docstring"]))
    rows = draw(tables()) if extra == "table" else None
    declared = kind == after == "then" and draw(st.booleans())
    return Step(
        kind,
        text,
        negative=reads_negative(kind, text) or declared,
        declared_never="never" if declared else "",
        table=None if rows is None else Table(rows, row_places=(Place(0),) * len(rows)),
        docstring=DocString(draw(docs), draw(st.sampled_from(["", "json"])))
        if extra == "docstring"
        else None,
    )


kind: st.SearchStrategy[Kind] = st.sampled_from(["given", "when", "then"])
kinds = st.lists(kind, min_size=1, max_size=4)
step_lists = kinds.flatmap(
    lambda kinds: st.tuples(*(steps(k, before) for k, before in zip(kinds, [None, *kinds], strict=False)))
)
descriptions = st.lists(prose, max_size=2).map("\n".join)
backgrounds = st.none() | st.builds(Background, step_lists, lines, descriptions)


@st.composite
def examples(draw: st.DrawFn) -> Examples:
    rows = draw(tables())
    columns, *body = rows
    return Examples(
        columns, tuple(body), draw(lines), draw(descriptions), draw(tags), row_places=(Place(0),) * len(body)
    )


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    outline = draw(st.booleans())
    shown = tuple(draw(st.lists(examples(), min_size=1, max_size=2))) if outline else ()
    return Scenario(draw(prose), draw(step_lists), draw(descriptions), draw(tags), shown, outline)


scenario_lists = st.lists(scenarios(), max_size=2).map(tuple)
rules = st.builds(Rule, prose, scenario_lists, descriptions, tags, backgrounds)


@st.composite
def goals(draw: st.DrawFn) -> Goal:
    tier = draw(st.integers(0, 2))
    return Goal(
        id=f"{draw(st.sampled_from(['', 'THRUM-']))}G{tier}.{draw(st.integers(0, 99))}",
        tier=tier,
        title=draw(prose),
        scenarios=draw(scenario_lists),
        statement=draw(lines),
        hook=draw(lines),
        description=draw(descriptions),
        scope=tuple(draw(st.lists(words, max_size=2))),
        owner=draw(st.just("") | words),
        ci=tuple(draw(st.lists(words, max_size=2))),
        tags=draw(tags),
        language=draw(st.sampled_from(["en", "en", "fr", "ja", "zh-CN"])),
        background=draw(backgrounds),
        rules=tuple(draw(st.lists(rules, max_size=2))),
        tier_stated=draw(st.booleans()),
        path=draw(st.sampled_from([Path("model.goal.yaml")])),
    )


def read(path: Path, text: str) -> Parsed:
    return parse(GoalFileText(path, text))


@given(goals())
def test_yaml_holds_every_goal(goal: Goal) -> None:
    assert read(YAML, to_yaml(goal)).unwrap() == goal


@given(goals())
def test_gherkin_holds_every_goal(goal: Goal) -> None:
    assert read(FEATURE, to_gherkin(goal)).unwrap() == goal


@given(goals())
@settings(max_examples=50)
def test_there_and_back_is_the_same_file(goal: Goal) -> None:
    feature = read(FEATURE, to_gherkin(goal))
    in_yaml = read(YAML, rewritten(feature, YAML))
    assert in_yaml.unwrap() == goal
    assert rewritten(in_yaml, FEATURE) == feature.source.text


@given(goals(), st.sampled_from([FEATURE, YAML]))
@settings(max_examples=50)
def test_formatting_twice_changes_nothing_more(goal: Goal, path: Path) -> None:
    once = formatted(read(path, to_gherkin(goal) if path is FEATURE else to_yaml(goal)))
    assert formatted(read(path, once)) == once


@given(any_text, st.sampled_from(["title", "cell", "docstring", "step", "description"]))
@settings(max_examples=300)
def test_any_text_is_kept_or_refused(text: str, where: str) -> None:
    """Whatever stands in a YAML goal, Gherkin says the same or the conversion is refused."""
    table = Table(((text,),), row_places=(Place(0),)) if where == "cell" else None
    doc = DocString(text) if where == "docstring" else None
    step = Step("when", f"x{text}" if where == "step" else "x", table=table, docstring=doc)
    fields: dict[str, Any] = {where: f"x{text}"} if where in ("title", "description") else {}
    model = Goal("G1.1", 1, **{"title": "t", **fields}, scenarios=(Scenario("s", (step,)),))
    in_yaml = read(YAML, to_yaml(model))
    assume(in_yaml.goal is not None and not in_yaml.problems)
    try:
        feature = rewritten(in_yaml, FEATURE)
    except GoalError as error:
        assert [problem.rule for problem in error.problems] == ["not-expressible"]
    else:
        assert read(FEATURE, feature).unwrap() == in_yaml.goal


@pytest.mark.parametrize(
    "description", ["Scenario: x", "# a comment", "@tag", "Rule: x", "Background:", "Example: x"]
)
def test_a_description_that_gherkin_would_misread_is_refused(description: str) -> None:
    goal = Goal("G1.1", 1, "t", (Scenario("s", (Step("when", "x"),)),), description=description)
    with pytest.raises(GoalError, match=r"can't be (written|said) in Gherkin"):
        rewritten(read(YAML, to_yaml(goal)), FEATURE)
