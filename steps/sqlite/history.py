"""What a database was between two looks, as far as its files tell: what comes and goes must not be missed.

The kernel tells of every write to the database, its write-ahead log and its journal. They are read then and
there, without SQLite and without a lock.

- A write-ahead log holds every transaction until it is begun anew, and that only after all were moved into
  the database. So each is seen, unless a log is made and deleted, or filled and begun anew, in no time.
- A rollback journal is there until a transaction is done. The database is copied then; where the next
  transaction has begun by that time, this one is not seen. It is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...runner.changes import Change, Changes
from .wal import Transaction, WriteAheadLog, opened

# Between two looks, and in all; a larger database is looked at after each step only.
MOST_STATES, MOST_BYTES, LARGEST = 1000, 64 << 20, 8 << 20
_IN_USE = bytes.fromhex("d9d505f920a163d7")
_TRIES = 3


class History:
    """The states of one database, kept until each of its readers has asked for them."""

    def __init__(self, changes: Changes, path: Path) -> None:
        self.unread = 0
        self._changes = changes
        self._path = path
        self._log: WriteAheadLog | None = None
        self._is_joined = False  # whether what is in the log comes after what is known
        self._now: bytes | None = None  # as far as the history goes; None where that is not known
        self._last = b""
        self._is_written = self._is_missed = False
        self._counter = 0
        self._states: list[bytes] = []
        self._first = 0
        self._readers: dict[object, int] = {}
        with changes.settled():
            changes.follow(path, self._database_changed)
            changes.follow(_beside(path, "-journal"), self._journal_changed)
            changes.follow(_beside(path, "-wal"), self._log_changed)
            self._begin()

    @property
    def live(self) -> bool:
        return self._changes.live

    def join(self, reader: object) -> None:
        """Keep for this reader what comes from now on."""
        with self._changes.settled():
            self._read_log()
            self._readers[reader] = self._first + len(self._states)

    def leave(self, reader: object) -> None:
        self._readers.pop(reader, None)
        if not self._readers:
            for tell in (self._database_changed, self._journal_changed, self._log_changed):
                self._changes.leave(tell)
            self._follow_log(None)

    def news(self, reader: object) -> tuple[Sequence[bytes], bytes | None]:
        """The states since the reader asked last, and the present one, if it is known. Empty: no file."""
        with self._changes.settled():
            self._read_log()
            if self._log is None or self._now is None or self._is_written:
                self._begin()
            states = self._states[self._readers[reader] - self._first :]
            self._readers[reader] = self._first + len(self._states)
            done = min(self._readers.values()) - self._first
            del self._states[:done]
            self._first += done
            return states[:-1] if states and states[-1] == self._now else states, self._now

    def _begin(self) -> None:
        """Go on from the files as they are; what nobody has seen by then is counted."""
        self._is_written = False
        self._now = self._read()
        if self._now is not None:
            self.unread += self._is_missed and self._now != self._last
            self._is_missed = False
            self._count(self._now)
            self._last = self._now

    def _keep(self, state: bytes) -> None:
        if state == self._last:
            return
        self._last = state
        kept = sum(map(len, self._states))
        if len(self._states) < MOST_STATES and kept + len(state) <= MOST_BYTES:
            self._states.append(state)
        else:
            self.unread += 1

    def _count(self, state: bytes) -> None:
        """Without a log, a database counts its transactions. The last one is seen, or will be."""
        counter = _counter(state)
        if self._log is None and self._counter:
            self.unread += max(0, counter - self._counter - 1)
        self._counter = counter

    def _database_changed(self, change: Change) -> None:
        """What is written to the database itself comes from its log, or is read when a journal goes."""
        if change.what == "gone":
            self._keep(b"")
            self._now = None
        elif change.what == "appeared":
            self._copy()
        elif change.what == "written":
            self._is_written = True
            self._now = self._now if self._log is not None else None

    def _journal_changed(self, change: Change) -> None:
        if change.what == "gone" or (change.what == "written" and not self._is_half_done()):
            self._copy()

    def _copy(self) -> None:
        """The database after a transaction with a journal, if the next one has not begun."""
        if self._log is None:
            self._now = self._read()
            if self._now is not None:
                self._count(self._now)
                self._keep(self._now)

    def _log_changed(self, _: Change) -> None:
        """What is told of may be long past: it is the log that is there now that counts."""
        self._read_log()
        log = opened(_beside(self._path, "-wal"))
        if log is not None and self._log is not None and log.identity == self._log.identity:
            log.close()
            return
        self._is_missed |= log is None and self._log is None
        self._follow_log(log)
        self._read_log()

    def _follow_log(self, log: WriteAheadLog | None) -> None:
        if self._log is not None:
            self._log.close()
        self._log, self._is_joined = log, False

    def _read_log(self) -> None:
        """What was added."""
        if self._log is None:
            return
        if self._now is None:
            self._begin()
        elif self._is_joined and self._log.is_kept():
            for transaction in self._log.transactions():
                self._go_on(transaction)
        else:
            self._start_log()

    def _start_log(self) -> None:
        """Read one from its beginning. It goes on where the history ends, if the database is as it was then.

        If it is not, there was another log in between, or this one is in the database already.
        """
        assert self._log is not None
        self._log.restart()
        if not self._log.head:
            return
        is_next = self._content() == self._now
        transactions = [*self._log.transactions()]
        if is_next and self._log.is_kept():
            self._is_joined = True
            for transaction in transactions:
                self._go_on(transaction)
        else:
            self._is_missed = True
            self._begin()

    def _go_on(self, transaction: Transaction) -> None:
        assert self._now is not None
        self._now = transaction.apply(self._now)
        self._counter = _counter(self._now)
        self._keep(self._now)

    def _read(self) -> bytes | None:
        """The database as it is, with what is in its log; None where it is no one moment's, or too large."""
        for _ in range(_TRIES):
            before = self._signature("")
            log = opened(_beside(self._path, "-wal"))
            state = self._content()
            if state is None or (log is None and self._is_half_done()):
                return self._known(None, log)
            if log is not None and log.head:
                # All that went from the log into the database is in the log still, if it is the same one.
                for transaction in log.transactions():
                    state = transaction.apply(state)
                if log.is_kept() and log.identity == self._signature("-wal")[:2]:
                    return self._known(state, log)
            elif before == self._signature("") and not self._is_half_done():
                return self._known(state, log)
            if log is not None:
                log.close()
        return None

    def _known(self, state: bytes | None, log: WriteAheadLog | None) -> bytes | None:
        self._follow_log(log)
        self._is_joined = log is not None and bool(log.head)
        return state

    def _content(self) -> bytes | None:
        try:
            content = self._path.read_bytes() if self._path.stat().st_size <= LARGEST else b""
        except OSError:
            return None
        return content if content.startswith(b"SQLite format 3\0") else None

    def _signature(self, suffix: str) -> tuple[int, ...]:
        try:
            found = _beside(self._path, suffix).stat()
        except OSError:
            return ()
        return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def _is_half_done(self) -> bool:
        """Whether there is a journal from which a transaction would be undone."""
        try:
            with _beside(self._path, "-journal").open("rb") as journal:
                return journal.read(len(_IN_USE)) == _IN_USE
        except OSError:
            return False


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _counter(state: bytes) -> int:
    return int.from_bytes(state[24:28])
