"""One database of a scenario: what is in it, read from a copy each time."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ...runner.artifacts import Artifact
from ...runner.failure import StepFailed
from ...runner.problem import did_you_mean
from .cell import Result, Value, written
from .snapshot import Corrupt, Header, held, only_this_file, opened

MOST_ROWS = 10_000
BUSY_LIMIT = 5.0
_SHOWN = 10
T = TypeVar("T")


class QueryFailed(StepFailed):
    """SQL that can't work, now or later. `is_early`: it may when there is a table that is not there yet."""

    is_early = False


@dataclass(frozen=True)
class Database:
    """`scratch` is where copies may lie for as long as they are looked at.

    `content` is all of it where it is not the database as it is now, but as it was.
    """

    artifact: Artifact
    scratch: Path
    content: bytes | None = None

    def as_it_was(self, content: bytes) -> Database:
        return replace(self, content=content)

    @property
    def is_there(self) -> bool:
        if self.content is not None:
            return bool(self.content)
        return any(path.stat().st_size for path in self.artifact.paths)

    def uses_log(self) -> bool:
        with self._told():
            return Header.of(self.artifact.path).uses_log

    def tables(self) -> list[str]:
        """Tables and views, without those that SQLite keeps for itself."""
        return self._read(_tables)

    def columns(self, table: str) -> list[tuple[str, str]]:
        """Names and declared types, in order."""
        return self._read(lambda connection: [(name, kind) for name, kind, _ in _columns(connection, table)])

    def count(self, table: str, condition: str = "") -> int:
        """How many rows, of those that fulfil an SQL condition if there is one."""

        def look(connection: sqlite3.Connection) -> int:
            _check_table(connection, table)
            [[number]] = _rows(connection, select("count(*)", table, condition)).rows
            return int(str(number))

        return self._read(look)

    def query(self, sql: str) -> Result:
        return self._read(lambda connection: _rows(connection, sql))

    def keys(self, table: str) -> frozenset[tuple[Value, ...]]:
        """What tells the rows of a table apart: its primary key, else the number that SQLite gives each."""

        def look(connection: sqlite3.Connection) -> frozenset[tuple[Value, ...]]:
            key = [_quoted(name) for name, _, is_key in _columns(connection, table) if is_key]
            found = _rows(connection, select(", ".join(key) or "rowid", table), most=None)
            return frozenset(found.rows)

        return self._read(look)

    def number(self, pragma: str) -> int:
        """`user_version` and the like."""
        [[found]] = self.query(f"PRAGMA {pragma}").rows
        return int(str(found))

    def damage(self) -> list[str]:
        """What SQLite's own integrity check finds wrong; also that the file is no database at all."""
        try:
            found = self.query("PRAGMA integrity_check").rows
        except Corrupt as error:
            return [error.message.removeprefix(f"{self.artifact.title}: ")]
        lines = [line for [text] in found for line in str(text).splitlines()]
        return [] if lines == ["ok"] else lines

    def dangling(self) -> list[str]:
        """Rows whose foreign key leads nowhere, a line each."""
        found = self.query("PRAGMA foreign_key_check").rows
        return [f"table {written(t)}, row {written(r)}: no such row in {written(p)}" for t, r, p, _ in found]

    def _read(self, look: Callable[[sqlite3.Connection], T]) -> T:
        with self._told(), self._opened() as connection:
            return look(connection)

    def _opened(self) -> AbstractContextManager[sqlite3.Connection]:
        return opened(self.artifact.path, self.scratch) if self.content is None else held(self.content)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say of which database something is said."""
        try:
            yield
        except StepFailed as error:
            if not error.message.startswith(self.artifact.title):
                error.message = f"{self.artifact.title}: {error.message}"
            raise


def execute(path: Path, sql: str) -> None:
    """Run a script on a database as any other program would: it waits for locks, and makes the file."""
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_LIMIT, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = OFF")  # the sandbox need not outlive a power cut
            connection.set_authorizer(only_this_file)
            connection.executescript(sql)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise StepFailed(f"this SQL fails: {error}") from error


def select(what: str, table: str, condition: str = "") -> str:
    """A query; the condition is an author's SQL, which can only read a copy."""
    where = f" WHERE ({condition})" if condition else ""
    return f"SELECT {what} FROM {_quoted(table)}{where}"  # noqa: S608


def _rows(connection: sqlite3.Connection, sql: str, *values: Value, most: int | None = MOST_ROWS) -> Result:
    try:
        cursor = connection.execute(sql, values)
        found = cursor.fetchall() if most is None else cursor.fetchmany(most + 1)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise _explained(error) from error
    if most is not None and len(found) > most:
        raise QueryFailed(f"the query gives more than {most} rows")
    if cursor.description is None:
        raise QueryFailed("this is no query: it gives no rows")
    return Result(tuple(name for name, *_ in cursor.description), tuple(found))


def _explained(error: Exception) -> StepFailed:
    text = str(error)
    if "readonly database" in text or "not authorized" in text:
        return QueryFailed("a query may only read, and only this database")
    if "interrupted" in text:
        return QueryFailed("the query took longer than it may")
    if "malformed" in text or "not a database" in text:
        return Corrupt(f"it is corrupt: {text}")
    failed = QueryFailed(f"this SQL fails: {text}")
    failed.is_early = text.startswith("no such table")
    return failed


def _tables(connection: sqlite3.Connection) -> list[str]:
    sql = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name"
    names = [str(name) for [name] in _rows(connection, sql).rows]
    return [name for name in names if not name.lower().startswith("sqlite_")]


def _check_table(connection: sqlite3.Connection, table: str) -> None:
    known = _tables(connection)
    if table.lower() in (name.lower() for name in known):
        return
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    notes = [f"  there are: {', '.join(known[:_SHOWN])}{more}" if known else "  it has no tables"]
    raise StepFailed(f'there is no table "{table}".{did_you_mean(table, known)}', notes=notes)


def _columns(connection: sqlite3.Connection, table: str) -> list[tuple[str, str, bool]]:
    """Name, declared type, and whether the column is a part of the primary key."""
    _check_table(connection, table)
    found = _rows(connection, "SELECT name, type, pk FROM pragma_table_xinfo(?)", table).rows
    return [(str(name), str(kind), bool(key)) for name, kind, key in found]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
