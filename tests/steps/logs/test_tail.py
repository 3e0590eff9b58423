"""Files that grow, are rotated, cut, copied and replaced while they are followed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.steps.logs import tail as module
from goalkeeper.steps.logs.tail import Tail


@pytest.fixture
def follow(tmp_path: Path) -> Iterator[Callable[[str], Tail]]:
    tails: list[Tail] = []

    def followed(pattern: str = "x.log") -> Tail:
        tails.append(Tail(lambda: sorted(tmp_path.glob(pattern)), lambda path: path.name))
        return tails[-1]

    yield followed
    for tail in tails:
        tail.close()


def new(tail: Tail) -> list[str]:
    return [f"{line.place} {line.text}" for block in tail.blocks() for line in block.lines()]


def add(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as log:
        log.write(text)


Follow = Callable[..., Tail]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "x.log"


def test_what_was_added(follow: Follow, log: Path) -> None:
    tail = follow()
    assert new(tail) == []
    add(log, "a\nb\r\nc")
    assert new(tail) == ["x.log:1 a", "x.log:2 b"]
    assert [rest.data for rest in tail.rests()] == [b"c"]
    assert tail.unfinished() == [b"c"]
    add(log, "c\n\nd\n")
    assert new(tail) == ["x.log:3 cc", "x.log:5 d"]
    assert (new(tail), tail.rests(), tail.unfinished(), tail.lost) == ([], [], [], [])


def test_blocks_end_with_lines_however_long(
    follow: Follow, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BLOCK", 4)
    add(log, "a\nbbbbbbbbbbbb\ncc\ndddddddd")
    tail = follow()
    assert new(tail) == ["x.log:1 a", "x.log:2 bbbbbbbbbbbb", "x.log:3 cc"]
    assert tail.unfinished() == [b"dddddddd"]


@pytest.mark.parametrize("whole", [True, False])
def test_what_was_there_can_be_left_out(follow: Follow, log: Path, whole: bool) -> None:
    add(log, "a\nb")
    tail = follow()
    assert tail.skip(lambda _: whole) == (2 if whole else 1)
    add(log, "!\nc\n")
    assert new(tail) == ["x.log:2 !" if whole else "x.log:2 b!", "x.log:3 c"]
    assert tail.lost == []


def test_rotation_with_lines_on_both_sides(follow: Follow, log: Path, tmp_path: Path) -> None:
    add(log, "a\n")
    tail = follow()
    assert new(tail) == ["x.log:1 a"]
    add(log, "b\n")
    log.rename(tmp_path / "x.log.1")
    assert new(tail) == ["x.log.1:2 b"]
    (tmp_path / "x.log.1").rename(tmp_path / "x.log.2")
    add(tmp_path / "x.log.1", "c\n")
    add(log, "d\n")
    assert new(tail) == ["x.log.1:1 c", "x.log:1 d"]
    assert tail.lost == []


def test_a_log_is_read_with_its_rotated_files(follow: Follow, tmp_path: Path) -> None:
    for name, text in (("x.log.10", "a\n"), ("x.log.2", "b\n"), ("x.log", "c\n"), ("x.log.old", "no\n")):
        add(tmp_path / name, text)
    (tmp_path / "x.log.3").symlink_to("x.log.2")
    (tmp_path / "x.log.4").mkdir()
    assert new(follow()) == ["x.log.10:1 a", "x.log.3:1 b", "x.log:1 c"]


def test_the_rest_of_a_deleted_file(follow: Follow, log: Path) -> None:
    add(log, "a\n")
    tail = follow()
    assert new(tail) == ["x.log:1 a"]
    with log.open("a") as writer:
        log.unlink()
        writer.write("b\n")
        writer.flush()
        add(log, "c\n")
        assert new(tail) == ["x.log:2 b", "x.log:1 c"]
        writer.write("d\n")
    assert new(tail) == ["x.log:3 d"]
    assert tail.lost == []


@pytest.mark.parametrize(
    ("again", "change"), [("", "cut from 4 to 0 bytes"), ("x\n", "cut from 4 to 2 bytes")]
)
def test_a_file_that_is_cut(follow: Follow, log: Path, again: str, change: str) -> None:
    add(log, "a\nb\n")
    tail = follow()
    assert len(new(tail)) == 2
    log.write_text(again)
    assert new(tail) == ([f"x.log:1 {again.strip()}"] if again else [])
    assert tail.lost == [f"x.log was {change} between two looks"]
    add(log, "y\n")
    assert [line.partition(" ")[2] for line in new(tail)] == ["y"]
    assert len(tail.lost) == 1


def test_a_file_that_was_cut_and_is_longer_again(follow: Follow, log: Path) -> None:
    add(log, "a\nb\n")
    tail = follow()
    assert len(new(tail)) == 2
    log.write_text("1\n2\n3\n")
    assert new(tail) == ["x.log:1 1", "x.log:2 2", "x.log:3 3"]
    assert tail.lost == ["x.log was written anew from its beginning between two looks"]


def test_a_log_that_is_copied_and_emptied_is_read_once(follow: Follow, log: Path, tmp_path: Path) -> None:
    add(log, "a\nb\n")
    tail = follow()
    assert len(new(tail)) == 2
    add(log, "c\n")
    (tmp_path / "x.log.1").write_bytes(log.read_bytes())
    log.write_text("d\n")
    assert new(tail) == ["x.log.1:3 c", "x.log:1 d"]
    assert tail.lost == []


def test_a_file_written_anew_and_moved_into_place_is_read_on(
    follow: Follow, log: Path, tmp_path: Path
) -> None:
    add(log, "a\nb\n")
    tail = follow()
    assert len(new(tail)) == 2
    add(tmp_path / "tmp", "a\nb\nc\n")
    (tmp_path / "tmp").replace(log)
    assert new(tail) == ["x.log:3 c"]
    add(tmp_path / "tmp", "other\n")
    (tmp_path / "tmp").replace(log)
    assert new(tail) == ["x.log:1 other"]
    assert tail.lost == []


def test_several_files_in_the_order_of_their_names(follow: Follow, tmp_path: Path) -> None:
    tail = follow("run-*.log")
    add(tmp_path / "run-2.log", "b\n")
    assert new(tail) == ["run-2.log:1 b"]
    add(tmp_path / "run-1.log", "a\n")
    add(tmp_path / "run-2.log", "c\n")
    assert new(tail) == ["run-1.log:1 a", "run-2.log:2 c"]


def test_what_can_not_be_read(follow: Follow, log: Path, tmp_path: Path) -> None:
    add(log, "a\n")
    add(tmp_path / "x.log.1.gz", "")
    with pytest.raises(StepFailed, match=r"a part of x.log is compressed and can't be read: x.log.1.gz"):
        new(follow())
    assert new(Tail(lambda: [log / "under"], lambda path: path.name)) == []
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(StepFailed, match="circle can't be read: Too many levels of symbolic links"):
        new(Tail(lambda: [tmp_path / "circle"], lambda path: path.name))


def test_the_end_of_a_log(follow: Follow, log: Path) -> None:
    tail = follow()
    assert tail.ending() == ""
    add(log, "".join(f"{n}\n" for n in range(20)))
    new(tail)
    assert tail.ending().splitlines()[-2:] == ["18", "19"]
