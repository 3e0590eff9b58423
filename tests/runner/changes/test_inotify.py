"""inotify: what the kernel tells, event by event."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.changes import inotify
from goalkeeper.runner.changes.inotify import Event, Inotify


@pytest.fixture
def queue() -> Iterator[Inotify]:
    opened = Inotify()
    yield opened
    opened.close()


def test_every_change_of_an_entry_is_told_in_order(queue: Inotify, tmp_path: Path) -> None:
    watch = queue.add(tmp_path)
    assert queue.read() == []
    path = tmp_path / "é x"
    path.write_text("a")
    path.chmod(0o600)
    path.rename(tmp_path / "b")
    (tmp_path / "b").unlink()
    assert [(event.mask, event.name) for event in queue.read()] == [
        (inotify.CREATE, "é x"),
        (inotify.MODIFY, "é x"),
        (inotify.CLOSE_WRITE, "é x"),
        (inotify.ATTRIB, "é x"),
        (inotify.MOVED_FROM, "é x"),
        (inotify.MOVED_TO, "b"),
        (inotify.DELETE, "b"),
    ]
    assert queue.read() == []
    (tmp_path / "d").mkdir()
    assert queue.read() == [Event(watch, inotify.CREATE | inotify.IS_DIRECTORY, "d")]


def test_more_than_one_buffer(queue: Inotify, tmp_path: Path) -> None:
    queue.add(tmp_path)
    names = [f"{number:04}-{'x' * 200}" for number in range(1000)]
    for name in names:
        (tmp_path / name).mkdir()
    assert [event.name for event in queue.read()] == names


def test_the_same_directory_has_one_number(queue: Inotify, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "link").symlink_to("d")
    first = queue.add(tmp_path / "d")
    assert queue.add(tmp_path / "link") == first
    queue.remove(first)
    (tmp_path / "d" / "x").touch()
    assert queue.read() == [Event(first, inotify.IGNORED, "")]
    queue.remove(first)


@pytest.mark.parametrize(("name", "error"), [("none", FileNotFoundError), ("file", NotADirectoryError)])
def test_what_can_not_be_watched(queue: Inotify, tmp_path: Path, name: str, error: type[OSError]) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(error):
        queue.add(tmp_path / name)


def test_a_child_does_not_inherit_the_queue(queue: Inotify) -> None:
    assert not os.get_inheritable(queue.fileno())


def test_a_queue_that_is_given_back_has_forgotten_all(tmp_path: Path) -> None:
    queue = inotify.borrow()
    first = queue.add(tmp_path)
    (tmp_path / "a").mkdir()
    inotify.give_back(queue)
    (tmp_path / "b").mkdir()
    assert inotify.borrow() is queue
    assert queue.read() == []
    second = queue.add(tmp_path)
    assert second != first
    (tmp_path / "c").mkdir()
    assert [(event.watch, event.name) for event in queue.read()] == [(second, "c")]
    inotify.give_back(queue)


def test_a_queue_that_is_given_back_twice_serves_one_at_a_time() -> None:
    queue = inotify.borrow()
    inotify.give_back(queue)
    inotify.give_back(queue)
    one, other = inotify.borrow(), inotify.borrow()
    assert one is not other
    inotify.give_back(one)
    inotify.give_back(other)
