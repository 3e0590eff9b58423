"""Where records lie: which is the newest, and what git gets to see."""

from __future__ import annotations

import os
from pathlib import Path

from goalkeeper.runner.record.place import newest, prepare


def run(reports: Path, name: str, age: int = 0) -> Path:
    path = reports / "runs" / name / "record.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    os.utime(path, (1000 - age, 1000 - age))
    return path


def test_none(tmp_path: Path) -> None:
    assert newest(tmp_path) is None
    prepare(tmp_path / "reports")
    assert newest(tmp_path / "reports") is None


def test_the_newest_by_the_time_in_its_name(tmp_path: Path) -> None:
    """Not by that of the file, which a copy may have changed."""
    expected = run(tmp_path, "20261118T120001Z-000000", age=500)
    run(tmp_path, "20261118T120000Z-ffffff")
    assert newest(tmp_path) == expected


def test_of_one_second_the_one_that_was_written_last(tmp_path: Path) -> None:
    expected = run(tmp_path, "20261118T120000Z-000000")
    run(tmp_path, "20261118T120000Z-ffffff", age=1)
    assert newest(tmp_path) == expected


def test_a_run_without_a_record(tmp_path: Path) -> None:
    run(tmp_path, "20261118T120000Z-000000")
    late = tmp_path / "runs" / "20261118T120001Z-000000"
    late.mkdir()
    (tmp_path / "runs" / "zzz").touch()
    assert newest(tmp_path) == late / "record.jsonl"


def test_git_overlooks_our_directory_and_not_that_of_others(tmp_path: Path) -> None:
    prepare(tmp_path / "ours")
    assert (tmp_path / "ours" / ".gitignore").read_text().endswith("\n*\n")
    assert not (tmp_path / "ours" / "runs" / ".gitignore").exists()
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "page.md").touch()
    prepare(docs)
    prepare(docs)
    assert not (docs / ".gitignore").exists()
    assert (docs / "runs" / ".gitignore").is_file()
