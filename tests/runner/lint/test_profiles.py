"""What lint finds in the profiles of a project, and of goals that use their phrases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from goalkeeper.cli import main
from goalkeeper.runner.lint import Linter
from goalkeeper.runner.lint.profiles import ProfileReader

TOML = '[systems.tool]\ncommand = "true"\nprofile = "tool.yaml"\n[systems.plain]\ncommand = "true"\n'
PROFILE = """\
phrases:
  - when: I greet
    run: hello
  - never: nobody is ever insulted
    steps:
      - never: the command never prints "fool"
"""
FEATURE = """\
@G1.1 @scope:greet
Feature: t
  Expect: it greets.
  Hook: none

  Scenario: a
    When I greet
    Then file "a" exists
    But nobody is ever insulted
"""


def write(root: Path, profile: str = PROFILE, feature: str = FEATURE) -> Path:
    (root / "goalkeeper.toml").write_text(TOML)
    (root / "tool.yaml").write_text(profile)
    (root / "scenarios").mkdir()
    goal = root / "scenarios" / "a.feature"
    goal.write_text(feature)
    return goal


def lint(root: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    monkeypatch.chdir(root)
    return CliRunner().invoke(main, ["lint", *arguments])


def test_a_goal_may_use_phrases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)
    assert lint(tmp_path, monkeypatch).exit_code == 0


def test_a_negative_phrase_counts_as_a_negative_step(tmp_path: Path) -> None:
    goal = write(tmp_path, feature=FEATURE.replace("    But nobody is ever insulted\n", ""))
    assert [problem.rule for problem in Linter(tmp_path).check(goal).problems] == ["no-negative"]


def test_a_wrong_profile_is_a_problem_at_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, PROFILE.replace("hello", "hello {name}"))
    result = lint(tmp_path, monkeypatch)
    assert result.exit_code == 1
    assert "tool.yaml:2:11: profile" in result.output
    assert "{name} is no parameter of this sentence" in result.output
    told = json.loads(lint(tmp_path, monkeypatch, "--format", "json").stdout)
    assert "tool.yaml" in json.dumps(told)
    assert "unknown-step" not in json.dumps(told)


def test_steps_that_may_be_phrases_of_a_wrong_profile_are_left_to_pytest(tmp_path: Path) -> None:
    goal = write(tmp_path, "phrases: 5\n")
    linter = Linter(tmp_path)
    assert [problem.rule for problem in linter.check(goal).problems if problem.rule == "unknown-step"] == []
    assert [str(place) for place in linter.left_to_pytest] == ["tool.yaml"]
    (report,) = linter.check_profiles()
    assert (report.shown, [problem.rule for problem in report.problems]) == ("tool.yaml", ["wrong-type"])


def test_a_profile_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "goalkeeper.toml").write_text(TOML)
    reader = ProfileReader(tmp_path)
    assert [*reader.phrases] == []
    assert [str(path) for path in reader.unread] == ["tool.yaml"]
    assert [problem.rule for error in reader.wrong for problem in error.problems] == ["unreadable"]


def test_each_profile_is_read_once_and_the_good_ones_count(tmp_path: Path) -> None:
    write(tmp_path)
    with (tmp_path / "goalkeeper.toml").open("a") as toml:
        toml.write('[systems.bad]\ncommand = "true"\nprofile = "bad.yaml"\n')
    reader = ProfileReader(tmp_path)
    assert {phrase.wording for phrase in reader.phrases} == {"I greet", "nobody is ever insulted"}
    (tmp_path / "tool.yaml").unlink()
    assert len(reader.wrong) == 1
    assert reader.phrases is reader.phrases


@pytest.mark.parametrize("toml", ["systems = 5\n", "[systems\n"])
def test_a_configuration_that_is_wrong_names_no_profiles(tmp_path: Path, toml: str) -> None:
    (tmp_path / "goalkeeper.toml").write_text(toml)
    reader = ProfileReader(tmp_path)
    assert ([*reader.phrases], reader.wrong, reader.unread) == ([], [], [])
