"""A copy of a database as it was at one moment, taken without touching it.

SQLite itself would lock the file to read it, leave `-shm` files behind, move a write-ahead log into the
database, and roll back what a killed program left half done: it would change the very thing that a goal is
about. So the database is copied together with its journal or log, and all that happens on the copy.

No lock keeps writers away meanwhile, so a copy counts only where it is that of one moment. Either database
and journal are the same when they are read once more: then they were the same in between. Or the log was not
begun anew meanwhile: then all that went from it into the database is in the copy of the log too, and is read
from there. Else the copy is taken again. A program that changes a database without a log and without a pause
can thus keep it from being read; that is said, not guessed.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from ...runner.failure import StepFailed
from ...runner.wait import until

SETTLE_LIMIT = 10.0
QUERY_LIMIT = 10.0
_MAGIC = b"SQLite format 3\0"
_CHUNK = 2**20
_LOG_HEAD = 32
_STEPS_PER_LOOK = 10_000


class Corrupt(StepFailed):
    """A file that is no database, or no longer one."""


@dataclass(frozen=True)
class Header:
    """What the first bytes of a database file say."""

    uses_log: bool

    @classmethod
    def of(cls, path: Path) -> Header:
        with path.open("rb") as file:
            return cls.read(file.read(100))

    @classmethod
    def read(cls, first: bytes) -> Header:
        first = first[:100]
        if not first:
            raise Corrupt("it is an empty file, no database yet")
        if len(first) < 100 or not first.startswith(_MAGIC):
            raise Corrupt(f"it is no SQLite database: it begins with {first[:16]!r}")
        return cls(uses_log=first[18] == 2)


@contextmanager
def opened(path: Path, scratch: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a copy of the database, which is gone afterwards. Queries on it may only read.

    What is wrong is raised as `StepFailed`, without a word on which database it is.
    """
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        copy = Path(folder, "copy.db")
        take(path, copy)
        if not copy.exists():
            raise StepFailed("it is not there")
        Header.of(copy)
        with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            _prepare(connection)
            yield connection


@contextmanager
def held(content: bytes) -> Iterator[sqlite3.Connection]:
    """The same to a database of which all is known, its log included."""
    Header.read(content)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        # In memory there is no log, though the header may ask for one.
        connection.deserialize(content[:18] + b"\1\1" + content[20:])
        _prepare(connection)
        yield connection


def _prepare(connection: sqlite3.Connection) -> None:
    connection.text_factory = _text
    try:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA schema_version").fetchall()
        connection.execute("PRAGMA query_only = ON")
    except sqlite3.Error as error:
        raise Corrupt(f"it can't be opened: {error}") from error
    connection.set_authorizer(only_this_file)
    _limit(connection)


def take(path: Path, copy: Path, limit: float = SETTLE_LIMIT) -> None:
    """Copy a database that may be in use, with its journal or log."""
    source = Path(path).resolve()

    def look() -> bool | None:
        log = _generation(source)
        for suffix in ("", "-journal", "-wal"):
            _copy(_beside(source, suffix), _beside(copy, suffix))
        if log and log == _generation(copy) == _generation(source):
            return True
        return all(_same(_beside(source, end), _beside(copy, end)) for end in ("", "-journal")) or None

    if until(look, limit) is None:
        raise StepFailed(
            f"it was written to without a pause for {limit:g} s, so it could not be read as a whole"
        )


def _generation(path: Path) -> bytes:
    """The head of a log, which has other random numbers in it each time that the log is begun anew."""
    try:
        with _beside(path, "-wal").open("rb") as log:
            return log.read(_LOG_HEAD)
    except OSError:
        return b""


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _copy(source: Path, target: Path) -> None:
    """Where there is no such file, there is none afterwards."""
    try:
        shutil.copyfile(source, target)
    except FileNotFoundError:
        target.unlink(missing_ok=True)
    except OSError as error:
        raise StepFailed(f"it can't be read: {error.strerror}") from error


def _same(one: Path, other: Path) -> bool:
    try:
        with one.open("rb") as first, other.open("rb") as second:
            while True:
                read = first.read(_CHUNK)
                if read != second.read(_CHUNK):
                    return False
                if not read:
                    return True
    except FileNotFoundError:
        return not one.exists() and not other.exists()


def _text(raw: bytes) -> str:
    """Text as SQLite has it; what is no UTF-8 is kept visible instead of failing the whole query."""
    return raw.decode("utf-8", errors="replace")


def only_this_file(action: int, name: str | None, *_: str | None) -> int:
    """For `set_authorizer`: SQL may not reach other files. VACUUM attaches one without a name."""
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH and name else sqlite3.SQLITE_OK


def _limit(connection: sqlite3.Connection) -> None:
    """Break off what runs too long."""
    end = monotonic() + QUERY_LIMIT
    connection.set_progress_handler(lambda: monotonic() > end, _STEPS_PER_LOOK)
