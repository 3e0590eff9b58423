"""Versions of a file: each content once, in order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.changes import Changes
from goalkeeper.runner.changes.versions import AFTER, DURING, START, Version, Versions
from goalkeeper.runner.failure import StepFailed


@pytest.fixture
def changes(tmp_path: Path) -> Iterator[Changes]:
    following = Changes(tmp_path)
    yield following
    following.close()


class Following:
    def __init__(self, changes: Changes, path: Path) -> None:
        self.changes = changes
        self.heard: list[Version] = []
        self.versions = Versions(changes, path, self.heard.append)
        self.versions.look(START)

    def told(self) -> list[tuple[bytes | None, str, bool]]:
        with self.changes.settled():
            found = [(version.content, version.when, version.partial) for version in self.heard]
            self.heard.clear()
            return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "state"
    path.write_bytes(b"1")
    return path


def replaced(path: Path, content: bytes) -> None:
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.replace(path)


def test_versions_in_order(changes: Changes, file: Path) -> None:
    following = Following(changes, file)
    following.told()
    replaced(file, b"2")
    assert following.told() == [(b"2", DURING, False)]
    replaced(file, b"2")
    assert following.told() == []
    replaced(file, b"3")
    assert following.told() == [(b"3", DURING, False)]
    file.unlink()
    assert following.told() == [(None, DURING, False)]
    following.versions.look(AFTER)
    assert following.told() == []
    assert following.versions.unread == 0


def test_a_file_that_is_written_in_place(changes: Changes, file: Path) -> None:
    following = Following(changes, file)
    following.told()
    with file.open("wb", buffering=0) as writing:
        assert following.told() == [(b"", DURING, True)]
        writing.write(b"ab")
        assert following.told() == [(b"ab", DURING, True)]
    assert following.told() == [(b"ab", DURING, False)]


def test_a_file_that_is_made_in_place(changes: Changes, tmp_path: Path) -> None:
    following = Following(changes, tmp_path / "new")
    assert following.told() == [(None, START, False)]
    with (tmp_path / "new").open("wb", buffering=0) as writing:
        assert following.told() == [(b"", DURING, True)]
        writing.write(b"a")
    assert following.told()[-1] == (b"a", DURING, False)


def test_a_file_that_is_linked_here_is_whole(changes: Changes, file: Path, tmp_path: Path) -> None:
    following = Following(changes, tmp_path / "new")
    following.told()
    os.link(file, tmp_path / "new")
    assert following.told() == [(b"1", DURING, False)]


def test_one_that_was_gone_before_it_was_read_is_still_told(changes: Changes, tmp_path: Path) -> None:
    following = Following(changes, tmp_path / "new")
    following.told()
    with changes.settled():
        (tmp_path / "new").write_bytes(b"a")
        (tmp_path / "new").unlink()
    assert following.told() == [(None, DURING, True), (None, DURING, False)]
    assert following.versions.unread == 1


def test_what_could_not_be_read_in_time_is_counted(changes: Changes, file: Path) -> None:
    following = Following(changes, file)
    following.told()
    with changes.settled():
        for content in (b"2", b"3", b"4"):
            replaced(file, content)
    assert following.told() == [(b"4", DURING, False)]
    assert following.versions.unread == 2


def test_opening_and_closing_is_no_version(changes: Changes, file: Path) -> None:
    following = Following(changes, file)
    following.told()
    for _ in range(2):
        file.open("r+").close()
        assert following.told() == []
    assert following.versions.unread == 0


def test_a_directory_or_a_pipe_has_no_content(changes: Changes, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "p")
    assert Following(changes, tmp_path / "d").told() == [(None, START, False)]
    assert Following(changes, tmp_path / "p").told() == [(None, START, False)]


def test_a_file_that_can_not_be_read(changes: Changes, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(StepFailed, match="loop can't be read: Too many levels of symbolic links"):
        Following(changes, tmp_path / "loop")


def test_after_closing_nothing_is_told(changes: Changes, file: Path) -> None:
    following = Following(changes, file)
    following.told()
    following.versions.close()
    replaced(file, b"2")
    assert following.told() == []
