"""Does what the negative steps of this library forbid, with plain SQLite or plain writes."""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any

from ...runner.never import Witness
from ...runner.never.whereabouts import Whereabouts
from . import ways
from .ways import Statement

_PATIENCE = 0.02  # programs that hold a lock stand still
_SUFFIXES = ("-wal", "-journal")
_SHOWN = 5
_MOST = 100
_LARGEST = 8 << 20  # beyond that, what comes and goes is said not to be seen
Violating = Iterator[Witness]
Look = Callable[[sqlite3.Connection], Any]


def add_rows(whereabouts: Whereabouts, table: str, name: str, condition: str) -> Violating:
    """Rows for which the condition holds."""
    yield from _made(whereabouts, name, _select(table, condition), rows=5)


def add_row(whereabouts: Whereabouts, table: str, name: str, condition: str) -> Violating:
    """One such row; where there is a write-ahead log, it is gone with the next transaction."""
    yield from _made(whereabouts, name, _select(table, condition), rows=1)


def have_rows(whereabouts: Whereabouts, name: str, sql: str) -> Violating:
    """Rows are added, changed or removed, so that the query gives something."""
    yield from _made(whereabouts, name, sql, rows=5)


def have_row(whereabouts: Whereabouts, name: str, sql: str) -> Violating:
    """One is; where there is a write-ahead log, that is undone by the next transaction."""
    yield from _made(whereabouts, name, sql, rows=1)


def delete_rows(whereabouts: Whereabouts, table: str, name: str) -> Violating:
    """All rows are deleted."""
    path = whereabouts.file("database", name)
    before = _count(path, table)
    if not before:
        yield Witness(f"{table} has no rows to lose", effect=False)
        return
    with _copied(path) as copy, closing(_connected(copy)) as connection:
        triggers = [*ways.without_triggers(connection, table)]
    everything = (f"DELETE FROM {ways.quoted(table)}", ())  # noqa: S608
    with _done(path, [[*triggers, everything]], lambda connection: _counted(connection, table)) as after:
        lost = f"lost {before} row{'' if before == 1 else 's'}"
        yield Witness.of(f"the number of rows in {table}", before, after, lost)


def delete_row(whereabouts: Whereabouts, table: str, name: str) -> Violating:
    """One row is deleted; where there is a write-ahead log, it is there again with the next transaction."""
    path = whereabouts.file("database", name)
    before = _count(path, table)
    with _copied(path) as copy, closing(_connected(copy)) as connection:
        found = [one for one in ways.tables_in(connection, table) if one.name.lower() == table.lower()]
        triggers = [*ways.without_triggers(connection, table)]
    if not found or not found[0].row:
        yield Witness(f"{table} has no rows to lose", effect=False)
        return
    transactions = [[*triggers, ways.delete_first(found[0])], [ways.put_back(found[0])]]
    with _done(path, transactions, lambda connection: _counted(connection, table)) as between:
        yield Witness.of(f"the number of rows in {table}", before, between, "lost 1 row")


def overwrite_head(whereabouts: Whereabouts, name: str) -> Witness:
    """The first bytes of the file are no longer those of a database."""
    path = whereabouts.file("database", name)
    word = f"gk{secrets.token_hex(6)}"
    before = _bytes(path, 0, 16)
    with open(path, "r+b") as file:
        file.write(word.encode().ljust(100, b"."))
    return Witness.of(f"head -c 16 {name}", before, _bytes(path, 0, 16), word)


def change_byte(whereabouts: Whereabouts, name: str) -> Witness:
    """One byte is another, in a place where it is to be noticed."""
    path = whereabouts.file("database", name)
    found = _weak_place(path)
    if found is None and os.path.exists(f"{path}-wal"):
        with suppress(sqlite3.Error), closing(_connected(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        found = _weak_place(path)
    if found is None:
        return Witness("no byte was found at which the database breaks", effect=False)
    at, complaint = found
    before = _bytes(path, at, 1)
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(bytes([before[0] ^ 1]))
    return Witness.of(f"byte {at} of {name}", before, _bytes(path, at, 1), complaint)


def _made(whereabouts: Whereabouts, name: str, sql: str, rows: int) -> Violating:
    """Have a query give rows: so many if they can be, or one that comes and goes."""
    path = whereabouts.file("database", name)
    word = f"gk{secrets.token_hex(6)}"
    with _copied(path) as copy, closing(_connected(copy)) as connection:
        way = ways.way_to(connection, sql, word)
    if way is None:
        yield Witness(f"no way was found to have a row for {sql}", effect=False)
        return
    transactions = [way.does, way.undoes] if rows == 1 else [way.does]
    with _done(path, transactions, lambda connection: _given(connection, sql), rows) as given:
        yield Witness(f"{sql} gives {given}", bool(given), _trace(given, word))


def _trace(given: list[tuple[Any, ...]], word: str) -> str:
    """The word, or a number made of it, if the query shows it."""
    shown, number = {str(value) for row in given for value in row}, str(int(word[-7:], 16))
    return next((one for one in (word, number) if one in shown), "had such rows")


@contextmanager
def _done(
    path: str, transactions: Sequence[Sequence[Statement]], look: Look, times: int = 1
) -> Iterator[Any]:
    """What is seen after the first transaction; the second undoes it, if there is a log and it can be done.

    The first is done so many times, if it can be. The connection is held open meanwhile: who closes the last
    one takes the log away. Where a program that stands still has locked the database, a copy takes its place.
    """
    with ExitStack() as stack:
        locked = _is_locked(path)
        place = stack.enter_context(_copied(path)) if locked else path
        connection = stack.enter_context(closing(_connected(place)))
        [[mode]] = connection.execute("PRAGMA journal_mode").fetchall()
        _transact(connection, transactions[0])
        for _ in range(times - 1):
            _repeat(connection, transactions[0][-1:], look)
        seen = look(connection)
        if locked:
            connection.execute("PRAGMA journal_mode = DELETE").fetchall()
            _replace(path, place)
        elif mode == "wal" and os.path.getsize(path) <= _LARGEST:
            for statements in transactions[1:]:
                _repeat(connection, statements, lambda _: True)
        else:
            connection.close()
        yield seen


def _transact(connection: sqlite3.Connection, statements: Sequence[Statement]) -> None:
    connection.execute("BEGIN")
    ways.apply(connection, statements)
    connection.execute("COMMIT")


def _repeat(connection: sqlite3.Connection, statements: Sequence[Statement], look: Look) -> None:
    """Once more, if it can be, and if there is something to be seen after it."""
    connection.execute("BEGIN")
    try:
        ways.apply(connection, statements)
        is_good = bool(look(connection))
    except sqlite3.Error:
        is_good = False
    connection.execute("COMMIT" if is_good else "ROLLBACK")


def _is_locked(path: str) -> bool:
    with closing(_connected(path)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            return "locked" in str(error)
    return False


def _replace(path: str, copy: str) -> None:
    for suffix in _SUFFIXES:
        with suppress(FileNotFoundError):
            os.unlink(path + suffix)
    shutil.copyfile(copy, f"{path}.new")
    os.replace(f"{path}.new", path)


@contextmanager
def _copied(path: str) -> Iterator[str]:
    """A copy to try something on, of a database that nobody writes to."""
    with tempfile.TemporaryDirectory() as folder:
        copy = f"{folder}/copy.db"
        for suffix in ("", *_SUFFIXES):
            with suppress(FileNotFoundError):
                shutil.copyfile(path + suffix, copy + suffix)
        yield copy


def _connected(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    connection.text_factory = lambda raw: raw.decode("utf-8", errors="surrogateescape")
    connection.execute("PRAGMA synchronous = OFF")
    return connection


def _select(table: str, condition: str) -> str:
    return f"SELECT * FROM {ways.quoted(table)} WHERE ({condition})"  # noqa: S608


def _given(connection: sqlite3.Connection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql).fetchmany(_SHOWN)


def _counted(connection: sqlite3.Connection, table: str) -> int:
    [[number]] = connection.execute(f"SELECT count(*) FROM {ways.quoted(table)}").fetchall()  # noqa: S608
    return int(number)


def _count(path: str, table: str) -> int:
    with _copied(path) as copy, closing(_connected(copy)) as connection:
        return _counted(connection, table)


def _bytes(path: str, at: int, number: int) -> bytes:
    with open(path, "rb") as file:
        file.seek(at)
        return file.read(number)


def _weak_place(path: str) -> tuple[int, str] | None:
    """A byte that SQLite misses when it is another, and what it then says: found out on a copy.

    The first byte of a page says what is in it; in the first page that comes after the header of the file.
    """
    size = int.from_bytes(_bytes(path, 16, 2))
    size = 65536 if size == 1 else size
    places = [*range(size, os.path.getsize(path), size), 100, 104]
    for at in places[:_MOST]:
        with _copied(path) as copy:
            byte = _bytes(copy, at, 1)
            with open(copy, "r+b") as file:
                file.seek(at)
                file.write(bytes([byte[0] ^ 1]))
            if complaint := _complaint(copy):
                return at, complaint
    return None


def _complaint(path: str) -> str:
    try:
        with closing(_connected(path)) as connection:
            [[told], *_] = connection.execute("PRAGMA integrity_check").fetchall()
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if told == "ok" else str(told).splitlines()[:2][-1]
