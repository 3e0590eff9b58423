"""steps/files: every violation of its negative steps is noticed, and by those alone that it concerns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goalkeeper.runner.never import Negative, Witness
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps.files import never, violations, watch

Prove = Callable[..., list[dict[str, Any]]]

GOAL = """
    Scenario: all of them together, of files and of directories that are not there yet too
      Given a file "in/a" containing "one"
      And a file "in/deep/b" containing "two"
      And an empty file "in/empty"
      And a link "link" to "in/a"
      When I run "sh -c 'mkdir out; echo three > out/c; cp out/c out/d'"
      Then file "out/d" contains "three"
      But file "lock" never exists
      And file "new\\\\lock" never exists
      And file "in/a" never disappears
      And file "out/c" never disappears
      And file "in/a" never changes
      And file "link" never changes
      And file "in/empty" never changes
      And file "out/c" never contains "x"
      And file "out/d" never contains "\\"quoted\\" é"
      And directory "in" never changes
      And directory "in/deep" never changes
      And directory "." never has a file like "*.tmp"
      And directory "out" never has a file like "s?b/[ab]*/[!x].log"
      And nothing is ever written outside directory "out"

    Scenario: one that nothing else is broken by
      Given a file "a" containing "one"
      And a file "b" containing "one"
      And a directory "d"
      When I run "sh -c 'echo three > c'"
      Then file "c" contains "three"
      But file "lock" never exists
      And file "a" never disappears
      And file "b" never changes
      And file "c" never contains "four"
      And directory "d" never changes

    Scenario: the working directory is where all is written
      When I run "sh -c 'echo three > c'"
      Then file "c" contains "three"
      But nothing is ever written outside directory "."

    Scenario: to a place that is made on the way
      When I run "sh -c 'mkdir -p far/away; echo three > far/away/c'"
      Then file "far/away/c" contains "three"
      But nothing is ever written outside directory "far/away"
"""


def test_every_violation_is_noticed(prove: Prove) -> None:
    told = prove(GOAL, passed=4)
    assert {proof["outcome"] for proof in told} == {"proven"}
    assert {proof["strength"] for proof in told} == {"gross", "minimal"}
    steps = [step for step in vars(never).values() if isinstance(step, Negative)]
    assert {proof["violation"] for proof in told} == {v.name for step in steps for v in step.violations}
    assert len(told) == 2 * (14 + 5 + 1 + 1)


@pytest.mark.parametrize(
    "sensor", [watch.PresenceWatch, watch.ContentWatch, watch.TreeWatch, watch.OutsideWatch]
)
def test_a_sensor_that_sees_nothing_is_found_out(
    prove: Prove, monkeypatch: pytest.MonkeyPatch, sensor: type[Any]
) -> None:
    """What was there at first is seen, so that the scenario passes, and nothing after that."""

    def look(self: Any) -> None:
        self.count("moment")

    monkeypatch.setattr(sensor, "look", look)
    for name in ("_changed", "told"):
        if hasattr(sensor, name):
            monkeypatch.setattr(sensor, name, lambda *_: None)
    goal = """
        Scenario: blind
          Given a file "a" containing "one"
          When I run "echo fine"
          Then the output contains "fine"
          But file "lock" never exists
          And file "a" never contains "two"
          And directory "." never has a file like "x*"
          And nothing is ever written outside directory "d"
    """
    told = prove(goal, passed=0)
    outcomes = [(proof["text"].partition(" never")[0], proof["outcome"]) for proof in told]
    blind = {
        watch.PresenceWatch: 'file "lock"', watch.ContentWatch: 'file "a"', watch.TreeWatch: 'directory "."',
        watch.OutsideWatch: 'nothing is ever written outside directory "d"',
    }  # fmt: skip
    assert [text for text, outcome in outcomes if outcome == "vacuous"] == [blind[sensor]] * 2
    assert [outcome for _, outcome in outcomes].count("proven") == 6


def test_directories_and_files_that_nobody_may_write_in(sandbox: Sandbox) -> None:
    """A goal may well be about such; root may do as it likes anyway."""
    folder = sandbox.work / "d"
    folder.mkdir()
    (folder / "a").write_text("x")
    (folder / "a").chmod(0o400)
    folder.chmod(0o500)
    for act in (violations.overwrite_file, violations.add_byte_and_take_it_away, violations.remove_file):
        witness: Witness = act(sandbox, "d/a")
        assert witness.effect, act
    assert violations.make_file_in_directory(sandbox, "d").effect
