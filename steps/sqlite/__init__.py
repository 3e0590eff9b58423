"""SQLite databases: their tables, their rows, their integrity.

A database is looked at through a copy, taken with its journal or write-ahead log at one moment: SQLite does
not open the file itself, so it is neither locked nor changed, and what a killed program left half done stays
as it is. The copy shows what the next program that opens the database would find. Programs may go on writing
meanwhile; a copy that is not of one moment is taken again, for up to 10 s. A query may take 10 s.

In tables of rows, `1` and `2.5` are numbers, `NULL` is NULL, `x'00ff'` is a blob, and all else is text; text
that would read as one of these is quoted: `"1"`, `"NULL"`. An empty cell is empty text. INTEGER and REAL are
not told apart; the number 1 and the text 1 are. The first row names the columns.

Negative steps look when armed, after every step, and at the end, and at each transaction in between, as far
as the files of the database tell of it. With a write-ahead log that is every one, unless a program opens the
database, writes and closes it in no more than a moment, or writes as much as makes SQLite begin the log anew,
without a pause. With a rollback journal it is one after which no other is made at once. What was not seen is
counted: `unread transactions`. A database of more than 8 MiB, or one whose journal is kept in memory or
switched off, is only looked at after every step, and so is one in a handle's file that is not known yet.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from ...runner.artifacts import Artifacts
from ...runner.define import given, step, then, when
from ...runner.evidence import Evidence
from ...runner.failure import StepFailed
from ...runner.problem import did_you_mean
from ...runner.sandbox import Sandbox
from ...runner.values import Rows
from ...runner.wait import until
from . import cell
from .database import QueryFailed, execute
from .databases import Databases


@pytest.fixture
def databases(sandbox: Sandbox, artifacts: Artifacts) -> Databases:
    """The SQLite databases of the scenario."""
    return Databases(sandbox, artifacts)


@given('a database "{path}" with')
def create(databases: Databases, path: str, docstring: str) -> None:
    """Create a database by running the SQL of the doc string. There may be no file of that name yet."""
    place = databases.sandbox.path(path)
    if place.exists():
        raise StepFailed(f'"{path}" is there already: a database is made where there is nothing')
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StepFailed(f'database "{path}" can\'t be made: {error.strerror}') from error
    execute(place, docstring)


@given('I change database "{name}" with')
@when('I change database "{name}" with')
def change(databases: Databases, name: str, docstring: str) -> None:
    """Run the SQL of the doc string on a database, as another program would: it waits 5 s for locks."""
    execute(databases.find(name).artifact.path, docstring)


@given('I query database "{name}" with')
@when('I query database "{name}" with')
def query(databases: Databases, evidence: Evidence, name: str, docstring: str) -> None:
    """Ask for rows with one SQL query; `the query gives` looks at them. It can't change anything."""
    databases.result = result = databases.find(name).query(docstring)
    evidence.attach(f'query on database "{name}"    ({len(result.rows)} rows)', result.shown)


@then("the query gives")
def query_gives(databases: Databases, datatable: Rows) -> None:
    """The last query gave these rows, in this order; the first row of the table names the columns."""
    cell.check_same(cell.expected(datatable), _result(databases))


@then("the query gives no rows")
def query_gives_nothing(databases: Databases) -> None:
    """The last query gave no rows."""
    found = _result(databases)
    if found.rows:
        raise StepFailed(
            "the query gives rows", notes=[f"  {line}" for line in found.shown().splitlines()[:11]]
        )


@then('query "{sql}" on database "{name}" gives')
def gives(databases: Databases, sql: str, name: str, datatable: Rows) -> None:
    """A query gives these rows, in this order; the first row of the table names the columns."""
    cell.check_same(cell.expected(datatable), databases.find(name).query(sql))


@then('query "{sql}" on database "{name}" gives within {limit:duration}')
def gives_within(databases: Databases, sql: str, name: str, limit: float, datatable: Rows) -> None:
    """A query gives these rows, at the latest when the time is up; database and tables may come meanwhile."""
    _within(limit, partial(gives, databases, sql, name, datatable))


@then('database "{name}" exists')
def exists(databases: Databases, name: str) -> None:
    """There is a file of that name, and it is an SQLite database."""
    databases.find(name).tables()


@then('database "{name}" has table "{table}"')
def has_table(databases: Databases, name: str, table: str) -> None:
    """There is a table or view of that name."""
    databases.find(name).columns(table)


@then('database "{name}" has no table "{table}"')
def has_no_table(databases: Databases, name: str, table: str) -> None:
    """The database exists, and has no table or view of that name."""
    if table.lower() in (known.lower() for known in databases.find(name).tables()):
        raise StepFailed(f'database "{name}" has a table "{table}"')


@then('table "{table}" in database "{name}" has columns')
def has_columns(databases: Databases, table: str, name: str, datatable: Rows) -> None:
    """The table has these columns, and may have others: a row for each, its name and, if given, its type."""
    known = {column.lower(): kind for column, kind in databases.find(name).columns(table)}
    for column, *kind in datatable:
        if column.lower() not in known:
            notes = [f"  there are: {', '.join(known)}"]
            raise StepFailed(f'there is no column "{column}".{did_you_mean(column, known)}', notes=notes)
        if "".join(kind) and "".join(kind).lower() != known[column.lower()].lower():
            raise StepFailed(f'column "{column}" has another type', kind[0], known[column.lower()])


@then('table "{table}" in database "{name}" has {number:int} rows')
@then('table "{table}" in database "{name}" has {number:int} rows where "{condition}"')
def has_rows(databases: Databases, table: str, name: str, number: int, condition: str = "") -> None:
    """The table has so many rows, of those for which the SQL condition holds."""
    _count(databases, table, name, condition, number, number)


@then('table "{table}" in database "{name}" has at least {number:int} rows')
@then('table "{table}" in database "{name}" has at least {number:int} rows where "{condition}"')
def has_at_least(databases: Databases, table: str, name: str, number: int, condition: str = "") -> None:
    """The table has so many rows or more, of those for which the SQL condition holds."""
    _count(databases, table, name, condition, number, None)


@then('table "{table}" in database "{name}" has at most {number:int} rows')
@then('table "{table}" in database "{name}" has at most {number:int} rows where "{condition}"')
def has_at_most(databases: Databases, table: str, name: str, number: int, condition: str = "") -> None:
    """The table has so many rows or fewer, of those for which the SQL condition holds."""
    _count(databases, table, name, condition, None, number)


@then('table "{table}" in database "{name}" has one row')
@then('table "{table}" in database "{name}" has one row where "{condition}"')
def has_one_row(databases: Databases, table: str, name: str, condition: str = "") -> None:
    """The table has exactly one row, of those for which the SQL condition holds."""
    _count(databases, table, name, condition, 1, 1)


@then('table "{table}" in database "{name}" has no rows')
@then('table "{table}" in database "{name}" has no rows where "{condition}"')
def has_no_rows(databases: Databases, table: str, name: str, condition: str = "") -> None:
    """The table exists, and has no rows for which the SQL condition holds."""
    _count(databases, table, name, condition, 0, 0)


@step('table "{table}" in database "{name}" has {number:int} rows within {limit:duration}')
@step(
    'table "{table}" in database "{name}" has {number:int} rows where "{condition}" within {limit:duration}'
)
def has_rows_within(
    databases: Databases, table: str, name: str, number: int, limit: float, condition: str = ""
) -> None:
    """The table has so many rows at the latest when the time is up; database and table may come meanwhile."""
    _within(limit, partial(_count, databases, table, name, condition, number, number))


@step('table "{table}" in database "{name}" has at least {number:int} rows within {limit:duration}')
@step(
    'table "{table}" in database "{name}" has at least {number:int} rows '
    'where "{condition}" within {limit:duration}'
)
def has_at_least_within(
    databases: Databases, table: str, name: str, number: int, limit: float, condition: str = ""
) -> None:
    """The table has so many rows or more at the latest when the time is up."""
    _within(limit, partial(_count, databases, table, name, condition, number, None))


@then('database "{name}" is intact')
def is_intact(databases: Databases, name: str) -> None:
    """SQLite's own integrity check finds nothing wrong. Foreign keys are not its business."""
    database = databases.find(name)
    damage = database.damage()
    if damage:
        raise StepFailed(f"{database.artifact.title} is corrupt", notes=[f"  {line}" for line in damage[:10]])


@then('database "{name}" has no dangling foreign keys')
def has_no_dangling_keys(databases: Databases, name: str) -> None:
    """Every foreign key leads to a row that exists, whether or not the program has SQLite enforce it."""
    found = databases.find(name).dangling()
    if found:
        notes = [f"  {line}" for line in found[:10]]
        raise StepFailed(f'database "{name}" has {len(found)} dangling foreign keys', notes=notes)


@then('database "{name}" uses a write-ahead log')
def uses_log(databases: Databases, name: str) -> None:
    """The journal mode is WAL, as the file's own header says."""
    if not databases.find(name).uses_log():
        raise StepFailed(f'database "{name}" uses a rollback journal, no write-ahead log')


@then('database "{name}" uses a rollback journal')
def uses_journal(databases: Databases, name: str) -> None:
    """The journal mode is DELETE, TRUNCATE or PERSIST; which of them, the file does not tell."""
    if databases.find(name).uses_log():
        raise StepFailed(f'database "{name}" uses a write-ahead log, no rollback journal')


@then('the user version of database "{name}" is {number:int}')
def user_version_is(databases: Databases, name: str, number: int) -> None:
    """`PRAGMA user_version`, in which many programs keep the version of their schema."""
    found = databases.find(name).number("user_version")
    if found != number:
        raise StepFailed(f'database "{name}" has another user version', f"{number}", f"{found}")


def _result(databases: Databases) -> cell.Result:
    if databases.result is None:
        raise StepFailed("no query has been made: this step looks at the rows of the last one")
    return databases.result


def _count(
    databases: Databases, table: str, name: str, condition: str, least: int | None, most: int | None
) -> None:
    found = databases.find(name).count(table, condition)
    if (least is not None and found < least) or (most is not None and found > most):
        wanted = f"{least}" if least == most else f"at least {least}" if most is None else f"at most {most}"
        where = f" where {condition}" if condition else ""
        raise StepFailed(
            f'table "{table}" in database "{name}" has another number of rows{where}', wanted, f"{found}"
        )


def _within(limit: float, check: Callable[[], None]) -> None:
    """Try until it holds or the time is up; SQL that can't work is not tried again."""
    last: list[StepFailed] = []

    def look() -> bool | None:
        try:
            check()
        except StepFailed as error:
            if isinstance(error, QueryFailed) and not error.is_early:
                raise
            last.append(error)
            return None
        return True

    if until(look, limit) is None:
        raise StepFailed(
            f"after {limit:g} s: {last[-1].message}", last[-1].expected, last[-1].actual, last[-1].notes
        )
