"""What negative steps look at: a database when armed, after every step, at the end, and as it was between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

from ...runner.changes import Changes
from ...runner.failure import StepFailed
from ...runner.never import Breach, Journal, Watch
from .cell import Value, written
from .database import Database, QueryFailed
from .databases import Databases
from .history import History

E = TypeVar("E")
_SHOWN = 5
_LIMIT = 5.0  # for all that was between two looks


class DatabaseWatch(Watch[E]):
    """Looks at a database as it is, and first at what its files tell of the time since the last look."""

    def __init__(self, databases: Databases, changes: Changes, name: str, subject: str) -> None:
        super().__init__(subject)
        self._databases, self._changes, self._name = databases, changes, name
        self._history: History | None = None
        self._unread = 0
        self.look()

    def look(self) -> None:
        database = self._databases.find(self._name)
        history = self._databases.history(self._changes, database, self._name) if self.is_told else None
        if history is not self._history:
            self.close()
            self._history = history
            if history is not None:
                history.join(self)
        # Nothing may be told while the database is looked at: it would seem to come after what is seen now.
        with self._changes.settled():
            states, now = history.news(self) if history is not None else ((), None)
            if now is None:
                self._look_back(database, states)
                self._look_now(database)
        if now is not None:
            self._look_back(database, states)
            self._look_now(database.as_it_was(now))

    @property
    def is_told(self) -> bool:
        """Whether what the files tell is all that there is to know."""
        return True

    def see(self, database: Database) -> bool:
        """Take note of a database; False where it has nothing to look at."""
        raise NotImplementedError

    def close(self) -> None:
        if self._history is not None:
            self._history.leave(self)

    def _look_now(self, database: Database) -> None:
        if self.see(database):
            is_live = self._history is not None and self._history.live
            self.count("moment" if is_live else "isolated moment")

    def _look_back(self, database: Database, states: Sequence[bytes]) -> None:
        """What can't be read of the past is counted, but no failure: nobody was to find it like that."""
        end = monotonic() + _LIMIT
        for state in states:
            try:
                if monotonic() > end:
                    self._unread += 1
                elif self.see(database.as_it_was(state)):
                    self.count("transaction")
            except StepFailed:
                self._unread += 1
        unread = self._unread + (self._history.unread if self._history is not None else 0)
        if unread and self.inspected:
            self.inspected["unread transaction"] = unread


class QueryWatch(DatabaseWatch[str]):
    """What a query gives that should give nothing; where there is no database or table, nothing is seen."""

    def __init__(self, databases: Databases, changes: Changes, name: str, sql: str, subject: str) -> None:
        self._sql = sql
        super().__init__(databases, changes, name, subject)

    @property
    def is_told(self) -> bool:
        """The journal's mode is not that of a database in memory, as which the past is looked at."""
        return "journal_mode" not in self._sql.lower()

    def see(self, database: Database) -> bool:
        if not database.is_there:
            return False
        try:
            found = database.query(self._sql)
        except QueryFailed as error:
            if error.is_early:
                return False
            raise
        if found.rows:
            self.record(found.shown())
        return True


def no_rows(journal: Journal[str]) -> list[Breach]:
    return [Breach(f"{journal.subject} had such rows", _cut(rows)) for rows in dict.fromkeys(journal.entries)]


Keys = frozenset[tuple[Value, ...]]


@dataclass(frozen=True)
class Loss:
    """So many rows that were there before, some of their keys, and why, if that is known."""

    number: int
    keys: tuple[str, ...]
    why: str = ""


class LossWatch(DatabaseWatch[Loss]):
    """The rows of one table, and which of them are no longer there. What is lost once may come again."""

    def __init__(self, databases: Databases, changes: Changes, name: str, table: str, subject: str) -> None:
        self._table = table
        self._keys: Keys | None = None
        super().__init__(databases, changes, name, subject)

    def see(self, database: Database) -> bool:
        keys, why = self._found(database)
        if keys is None:
            return False
        self.count("row", len(keys))
        lost = (self._keys or frozenset()) - keys
        if lost:
            shown = sorted("key " + ", ".join(map(written, key)) for key in lost)
            self.record(Loss(len(lost), tuple(shown[:_SHOWN]), why))
        self._keys = keys
        return True

    def _found(self, database: Database) -> tuple[Keys | None, str]:
        """None before there was a table; after that, no table means no rows."""
        nothing: Keys | None = None if self._keys is None else frozenset()
        if not database.is_there:
            return nothing, "the database was gone"
        if self._table.lower() not in (name.lower() for name in database.tables()):
            return nothing, "the table was gone"
        return database.keys(self._table), ""


def nothing_lost(journal: Journal[Loss]) -> list[Breach]:
    breaches: list[Breach] = []
    for loss in journal.entries:
        number = f"{loss.number} row{'' if loss.number == 1 else 's'}"
        more = [f"and {loss.number - _SHOWN} more"] if loss.number > _SHOWN else []
        why = f": {loss.why}" if loss.why else ""
        breaches.append(Breach(f"{journal.subject} lost {number}{why}", "\n".join([*loss.keys, *more])))
    return breaches


class DamageWatch(DatabaseWatch[str]):
    """What SQLite's integrity check says of a database."""

    def see(self, database: Database) -> bool:
        if not database.is_there:
            return False
        damage = database.damage()
        if damage:
            self.record("\n".join(damage))
        return True


def undamaged(journal: Journal[str]) -> list[Breach]:
    return [Breach(f"{journal.subject} was corrupt", _cut(text)) for text in dict.fromkeys(journal.entries)]


def _cut(text: str) -> str:
    lines = text.splitlines()
    more = [f"and {len(lines) - _SHOWN - 1} more"] if len(lines) > _SHOWN + 1 else []
    return "\n".join([*lines[: _SHOWN + 1], *more])
