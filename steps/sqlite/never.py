"""The negative steps of this library."""

from __future__ import annotations

from ...runner.changes import Changes
from ...runner.define import never
from . import violations, watch
from .database import select
from .databases import Databases

# A transaction is written to the database, and to a file beside it that comes and goes.
_WRITTEN = (
    "files.file_changes",
    "files.directory_changes",
    "files.directory_comes_to_have",
    "files.file_appears",
    "files.file_comes_to_contain",
    "files.written_outside",
    "git.worktree_is_dirty",
)
# A row that is added, or is no more, may be one that another query asks for, or hold a secret that is
# forbidden; one that comes and goes is lost.
_ROW = (*_WRITTEN, "has_forbidden_row", "query_gives_row", "secrets.*")
_LOSS = (*_ROW, "loses_row", "row_disappears")


@never('table "{table}" in database "{name}" never has a row where "{condition}"')
def has_forbidden_row(
    databases: Databases, changes: Changes, table: str, name: str, condition: str
) -> watch.QueryWatch:
    """The SQL condition holds for no row of the table: when armed, after any transaction, and at the end."""
    sql = f"{select('*', table, condition)} LIMIT 100"
    return watch.QueryWatch(databases, changes, name, sql, f'table "{table}" in database "{name}"')


has_forbidden_row.check(watch.no_rows)
has_forbidden_row.violation("gross", implies=_ROW)(violations.add_rows)
has_forbidden_row.violation("minimal", implies=_LOSS)(violations.add_row)


@never('query "{sql}" on database "{name}" never gives a row')
def query_gives_row(databases: Databases, changes: Changes, sql: str, name: str) -> watch.QueryWatch:
    """The query gives nothing: when armed, after any transaction, and at the end."""
    return watch.QueryWatch(databases, changes, name, sql, f'database "{name}"')


query_gives_row.check(watch.no_rows)
query_gives_row.violation("gross", implies=_LOSS)(violations.have_rows)
query_gives_row.violation("minimal", implies=_LOSS)(violations.have_row)


@never('table "{table}" in database "{name}" never loses a row')
def loses_row(databases: Databases, changes: Changes, table: str, name: str) -> watch.LossWatch:
    """A row that was there when armed or after any transaction is there ever after, whatever changes in it.

    Rows are told apart by their primary key, else by the number that SQLite gives them. A table or a database
    that is gone has lost all its rows.
    """
    return watch.LossWatch(databases, changes, name, table, f'table "{table}" in database "{name}"')


loses_row.check(watch.nothing_lost)
loses_row.violation("gross", implies=_LOSS)(violations.delete_rows)
loses_row.violation("minimal", implies=_LOSS)(violations.delete_row)


@never('no row of table "{table}" in database "{name}" ever disappears')
def row_disappears(databases: Databases, changes: Changes, table: str, name: str) -> watch.LossWatch:
    """The same in other words."""
    return watch.LossWatch(databases, changes, name, table, f'table "{table}" in database "{name}"')


row_disappears.check(watch.nothing_lost)
row_disappears.violation("gross", implies=_LOSS)(violations.delete_rows)
row_disappears.violation("minimal", implies=_LOSS)(violations.delete_row)


@never('database "{name}" never becomes corrupt')
def becomes_corrupt(databases: Databases, changes: Changes, name: str) -> watch.DamageWatch:
    """When armed, after any transaction, and at the end, SQLite's integrity check finds nothing wrong.

    A file that is no database is corrupt; one that is not there, or empty, is not looked at. What is written
    past SQLite is looked at after each step.
    """
    return watch.DamageWatch(databases, changes, name, f'database "{name}"')


becomes_corrupt.check(watch.undamaged)
becomes_corrupt.violation("gross", implies=("sqlite.*", *_WRITTEN))(violations.overwrite_head)
becomes_corrupt.violation("minimal", implies=("sqlite.*", *_WRITTEN))(violations.change_byte)
