"""The full template of a goal; its tests have the names that pytest gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.config import Configuration
from goalkeeper.runner.listing import listing
from goalkeeper.runner.sheet import negatives, sheet

GOAL = '''\
@G0.1 @scope:oven @scope:run @owner:kitchen @ci:nightly @slow
Feature: The oven never burns
  Expect: bread comes out brown.
  Hook: oven simulator

  Background:
    Given settings
      | degrees | 230 |
      | mode    | fan |

  Scenario: Two  spaces::and a separator
    When I run "true"
    Then the exit code is 0
    But nothing burns

  Scenario Outline: <n> loaves
    When I write file "<n>.txt" with
      """
      dough
      """
    Then file "<n>.txt" exists
    But file "alarm-<n>" never exists

    Examples:
      | n | of    |
      | 1 | wheat |
      | 2 | rye   |

  Rule: Sourdough takes its time
    Background:
      Given a directory "starter"

    Scenario: Overnight
      When I run "true"
      Then directory "starter" exists
      But nothing burns
'''
CONFTEST = """
from goalkeeper import given, never, Watch

@given("settings")
def settings(datatable):
    pass

@never("nothing burns")
def burns():
    watch = Watch("the oven")
    watch.count("moment")
    return watch

@burns.check
def no_fire(journal):
    return []
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    path = pytester.path / "scenarios" / "bakery" / "g0_1.feature"
    path.parent.mkdir(parents=True)
    path.write_text(GOAL)
    (pytester.path / "scenarios" / "conftest.py").write_text(CONFTEST)
    (pytester.path / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    return path


def data_of(path: Path, root: Path) -> dict[str, Any]:
    [listed] = listing([path], Configuration(root)).goals
    return sheet(listed, negatives(listed.goal, path.parent, root))


def test_the_seven_fields_and_what_stands_beside_them(project: Path, pytester: pytest.Pytester) -> None:
    data = data_of(project, pytester.path)
    plain = {name: value for name, value in data.items() if name not in ("background", "scenarios", "rules")}
    assert plain == {
        "id": "G0.1",
        "tier": 0,
        "title": "The oven never burns",
        "system": "bakery",
        "owner": "kitchen",
        "ci": ["nightly"],
        "file": "scenarios/bakery/g0_1.feature",
        "description": "",
        "tags": ["slow"],
        "statement": "bread comes out brown.",
        "scope": ["oven", "run"],
        "configuration": [{"name": "degrees", "value": "230"}, {"name": "mode", "value": "fan"}],
        "artifacts": ['directory "starter"', "output", 'file "<n>.txt"', 'file "alarm-<n>"'],
        "never_list": ["nothing burns", 'file "alarm-<n>" never exists'],
        "hook": "oven simulator",
    }


def test_the_names_are_those_of_collection(project: Path, pytester: pytest.Pytester) -> None:
    data = data_of(project, pytester.path)
    parts = [data, *data["rules"]]
    nodes = [test["node"] for part in parts for each in part["scenarios"] for test in each["tests"]]
    collected = pytester.runpytest("--collect-only", "-q", "scenarios").outlines
    assert nodes == [line for line in collected if "::" in line]
    assert nodes == [
        "scenarios/bakery/g0_1.feature::Two spaces:and a separator",
        "scenarios/bakery/g0_1.feature::1 loaves[1-wheat]",
        "scenarios/bakery/g0_1.feature::2 loaves[2-rye]",
        "scenarios/bakery/g0_1.feature::Overnight",
    ]


def test_steps_with_tables_doc_strings_and_backgrounds(project: Path, pytester: pytest.Pytester) -> None:
    data = data_of(project, pytester.path)
    [settings] = data["background"]
    assert settings["table"] == [["degrees", "230"], ["mode", "fan"]]
    outline = data["scenarios"][1]
    assert outline["outline"] is True
    assert [step["docstring"] for step in outline["steps"]] == ["dough", None, None]
    assert [step["negative"] for step in outline["steps"]] == [False, False, True]
    assert outline["tests"][0]["values"] == {"n": "1", "of": "wheat"}
    [rule] = data["rules"]
    assert (rule["name"], rule["background"][0]["text"]) == (
        "Sourdough takes its time",
        'a directory "starter"',
    )
    assert rule["scenarios"][0]["steps"][2]["negative"] is True


def test_a_definition_has_the_last_word_on_what_is_negative(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        'from goalkeeper import then\n@then("it never fails")\ndef fails():\n    pass\n'
    )
    path = tmp_path / "a.feature"
    path.write_text(
        "@G1.1\nFeature: x\n  Scenario: s\n    When y\n    Then it never fails\n    And it never rains\n"
    )
    assert data_of(path, tmp_path)["never_list"] == ["it never rains"]
