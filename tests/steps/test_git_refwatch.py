"""Refs are followed through inotify: all that git does to a branch is seen, however short it lasts."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.steps.git.refwatch import RefWatch
from goalkeeper.steps.git.template import Templates

MAIN = "refs/heads/main"
Follow = Callable[..., RefWatch]


@pytest.fixture
def repository(repository_templates: Templates, tmp_path: Path) -> Path:
    repository_templates.place("conflict", "main", tmp_path / "r")
    return tmp_path / "r"


@pytest.fixture
def follow(repository: Path) -> Iterator[Follow]:
    made: list[RefWatch] = []

    def new(pattern: str = MAIN, common: Path | None = None) -> RefWatch:
        made.append(RefWatch(common or repository / ".git", pattern))
        return made[-1]

    yield new
    for watch in made:
        watch.close()


def shell(directory: Path, script: str) -> None:
    subprocess.run(["sh", "-ec", script], cwd=directory, check=True, capture_output=True)


def hows(watch: RefWatch) -> list[tuple[str, str]]:
    return [(change.name, change.how) for change in watch.changes()]


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
@pytest.mark.parametrize(
    ("script", "how"),
    [
        ("git commit -q --allow-empty -m x", "moved"),
        ("git commit -q --allow-empty -m x; git reset -q --hard HEAD~1", "undone"),
        ("git update-ref refs/heads/main left; git update-ref refs/heads/main HEAD@{1}", "undone"),
        ("git commit -q --allow-empty -m x; git reset -q --hard HEAD~1; "
         "git reflog expire --expire=all --all; git gc -q --prune=now", "undone"),
        ("git checkout -q --detach; git branch -q -D main; git branch main", "recreated"),
        ("git checkout -q --detach; git branch -q -D main; git pack-refs --all --prune; git branch main",
         "recreated"),
        ("git checkout -q --detach; git branch -q -D main", "deleted"),
        ("git checkout -q --detach; git branch -q -m main old; git branch -q -m old main", "recreated"),
        ("git checkout -q --detach; git branch -q -f main left; git branch -q -f main HEAD", "undone"),
        ("git fetch -q . left:right -f; git fetch -q . +left:main -u", "moved"),
        ("git rev-parse left > .git/refs/heads/main", "moved"),
        ("git rev-parse main > old; git rev-parse left > .git/refs/heads/main; cp old .git/refs/heads/main",
         "undone"),
        ("rm -rf .git/logs; git commit -q --allow-empty -m x; git reset -q --hard main~1; rm -rf .git/logs",
         "undone"),
    ],
)  # fmt: skip
def test_what_moves_a_branch(repository: Path, follow: Follow, script: str, how: str, packed: bool) -> None:
    if packed:
        shell(repository, "git pack-refs --all --prune")
    watch = follow()
    shell(repository, script)
    assert hows(watch) == [(MAIN, how)]
    assert hows(watch) == []


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
@pytest.mark.parametrize(
    "script",
    [
        "git pack-refs --all --prune",
        "git pack-refs --all",
        "git gc -q --prune=now",
        "git repack -adq; git prune; git prune-packed",
        "git update-ref refs/heads/main main",
        "git branch -f -q left main; git branch -D left -q; git tag v1; git tag -d v1",
        "git branch other/main; git branch -D other/main; git branch main2",
        "git reset -q --hard; git reset -q --hard HEAD; git checkout -q left; git checkout -q main",
        "git checkout -q --detach; git commit -q --allow-empty -m x; git checkout -q main",
        "git stash -q --include-untracked || :; git reflog expire --expire=all --all",
        "git fetch -q . main:refs/remotes/o/main; git worktree add -q ../w left; git worktree remove ../w",
        "git merge -q main; git merge -q --ff-only main; git rebase -q main",
        "! git merge -q left right; git merge --abort || git reset -q --hard",
        "git rev-parse main > x; cp x .git/refs/heads/main",
    ],
)
def test_what_does_not_move_it(repository: Path, follow: Follow, script: str, packed: bool) -> None:
    if packed:
        shell(repository, "git pack-refs --all --prune")
    watch = follow()
    shell(repository, script)
    assert hows(watch) == []


def test_a_merge_that_fails_leaves_the_branch_alone(repository: Path, follow: Follow) -> None:
    shell(repository, "git merge -q left")
    watch = follow()
    shell(repository, "! git merge -q right; git merge --abort")
    assert hows(watch) == []


def test_looks_in_between_change_nothing(repository: Path, follow: Follow) -> None:
    watch = follow()
    shell(repository, "git commit -q --allow-empty -m x")
    [first] = watch.changes()
    shell(repository, "git pack-refs --all --prune")
    assert watch.changes() == []
    shell(repository, "git reset -q --hard HEAD~1")
    [second] = watch.changes()
    assert (first.how, second.how) == ("moved", "moved")
    assert (first.old, first.new) == (second.new, second.old)
    assert [move.message for move in first.log] == ["commit: x"]
    assert [move.message for move in second.log] == ["reset: moving to HEAD~1"]


@pytest.mark.parametrize("name", ["x", "agent/x", "agent/deep/x"])
@pytest.mark.parametrize("others", ["", "git branch agent/y; git branch -D agent/y; "])
def test_a_branch_that_comes_and_goes(repository: Path, follow: Follow, name: str, others: str) -> None:
    """Git removes the directories that a deleted branch leaves empty, and makes new ones for the next."""
    watch = follow(f"refs/heads/{name}")
    shell(repository, f"{others}{others}git branch {name}; git branch -D {name}")
    assert hows(watch) == [(f"refs/heads/{name}", "came and went")]
    shell(repository, f"{others}git branch {name}; git branch -D {name}; git pack-refs --all")
    assert hows(watch) == [(f"refs/heads/{name}", "came and went")]


def test_its_neighbours_do_not_count(repository: Path, follow: Follow) -> None:
    watch = follow("refs/heads/agent/x")
    again = "git branch agent/y; git branch -D agent/y; git branch agent/z/x; git branch -D agent/z/x;"
    shell(repository, f"{again} git gc -q; {again} git branch agent2; git branch agent/q")
    assert hows(watch) == []


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_a_branch_in_a_directory_that_git_removes(repository: Path, follow: Follow, packed: bool) -> None:
    shell(repository, "git branch release/1.0" + ("; git pack-refs --all --prune" if packed else ""))
    watch = follow("refs/heads/release/1.0")
    shell(repository, "git gc -q; git branch release/2; git branch -D release/2; git pack-refs --all")
    assert hows(watch) == []
    shell(repository, "git branch -f release/1.0 left; git branch -f release/1.0 main; git gc -q")
    assert hows(watch) == [("refs/heads/release/1.0", "undone")]


def test_what_we_put_there_is_gone_at_the_end(repository: Path, follow: Follow) -> None:
    def below() -> list[str]:
        return sorted(path.as_posix() for path in (repository / ".git" / "refs").rglob("*"))

    before = below()
    watch = follow("refs/heads/agent/deep/x")
    assert below() != before
    shell(repository, "git fsck --strict; git clone -q . ../clone; git branch -a | grep -qv goalkeeper")
    watch.close()
    watch.close()
    assert below() == before


def test_a_branch_may_take_the_place_of_the_directory(repository: Path, follow: Follow) -> None:
    watch = follow("refs/heads/agent/x")
    shell(repository, "git branch agent; git branch -D agent; git branch agent")
    assert [how for name, how in hows(watch) if name == "refs/heads/agent/x"] == []
    late = follow("refs/heads/agent/x")
    assert hows(late) == []


def test_a_pattern_of_names(repository: Path, follow: Follow) -> None:
    watch = follow("refs/heads/agent/*")
    shell(repository, "git branch agentless; git branch other/agent; git tag agent/1")
    assert hows(watch) == []
    shell(repository, "git branch agent/1; git branch agent/2; git branch -D agent/2")
    assert hows(watch) == [("refs/heads/agent/1", "appeared"), ("refs/heads/agent/2", "came and went")]
    shell(repository, "git branch agent/deep/1; git branch -D agent/deep/1")
    assert hows(watch) == [("refs/heads/agent/deep/", "unseen")]


def test_two_watches_do_not_disturb_each_other(repository: Path, follow: Follow) -> None:
    first, second = follow("refs/heads/agent/*"), follow("refs/heads/agent/deep/x")
    shell(repository, "git branch other")
    assert hows(first) == hows(second) == []


def test_a_linked_worktree_and_a_bare_repository(repository: Path, follow: Follow, tmp_path: Path) -> None:
    shell(repository, "git worktree add -q ../w left; git clone -q --bare . ../bare")
    own, bare = follow("refs/heads/left"), follow(MAIN, tmp_path / "bare")
    shell(tmp_path / "w", "git commit -q --allow-empty -m x; git reset -q --hard HEAD~1")
    assert hows(own) == [("refs/heads/left", "undone")]
    shell(repository, "git push -q ../bare +left:main; git push -q ../bare +main:main")
    assert hows(bare) == [(MAIN, "undone")]


def test_a_repository_that_is_removed_or_replaced(repository: Path, follow: Follow, tmp_path: Path) -> None:
    watch = follow()
    shutil.copytree(repository, tmp_path / "copy")
    shutil.rmtree(repository)
    assert hows(watch) == [(MAIN, "deleted")]
    shutil.copytree(tmp_path / "copy", repository)
    watch = follow()
    shutil.rmtree(repository)
    shutil.copytree(tmp_path / "copy", repository)
    assert [how for _, how in hows(watch)] == ["unseen"]


def test_more_than_the_kernel_keeps_is_an_error(repository: Path, follow: Follow) -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 100_000:
        pytest.skip(f"{limit} events are kept here")
    watch = follow()
    one, other = repository / ".git" / "refs" / "heads" / "left", repository / ".git" / "refs" / "heads" / "l"
    for _ in range(limit // 4 + 10):
        one.rename(other)
        other.rename(one)
    with pytest.raises(StepFailed, match="more happened in the repository than could be followed"):
        watch.changes()


def test_a_reftable_can_not_be_followed(repository: Path) -> None:
    (repository / ".git" / "reftable").mkdir()
    with pytest.raises(StepFailed, match="reftable"):
        RefWatch(repository / ".git", MAIN)


def test_descriptors_are_used_again_and_forget(repository: Path, follow: Follow) -> None:
    files = Path("/proc/self/fd")
    first, second = follow(), follow("refs/*")
    shell(repository, "git commit -q --allow-empty -m x")
    first.close()
    second.close()
    before = len([*files.iterdir()])
    for _ in range(3):
        watches = [follow(), follow("refs/*")]
        assert [watch.changes() for watch in watches] == [[], []]
        shell(repository, "git commit -q --allow-empty -m x")
        assert [hows(watch) for watch in watches] == [[(MAIN, "moved")]] * 2
        for watch in watches:
            watch.close()
    assert len([*files.iterdir()]) == before


ELSEWHERE = (
    'cp .git/packed-refs .git/old; sed -i "/main/s/^[0-9a-f]*/$(git rev-parse left)/" .git/packed-refs; '
)
NOWHERE = "cp .git/packed-refs .git/old; sed -i /main/d .git/packed-refs; "


@pytest.mark.parametrize(
    ("script", "how"),
    [
        (f"{ELSEWHERE} git merge-base --is-ancestor left main; mv .git/old .git/packed-refs", "rewritten"),
        (f"{NOWHERE} cp .git/old .git/packed-refs", "rewritten"),
        (f"{NOWHERE} git branch main left; git pack-refs --all", "moved"),
        ("mv .git/packed-refs .git/old; mv .git/old .git/packed-refs", "rewritten"),
        ("cp .git/packed-refs .git/old; mv .git/old .git/packed-refs", None),
        ("git pack-refs --all; git branch x; git pack-refs --all; git branch -D x; git gc -q", None),
    ],
)
def test_packed_refs_that_are_written_by_hand(
    repository: Path, follow: Follow, script: str, how: str | None
) -> None:
    """Git writes them too, but never so that a name stands for something else."""
    shell(repository, "git pack-refs --all --prune")
    watch = follow()
    shell(repository, script)
    assert [found for _, found in hows(watch)] == ([how] if how else [])


def test_a_name_that_was_in_packed_refs_for_a_moment(repository: Path, follow: Follow) -> None:
    shell(repository, "git pack-refs --all --prune")
    watches = [follow(f"refs/heads/{pattern}") for pattern in ("agent/1", "agent/*")]
    shell(
        repository,
        "mv .git/packed-refs .git/old; tail -n +2 .git/old > .git/packed-refs; "
        "echo $(git rev-parse main) refs/heads/agent/1 >> .git/packed-refs; "
        "git rev-parse agent/1; mv .git/old .git/packed-refs",
    )
    assert [[how for _, how in hows(watch)] for watch in watches] == [["rewritten"]] * 2


def test_a_directory_in_which_a_pattern_may_match(repository: Path, follow: Follow) -> None:
    some, one = follow("refs/heads/a*/b"), follow("refs/heads/a/b")
    shell(repository, "git branch ax/b; git branch -D ax/b; git branch b/a; git branch -D b/a")
    assert hows(some) == [("refs/heads/ax/", "unseen")]
    assert hows(one) == []


def test_it_can_be_put_back(repository: Path, follow: Follow) -> None:
    shell(repository, "git branch release/1; git branch release/2")
    watch = follow("refs/*")
    put_back = watch.mark()
    shutil.copytree(repository / ".git", repository / "kept")
    shell(repository, "git commit -q --allow-empty -m x; git branch -D release/1 release/2; git tag v1")
    assert len(watch.changes()) == 4
    shell(repository, "rm -r .git/refs .git/logs; cp -r kept/refs kept/logs .git")
    assert watch.changes() != []
    put_back()
    assert watch.changes() == []
    shell(repository, "git branch -f release/1 left; git branch -f release/1 main")
    assert hows(watch) == [("refs/heads/release/1", "undone")]
