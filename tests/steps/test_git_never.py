"""What the negative steps of steps/git that judge commits, files and leftovers see within one step."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.changes import Changes
from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Journal, Negative, Watch
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.runner.wait import until
from goalkeeper.steps import git
from goalkeeper.steps.git import never
from goalkeeper.steps.git.scenario import Repositories
from goalkeeper.steps.git.settings import environment
from goalkeeper.steps.git.values import Values

Arm = Callable[..., Watch[Any]]
Shell = Callable[[str], str]
LOSE_THE_LOGS = "rm -r .git/logs"
ELSEWHERE = "git rev-parse main > .git/old; git rev-parse left > .git/refs/heads/main"
PACKED_AWAY = (
    "git pack-refs --all; cp .git/packed-refs .git/p; l=$(git rev-parse left); "
    'sed -i "/main/s/^[0-9a-f]*/$l/" .git/packed-refs; test $(git rev-parse main) = $l'
)
BACK = "cp .git/old .git/refs/heads/main"
BAD = "git merge -q left; git merge -q right || git commit -qam bad"


@pytest.fixture
def conflict(repositories: Repositories, evidence: Evidence) -> Repositories:
    git.make_repository(repositories, evidence, "conflict", "main")
    return repositories


@pytest.fixture
def shell(sandbox: Sandbox) -> Shell:
    """What a program does within one step."""

    def run(script: str) -> str:
        variables = environment(sandbox.work.parent / "gitconfig")
        ran = subprocess.run(
            ["sh", "-ec", script],
            cwd=sandbox.work,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    return run


@pytest.fixture
def arm(conflict: Repositories, changes: Changes) -> Iterator[Arm]:
    armed: list[Watch[Any]] = []

    def new(negative: Negative, **arguments: str) -> Watch[Any]:
        fixtures = {"repositories": conflict, "changes": changes}
        wanted = negative.__wrapped__.__annotations__  # type: ignore[attr-defined]
        given = {name: value for name, value in fixtures.items() if name in wanted}
        armed.append(negative.arm({**given, **arguments}))
        return armed[-1]

    yield new
    for watch in armed:
        watch.close()


def told(negative: Negative, watch: Watch[Any]) -> list[str]:
    watch.look()
    watch.look()
    return [breach.message for breach in negative.judge(watch.journal())]


def check(found: list[str], expected: str | None) -> None:
    if expected is None:
        assert found == []
    else:
        assert found
        assert expected in found[0]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("git merge -q --no-ff left", 'branch "main" had commit 96e7b997eb (Tell it from the left)'),
        ("git merge -q --ff-only left", "had commit"),
        ("git reset -q --hard left; git reset -q --hard HEAD@{1}", "had commit"),
        ("git checkout -q --detach; git branch -D main; git branch main left; git branch -f main @", "had"),
        (f"{ELSEWHERE}; {BACK}", "commit 96e7b997eb"),
        (f"git merge -q left; git reset -q --hard HEAD~1; {LOSE_THE_LOGS}", "commit 96e7b997eb"),
        (f"git merge -q left; git branch -f left HEAD~1; git reset -q --hard left; {LOSE_THE_LOGS}", "had"),
        (f"{PACKED_AWAY}; cp .git/p .git/packed-refs", "may have had commit 96e7b997eb"),
        ("git commit -q --allow-empty -m x; git merge -q --no-ff -m r right", None),
        ("git checkout -q left; git branch other; git checkout -q main; git gc -q --prune=now", None),
        ("git checkout -q --detach; git branch -D main; git branch main", None),
        ("git branch -D left; git branch -D right", None),
    ],
)  # fmt: skip
def test_a_commit_that_a_branch_gets(arm: Arm, shell: Shell, script: str, expected: str | None) -> None:
    watch = arm(never.branch_gets_commit, branch="main", commit="left")
    shell(script)
    check(told(never.branch_gets_commit, watch), expected)


def test_a_commit_that_it_has_from_the_start(arm: Arm, conflict: Repositories) -> None:
    git.note_tip_as(conflict, "main", "start")
    for branch, commit in (("main", "start"), ("left", "main"), ("left", "left")):
        watch = arm(never.branch_gets_commit, branch=branch, commit=commit)
        assert len(told(never.branch_gets_commit, watch)) == 1
    with pytest.raises(StepFailed, match='there is no commit "rihgt"'):
        arm(never.branch_gets_commit, branch="main", commit="rihgt")


def test_a_branch_that_comes_late_or_never(arm: Arm, shell: Shell) -> None:
    late, missing = (arm(never.branch_gets_commit, branch=name, commit="left") for name in ("late", "no"))
    shell("git branch late main")
    assert told(never.branch_gets_commit, late) == told(never.branch_gets_commit, missing) == []
    assert late.journal().inspected == {"moment": 2, "commit": 1}
    assert missing.journal().is_empty
    shell("git branch -f late left; git branch -D late")
    assert len(told(never.branch_gets_commit, late)) == 1


@pytest.mark.parametrize(
    ("subject", "script", "expected"),
    [
        ("WIP*", "git commit -q --allow-empty -m 'WIP: x'", "(WIP: x)"),
        ("WIP*", "git commit -q --allow-empty -m WIP; git commit -q --amend --allow-empty -m y", "(WIP)"),
        ("WIP*", "git commit -q --allow-empty -m WIP; git commit -q --amend --allow-empty -m y; "
         f"{LOSE_THE_LOGS}", "(WIP)"),
        ("* [skip ci]", "git commit -q --allow-empty -m 'x [skip ci]' -m Why.", "(x [skip ci])"),
        ("*left", "git merge -q left", "(Tell it from the left)"),
        ("WIP*", "git checkout -q left; git commit -q --allow-empty -m WIP", None),
        ("WIP", "git commit -q --allow-empty -m WIPE -m WIP", None),
        ("The project*", "", "had commit 0caeefcc62 (The project as it begins)"),
    ],
)  # fmt: skip
def test_a_subject_that_a_branch_gets(
    arm: Arm, shell: Shell, subject: str, script: str, expected: str | None
) -> None:
    watch = arm(never.branch_gets_subject, branch="main", subject=subject)
    shell(script)
    check(told(never.branch_gets_subject, watch), expected)


@pytest.mark.parametrize(
    ("path", "script", "expected"),
    [
        ("a b/key", "mkdir 'a b'; echo x > 'a b/key'; git add .; git commit -qm x", 'had file "a b/key" at'),
        ("key", "echo x > key; git add .; git commit -qm x; git rm -q key; git commit -qm y", 'file "key"'),
        ("key", "ln -s x key; git add .; git commit -qm x; git reset -q --hard HEAD~1", 'had file "key" at'),
        ("key", f"echo > key; git add .; git commit -qm x; git reset -q --hard HEAD~1; {LOSE_THE_LOGS}",
         'file "key"'),
        ("key", "mkdir key; echo x > key/x; git add .; git commit -qm x", 'file "key"'),
        ("key", "echo x > key; git add .; git commit -qm x; git checkout -q left; git branch -D main; "
         "git branch main left", 'file "key"'),
        ("key", "git checkout -q left; echo > key; git add .; git commit -qm x; git checkout -q main", None),
        ("key", "echo x > keys; echo x > Key; git add .; git commit -qm x; echo x > key", None),
        ("README.md", "", 'had file "README.md" at 0caeefcc62'),
    ],
)  # fmt: skip
def test_a_file_that_a_branch_gets(
    arm: Arm, shell: Shell, path: str, script: str, expected: str | None
) -> None:
    watch = arm(never.branch_gets_file, branch="main", path=path)
    shell(script)
    check(told(never.branch_gets_file, watch), expected)


def test_a_file_that_was_there_long_ago(arm: Arm, shell: Shell) -> None:
    shell("git rm -q README.md; git commit -qm x")
    watch = arm(never.branch_gets_file, branch="main", path="README.md")
    shell("git commit -q --allow-empty -m y")
    assert told(never.branch_gets_file, watch) == []
    with pytest.raises(StepFailed, match="is no file of the repository"):
        arm(never.branch_gets_file, branch="main", path="../x")


@pytest.mark.parametrize(
    ("script", "anywhere", "on_main"),
    [
        ("git merge -q --no-ff -m M left", "(M)", "(M)"),
        ("git merge -q --no-ff -m M left; git reset -q --hard HEAD~1", "(M)", "(M)"),
        (f"git merge -q --no-ff -m M left; git reset -q --hard HEAD~1; {LOSE_THE_LOGS}", "(M)", "(M)"),
        ("git checkout -q -b t; git merge -q --no-ff -m M left; git checkout -q main; git branch -qD t",
         "merge", None),
        ("git checkout -q right; git merge -q --no-ff -s ours -m M left", 'branch "right" had merge', None),
        ("git checkout -q right; git merge -q -s ours -m M left; git checkout -q main; git merge -q right",
         "(M)", "(M)"),
        ("git merge -q --ff-only left", None, None),
        ("git merge -q left; ! git merge -q right; git merge --abort", None, None),
        ("git checkout -q --detach; git merge -q --no-ff left", None, None),
        ("echo x >> README.md; git stash -q; git checkout -q -b t; git checkout -q main; git branch -qD t; "
         "git stash pop -q; git branch -q t; git branch -qD t", None, None),
    ],
)  # fmt: skip
def test_merges(arm: Arm, shell: Shell, script: str, anywhere: str | None, on_main: str | None) -> None:
    every, one = arm(never.merge_is_made), arm(never.merge_is_made_on, branch="main")
    shell(script)
    check(told(never.merge_is_made, every), anywhere)
    check(told(never.merge_is_made_on, one), on_main)


def test_merges_that_were_made_before(arm: Arm, shell: Shell) -> None:
    shell("git merge -q --no-ff left; git branch old; git reset -q --hard HEAD~1; git branch -f left old")
    watch = arm(never.merge_is_made)
    shell("git merge -q --ff-only old; git branch -D left")
    assert told(never.merge_is_made, watch) == []


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (BAD, 'had a conflict marker in "notes/release-notes.txt" at'),
        (f"{BAD}; git reset -q --hard HEAD~1", 'had a conflict marker in "notes/release-notes.txt" at'),
        (f"{BAD}; git checkout -q HEAD~1 -- notes; git commit -qm good", "a conflict marker"),
        ("echo '>>>>>>> left' > 'a b'; git add .; git commit -qm x", 'a conflict marker in "a b" at'),
        ("echo '* -diff' > .gitattributes; printf '|||||||\\0' > a; git add .; git commit -qm x", None),
        ("echo '* -diff' > .gitattributes; echo '|||||||' > a; git add .; git commit -qm x", '"a" at'),
        ("printf '++ x\\n<<<<<<< y\\n' > a; git add .; git commit -qm x", '"a" at'),
        ("printf 'Title\\n=======\\n' > a; echo '>>>>>>>> x' > b; git add .; git commit -qm x", None),
        ("git merge -q left; ! git merge -q right; git checkout -q --ours .; git commit -qam good", None),
        ("git merge -q left; git merge -q right || git merge --abort", None),
    ],
)  # fmt: skip
def test_conflict_markers_that_are_committed(
    arm: Arm, shell: Shell, script: str, expected: str | None
) -> None:
    watch = arm(never.marker_is_committed)
    shell(script)
    check(told(never.marker_is_committed, watch), expected)


def test_a_marker_that_was_there_before_is_not_committed_again(arm: Arm, shell: Shell) -> None:
    shell("printf '<<<<<<< in the manual\\ntext\\n' > manual; git add .; git commit -qm x")
    watch = arm(never.marker_is_committed)
    shell("echo more >> manual; git commit -qam y; git checkout -q left; git merge -q main")
    assert told(never.marker_is_committed, watch) == []


def test_a_marker_in_a_file(arm: Arm, shell: Shell) -> None:
    watch = arm(never.file_gets_marker, path="notes/release-notes.txt")
    late = arm(never.file_gets_marker, path="late")
    shell("git merge -q left; echo ======= >> README.md")
    assert told(never.file_gets_marker, watch) == told(never.file_gets_marker, late) == []
    assert late.journal().is_empty
    shell("! git merge -q right; echo '>>>>>>>' > late")
    assert len(told(never.file_gets_marker, late)) == 1
    watch.look()
    [breach] = never.file_gets_marker.judge(watch.journal())
    assert breach.message.startswith('file "notes/release-notes.txt" had a conflict marker ')
    assert breach.evidence == "line 1: <<<<<<< HEAD"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo x >> README.md", "was dirty after a step"),
        ("echo x > new", "was dirty after a step"),
        ("git rm -q --cached README.md", "was dirty after a step"),
        ("git update-ref refs/heads/main left", "was dirty after a step"),
        ("git symbolic-ref HEAD refs/heads/left", "was dirty after a step"),
        ("git merge -q left; ! git merge -q right", "was dirty after a step"),
        ("mkdir -p d/e; echo x > d/e/f", "was dirty after a step"),
        ("echo x >> README.md; git checkout -q README.md", "was dirty during a step"),
        ("mv README.md x; mv x README.md", "was dirty during a step"),
        (": > new; rm new", "was dirty during a step"),
        ("cp README.md .git/x; echo x > README.md; cp .git/x README.md", "was dirty during a step"),
        ("echo x > a.log; rm a.log; echo x > b.log", None),
        ("touch README.md; mkdir d; rmdir d; git status; git gc -q; git pack-refs --all", None),
        ("git checkout -q left; git checkout -q main; git merge -q left; git commit -q --allow-empty -m x",
         None),
        ("echo x > a; git add a; git commit -qm x", None),
        ("git reset -q --hard; git stash list; git branch x; git tag y; git branch -D x", None),
    ],
)  # fmt: skip
def test_a_worktree_that_gets_dirty(arm: Arm, shell: Shell, script: str, expected: str | None) -> None:
    shell("mkdir .git/info; echo '*.log' > .git/info/exclude")
    watch = arm(never.worktree_is_dirty)
    shell(script)
    check(told(never.worktree_is_dirty, watch), expected)


def test_a_worktree_that_was_dirty_and_one_that_there_is_not(
    arm: Arm, shell: Shell, conflict: Repositories
) -> None:
    shell("echo x > new")
    watch = arm(never.worktree_is_dirty)
    shell("rm new")
    watch.look()
    [breach] = never.worktree_is_dirty.judge(watch.journal())
    assert breach.message == "the worktree of the repository was dirty when the scenario began"
    assert breach.evidence == "?? new"
    git.make_remote(conflict, "origin")
    git.use_repository(conflict, "origin")
    with pytest.raises(StepFailed, match="is bare: it has no working tree"):
        arm(never.worktree_is_dirty)


def test_a_linked_worktree(arm: Arm, shell: Shell, conflict: Repositories, sandbox: Sandbox) -> None:
    shell("mkdir .git/info; echo tree > .git/info/exclude")
    git.create_worktree(conflict, sandbox, "tree", "left")
    git.use_repository(conflict, "tree")
    watch = arm(never.worktree_is_dirty)
    shell("cd tree; git commit -q --allow-empty -m x; git checkout -q --detach main; git checkout -q left")
    assert told(never.worktree_is_dirty, watch) == []
    shell("echo x > new; git commit -q --allow-empty -m x")
    assert told(never.worktree_is_dirty, watch) == []
    shell("git update-ref refs/heads/left right")
    assert len(told(never.worktree_is_dirty, watch)) == 1


@pytest.mark.parametrize(
    ("script", "expected", "like"),
    [
        ("git branch agent/1", "a branch is left behind: agent/1, at 0caeefcc62", "agent/1"),
        ("git branch -m left other", "other", None),
        ("git pack-refs --all; git branch agent/2; git pack-refs --all", "agent/2", "agent/2"),
        ("git branch agent/1; git branch -D agent/1; git tag agent/1; git branch -D left", None, None),
        ("git branch -D left; git branch left", None, None),
    ],
)
def test_branches_that_are_left(
    arm: Arm, shell: Shell, script: str, expected: str | None, like: str | None
) -> None:
    shell("git branch agent/old")
    every, some = arm(never.branch_is_left), arm(never.branch_like_is_left, pattern="agent/*")
    shell(script)
    check(told(never.branch_is_left, every), expected)
    check(told(never.branch_like_is_left, some), like)


@pytest.mark.parametrize(
    "name", ["index.lock", "refs/heads/a/b.lock", "objects/pack/x.lock", "worktrees/t/HEAD.lock"]
)
def test_locks_that_are_left(arm: Arm, shell: Shell, conflict: Repositories, name: str) -> None:
    git.create_lock(conflict, name)
    watch = arm(never.lock_is_left)
    assert told(never.lock_is_left, watch) == [f"a lock is left behind: {name}"]
    shell(f"rm .git/{name}; git commit -q --allow-empty -m x")
    assert told(never.lock_is_left, watch) == []


HIDDEN = """
    a=$(git rev-parse main); t='main^{tree}'
    b=$(git commit-tree -p $a -m b $t); c=$(git commit-tree -p $a -m c $t)
    for x in $b $a $c; do echo $x > .git/refs/heads/main; done
"""


def test_what_no_reflog_tells_of_is_found_among_what_is_stored(arm: Arm, shell: Shell) -> None:
    rewound, lost = arm(never.branch_is_rewound, branch="main"), arm(never.commit_is_lost)
    shell(HIDDEN)
    assert len(told(never.branch_is_rewound, rewound)) >= 1
    [message] = told(never.commit_is_lost, lost)
    assert "(b) is lost" in message
    assert 'on branch "main"' in message


def test_a_commit_of_a_branch_that_came_and_went_is_lost(arm: Arm, shell: Shell) -> None:
    watch = arm(never.commit_is_lost)
    shell("git checkout -q -b t; git commit -q --allow-empty -m x; git checkout -q main; git branch -qD t")
    [message] = told(never.commit_is_lost, watch)
    assert "(x) is lost" in message
    shell("git checkout -q -b u; git commit -q --allow-empty -m y; git checkout -q main; git merge -q u; "
          "git branch -qd u")  # fmt: skip
    assert told(never.commit_is_lost, watch) == [message]


def test_values_are_read_while_they_stand(changes: Changes, tmp_path: Path) -> None:
    heads = tmp_path / "refs" / "heads"
    heads.mkdir(parents=True)
    values = Values(changes, tmp_path)
    for value in ("a" * 40, "b" * 40, "b" * 39, "c" * 64):
        (heads / "main").write_text(f"{value}\n")
        with changes.settled():
            pass
    assert until(values.take, 5.0) == {"refs/heads/main": ("a" * 40, "b" * 40, "c" * 64)}
    values.close()
    (heads / "main").write_text("d" * 40)
    assert values.take() == {}


def test_the_repository_is_the_one_that_was_meant_when_armed(
    conflict: Repositories, evidence: Evidence, arm: Arm
) -> None:
    arm(never.lock_is_left)
    git.make_repository_in(conflict, evidence, "toy", "main", "other")
    assert conflict.armed_in == conflict.named(".").path
    put_back = conflict.mark()
    git.use_repository(conflict, ".")
    put_back()
    assert conflict.current.name == "other"


def test_checks_over_nothing() -> None:
    for negative in vars(never).values():
        if isinstance(negative, Negative):
            assert negative.judge(Journal("x", ())) == []
