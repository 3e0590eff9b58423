"""Copies of databases: true to one moment, and without a trace on what was copied."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.wait import until
from goalkeeper.steps.sqlite import snapshot

State = dict[str, tuple[bytes, int]]

# Changes all pages again and again, at the pace of a busy program, so that a torn copy would show.
WRITER = """
import select, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
print(connection.execute(f"PRAGMA journal_mode = {sys.argv[2]}").fetchone()[0], flush=True)
connection.execute("PRAGMA synchronous = OFF")
connection.execute("PRAGMA cache_size = 5")
number = 0
while True:
    number += 1
    connection.execute("BEGIN")
    connection.execute("UPDATE pages SET round = ?", (number,))
    connection.execute("ROLLBACK" if number % 5 == 0 else "COMMIT")
    select.select((), (), (), 0.005)
"""

# Leaves a transaction half done, as a program that is killed does, and a journal that tells of it.
CRASH = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 5")
connection.execute("BEGIN")
connection.execute("UPDATE pages SET round = 77")
os.kill(os.getpid(), 9)
"""

HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
input()
"""


def make(path: Path, rows: int = 60, mode: str = "delete") -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("CREATE TABLE pages (id INTEGER PRIMARY KEY, round INTEGER, filler TEXT)")
        connection.executemany("INSERT INTO pages VALUES (?, 0, ?)", [(n, "x" * 3000) for n in range(rows)])


def state(folder: Path) -> State:
    """All files with their content and the time of their last change."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def rounds(path: Path, scratch: Path) -> list[tuple[int, int]]:
    with snapshot.opened(path, scratch) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return connection.execute("SELECT round, count(*) FROM pages GROUP BY round").fetchall()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    path.mkdir()
    return path


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    path = tmp_path / "scratch"
    path.mkdir()
    return path


@contextmanager
def writing(path: Path, mode: str) -> Iterator[None]:
    command = [sys.executable, "-c", WRITER, str(path), mode]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == mode
        try:
            yield
        finally:
            assert process.poll() is None, "the writer must not be disturbed"
            process.kill()


@pytest.mark.parametrize("mode", ["wal", "delete", "persist"])
def test_while_another_program_writes(folder: Path, scratch: Path, mode: str) -> None:
    path = folder / "a.db"
    make(path, 30)
    seen: list[int] = []

    def look() -> bool | None:
        [(number, rows)] = rounds(path, scratch)
        assert rows == 30
        seen.append(number)
        return True if len(seen) >= 15 and len(set(seen)) > 1 else None

    with writing(path, mode):
        assert until(look, 30.0), "the writer must have written meanwhile"


def change(path: Path, *sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for statement in sql:
            connection.execute(statement).fetchall()


ONE = "UPDATE pages SET round = 1"
TRUNCATE, RESTART = "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA wal_checkpoint(RESTART)"


@pytest.mark.parametrize("moment", ["a.db", "a.db-journal", "a.db-wal"])
@pytest.mark.parametrize(
    ("mode", "changes"),
    [
        ("delete", (ONE,)),
        ("persist", (ONE,)),
        ("wal", (ONE,)),
        ("wal", (ONE, "PRAGMA wal_checkpoint")),
        ("wal", (ONE, RESTART, ONE)),
        ("wal", (ONE, TRUNCATE)),
        ("wal", (ONE, TRUNCATE, ONE)),
    ],
)
def test_a_change_in_the_middle_of_a_copy(
    folder: Path,
    scratch: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    changes: tuple[str, ...],
    moment: str,
) -> None:
    """Once, right before one of the files is copied; a log has something in it that is in no database yet."""
    path = folder / "a.db"
    make(path, mode=mode)
    copyfile, waiting = shutil.copyfile, [changes]

    def interrupted(source: Path, target: Path) -> None:
        if source.name == moment and waiting:
            change(path, *waiting.pop())
        copyfile(source, target)

    monkeypatch.setattr(shutil, "copyfile", interrupted)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:  # keeps the log from being removed
        other.execute("PRAGMA synchronous = OFF")
        other.execute("UPDATE pages SET round = 7 WHERE id < 30")
        assert rounds(path, scratch) in ([(0, 30), (7, 30)], [(1, 60)])
    assert not waiting


def test_a_journal_that_is_written_over_while_it_is_copied(
    folder: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The head of one transaction and the rest of another: half of the pages would be rolled back."""
    path = folder / "a.db"
    make(path)
    subprocess.run([sys.executable, "-c", CRASH, str(path)], check=False)
    copyfile = shutil.copyfile
    torn: list[bytes] = []

    def tearing(source: Path, target: Path) -> None:
        copyfile(source, target)
        if source.name == "a.db-journal" and not torn:
            torn.append(source.read_bytes())
            half = len(torn[0]) // 2
            target.write_bytes(torn[0][:half] + b"\7" * half)

    monkeypatch.setattr(shutil, "copyfile", tearing)
    assert rounds(path, scratch) == [(0, 60)]
    assert torn


def test_a_checkpoint_between_two_halves_of_a_database(
    folder: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy of the database is torn, and the log mends it."""
    path = folder / "a.db"
    make(path, mode="wal")
    copyfile = shutil.copyfile

    def torn(source: Path, target: Path) -> None:
        before = source.read_bytes()
        if source == path:
            change(path, "PRAGMA wal_checkpoint")
            after = source.read_bytes()
            assert before != after, "the checkpoint must have changed the database"
            target.write_bytes(before[:40960] + after[40960:])
        else:
            copyfile(source, target)

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA synchronous = OFF")
        other.execute("PRAGMA wal_autocheckpoint = 0")
        other.execute("UPDATE pages SET round = 7")
        monkeypatch.setattr(shutil, "copyfile", torn)
        assert rounds(path, scratch) == [(7, 60)]


def test_a_log_that_is_begun_anew_while_it_is_copied(
    folder: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The head of the old log and the body of the new one: what the old one held would be lost."""
    path = folder / "a.db"
    make(path, mode="wal")
    copyfile = shutil.copyfile
    torn: list[bytes] = []

    def tearing(source: Path, target: Path) -> None:
        copyfile(source, target)
        if source.name == "a.db-wal" and not torn:
            torn.append(source.read_bytes())
            change(path, RESTART, ONE)
            target.write_bytes(torn[0][:32] + source.read_bytes()[32:])

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA synchronous = OFF")
        other.execute("UPDATE pages SET round = 7")
        monkeypatch.setattr(shutil, "copyfile", tearing)
        assert rounds(path, scratch) == [(1, 60)]
    assert torn


def test_the_oracle_would_see_a_torn_copy(folder: Path, scratch: Path) -> None:
    """Half of one state and half of another is found out by the very assertions of the test above."""
    path, later = folder / "a.db", folder / "b.db"
    make(path)
    shutil.copy(path, later)
    with closing(sqlite3.connect(later)) as connection, connection:
        connection.execute("UPDATE pages SET round = 1")
    one, other = path.read_bytes(), later.read_bytes()
    path.write_bytes(one[: len(one) // 2] + other[len(other) // 2 :])
    assert len(rounds(path, scratch)) == 2


def test_a_log_that_is_still_open(folder: Path, scratch: Path) -> None:
    path = folder / "a.db"
    make(path, mode="wal")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE pages SET round = 5")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE pages SET round = 6")
        before = state(folder)
        assert before.keys() == {"a.db", "a.db-wal", "a.db-shm"}
        assert rounds(path, scratch) == [(5, 60)]
        assert state(folder) == before
        connection.execute("COMMIT")
        assert rounds(path, scratch) == [(6, 60)]


def test_a_log_that_was_left_behind(folder: Path, scratch: Path) -> None:
    path, left = folder / "a.db", folder / "left"
    make(path, mode="wal")
    left.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE pages SET round = 5")
        for name in ("a.db", "a.db-wal"):
            shutil.copy(folder / name, left / name)
    before = state(left)
    assert rounds(left / "a.db", scratch) == [(5, 60)]
    assert state(left) == before


def test_a_transaction_that_was_left_half_done(folder: Path, scratch: Path) -> None:
    path = folder / "a.db"
    make(path)
    subprocess.run([sys.executable, "-c", CRASH, str(path)], check=False)
    before = state(folder)
    assert before.keys() == {"a.db", "a.db-journal"}
    assert before["a.db-journal"][0] != b""
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as raw:
        assert len(raw.execute("SELECT DISTINCT round FROM pages").fetchall()) == 2
    assert rounds(path, scratch) == [(0, 60)]
    assert state(folder) == before


def test_a_database_that_is_locked(folder: Path, scratch: Path) -> None:
    path = folder / "a.db"
    make(path)
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert rounds(path, scratch) == [(0, 60)]
        process.communicate("\n")
    assert process.returncode == 0


def test_through_a_link(folder: Path, scratch: Path, tmp_path: Path) -> None:
    path = folder / "a.db"
    make(path, mode="wal")
    (tmp_path / "link.db").symlink_to(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE pages SET round = 5")
        assert rounds(tmp_path / "link.db", scratch) == [(5, 60)]


def test_copies_do_not_stay(folder: Path, scratch: Path) -> None:
    make(folder / "a.db")
    rounds(folder / "a.db", scratch)
    assert [*scratch.iterdir()] == []


def test_a_database_that_never_rests(folder: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "a.db"
    make(path)
    copyfile = shutil.copyfile

    def meddling(source: Path, target: Path) -> None:
        copyfile(source, target)
        with source.open("r+b") as file:
            file.seek(24)
            number = int.from_bytes(file.read(4))
            file.seek(24)
            file.write((number + 1).to_bytes(4))

    monkeypatch.setattr(shutil, "copyfile", meddling)
    with pytest.raises(StepFailed) as caught:
        snapshot.take(path, scratch / "copy", 0.05)
    assert caught.value.message == (
        "it was written to without a pause for 0.05 s, so it could not be read as a whole"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is an empty file, no database yet"),
        (b"hello", "it is no SQLite database: it begins with b'hello'"),
        (b"SQLite format 3\0", r"it is no SQLite database: it begins with b'SQLite format 3\x00'"),
        (b"SQLite format 3\0" + b"\xff" * 200, "it can't be opened: file is not a database"),
    ],
)
def test_what_is_no_database(folder: Path, scratch: Path, content: bytes, message: str) -> None:
    (folder / "a.db").write_bytes(content)
    with pytest.raises(snapshot.Corrupt) as caught, snapshot.opened(folder / "a.db", scratch):
        pass
    assert caught.value.message == message
    with pytest.raises(StepFailed, match="it is not there"), snapshot.opened(folder / "none", scratch):
        pass


@pytest.mark.parametrize(
    "sql", ["DELETE FROM pages", "ATTACH 'x.db' AS x", "VACUUM INTO 'x.db'", "CREATE TABLE t (a)"]
)
def test_a_copy_can_only_be_read(
    folder: Path, scratch: Path, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    make(folder / "a.db")
    before = state(folder)
    with snapshot.opened(folder / "a.db", scratch) as connection, pytest.raises(sqlite3.Error):
        connection.execute(sql)
    assert state(folder) == before


def test_a_query_that_does_not_end(folder: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "QUERY_LIMIT", 0.05)
    make(folder / "a.db")
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    with (
        snapshot.opened(folder / "a.db", scratch) as connection,
        pytest.raises(sqlite3.OperationalError, match="interrupted"),
    ):
        connection.execute(endless)
