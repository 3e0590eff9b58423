"""The steps of steps/sqlite: what each accepts, and what it says where it does not."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.changes import Changes
from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Breach, Negative, Watch
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import sqlite as steps
from goalkeeper.steps.sqlite import database, never
from goalkeeper.steps.sqlite.databases import Databases

Step = Callable[..., None]
WriteGoal = Callable[..., Path]
DB = "var/app.db"
SQL = """
    PRAGMA user_version = 13;
    CREATE TABLE agents (name TEXT PRIMARY KEY, age INTEGER, "odd ""name" BLOB);
    INSERT INTO agents VALUES ('Ada', 36, x'00ff'), ('Bob', NULL, NULL), ('Eve', 7, '7');
    CREATE TABLE messages (id INTEGER PRIMARY KEY, author TEXT REFERENCES agents (name));
    CREATE TABLE notes (text);
    CREATE VIEW adults AS SELECT * FROM agents WHERE age >= 18;
"""
NAMES = "SELECT name, age FROM agents WHERE name < 'E' ORDER BY name"
ODD = 'SELECT "odd ""name" AS x FROM agents ORDER BY name'


@pytest.fixture
def made(databases: Databases) -> Databases:
    steps.create(databases, DB, SQL)
    return databases


def failure(step: Step, *arguments: object) -> str:
    with pytest.raises(StepFailed) as caught:
        step(*arguments)
    return str(caught.value)


HOLDS: list[tuple[Step, tuple[object, ...]]] = [
    (steps.exists, (DB,)),
    (steps.has_table, (DB, "agents")),
    (steps.has_table, (DB, "AGENTS")),
    (steps.has_table, (DB, "adults")),
    (steps.has_no_table, (DB, "agent")),
    (steps.has_columns, ("agents", DB, [["name"], ["Age"]])),
    (steps.has_columns, ("agents", DB, [["age", "integer"], ['odd "name', "BLOB"], ["name", ""]])),
    (steps.has_rows, ("agents", DB, 3)),
    (steps.has_rows, ("agents", DB, 2, "age > 6 AND name <> 'Bob'")),
    (steps.has_rows, ("adults", DB, 1)),
    (steps.has_rows, ("messages", DB, 0)),
    (steps.has_at_least, ("agents", DB, 3)),
    (steps.has_at_least, ("agents", DB, 1, "age IS NULL")),
    (steps.has_at_most, ("agents", DB, 3)),
    (steps.has_at_most, ("agents", DB, 0, "age < 0")),
    (steps.has_one_row, ("agents", DB, "name = 'Ada'")),
    (steps.has_no_rows, ("messages", DB)),
    (steps.has_no_rows, ("agents", DB, "name = 'Zoe'")),
    (steps.has_rows_within, ("agents", DB, 3, 0.0)),
    (steps.has_rows_within, ("agents", DB, 1, 0.0, "age = 7")),
    (steps.has_at_least_within, ("agents", DB, 2, 0.0)),
    (steps.gives, (NAMES, DB, [["name", "age"], ["Ada", "36"], ["Bob", "NULL"]])),
    (steps.gives, (ODD, DB, [["x"], ["x'00ff'"], ["NULL"], ['"7"']])),
    (steps.gives_within, ("SELECT count(*) AS n FROM agents", DB, 0.0, [["n"], ["3"]])),
    (steps.is_intact, (DB,)),
    (steps.has_no_dangling_keys, (DB,)),
    (steps.uses_journal, (DB,)),
    (steps.user_version_is, (DB, 13)),
]  # fmt: skip


@pytest.mark.parametrize(("step", "arguments"), HOLDS)
def test_a_then_that_holds(made: Databases, step: Step, arguments: tuple[object, ...]) -> None:
    step(made, *arguments)


NO_TABLE = (
    'database "var/app.db": there is no table "agent". Did you mean "agents"?\n'
    "  there are: adults, agents, messages, notes"
)
FAILS: list[tuple[Step, tuple[object, ...], str]] = [
    (steps.exists, ("x.db",), 'database "x.db" is not there'),
    (steps.has_table, (DB, "agent"), NO_TABLE),
    (steps.has_rows, ("agent", DB, 0), NO_TABLE),
    (steps.has_no_rows, ("agent", DB), NO_TABLE),
    (steps.has_columns, ("agent", DB, []), NO_TABLE),
    (steps.has_no_table, (DB, "Agents"), 'database "var/app.db" has a table "Agents"'),
    (steps.has_no_table, ("x.db", "t"), 'database "x.db" is not there'),
    (
        steps.has_columns,
        ("agents", DB, [["nam"]]),
        'there is no column "nam". Did you mean "name"?\n  there are: name, age, odd "name',
    ),
    (
        steps.has_columns,
        ("agents", DB, [["age", "TEXT"]]),
        'column "age" has another type\n  expected: TEXT\n  actual:   INTEGER',
    ),
    (
        steps.has_rows,
        ("agents", DB, 4),
        'table "agents" in database "var/app.db" has another number of rows\n  expected: 4\n  actual:   3',
    ),
    (
        steps.has_rows,
        ("agents", DB, 1, "age > 6"),
        'table "agents" in database "var/app.db" has another number of rows where age > 6\n'
        "  expected: 1\n  actual:   2",
    ),
    (
        steps.has_at_least,
        ("agents", DB, 4),
        'table "agents" in database "var/app.db" has another number of rows\n'
        "  expected: at least 4\n  actual:   3",
    ),
    (
        steps.has_at_most,
        ("agents", DB, 2),
        'table "agents" in database "var/app.db" has another number of rows\n'
        "  expected: at most 2\n  actual:   3",
    ),
    (
        steps.has_one_row,
        ("agents", DB),
        'table "agents" in database "var/app.db" has another number of rows\n  expected: 1\n  actual:   3',
    ),
    (
        steps.has_rows_within,
        ("agents", DB, 4, 0.02),
        'after 0.02 s: table "agents" in database "var/app.db" has another number of rows\n'
        "  expected: 4\n  actual:   3",
    ),
    (steps.has_at_least_within, ("agent", DB, 4, 0.02), f"after 0.02 s: {NO_TABLE}"),
    (
        steps.has_rows,
        ("agents", DB, 1, "agee = 1"),
        'database "var/app.db": this SQL fails: no such column: agee',
    ),
    (
        steps.gives,
        ("SELECT name, age FROM agents LIMIT 1", DB, [["name", "age"], ["Ada", '"36"']]),
        "the query gives other rows\n  --- expected\n  +++ actual\n  @@ -1,2 +1,2 @@\n"
        '   | name | age |\n  -| Ada | "36" |\n  +| Ada | 36 |',
    ),
    (
        steps.gives,
        ("SELECT name FROM agents LIMIT 1", DB, [["nam"], ["Ada"]]),
        "the query gives other columns\n  expected: nam\n  actual:   name",
    ),
    (
        steps.gives,
        ("SELEC 1", DB, [["x"]]),
        'database "var/app.db": this SQL fails: near "SELEC": syntax error',
    ),
    (
        steps.gives,
        ("DELETE FROM agents", DB, [["x"]]),
        'database "var/app.db": a query may only read, and only this database',
    ),
    (
        steps.gives,
        ("ATTACH 'x' AS x", DB, [["x"]]),
        'database "var/app.db": a query may only read, and only this database',
    ),
    (
        steps.gives,
        ("SELECT 1; SELECT 2", DB, [["x"]]),
        'database "var/app.db": this SQL fails: You can only execute one statement at a time.',
    ),
    (steps.gives, ("", DB, [["x"]]), 'database "var/app.db": this is no query: it gives no rows'),
    (
        steps.gives_within,
        ("SELECT count(*) AS n FROM agents", DB, 0.02, [["n"], ["4"]]),
        "after 0.02 s: the query gives other rows\n",
    ),
    (steps.uses_log, (DB,), 'database "var/app.db" uses a rollback journal, no write-ahead log'),
    (
        steps.user_version_is,
        (DB, 14),
        'database "var/app.db" has another user version\n  expected: 14\n  actual:   13',
    ),
    (steps.is_intact, ("x.db",), 'database "x.db" is not there'),
    (steps.uses_log, ("x.db",), 'database "x.db" is not there'),
    (steps.exists, ("../x.db",), '"../x.db" lies outside of the sandbox: name a path inside it'),
    (
        steps.query_gives,
        ([["a"]],),
        "no query has been made: this step looks at the rows of the last one",
    ),
]


@pytest.mark.parametrize(("step", "arguments", "message"), FAILS)
def test_a_then_that_does_not_hold(
    made: Databases, step: Step, arguments: tuple[object, ...], message: str
) -> None:
    assert failure(step, made, *arguments).startswith(message)


@pytest.mark.parametrize(
    ("sql", "wait"),
    [("SELECT nam FROM agents", 600.0), ("SELECT 1; SELECT 2", 600.0), ("DROP TABLE agents", 600.0)],
)
def test_sql_that_can_not_work_is_not_tried_again(made: Databases, sql: str, wait: float) -> None:
    assert failure(steps.gives_within, made, sql, DB, wait, [["a"]]).startswith('database "var/app.db": ')


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "it is an empty file, no database yet"),
        (b"garbage", "it is no SQLite database: it begins with b'garbage'"),
    ],
)
def test_a_file_that_is_no_database(
    databases: Databases, sandbox: Sandbox, content: bytes, problem: str
) -> None:
    (sandbox.work / "a.db").write_bytes(content)
    for step in (steps.exists, steps.uses_log, steps.has_no_dangling_keys):
        assert failure(step, databases, "a.db") == f'database "a.db": {problem}'
    assert failure(steps.is_intact, databases, "a.db") == f'database "a.db" is corrupt\n  {problem}'


def damage(path: Path) -> None:
    """Overwrite the page of the first table."""
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\x07" * 4096
    path.write_bytes(content)


def test_a_damaged_database(made: Databases, sandbox: Sandbox) -> None:
    damage(sandbox.work / DB)
    lines = failure(steps.is_intact, made, DB).splitlines()
    assert lines[0] == 'database "var/app.db" is corrupt'
    assert len(lines) > 1
    assert failure(steps.gives, made, "SELECT * FROM agents", DB, [["name"]]) == (
        'database "var/app.db": it is corrupt: database disk image is malformed'
    )


def test_dangling_foreign_keys(made: Databases) -> None:
    steps.change(made, DB, "INSERT INTO messages VALUES (5, 'Ada'), (6, 'Zoe')")
    steps.is_intact(made, DB)
    assert failure(steps.has_no_dangling_keys, made, DB) == (
        'database "var/app.db" has 1 dangling foreign keys\n  table messages, row 6: no such row in agents'
    )


def test_a_write_ahead_log(made: Databases) -> None:
    steps.change(made, DB, "PRAGMA journal_mode = WAL")
    steps.uses_log(made, DB)
    assert failure(steps.uses_journal, made, DB) == (
        'database "var/app.db" uses a write-ahead log, no rollback journal'
    )
    steps.has_rows(made, "agents", DB, 3)


def test_queries_in_two_steps(made: Databases, evidence: Evidence) -> None:
    steps.query(made, evidence, DB, "SELECT name\nFROM agents\nWHERE age > 10")
    steps.query_gives(made, [["name"], ["Ada"]])
    assert failure(steps.query_gives, made, [["name"], ["Eve"]]).startswith("the query gives other rows\n")
    assert failure(steps.query_gives_nothing, made) == "the query gives rows\n  | name |\n  | Ada |"
    assert [(entry.title, entry.text()) for entry in evidence.entries] == [
        ('query on database "var/app.db"    (1 rows)', "| name |\n| Ada |")
    ]
    steps.query(made, evidence, DB, "SELECT name FROM agents WHERE age > 100")
    steps.query_gives_nothing(made)
    steps.query_gives(made, [["name"]])


def test_more_rows_than_anyone_reads(made: Databases) -> None:
    many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000) SELECT x FROM n"
    assert failure(steps.gives, made, many, DB, [["x"]]) == (
        'database "var/app.db": the query gives more than 10000 rows'
    )


def test_text_that_is_no_utf_8(made: Databases) -> None:
    steps.change(made, DB, "INSERT INTO notes VALUES (CAST(x'61ff62' AS TEXT))")
    steps.gives(made, "SELECT text FROM notes", DB, [["text"], ["a\ufffdb"]])


def test_making_and_changing_a_database(databases: Databases, sandbox: Sandbox) -> None:
    steps.create(databases, "deep/er/a.db", "CREATE TABLE t (a); INSERT INTO t VALUES (1); VACUUM")
    steps.has_one_row(databases, "t", "deep/er/a.db")
    assert failure(steps.create, databases, "deep/er/a.db", "") == (
        '"deep/er/a.db" is there already: a database is made where there is nothing'
    )
    assert failure(steps.create, databases, "b.db", "CREATE TABL t") == (
        'this SQL fails: near "TABL": syntax error'
    )
    (sandbox.work / "file").touch()
    assert failure(steps.create, databases, "file/a.db", "") == (
        'database "file/a.db" can\'t be made: File exists'
    )
    assert failure(steps.change, databases, "none.db", "SELECT 1") == ('database "none.db" is not there')
    assert failure(steps.change, databases, "deep/er/a.db", "ATTACH 'x.db' AS x") == (
        "this SQL fails: not authorized"
    )
    assert not (sandbox.work / "none.db").exists()


def test_a_lock_that_is_not_given_back(
    made: Databases, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_LIMIT", 0.05)
    with closing(sqlite3.connect(sandbox.work / DB, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert failure(steps.change, made, DB, "DELETE FROM agents") == "this SQL fails: database is locked"


def test_waiting_for_a_database(databases: Databases, sandbox: Sandbox) -> None:
    def make() -> None:
        with closing(sqlite3.connect(sandbox.work / "late.db", isolation_level=None)) as connection:
            connection.executescript("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")

    timer = threading.Timer(0.05, make)
    timer.start()
    steps.has_rows_within(databases, "t", "late.db", 2, 20.0)
    steps.gives_within(databases, "SELECT a FROM t ORDER BY a", "late.db", 20.0, [["a"], ["1"], ["2"]])
    timer.join()


def test_looking_leaves_no_trace(made: Databases, sandbox: Sandbox) -> None:
    steps.change(made, DB, "PRAGMA journal_mode = WAL")
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in (sandbox.work / "var").iterdir()}
    for step, arguments in HOLDS:
        if step is not steps.uses_journal:
            step(made, *arguments)
    now = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in (sandbox.work / "var").iterdir()}
    assert now == before
    assert [path.name for path in now] == ["app.db"]
    assert [*sandbox.files.iterdir()] == []


Arm = Callable[..., Watch[Any]]


@pytest.fixture
def armed(changes: Changes) -> Iterator[Arm]:
    watches: list[Watch[Any]] = []

    def arm(negative: Negative, databases: Databases, **arguments: object) -> Watch[Any]:
        watches.append(negative.arm({"databases": databases, "changes": changes, **arguments}))
        return watches[-1]

    yield arm
    for watch in watches:
        watch.close()


def judged(negative: Negative, watch: Watch[Any]) -> list[Breach]:
    watch.look()
    return [*negative.judge(watch.journal())]


@pytest.mark.parametrize("way", ["condition", "query"])
def test_never_such_rows(armed: Arm, made: Databases, way: str) -> None:
    if way == "condition":
        negative, subject = never.has_forbidden_row, 'table "agents" in database "var/app.db"'
        watch = armed(negative, made, table="agents", name=DB, condition="age < 0 OR age > 150")
    else:
        negative, subject = never.query_gives_row, 'database "var/app.db"'
        watch = armed(negative, made, sql="SELECT * FROM agents WHERE age NOT BETWEEN 0 AND 150", name=DB)
    assert judged(negative, watch) == []
    steps.change(made, DB, "UPDATE agents SET age = -1 WHERE name = 'Ada'")
    watch.look()
    watch.look()
    steps.change(made, DB, "UPDATE agents SET age = 1")
    assert judged(negative, watch) == [
        Breach(f"{subject} had such rows", "| name | age | odd \"name |\n| Ada | -1 | x'00ff' |")
    ]
    assert watch.journal().inspected == {"moment": 5}


def test_rows_that_were_there_from_the_start(armed: Arm, made: Databases) -> None:
    watch = armed(never.has_forbidden_row, made, table="agents", name=DB, condition="age = 36")
    steps.change(made, DB, "DELETE FROM agents")
    assert len(judged(never.has_forbidden_row, watch)) == 1


def test_a_condition_that_makes_no_sense_can_not_be_armed(armed: Arm, made: Databases) -> None:
    with pytest.raises(StepFailed, match="no such column: agee"):
        armed(never.has_forbidden_row, made, table="agents", name=DB, condition="agee = 36")


def test_many_forbidden_rows_are_cut(armed: Arm, made: Databases) -> None:
    values = ", ".join(f"({number})" for number in range(1, 10))
    steps.change(made, DB, f"INSERT INTO notes VALUES {values}")
    watch = armed(never.query_gives_row, made, sql="SELECT * FROM notes", name=DB)
    [breach] = judged(never.query_gives_row, watch)
    assert breach.evidence == "| text |\n| 1 |\n| 2 |\n| 3 |\n| 4 |\n| 5 |\nand 4 more"


def test_a_database_that_comes_later(armed: Arm, databases: Databases, sandbox: Sandbox) -> None:
    watches = {
        never.has_forbidden_row: {"table": "t", "name": "a.db", "condition": "a > 1"},
        never.query_gives_row: {"sql": "SELECT * FROM t WHERE a > 1", "name": "a.db"},
        never.loses_row: {"table": "t", "name": "a.db"},
        never.becomes_corrupt: {"name": "a.db"},
    }
    pairs = [(negative, armed(negative, databases, **given)) for negative, given in watches.items()]
    (sandbox.work / "a.db").touch()
    for negative, watch in pairs:
        assert judged(negative, watch) == []
        assert watch.journal().is_empty
    (sandbox.work / "a.db").unlink()
    steps.create(databases, "a.db", "CREATE TABLE other (a)")
    for negative, watch in pairs[:3]:
        assert judged(negative, watch) == []
        assert watch.journal().is_empty
    steps.change(databases, "a.db", "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    for negative, watch in pairs:
        assert judged(negative, watch) == []
        assert watch.journal().inspected["moment"] == 1


def test_never_a_lost_row(armed: Arm, made: Databases, sandbox: Sandbox) -> None:
    watch = armed(never.loses_row, made, table="agents", name=DB)
    steps.change(made, DB, "UPDATE agents SET age = 1; INSERT INTO agents VALUES ('Zoe', 1, 1)")
    assert judged(never.loses_row, watch) == []
    steps.change(made, DB, "DELETE FROM agents WHERE name IN ('Ada', 'Zoe')")
    watch.look()
    steps.change(made, DB, "INSERT INTO agents VALUES ('Ada', 36, 1)")
    subject = 'table "agents" in database "var/app.db"'
    first = Breach(f"{subject} lost 2 rows", "key Ada\nkey Zoe")
    assert judged(never.loses_row, watch) == [first]
    steps.change(made, DB, "ALTER TABLE agents RENAME TO people")
    gone = Breach(f"{subject} lost 3 rows: the table was gone", "key Ada\nkey Bob\nkey Eve")
    assert judged(never.loses_row, watch) == [first, gone]
    steps.change(made, DB, "ALTER TABLE people RENAME TO agents")
    watch.look()
    (sandbox.work / DB).unlink()
    assert judged(never.loses_row, watch)[2].message == f"{subject} lost 3 rows: the database was gone"
    assert watch.journal().inspected["moment"] == 7


@pytest.mark.parametrize(
    ("columns", "rows", "lost"),
    [
        ("a", "(1), (1), (2)", "key 2"),
        ("a, b, PRIMARY KEY (a, b)", "(1, 'x'), (2, 'x'), (1, NULL)", "key 2, x"),
        ("a PRIMARY KEY, b) WITHOUT ROWID; --", "(1, 1), ('1', 1), (x'31', 1)", 'key "1"'),
    ],
)
def test_what_tells_rows_apart(armed: Arm, databases: Databases, columns: str, rows: str, lost: str) -> None:
    steps.create(databases, "a.db", f"CREATE TABLE t ({columns}\n);".replace("--\n)", ""))
    steps.change(databases, "a.db", f"INSERT INTO t VALUES {rows}")
    watch = armed(never.loses_row, databases, table="t", name="a.db")
    where = {"key 2": "rowid = 2", "key 2, x": "a = 2", 'key "1"': "a = '1'"}[lost]
    steps.change(databases, "a.db", f"DELETE FROM t WHERE {where}")
    [breach] = judged(never.loses_row, watch)
    assert breach.evidence == lost


@pytest.mark.parametrize("mode", ["WAL", "DELETE", "TRUNCATE", "PERSIST"])
def test_what_comes_and_goes_within_one_step(
    armed: Arm, made: Databases, sandbox: Sandbox, changes: Changes, mode: str
) -> None:
    with closing(sqlite3.connect(sandbox.work / DB, isolation_level=None)) as program:
        program.execute(f"PRAGMA journal_mode = {mode}").fetchall()
        watches = {
            never.has_forbidden_row: {"table": "agents", "name": DB, "condition": "age < 0"},
            never.query_gives_row: {"sql": "SELECT name FROM agents WHERE age < 0", "name": DB},
            never.loses_row: {"table": "agents", "name": DB},
            never.row_disappears: {"table": "agents", "name": DB},
            never.becomes_corrupt: {"name": DB},
        }
        pairs = [(negative, armed(negative, made, **given)) for negative, given in watches.items()]
        for sql in (
            "INSERT INTO agents VALUES ('Mal', -1, 0)",
            "DELETE FROM agents WHERE name = 'Mal'",
            "UPDATE agents SET age = 8 WHERE name = 'Eve'",
        ):
            program.execute(sql)
            with changes.settled():  # without a log, a transaction is seen if no other comes at once
                pass
        told = [[(one.message, one.evidence) for one in judged(*pair)] for pair in pairs]
    table, base = 'table "agents" in database "var/app.db"', 'database "var/app.db"'
    assert told == [
        [(f"{table} had such rows", '| name | age | odd "name |\n| Mal | -1 | 0 |')],
        [(f"{base} had such rows", "| name |\n| Mal |")],
        [(f"{table} lost 1 row", "key Mal")],
        [(f"{table} lost 1 row", "key Mal")],
        [],
    ]
    for _, watch in pairs:
        assert watch.journal().inspected["moment"] == 2
        assert watch.journal().inspected["transaction"] == 2


def test_a_table_that_is_rebuilt_meanwhile(armed: Arm, made: Databases) -> None:
    """What a query can't be asked of, on the way, is counted."""
    with closing(sqlite3.connect(made.find(DB).artifact.path, isolation_level=None)) as program:
        program.execute("PRAGMA journal_mode = WAL").fetchall()
        watch = armed(never.has_forbidden_row, made, table="agents", name=DB, condition="age < 0")
        program.execute("ALTER TABLE agents RENAME COLUMN age TO years")
        program.execute("ALTER TABLE agents RENAME COLUMN years TO age")
        assert judged(never.has_forbidden_row, watch) == []
    assert watch.journal().looked_at == "2 moments, 1 unread transaction"


def test_the_mode_of_a_journal_is_that_of_the_file(armed: Arm, made: Databases) -> None:
    steps.change(made, DB, "PRAGMA journal_mode = WAL")
    sql = "SELECT * FROM pragma_journal_mode WHERE journal_mode <> 'wal'"
    watch = armed(never.query_gives_row, made, sql=sql, name=DB)
    steps.change(made, DB, "UPDATE agents SET age = 1")
    assert judged(never.query_gives_row, watch) == []
    assert watch.journal().looked_at == "2 isolated moments"


def test_a_handle_that_means_another_file_by_now(
    armed: Arm, made: Databases, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifact = made.find(DB).artifact
    found = [replace(artifact, pattern="var/*.db")]
    monkeypatch.setattr(made._artifacts, "find", lambda *_: found[-1])
    watch = armed(never.loses_row, made, table="agents", name="base")
    assert judged(never.loses_row, watch) == []
    steps.create(made, "var/other.db", SQL)
    found.append(replace(found[0], paths=(sandbox.work / "var/other.db",)))
    assert judged(never.loses_row, watch) == []
    found.append(replace(found[0], paths=()))
    assert len(judged(never.loses_row, watch)) == 1


def test_never_corrupt(armed: Arm, made: Databases, sandbox: Sandbox) -> None:
    watch = armed(never.becomes_corrupt, made, name=DB)
    assert judged(never.becomes_corrupt, watch) == []
    good = (sandbox.work / DB).read_bytes()
    damage(sandbox.work / DB)
    watch.look()
    (sandbox.work / DB).write_bytes(b"no database, but text")
    watch.look()
    (sandbox.work / DB).write_bytes(good)
    first, second = judged(never.becomes_corrupt, watch)
    assert first.message == second.message == 'database "var/app.db" was corrupt'
    assert second.evidence == "it is no SQLite database: it begins with b'no database, but'"
    assert watch.journal().inspected == {"moment": 5}


GOAL = '''
    Background:
      Given a database "a.db" with
        """
        CREATE TABLE t (a INTEGER PRIMARY KEY, b);
        INSERT INTO t VALUES (1, 'x'), (2, NULL);
        """

    Scenario: kept
      When I change database "a.db" with
        """
        INSERT INTO t VALUES (3, '3')
        """
      Then query "SELECT * FROM t" on database "a.db" gives
        | a | b    |
        | 1 | x    |
        | 2 | NULL |
        | 3 | "3"  |
      But table "t" in database "a.db" never loses a row

    Scenario: back again at the end
      When I change database "a.db" with
        """
        DELETE FROM t WHERE a = 2
        """
      And I change database "a.db" with
        """
        INSERT INTO t VALUES (2, NULL)
        """
      Then table "t" in database "a.db" has 2 rows
      But table "t" in database "a.db" never loses a row

    Scenario: nothing looked at
      When I change database "a.db" with
        """
        SELECT 1
        """
      Then table "t" in database "a.db" has 2 rows
      But table "tt" in database "a.db" never has a row where "a > 1"
'''


def test_the_whole_way(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    goal(GOAL)
    result = pytester.runpytest("scenarios")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            '>   But table "t" in database "a.db" never loses a row',
            'E     table "t" in database "a.db" lost 1 row',
            "E       key 2",
            "E     this check looked at nothing, so it could not have failed",
        ]
    )
