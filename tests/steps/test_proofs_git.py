"""steps/git: every violation of its negative steps is noticed, and by those alone that it concerns."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import permutations
from typing import Any

import pytest

from goalkeeper.runner.changes import Changes
from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.never import Negative, Watch
from goalkeeper.runner.never.proof import Armed, Stage
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import git
from goalkeeper.steps.git import never
from goalkeeper.steps.git.left import LeftWatch
from goalkeeper.steps.git.markers import MarkerWatch
from goalkeeper.steps.git.scenario import Repositories
from goalkeeper.steps.git.tips import TipWatch
from goalkeeper.steps.git.tree import TreeWatch
from goalkeeper.steps.git.watch import CommitWatch, HistoryWatch, NameWatch

Prove = Callable[..., list[dict[str, Any]]]
Arm = Callable[..., list[Armed]]
STEPS = [step for step in vars(never).values() if isinstance(step, Negative)]

GOAL = """
    Scenario: all of them together
      Given a "conflict" repository on branch "main"
      And a tag "v1" at "main"
      And I note the tip of branch "left" as "theirs"
      And a branch "work"
      And I run "git pack-refs --all --prune"
      And a tag "v2" at "main"
      When I commit file "a.txt" containing "x" on branch "work"
      Then branch "work" has 2 commits
      But branch "main" never moves
      And branch "right" never moves
      And tag "v1" never moves
      And tag "v2" never moves
      And branch "release/*" never appears
      And branch "x*/y" never appears
      And branch "agent/1" never appears
      And branch "work" is never rewound
      And the repository never loses a commit
      And repository "." never loses a commit
      And branch "main" never contains commit "theirs"
      And branch "work" never contains commit "right"
      And branch "main" never contains a commit with subject "WIP*"
      And branch "work" never contains a commit with subject "[skip ci] now"
      And branch "main" never contains file "secrets/key.pem"
      And branch "work" never contains file "b.txt"
      And no merge is ever made
      And no merge is ever made on branch "work"
      And no conflict marker is ever committed
      And file "notes/release-notes.txt" never has a conflict marker
      And the worktree is never dirty
      And no branch is left behind
      And no branch like "agent/*" is left behind
      And no lock is left behind

    Scenario: of another repository, which is bare
      Given a "conflict" repository on branch "main" in "mine"
      And a remote "origin"
      And an empty repository on branch "main" in "other"
      When I run "git push -q origin main~0:refs/heads/new" in "mine"
      Then branch "origin:new" exists
      But branch "origin:main" never moves
      And branch "origin:agent/*" never appears
      And branch "origin:main" is never rewound
      And repository "origin" never loses a commit
      And branch "origin:main" never contains commit "mine:left"
      And branch "origin:new" never contains file "x"
      And no merge is ever made on branch "origin:left"
      And no branch like "mine:*" is left behind

    Scenario: Whens and Thens look at another repository, and mean it
      Given an empty repository on branch "main" in "two"
      And I commit file "a" containing "x"
      And a "toy" repository on branch "main" in "one"
      When I run "echo done"
      And I look at repository "two"
      Then I look at repository "two"
      And file "a" at "main" exists
      And the output contains "done"
      But branch "main" never moves
      And branch "main" never contains a commit with subject "Change a"
      And the worktree is never dirty
      And no lock is left behind
      And branch "two:main" never moves

    Scenario: without a commit, and on a detached HEAD
      Given an empty repository on branch "main" in "none"
      And a "conflict" repository on branch "main" in "some"
      And I check out "main~0"
      When I run "git commit -q --allow-empty -m x" in "some"
      Then the exit code is 0
      But branch "none:x" never appears
      And no branch like "none:*" is left behind
      And the repository never loses a commit
      And no merge is ever made
      And no conflict marker is ever committed
      And the worktree is never dirty
"""


def test_every_violation_is_noticed(prove: Prove) -> None:
    told = prove(GOAL, passed=4)
    assert {proof["outcome"] for proof in told} == {"proven"}
    assert {proof["violation"] for proof in told} == {v.name for step in STEPS for v in step.violations}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_every_step_has_a_gross_and_a_minimal_violation(step: Negative) -> None:
    assert {violation.strength for violation in step.violations} == {"gross", "minimal"}


@pytest.fixture
def arm(repositories: Repositories, evidence: Evidence, sandbox: Sandbox, changes: Changes) -> Iterator[Arm]:
    """Negative steps of one scenario, armed by hand, in a small repository."""
    git.make_repository(repositories, evidence, "conflict", "main")
    git.create_tag(repositories, "v1", "main")
    given: dict[str, Any] = {
        "repositories": repositories, "sandbox": sandbox, "changes": changes, "branch": "main", "tag": "v1",
        "commit": "left", "subject": "WIP", "path": "README.md", "pattern": "agent/*", "name": ".",
    }  # fmt: skip
    watches: list[Watch[Any]] = []

    def new(*steps: Negative, **others: str) -> list[Armed]:
        def taken(function: Callable[..., Any]) -> dict[str, Any]:
            wanted = inspect.signature(function).parameters
            return {name: value for name, value in {**given, **others}.items() if name in wanted}

        armed = []
        for index, step in enumerate(steps):
            watches.append(step.arm(taken(step)))
            act = lambda violation: violation.act(**taken(violation.act))  # noqa: E731
            armed.append(Armed(index, f"git.{step.name}", step.name, step, watches[-1], act))
        return armed

    yield new
    for watch in watches:
        watch.close()


def outcomes(stage: Stage, armed: list[Armed], order: tuple[int, ...]) -> dict[int, tuple[str, str]]:
    """What becomes of one violation of each, in this order."""
    told: dict[int, tuple[str, str]] = {}
    for index in order:
        proof = stage.prove(armed[index], armed[index].negative.violations[-1])
        told[index] = (proof.outcome, proof.violation)
    return told


def test_the_order_of_violations_does_not_matter(arm: Arm, sandbox: Sandbox) -> None:
    """All 120 orders of five that are quick."""
    armed = arm(never.branch_moves, never.lock_is_left, never.branch_is_left, never.file_gets_marker) + arm(
        never.branch_appears, branch="agent/*"
    )
    with ExitStack() as world:
        stage = Stage(armed, sandbox, world)
        orders = permutations(range(5))
        told = [outcomes(stage, armed, order) for order in orders]
    assert len(told) == 120
    assert told == [told[0]] * 120
    assert {outcome for outcome, _ in told[0].values()} == {"proven"}


def test_nor_does_it_of_those_that_turn_everything_over(arm: Arm, sandbox: Sandbox) -> None:
    """Some orders of the gross ones of all steps."""
    steps = [step for step in STEPS if step not in (never.branch_appears, never.branch_gets_file)]
    armed = arm(*steps) + arm(never.branch_appears, branch="agent/*") + arm(never.branch_gets_file, path="x")
    tried = [(one, violation) for one in armed for violation in one.negative.violations]
    shuffled = random.Random(7)
    with ExitStack() as world:
        stage = Stage(armed, sandbox, world)
        for _ in range(2):
            shuffled.shuffle(tried)
            proofs = [stage.prove(one, violation) for one, violation in tried]
            assert [proof for proof in proofs if proof.outcome != "proven"] == []


SENSORS = {
    NameWatch: [never.branch_moves, never.tag_moves, never.branch_appears],
    HistoryWatch: [never.branch_is_rewound],
    CommitWatch: [never.commit_is_lost, never.commit_is_lost_in],
    TipWatch: [
        never.branch_gets_commit, never.branch_gets_subject, never.branch_gets_file, never.merge_is_made,
        never.merge_is_made_on, never.marker_is_committed,
    ],
    MarkerWatch: [never.file_gets_marker],
    TreeWatch: [never.worktree_is_dirty],
    LeftWatch: [never.branch_is_left, never.branch_like_is_left, never.lock_is_left],
}  # fmt: skip
OTHERS = {never.branch_appears: {"branch": "agent/*"}, never.branch_gets_file: {"path": "x"}}


def test_every_sensor_is_known() -> None:
    assert {step for steps in SENSORS.values() for step in steps} == {*STEPS}


@pytest.mark.parametrize(
    ("sensor", "step"),
    [(sensor, step) for sensor, steps in SENSORS.items() for step in steps],
    ids=lambda one: one.name if isinstance(one, Negative) else "",
)
def test_a_sensor_that_sees_nothing_is_found_out(
    arm: Arm, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, sensor: type[Any], step: Negative
) -> None:
    [armed] = arm(step, **OTHERS.get(step, {}))
    monkeypatch.setattr(sensor, "look", lambda self: self.count("moment"))
    if sensor is MarkerWatch:
        monkeypatch.setattr(armed.watch._versions, "_tell", lambda _: None)  # type: ignore[attr-defined]
    with ExitStack() as world:
        stage = Stage([armed], sandbox, world)
        proofs = [stage.prove(armed, violation) for violation in step.violations]
    assert [proof.outcome for proof in proofs] == ["vacuous"] * len(step.violations)
