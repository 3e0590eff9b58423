"""The negative steps of steps/git: what they see, and how a scenario tells of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.changes import Changes
from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Journal, Negative, Watch
from goalkeeper.steps import cli, git
from goalkeeper.steps.cli.command import Commands
from goalkeeper.steps.git import never
from goalkeeper.steps.git.scenario import Repositories

WriteGoal = Callable[..., Path]
Arm = Callable[..., Watch[Any]]


@pytest.fixture
def conflict(repositories: Repositories, evidence: Evidence) -> Repositories:
    git.make_repository(repositories, evidence, "conflict", "main")
    return repositories


@pytest.fixture
def arm(conflict: Repositories, changes: Changes) -> Iterator[Arm]:
    armed: list[Watch[Any]] = []

    def new(negative: Negative, **arguments: str) -> Watch[Any]:
        fixtures = {"repositories": conflict, "changes": changes}
        wanted = inspect.signature(negative).parameters
        given = {name: value for name, value in fixtures.items() if name in wanted}
        armed.append(negative.arm({**given, **arguments}))
        return armed[-1]

    yield new
    for watch in armed:
        watch.close()


def run(commands: Commands, *lines: str) -> None:
    for line in lines:
        cli.run(commands, line)
        assert commands.last.exit_code == 0, commands.last.stderr


def told(negative: Negative, watch: Watch[Any]) -> list[str]:
    watch.look()
    return [breach.message for breach in negative.judge(watch.journal())]


def test_a_branch_that_stays(arm: Arm, commands: Commands) -> None:
    watch = arm(never.branch_moves, branch="main")
    run(commands, "git checkout -q -b work", "git commit -q --allow-empty -m x", "git gc -q")
    assert told(never.branch_moves, watch) == []
    assert watch.journal().subject == 'branch "main"'
    assert watch.journal().inspected == {"moment": 2}


def test_moves_with_the_reflog_as_evidence(arm: Arm, commands: Commands) -> None:
    watch = arm(never.branch_moves, branch="main")
    run(commands, "git commit -q --allow-empty -m x", "git reset -q --hard HEAD~1")
    watch.look()
    [breach] = never.branch_moves.judge(watch.journal())
    assert breach.message == 'branch "main" moved away from 0caeefcc62 and back'
    assert "  commit: x\n" in breach.evidence
    assert breach.evidence.endswith("  reset: moving to HEAD~1")


def test_a_remotes_branch(arm: Arm, conflict: Repositories, commands: Commands) -> None:
    git.make_remote(conflict, "origin")
    remote, tracking = (arm(never.branch_moves, branch=name) for name in ("origin:main", "origin/main"))
    run(commands, "git push -q origin +left:main", "git push -q origin +main:main")
    assert told(never.branch_moves, remote) == ['branch "main" moved away from 0caeefcc62 and back']
    assert told(never.branch_moves, tracking) == ['branch "origin/main" moved away from 0caeefcc62 and back']


def test_a_tag_that_moves(arm: Arm, conflict: Repositories, commands: Commands) -> None:
    git.create_tag(conflict, "v1", "main")
    watch = arm(never.tag_moves, tag="v1")
    run(commands, "git tag v2", "git pack-refs --all")
    assert told(never.tag_moves, watch) == []
    run(commands, "git tag -f v1 left", "git tag -f v1 main")
    assert told(never.tag_moves, watch) == ['tag "v1" moved away from 0caeefcc62 and back']
    run(commands, "git tag -d v1")
    assert told(never.tag_moves, watch)[1:] == ['tag "v1" was deleted; it was at 0caeefcc62']


@pytest.mark.parametrize("name", ["work", "agent/1", "agent/*"])
def test_a_branch_that_appears(arm: Arm, commands: Commands, name: str) -> None:
    watch = arm(never.branch_appears, branch=name)
    run(commands, "git branch other", "git branch agents", "git tag work")
    assert told(never.branch_appears, watch) == []
    branch = name.replace("*", "x/y")
    run(commands, f"git branch {branch}", f"git branch -D {branch}")
    assert len(told(never.branch_appears, watch)) == 1


def test_a_branch_that_was_there_from_the_start(arm: Arm, commands: Commands) -> None:
    watch = arm(never.branch_appears, branch="l*")
    run(commands, "git branch -D left")
    assert told(never.branch_appears, watch)[0] == 'branch "left" appeared, at 96e7b997eb'


@pytest.mark.parametrize(
    ("lines", "breach"),
    [
        (["git commit -q --allow-empty -m x", "git merge -q --no-ff left"], None),
        (["git merge -q --ff-only left", "git gc -q --prune=now"], None),
        (["git commit -q --amend --allow-empty -m other"], "which does not have it in its history"),
        (["git reset -q --hard left", "git reset -q --hard main@{1}"], "moved away from"),
        (["git commit -q --allow-empty -m x", "git reset -q --hard HEAD~1",
          "git commit -q --allow-empty -m y"], "which does not have it in its history"),
        (["git checkout -q --detach", "git branch -q -D main"], "was deleted"),
    ],
)  # fmt: skip
def test_a_branch_that_is_rewound(arm: Arm, commands: Commands, lines: list[str], breach: str | None) -> None:
    watch = arm(never.branch_is_rewound, branch="main")
    run(commands, *lines)
    found = told(never.branch_is_rewound, watch)
    if breach is None:
        assert found == []
    else:
        assert breach in found[0]


@pytest.mark.parametrize(
    "lines",
    [
        ["git commit -q --allow-empty -m x", "git gc -q --prune=now"],
        ["git merge -q left", "git branch -q -d left"],
        ["git branch -m left other", "git tag old right", "git branch -q -D right"],
        ["git checkout -q --detach right", "git branch -q -D right"],
        ["git worktree add -q --detach ../w right", "git branch -q -D right"],
    ],
)
def test_no_commit_is_lost(arm: Arm, commands: Commands, lines: list[str]) -> None:
    watch = arm(never.commit_is_lost)
    run(commands, *lines)
    assert told(never.commit_is_lost, watch) == []
    assert watch.journal().inspected["commit"] >= 3


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (["git branch -q -D right"], "Tell it from the right"),
        (["git branch -q -f right main"], "Tell it from the right"),
        (["git commit -q --allow-empty -m x", "git commit -q --amend --allow-empty -m y"], "x"),
        (["git branch -q -D right", "git reflog expire --expire=all --all", "git gc -q --prune=now"],
         "it is no longer stored"),
    ],
)  # fmt: skip
def test_a_commit_is_lost(arm: Arm, commands: Commands, lines: list[str], title: str) -> None:
    watch = arm(never.commit_is_lost)
    run(commands, *lines)
    [message] = told(never.commit_is_lost, watch)
    assert f"({title}) is lost; it was on branch " in message
    run(commands, "git branch another")
    assert told(never.commit_is_lost, watch) == [message]


def test_a_commit_that_was_lost_for_a_while(arm: Arm, commands: Commands) -> None:
    watch = arm(never.commit_is_lost)
    run(commands, "git branch -q -D right")
    watch.look()
    run(commands, "git branch right f6136574fe")
    assert len(told(never.commit_is_lost, watch)) == 1


def test_other_repositories(arm: Arm, conflict: Repositories, evidence: Evidence, commands: Commands) -> None:
    git.make_repository_in(conflict, evidence, "conflict", "main", "inner")
    here, there = arm(never.commit_is_lost_in, name="."), arm(never.commit_is_lost_in, name="inner")
    cli.run_in(commands, "git branch -q -D left", "inner")
    assert told(never.commit_is_lost_in, here) == []
    assert len(told(never.commit_is_lost_in, there)) == 1
    assert there.journal().subject == 'repository "inner"'


@pytest.mark.parametrize(
    ("negative", "arguments", "message"),
    [
        (
            never.branch_moves,
            {"branch": "mian"},
            'there is no branch "mian" in the repository. Did you mean "main"?',
        ),
        (never.branch_is_rewound, {"branch": "x:main"}, 'there is no repository "x".'),
        (never.tag_moves, {"tag": "v1"}, 'there is no tag "v1" in the repository.'),
        (never.commit_is_lost_in, {"name": "x"}, 'there is no repository "x".'),
    ],
)
def test_what_can_not_be_armed(arm: Arm, negative: Negative, arguments: dict[str, str], message: str) -> None:
    with pytest.raises(StepFailed) as caught:
        arm(negative, **arguments)
    assert str(caught.value).startswith(message)


def test_checks_over_nothing() -> None:
    for negative in (never.branch_moves, never.tag_moves, never.branch_appears, never.commit_is_lost):
        assert negative.judge(Journal("x", ())) == []


GOAL = """
    Scenario: kept
      Given a "conflict" repository on branch "main" in "repo"
      When I run "git merge left" in "repo"
      And I run "git merge right" in "repo"
      And I run "git merge --abort" in "repo"
      Then no merge is in progress
      And branch "main" is at commit "left"
      But branch "right" never moves
      And branch "main" is never rewound
      And the repository never loses a commit

    Scenario: moved and back within one step
      Given a "toy" repository on branch "main"
      And I commit file "a" containing "x"
      When I run "sh -c 'git reset -q --hard HEAD~1; git reset -q --hard main@{1}; rm -r .git/logs'"
      Then the exit code is 0
      But branch "main" never moves

    Scenario: no such branch
      Given a "toy" repository on branch "main"
      When I run "git status"
      Then the exit code is 0
      But branch "mian" never moves

    Scenario: the fixture of the project
      Given a "shop" repository on branch "main"
      When I run "git status --short"
      Then the output is empty
      And file "till.txt" at "main" contains "coins"
      But branch "*" never appears
"""


def test_the_whole_way(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(GOAL)
    (pytester.path / "scenarios" / "shop").mkdir()
    (pytester.path / "scenarios" / "shop" / "till.txt").write_text("coins\n")
    result = pytester.runpytest("scenarios", "-v")
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            '>   But branch "main" never moves',
            'E     branch "main" moved away from ?????????? and back',
            '>   But branch "mian" never moves',
            'E     there is no branch "mian" in the repository. Did you mean "main"?',
            "E     this negative step could not be armed",
            '>   But branch "[*]" never appears',
            'E     branch "main" appeared, at ??????????',
        ]
    )


def test_workers_share_what_takes_long_to_make(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    for number in range(2):
        goal(
            f"""
            @G1.{number}
            Feature: Large

              Scenario: Large {number}
                Given a "large" repository on branch "main"
                When I run "git log --oneline"
                Then the exit code is 0
                And branch "main" has 300 commits
                And the working tree is clean
                But branch "main" never moves
            """,
            f"scenarios/{number}.feature",
        )
    result = pytester.runpytest_subprocess("scenarios", "-n", "2", "--no-proof")
    result.assert_outcomes(passed=2)
    cache = pytester.path / ".pytest_cache" / "d" / "goalkeeper-git"
    assert len([path for path in cache.iterdir() if path.is_dir()]) == 1
    result = pytester.runpytest_subprocess("scenarios/0.feature", "--no-proof", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
