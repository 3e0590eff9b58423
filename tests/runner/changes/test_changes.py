"""Changes: those who follow a path are told of what becomes of it, also where it was not there yet."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from goalkeeper.runner.changes import Change, Changes, inotify
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.wait import until


@pytest.fixture
def changes(tmp_path: Path) -> Iterator[Changes]:
    following = Changes(tmp_path)
    yield following
    following.close()


def told(changes: Changes, heard: list[Change]) -> list[tuple[str, str]]:
    """What has been told until now, by the name of the file; the kernel may tell of one write as of two."""
    with changes.settled():
        now = [key for key, _ in groupby(heard, key=lambda change: (change.path.name, str(change.what)))]
        heard.clear()
        return now


def test_a_file_and_not_its_neighbours(changes: Changes, tmp_path: Path) -> None:
    heard: list[Change] = []
    changes.follow(tmp_path / "a", heard.append)
    assert changes.live
    (tmp_path / "b").write_text("x")
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").replace(tmp_path / "a")
    (tmp_path / "a").chmod(0o600)
    (tmp_path / "a").unlink()
    whats = ["created", "written", "closed", "appeared", "attributes", "gone"]
    assert told(changes, heard) == [("a", what) for what in whats]


def test_a_directory_that_comes_later(changes: Changes, tmp_path: Path) -> None:
    heard: list[Change] = []
    changes.follow(tmp_path / "x" / "y" / "a", heard.append)
    (tmp_path / "x").mkdir()
    assert told(changes, heard) == []
    (tmp_path / "x" / "y").mkdir()
    assert told(changes, heard) == []
    (tmp_path / "x" / "y" / "a").touch()
    (tmp_path / "x" / "y" / "a").unlink()
    assert told(changes, heard) == [("a", "created"), ("a", "closed"), ("a", "gone")]


def test_a_whole_tree_that_comes_at_once(changes: Changes, tmp_path: Path) -> None:
    heard: list[Change] = []
    (tmp_path / "made" / "y").mkdir(parents=True)
    (tmp_path / "made" / "y" / "a").touch()
    changes.follow(tmp_path / "x" / "y" / "a", heard.append)
    (tmp_path / "made").rename(tmp_path / "x")
    assert told(changes, heard) == [("a", "appeared")]
    (tmp_path / "x").rename(tmp_path / "gone")
    (tmp_path / "gone" / "y" / "a").write_text("not followed here")
    assert told(changes, heard) == [("a", "gone")]
    shutil.copytree(tmp_path / "gone", tmp_path / "x")
    assert told(changes, heard)[0] in (("a", "appeared"), ("a", "created"))
    (tmp_path / "x" / "y" / "a").write_text("more")
    assert ("a", "closed") in told(changes, heard)


def test_a_link_and_where_it_leads(changes: Changes, tmp_path: Path) -> None:
    heard: list[Change] = []
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "run-1").touch()
    (tmp_path / "real" / "run-2").touch()
    (tmp_path / "latest").symlink_to("real/run-1")
    changes.follow(tmp_path / "latest", heard.append)
    (tmp_path / "real" / "run-1").write_text("x")
    assert told(changes, heard) == [("latest", "written"), ("latest", "closed")]
    (tmp_path / "next").symlink_to("real/run-2")
    (tmp_path / "next").rename(tmp_path / "latest")
    assert told(changes, heard) == [("latest", "appeared")]
    (tmp_path / "real" / "run-2").write_text("x")
    assert told(changes, heard) == [("latest", "written"), ("latest", "closed")]


def test_a_tree(changes: Changes, tmp_path: Path) -> None:
    heard: list[Change] = []
    (tmp_path / "t" / "old").mkdir(parents=True)
    changes.follow(tmp_path / "t", heard.append, tree=True)
    (tmp_path / "beside").touch()
    (tmp_path / "t" / "old" / "a").touch()
    assert told(changes, heard) == [("a", "created"), ("a", "closed")]
    (tmp_path / "t" / "new").mkdir()
    assert told(changes, heard) == [("new", "created")]
    (tmp_path / "t" / "new" / "b").touch()
    assert told(changes, heard) == [("b", "created"), ("b", "closed")]
    (tmp_path / "t" / "new").rename(tmp_path / "out")
    (tmp_path / "out" / "b").write_text("not followed here")
    assert told(changes, heard) == [("new", "gone")]


def test_a_tree_down_to_a_depth(changes: Changes, tmp_path: Path) -> None:
    heard: list[Change] = []
    changes.follow(tmp_path / "x", heard.append, tree=True, depth=2)
    (tmp_path / "x" / "y" / "z").mkdir(parents=True)
    assert {name for name, _ in told(changes, heard)} == {"x", "y", "z"}
    (tmp_path / "x" / "y" / "z" / "a").touch()
    (tmp_path / "x" / "y" / "z" / "w").mkdir()
    assert told(changes, heard) == []
    (tmp_path / "x" / "y" / "b").touch()
    assert told(changes, heard) == [("b", "created"), ("b", "closed")]


def test_a_tree_that_is_not_there_yet(changes: Changes, tmp_path: Path) -> None:
    heard: list[Change] = []
    changes.follow(tmp_path / "x" / "t", heard.append, tree=True)
    (tmp_path / "made" / "t" / "deep").mkdir(parents=True)
    (tmp_path / "made" / "t" / "deep" / "a").touch()
    (tmp_path / "made").rename(tmp_path / "x")
    assert told(changes, heard) == [("t", "appeared"), ("deep", "appeared"), ("a", "appeared")]


def test_several_follow_the_same(changes: Changes, tmp_path: Path) -> None:
    one: list[Change] = []
    other: list[Change] = []
    hear = one.append
    changes.follow(tmp_path / "a", hear)
    changes.follow(tmp_path / "a", other.append)
    (tmp_path / "a").mkdir()
    assert told(changes, one) == told(changes, other) == [("a", "created")]
    changes.leave(hear)
    (tmp_path / "a").rmdir()
    assert (told(changes, one), told(changes, other)) == ([], [("a", "gone")])


def test_the_thread_tells_without_being_asked(changes: Changes, tmp_path: Path) -> None:
    heard: list[Change] = []
    changes.follow(tmp_path / "a", heard.append)
    (tmp_path / "a").mkdir()
    assert until(lambda: heard or None, 30)


def test_what_goes_wrong_in_the_thread_is_told_to_who_looks(changes: Changes, tmp_path: Path) -> None:
    def broken(_: Change) -> None:
        raise StepFailed("can't be read")

    changes.follow(tmp_path / "a", broken)
    (tmp_path / "a").touch()
    for _ in range(2):
        with pytest.raises(StepFailed, match="can't be read"), changes.settled():
            pass


def test_a_queue_that_overflows_is_a_failure(
    changes: Changes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes.follow(tmp_path / "a", lambda _: None)
    overflow = inotify.Event(-1, inotify.OVERFLOW, "")
    monkeypatch.setattr(inotify.Inotify, "read", lambda _: [overflow])
    with pytest.raises(StepFailed, match="did not tell of all of them"), changes.settled():
        pass


def test_a_limit_of_the_kernel_is_told(
    changes: Changes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_more(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inotify.Inotify, "add", no_more)
    with pytest.raises(
        StepFailed, match=r"can't be watched: No space left on device\nsee fs.inotify.max_user"
    ):
        changes.follow(tmp_path / "a", lambda _: None)


def test_without_inotify_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left() -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(inotify, "borrow", none_left)
    changes = Changes(tmp_path)
    changes.follow(tmp_path / "a", lambda _: None)
    assert not changes.live
    with changes.settled():
        changes.close()


def test_what_was_followed_before_is_forgotten(tmp_path: Path) -> None:
    heard: list[Change] = []
    before = 0
    for number in range(3):
        changes = Changes(tmp_path)
        changes.follow(tmp_path / str(number), heard.append)
        (tmp_path / str(number)).touch()
        assert told(changes, heard)[0] == (str(number), "created")
        changes.close()
        changes.close()
        (tmp_path / str(number)).unlink()
        descriptors = len([*Path("/proc/self/fd").iterdir()])
        assert descriptors == (before or descriptors)
        before = descriptors
    assert heard == []
