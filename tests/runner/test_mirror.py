"""What hooks are given equals what pytest-bdd itself would have made of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_bdd import parser as theirs
from pytest_bdd.reporting import ScenarioReport

from goalkeeper.runner import files
from goalkeeper.runner.goal import Goal
from goalkeeper.runner.mirror import Mirror, feature_data, scenario_data, shown_name

RICH = """\
# a comment
@G0.1 @tier0 @scope:run @scope:task @owner:me @ci:nightly @slow
Feature: A rich goal
  Expect: it is mirrored
  Hook: a file

  Words about it,
    indented ones too.

  Background: of all
    Given a start
      | key | value   |
      | a   | 1 \\| 2 |
    And a text
      \"\"\"json
      {"deep":
        true}
      \"\"\"

  @first
  Scenario: Plain
    What it is about.
    When it acts
    Then it is done
    But it never fails
    * it rests

  @outlined @second
  Scenario Outline: With <word> and <other>
    Given a thing
      | <word> | <unknown> |
    When it does <word>
      \"\"\"
      <other> text
      \"\"\"
    Then it <other>

    @few
    Examples: few
      Said of them.
      | word | other |
      | a    | b     |
      | c    |       |

    Examples:
      | other | word |
      | d     | e    |

  @ruled
  Rule: A rule
    Background:
      Given more

    Example: Under a rule
      When it acts
      Then it is done

  Rule: Another
    Scenario: Under another
      When it acts
"""

FRENCH = """\
# language: fr
@G1.1 @tier1
Fonctionnalité: Une autre langue
  Contexte:
    Soit un début
  Règle: Une règle
    Plan du scénario: Avec <mot>
      Étant donné que tout va bien
      Quand on dit <mot>
      Alors c'est dit
      Mais rien de plus
      Exemples:
        | mot |
        | oui |
"""


def plain_step(step: theirs.Step) -> dict[str, Any]:
    return {
        "sentence": (step.keyword, step.type, step.name),
        "place": (step.line_number, step.indent),
        "docstring": step.docstring,
        "table": None if step.datatable is None else step.datatable.raw(),
        "failed": step.failed,
    }


def plain_scenario(scenario: theirs.Scenario | theirs.ScenarioTemplate) -> dict[str, Any]:
    rule = scenario.rule
    return {
        "sentence": (scenario.keyword, scenario.name),
        "line": scenario.line_number,
        "description": scenario.description.strip(),
        "tags": scenario.tags,
        "rule": None if rule is None else (rule.keyword, rule.name, rule.description.strip(), rule.tags),
        "steps": [plain_step(step) for step in scenario.steps],
    }


def plain_template(template: theirs.ScenarioTemplate) -> dict[str, Any]:
    return {
        **plain_scenario(template),
        "templated": template.templated,
        "examples": [(e.line_number, e.name, e.tags, [*e.as_contexts()]) for e in template.examples],
    }


def plain_feature(feature: theirs.Feature) -> dict[str, Any]:
    return {
        "sentence": (feature.keyword, feature.name, feature.language),
        "files": (feature.filename, feature.rel_filename),
        "line": feature.line_number,
        "description": feature.description.strip(),
        "tags": feature.tags,
        "background": feature.background
        and (
            feature.background.line_number,
            [plain_step(step) for step in feature.background.steps],
        ),
        "scenarios": {name: plain_template(template) for name, template in feature.scenarios.items()},
    }


@pytest.fixture(params=[RICH, FRENCH], ids=["rich", "french"])
def parsed(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Goal, theirs.Feature]:
    """One file, read by Goalkeeper and by pytest-bdd."""
    path = tmp_path / "a.feature"
    path.write_text(request.param, encoding="utf-8")
    feature: theirs.Feature = theirs.FeatureParser(str(tmp_path), path.name).parse()
    return files.read(path).unwrap(), feature


def mirror(goal: Goal, feature: theirs.Feature) -> Mirror:
    return Mirror(goal, feature.rel_filename)


def test_the_feature_is_the_one_that_pytest_bdd_parses(parsed: tuple[Goal, theirs.Feature]) -> None:
    goal, feature = parsed
    assert plain_feature(mirror(goal, feature).feature) == plain_feature(feature)


def test_each_case_is_the_scenario_that_pytest_bdd_renders(parsed: tuple[Goal, theirs.Feature]) -> None:
    goal, feature = parsed
    ours = mirror(goal, feature)
    expected = [
        template.render(context)
        for template in feature.scenarios.values()
        for context in (c for e in template.examples for c in e.as_contexts())
    ] + [template.render({}) for template in feature.scenarios.values() if not template.examples]
    made = [ours.scenario(case) for case in goal.cases()]

    def line(scenario: dict[str, Any]) -> tuple[object, ...]:
        return scenario["line"], scenario["sentence"]

    assert sorted(map(plain_scenario, made), key=line) == sorted(map(plain_scenario, expected), key=line)
    assert {scenario.feature for scenario in made} == {ours.feature}


def test_steps_know_where_they_belong(parsed: tuple[Goal, theirs.Feature]) -> None:
    """As pytest-bdd's parser leaves them: a step of a template has its scenario, one of a background it."""
    goal, feature = parsed
    made = mirror(goal, feature).feature
    assert made.background is not None
    for name, template in made.scenarios.items():
        assert [(s.scenario, s.background is not None) for s in template.steps] == [
            (template if step.scenario is not None else None, step.background is not None)
            for step in feature.scenarios[name].steps
        ]


def test_report_data_agrees_with_the_objects(parsed: tuple[Goal, theirs.Feature]) -> None:
    """Reports are written without making the objects, and must not differ from them."""
    goal, feature = parsed
    made = mirror(goal, feature)
    for case in goal.cases():
        expected = ScenarioReport(made.scenario(case)).serialize()
        ours = {**scenario_data(case), "feature": feature_data(goal, feature.rel_filename), "steps": []}
        assert ours == expected
        assert shown_name(case) == expected["name"]


def test_the_tier_is_a_tag_even_where_the_id_alone_says_it(tmp_path: Path) -> None:
    path = tmp_path / "a.feature"
    path.write_text("@G2.1\nFeature: x\n  Scenario: y\n    When z\n", encoding="utf-8")
    assert Mirror(files.read(path).unwrap(), "a.feature").feature.tags == {"G2.1", "tier2"}
