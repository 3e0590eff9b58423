"""steps/sqlite/history.py: what a database was between two looks."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from goalkeeper.runner.changes import Changes, inotify
from goalkeeper.runner.wait import until
from goalkeeper.steps.sqlite import history as module
from goalkeeper.steps.sqlite.history import History
from goalkeeper.steps.sqlite.snapshot import held
from goalkeeper.steps.sqlite.wal import WriteAheadLog

Follow = Callable[[], History]

# Moves money between two accounts, so that a state that is no state would show.
WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
connection.execute("PRAGMA synchronous = OFF")
connection.execute(f"PRAGMA wal_autocheckpoint = {sys.argv[2]}")
connection.execute("PRAGMA cache_size = 3")
for number in range(int(sys.argv[3])):
    connection.execute("BEGIN")
    connection.execute("UPDATE t SET a = a + 1 WHERE rowid % 2")
    connection.execute("UPDATE t SET a = a - 1 WHERE NOT rowid % 2")
    connection.execute("INSERT INTO t VALUES (0, zeroblob(3000)), (0, zeroblob(3000))")
    connection.execute("ROLLBACK" if number % 4 == 0 else "COMMIT")
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def follow(tmp_path: Path, path: Path) -> Iterator[Follow]:
    changes = Changes(tmp_path)

    def followed() -> History:
        history = History(changes, path)
        history.join("me")
        return history

    yield followed
    changes.close()


def connect(path: Path, mode: str = "") -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    if mode:
        connection.execute(f"PRAGMA journal_mode = {mode}").fetchall()
        connection.execute("CREATE TABLE t (a, filler)")
        connection.execute("INSERT INTO t VALUES (0, ''), (0, '')")
    return connection


def sums(states: list[bytes]) -> list[int]:
    """The sum of each state; one that is not sound has none."""
    found: list[int] = []
    for state in states:
        with held(state) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            found += [sum(a for [a] in connection.execute("SELECT a FROM t"))]
    return found


def news(history: History) -> list[int]:
    states, now = history.news("me")
    assert now is not None
    return sums([*states, now])


def test_every_transaction_in_a_log(follow: Follow, path: Path) -> None:
    with closing(connect(path, "wal")) as connection:
        history = follow()
        assert history.live
        for number in range(1, 8):
            connection.execute("UPDATE t SET a = ? WHERE rowid = 1", (number,))
        connection.execute("BEGIN")
        connection.execute("UPDATE t SET a = 99")
        connection.execute("ROLLBACK")
        assert news(history) == [1, 2, 3, 4, 5, 6, 7]
        assert news(history) == [7]
        connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
        connection.execute("UPDATE t SET a = 1")
        connection.execute("UPDATE t SET a = 2")
        assert news(history) == [2, 4]
        connection.execute("BEGIN")
        connection.execute("DELETE FROM t")
        assert news(history) == [4]
        connection.execute("COMMIT")
        assert news(history) == [0]
        assert history.unread == 0


def test_a_log_that_is_deleted_was_read(follow: Follow, path: Path) -> None:
    connect(path, "wal").close()
    history = follow()
    assert news(history) == [0]
    with closing(connect(path)) as connection:
        connection.execute("UPDATE t SET a = 1")
        assert news(history) == [2]
        connection.execute("UPDATE t SET a = 2")
        connection.execute("UPDATE t SET a = 3")
    assert not path.with_name("a.db-wal").exists()
    assert news(history) == [4, 6]
    assert history.unread == 0


@pytest.mark.parametrize(
    ("first", "seen", "unread"),
    [("ROLLBACK", [2, 4, 6], 0), ("INSERT INTO t VALUES (7, 7); COMMIT", [13], 1)],
)
def test_what_is_told_late(follow: Follow, path: Path, first: str, seen: list[int], unread: int) -> None:
    """A log that came and went, and another that is there by the time that the first is heard of."""
    connect(path, "wal").close()
    history = follow()
    with history._changes.settled():
        with closing(connect(path)) as connection:
            connection.executescript(f"BEGIN IMMEDIATE; {first}")
        connection = connect(path)
        for number in (1, 2, 3):
            connection.execute("UPDATE t SET a = ? WHERE rowid < 3", (number,))
    assert news(history) == seen
    assert history.unread == unread
    connection.close()


def test_one_program_after_the_other(follow: Follow, path: Path) -> None:
    connect(path, "wal").close()
    history = follow()
    for number in range(1, 5):
        with closing(connect(path)) as connection:
            connection.execute("UPDATE t SET a = ?", (number,))
            with history._changes.settled():
                pass
            connection.execute("INSERT INTO t VALUES (100, ?)", ("x" * 10000,))
            connection.execute("DELETE FROM t WHERE a = 100")
    assert news(history) == [found for n in (2, 4, 6, 8) for found in (n, n + 100, n)]
    assert history.unread == 0


def test_one_that_came_and_went_unread_is_counted(follow: Follow, path: Path) -> None:
    connect(path, "wal").close()
    history = follow()
    with history._changes.settled(), closing(connect(path)) as connection:
        connection.execute("UPDATE t SET a = 1")
        connection.execute("UPDATE t SET a = 2")
    assert news(history) == [4]
    assert history.unread > 0


def test_a_log_that_is_begun_anew_unread_is_counted(follow: Follow, path: Path) -> None:
    with closing(connect(path, "wal")) as connection:
        history = follow()
        with history._changes.settled():
            connection.execute("UPDATE t SET a = 1")
            connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
            connection.execute("UPDATE t SET a = 2")
        assert news(history) == [4]
        assert history.unread == 1
        connection.execute("UPDATE t SET a = 3")
        connection.execute("UPDATE t SET a = 4")
        assert news(history) == [6, 8]


@pytest.mark.parametrize("mode", ["delete", "truncate", "persist"])
def test_transactions_with_a_journal(follow: Follow, path: Path, mode: str) -> None:
    with closing(connect(path, mode)) as connection:
        history = follow()
        for number in (1, 2, 3):
            connection.execute("UPDATE t SET a = ?", (number,))
            with history._changes.settled():
                pass
        connection.execute("BEGIN")
        connection.execute("UPDATE t SET a = 4")
        states, now = history.news("me")
        assert (sums([*states]), now) == ([2, 4, 6], None)
        connection.execute("COMMIT")
        assert news(history) == [8]
        assert history.unread == 0
        with history._changes.settled():
            for number in (5, 6, 7):
                connection.execute("UPDATE t SET a = ?", (number,))
        assert news(history) == [14]
        assert history.unread == 2


@pytest.mark.parametrize(("mode", "checkpoint"), [("wal", 0), ("wal", 20), ("wal", 1000), ("delete", 0)])
def test_a_program_that_writes_without_a_pause(
    follow: Follow, path: Path, mode: str, checkpoint: int
) -> None:
    connect(path, mode).close()
    history = follow()
    seen: list[int] = []
    command = [sys.executable, "-c", WRITER, str(path), str(checkpoint), "60"]
    with subprocess.Popen(command) as process:

        def look() -> bool | None:
            is_done = process.poll() is not None
            states, now = history.news("me")
            seen.extend(sums([*states, *([now] if now is not None else [])]))
            return is_done or None

        assert until(look, 60.0)
    assert process.returncode == 0
    assert len(seen) > 1
    assert {*seen} == {0}


def test_files_that_are_replaced_or_written_past_sqlite(follow: Follow, path: Path) -> None:
    connect(path, "delete").close()
    other = path.with_name("other.db")
    with closing(connect(other, "delete")) as connection:
        connection.execute("UPDATE t SET a = 5")
    history = follow()
    content = other.read_bytes()
    other.replace(path)
    assert news(history) == [10]
    path.unlink()
    states, now = history.news("me")
    assert ([*states], now) == ([b""], None)
    path.write_bytes(content)
    assert news(history) == [10]
    with path.open("r+b") as file:
        file.write(b"no longer")
    assert history.news("me")[1] is None


def test_one_that_is_written_to_in_its_middle_though_it_has_a_log(follow: Follow, path: Path) -> None:
    with closing(connect(path, "wal")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.execute("CREATE TABLE u (a)")
        history = follow()
        at = path.read_bytes().rindex(b"\x0d")
        with path.open("r+b") as file:
            file.seek(at)
            file.write(b"\x0c")
        _, now = history.news("me")
        assert now is not None
        assert now[at] == 0x0C


def test_more_than_is_kept(follow: Follow, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STATES", 3)
    with closing(connect(path, "wal")) as connection:
        history = follow()
        for number in range(1, 8):
            connection.execute("UPDATE t SET a = ? WHERE rowid = 1", (number,))
        assert news(history) == [1, 2, 3, 7]
        assert history.unread == 4
    monkeypatch.setattr(module, "LARGEST", 100)
    assert follow().news("me") == ([], None)


def test_every_reader_gets_all(follow: Follow, path: Path) -> None:
    with closing(connect(path, "wal")) as connection:
        history = follow()
        connection.execute("UPDATE t SET a = 1")
        history.join("you")
        connection.execute("UPDATE t SET a = 2")
        assert news(history) == [2, 4]
        connection.execute("UPDATE t SET a = 3")
        states, now = history.news("you")
        assert now is not None
        assert sums([*states, now]) == [4, 6]
        assert news(history) == [6]
        history.leave("you")
        history.leave("me")


def test_without_a_word_of_the_kernel(follow: Follow, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left() -> None:
        raise OSError

    monkeypatch.setattr(inotify, "borrow", none_left)
    connect(path, "delete").close()
    history = follow()
    assert not history.live
    with closing(connect(path)) as connection:
        connection.execute("UPDATE t SET a = 1")
        connection.execute("UPDATE t SET a = 2")
    assert news(history) == [4]
    assert history.unread == 1


@pytest.mark.parametrize("size", [512, 4096, 65536])
def test_a_log_of_any_size_of_page(path: Path, size: int) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {size}")
        connection.execute("PRAGMA journal_mode = wal").fetchall()
        base = path.read_bytes()
        connection.execute("CREATE TABLE t (a, filler)")
        connection.execute("INSERT INTO t VALUES (1, ?)", ("x" * 100000,))
        connection.execute("DELETE FROM t")
        log = WriteAheadLog(path.with_name("a.db-wal"))
        states = [base]
        states += [(base := one.apply(base)) for one in log.transactions()]
        assert sums(states[1:]) == [0, 1, 0]
        assert log.is_kept()
        assert [*log.transactions()] == []
        log.close()
