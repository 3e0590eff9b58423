"""Ways to make a query give a row: found by trying them on a copy, for violations.

Rows are added, changed and removed, with values that the query itself speaks of, until it gives something.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, product
from time import monotonic
from typing import Any

_TRIES, _LIMIT = 3000, 2.0
_LITERAL = r"""(?:'(?:[^']|'')*'|-?\b\d+(?:\.\d+)?\b|\bNULL\b)"""
_COMPARED = r"""["`\]]?\s*(=|==|<>|!=|<=|>=|<|>|IS\s+NOT|IS|(?:NOT\s+)?(?:LIKE|GLOB|IN|BETWEEN))\s*\(?\s*"""
Statement = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Way:
    """What to do, and what undoes it."""

    does: tuple[Statement, ...]
    undoes: tuple[Statement, ...] = ()

    def after(self, before: Iterable[Statement]) -> Way:
        return replace(self, does=(*before, *self.does))


@dataclass(frozen=True)
class Column:
    name: str
    kind: str
    is_required: bool
    key: int
    is_foreign: bool = False

    @property
    def quoted(self) -> str:
        return quoted(self.name)

    @property
    def is_number(self) -> bool:
        return any(
            word in self.kind.upper() for word in ("INT", "REAL", "FLOA", "DOUB", "NUM", "DEC", "BOOL")
        )


@dataclass(frozen=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    has_number: bool
    row: tuple[Any, ...] = field(default=())

    @property
    def quoted(self) -> str:
        return quoted(self.name)

    @property
    def own_key(self) -> Column | None:
        """The column that SQLite fills by itself."""
        keys = [column for column in self.columns if column.key]
        is_own = len(keys) == 1 and keys[0].kind.upper() == "INTEGER" and self.has_number
        return keys[0] if is_own else None


def way_to(connection: sqlite3.Connection, sql: str, word: str) -> Way | None:
    """What makes the query give a row; first as the tables are, then without what they demand of rows.

    `word` stands in a row that is added, where it may.
    """
    end = monotonic() + _LIMIT
    spoken = _spoken(connection, sql)
    tables = [*tables_in(connection, spoken)]
    for before in ((), tuple(statement for table in tables for statement in loosened(connection, table))):
        for way in islice(_ways(tables, spoken, word), _TRIES):
            if monotonic() > end:
                return None
            if _gives(connection, sql, way.after(before)):
                return way.after(before)
    return None


def apply(connection: sqlite3.Connection, statements: Iterable[Statement]) -> None:
    for sql, values in statements:
        connection.execute(sql, values).fetchall()


def tables_in(connection: sqlite3.Connection, text: str) -> Iterator[Table]:
    """The tables of which a text speaks."""
    for name, sql in connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table'"
    ).fetchall():
        if not name.lower().startswith("sqlite_") and _is_named(name, text):
            yield table_of(connection, name, str(sql))


def table_of(connection: sqlite3.Connection, name: str, sql: str) -> Table:
    told = connection.execute('SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?)', (name,))
    foreign = {row[0] for row in connection.execute('SELECT "from" FROM pragma_foreign_key_list(?)', (name,))}
    columns = tuple(
        Column(c, kind, bool(n), pk, c in foreign) for c, kind, n, pk, hidden in told if not hidden
    )
    has_number = not re.search(r"WITHOUT\s+ROWID", sql, re.IGNORECASE)
    listed = ", ".join([*(["rowid"] if has_number else []), *(column.quoted for column in columns)])
    row = connection.execute(f"SELECT {listed} FROM {quoted(name)} LIMIT 1").fetchone()  # noqa: S608
    return Table(name, columns, has_number, row or ())


def loosened(connection: sqlite3.Connection, table: Table) -> Iterator[Statement]:
    """A table that takes any row: no triggers, no checks, nothing that must not be NULL."""
    [[sql]] = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table.name,)).fetchall()
    yield from without_triggers(connection, table.name)
    yield "PRAGMA ignore_check_constraints = ON", ()
    free = re.sub(r"\bNOT\s+NULL\b", "", str(sql), flags=re.IGNORECASE)
    if free != sql:
        yield "PRAGMA writable_schema = ON", ()
        yield "UPDATE sqlite_schema SET sql = ? WHERE name = ?", (free, table.name)
        yield "PRAGMA writable_schema = RESET", ()


def without_triggers(connection: sqlite3.Connection, table: str) -> Iterator[Statement]:
    triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower(?)"
    for [trigger] in connection.execute(triggers, (table,)).fetchall():
        yield f"DROP TRIGGER {quoted(trigger)}", ()


def put_back(table: Table) -> Statement:
    """Its first row again, after it was deleted."""
    listed = ", ".join([*(["rowid"] if table.has_number else []), *(one.quoted for one in table.columns)])
    marks = ", ".join("?" * len(table.row))
    return f"INSERT INTO {table.quoted} ({listed}) VALUES ({marks})", table.row  # noqa: S608


def delete_first(table: Table) -> Statement:
    keys = ["rowid"] if table.has_number else [one.quoted for one in table.columns if one.key]
    values = (
        table.row[:1]
        if table.has_number
        else [v for v, c in zip(table.row, table.columns, strict=True) if c.key]
    )
    where = " AND ".join(f"{key} IS ?" for key in keys)
    return f"DELETE FROM {table.quoted} WHERE {where}", tuple(values)  # noqa: S608


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _spoken(connection: sqlite3.Connection, sql: str) -> str:
    """The query, with the text of the views that it speaks of."""
    views = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'view'").fetchall()
    found = [text for name, text in views if _is_named(name, sql)]
    return "\n".join([sql, *found])


def _gives(connection: sqlite3.Connection, sql: str, way: Way) -> bool:
    """Whether it works. It is undone in any case."""
    connection.execute("BEGIN")
    try:
        apply(connection, way.does)
        return connection.execute(sql).fetchone() is not None
    except sqlite3.Error:
        return False
    finally:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
            connection.execute("PRAGMA writable_schema = RESET")


def _ways(tables: list[Table], spoken: str, word: str) -> Iterator[Way]:
    for table in tables:
        yield from _additions(table, spoken, word)
    for table in tables:
        yield from _changes(table, spoken, word)
    for table in tables:
        if table.row:
            yield Way((delete_first(table),), (put_back(table),))
    for table in tables:
        yield Way(((f"DELETE FROM {table.quoted}", ()),))  # noqa: S608
        for number in (2, 5, 20):
            one = _added(table, {}, word, is_copy=True)
            yield Way(one.does * number, one.undoes)


def _additions(table: Table, spoken: str, word: str) -> Iterator[Way]:
    """Rows with values that the query speaks of; in columns that it does not, what another row has."""
    asked = [column for column in table.columns if _is_named(column.name, spoken)]
    for values in product(*(_values(column, spoken, word) for column in asked)):
        given = dict(zip((column.name for column in asked), values, strict=True))
        yield _added(table, given, word, is_copy=True)
        yield _added(table, given, word, is_copy=False)


def _added(table: Table, given: dict[str, Any], word: str, *, is_copy: bool) -> Way:
    known = table.row[1:] if table.has_number else table.row
    names = [column.name for column in table.columns]
    copied = dict(zip(names, known, strict=True)) if is_copy and known else {}
    row = {column.name: copied.get(column.name, _any(column, word)) for column in table.columns} | given
    for column in table.columns:
        if column.key and column.name not in given:
            row[column.name] = None if column is table.own_key else _any(column, word)
    free = [one for one in table.columns if one.name not in given and not one.key and not one.is_foreign]
    for column in sorted(free, key=lambda one: one.is_number)[:1]:
        row[column.name] = _any(column, word)
    listed, marks = ", ".join(map(quoted, row)), ", ".join("?" * len(row))
    keys = [one.name for one in table.columns if one.key and row[one.name] is not None] or [*row]
    same = " AND ".join(f"{quoted(name)} IS ?" for name in keys)
    return Way(
        ((f"INSERT INTO {table.quoted} ({listed}) VALUES ({marks})", tuple(row.values())),),  # noqa: S608
        ((f"DELETE FROM {table.quoted} WHERE {same}", tuple(row[name] for name in keys)),),  # noqa: S608
    )


def _changes(table: Table, spoken: str, word: str) -> Iterator[Way]:
    """The first row with another value in one column."""
    if not table.row or not table.has_number:
        return
    for column, before in zip(table.columns, table.row[1:], strict=True):
        change = f"UPDATE {table.quoted} SET {column.quoted} = ? WHERE rowid = ?"  # noqa: S608
        for value in _values(column, spoken, word) if _is_named(column.name, spoken) else ():
            yield Way(((change, (value, table.row[0])),), ((change, (before, table.row[0])),))


def _is_named(name: str, text: str) -> bool:
    """Whether a text has a name as a word, in quotes or without."""
    words = "|".join(map(re.escape, (name, name.replace('"', '""'))))
    return re.search(rf"(?<!\w)(?:{words})(?!\w)", text, re.IGNORECASE) is not None


def _any(column: Column, word: str) -> Any:
    """A value that nothing else has."""
    return int(word[-7:], 16) if column.is_number else word


def _values(column: Column, spoken: str, word: str) -> list[Any]:
    """Values that may be what the query asks for in a column: what it is compared with, first."""
    found: list[Any] = []
    compared = re.compile(rf"(?<!\w){re.escape(column.name)}{_COMPARED}({_LITERAL})", re.IGNORECASE)
    for match in compared.finditer(spoken):
        found += _fulfilling(" ".join(match[1].upper().split()), _meant(match[2]), column, word)
    for text in re.findall(_LITERAL, spoken, re.IGNORECASE):
        value = _meant(text)
        found += [value, *([value + 1, value - 1] if isinstance(value, int | float) else [])]
    found += [_any(column, word), None, 0, "", -1, 1]
    return [value for _, value in dict.fromkeys((type(value), value) for value in found)]


def _fulfilling(sign: str, value: Any, column: Column, word: str) -> list[Any]:
    is_number = isinstance(value, int | float)
    if sign in ("<>", "!=", "IS NOT") or sign.startswith("NOT "):
        return [_any(column, word), *([value + 1, value - 1] if is_number else [None])]
    if sign == "<":
        return [value - 1 if is_number else ""]
    if sign == ">":
        return [value + 1 if is_number else f"{value}~"]
    if sign == "LIKE":
        return [str(value).replace("%", word).replace("_", "x"), str(value).replace("%", "")]
    if sign == "GLOB":
        return [str(value).replace("*", word).replace("?", "x"), str(value).replace("*", "")]
    return [value]


def _meant(text: str) -> Any:
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text.upper() == "NULL":
        return None
    return float(text) if "." in text else int(text)
