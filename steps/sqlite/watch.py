"""What negative steps look at: a database when armed, after every step, and at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...runner.never import Breach, Journal, Watch
from .cell import Value, written
from .database import Database, QueryFailed

Find = Callable[[], Database]
_SHOWN = 5


class QueryWatch(Watch[str]):
    """What a query gives that should give nothing; where there is no database or table, nothing is seen."""

    def __init__(self, find: Find, sql: str, subject: str) -> None:
        super().__init__(subject)
        self._find, self._sql = find, sql
        self.look()

    def look(self) -> None:
        database = self._find()
        if not database.is_there:
            return
        try:
            found = database.query(self._sql)
        except QueryFailed as error:
            if error.is_early:
                return
            raise
        self.count("moment")
        if found.rows:
            self.record(found.shown())


def no_rows(journal: Journal[str]) -> list[Breach]:
    return [Breach(f"{journal.subject} had such rows", _cut(rows)) for rows in dict.fromkeys(journal.entries)]


@dataclass(frozen=True)
class Rows:
    """The keys of all rows at one moment; `gone` says why there are none where there is no table any more."""

    keys: frozenset[tuple[Value, ...]]
    gone: str = ""


class LossWatch(Watch[Rows]):
    """The rows of one table, each time that they are others than before."""

    def __init__(self, find: Find, table: str, subject: str) -> None:
        super().__init__(subject)
        self._find, self._table = find, table
        self.look()

    def look(self) -> None:
        rows = self._rows()
        if rows is None:
            return
        self.count("moment")
        self.count("row", len(rows.keys))
        if not self.entries or self.entries[-1] != rows:
            self.record(rows)

    def _rows(self) -> Rows | None:
        """None before there was a table; after that, no table means no rows."""
        database = self._find()
        if not database.is_there:
            return Rows(frozenset(), "the database was gone") if self.entries else None
        known = [name.lower() for name in database.tables()]
        if self._table.lower() not in known:
            return Rows(frozenset(), "the table was gone") if self.entries else None
        return Rows(database.keys(self._table))


def nothing_lost(journal: Journal[Rows]) -> list[Breach]:
    """A row that was there once must be there ever after; each is told once."""
    breaches: list[Breach] = []
    seen: frozenset[tuple[Value, ...]] = frozenset()
    for rows in journal.entries:
        lost = seen - rows.keys
        if lost:
            number = f"{len(lost)} row{'' if len(lost) == 1 else 's'}"
            keys = sorted("key " + ", ".join(map(written, key)) for key in lost)[:_SHOWN]
            more = [f"and {len(lost) - _SHOWN} more"] if len(lost) > _SHOWN else []
            why = f": {rows.gone}" if rows.gone else ""
            breaches.append(Breach(f"{journal.subject} lost {number}{why}", "\n".join([*keys, *more])))
        seen = rows.keys
    return breaches


class DamageWatch(Watch[str]):
    """What SQLite's integrity check says of a database."""

    def __init__(self, find: Find, subject: str) -> None:
        super().__init__(subject)
        self._find = find
        self.look()

    def look(self) -> None:
        database = self._find()
        if not database.is_there:
            return
        self.count("moment")
        damage = database.damage()
        if damage:
            self.record("\n".join(damage))


def undamaged(journal: Journal[str]) -> list[Breach]:
    return [Breach(f"{journal.subject} was corrupt", _cut(text)) for text in dict.fromkeys(journal.entries)]


def _cut(text: str) -> str:
    lines = text.splitlines()
    more = [f"and {len(lines) - _SHOWN - 1} more"] if len(lines) > _SHOWN + 1 else []
    return "\n".join([*lines[: _SHOWN + 1], *more])
