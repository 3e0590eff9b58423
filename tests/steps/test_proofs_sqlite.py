"""steps/sqlite: every violation of its negative steps is noticed, and by those alone that it concerns."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from goalkeeper.runner.never import Negative
from goalkeeper.steps.sqlite import never, ways
from goalkeeper.steps.sqlite.history import History
from goalkeeper.steps.sqlite.watch import DamageWatch, DatabaseWatch, LossWatch, QueryWatch

Prove = Callable[..., list[dict[str, Any]]]

GOAL = """
    Background:
      Given a file "hold.py" with
        \"\"\"
        import os, signal, sqlite3, sys
        reader, writer = os.pipe()
        if os.fork():
            os.close(writer)
            sys.exit(os.read(reader, 1) != b"x")
        connection = sqlite3.connect("a.db", isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO notes VALUES ('held')")
        if sys.argv[1] == "open":
            connection.execute("COMMIT")
        os.write(writer, b"x")
        signal.pause()
        \"\"\"

    Scenario Outline: all of them together, <mode>, <program>
      Given a database "a.db" with
        \"\"\"
        PRAGMA journal_mode = <mode>;
        CREATE TABLE agents (name TEXT PRIMARY KEY, age INT CHECK (age > -1), boss NOT NULL) WITHOUT ROWID;
        CREATE TABLE tasks (id INTEGER PRIMARY KEY, state TEXT, agent REFERENCES agents (name), cost REAL);
        CREATE TABLE notes (text);
        CREATE TRIGGER dear BEFORE INSERT ON tasks WHEN new.cost > 100
        BEGIN
          SELECT RAISE (ABORT, 'too much');
        END;
        CREATE TRIGGER kept BEFORE DELETE ON agents BEGIN SELECT RAISE (ABORT, 'no'); END;
        CREATE VIEW lost AS SELECT * FROM tasks WHERE state = 'lost' AND cost < 10;
        INSERT INTO agents VALUES ('Ada', 36, 'Eve'), ('Bob', 7, 'Eve');
        INSERT INTO tasks (state, agent, cost) VALUES ('done', 'Ada', 1.5), ('open', 'Bob', 2);
        INSERT INTO notes VALUES ('a'), ('b');
        \"\"\"
      When I run "<program>"
      And I change database "a.db" with
        \"\"\"
        <sql>
        \"\"\"
      Then the exit code is 0
      But table "tasks" in database "a.db" never has a row where "state = 'lost'"
      And table "tasks" in database "a.db" never has a row where "state IN ('burnt', 'sunk') AND cost >= 3.5"
      And table "tasks" in database "a.db" never has a row where "cost > 1000 AND agent IS NOT NULL"
      And table "agents" in database "a.db" never has a row where "age < 0 OR age > 150"
      And table "agents" in database "a.db" never has a row where "boss IS NULL"
      And table "agents" in database "a.db" never has a row where "name LIKE 'Mal%'"
      And table "lost" in database "a.db" never has a row where "1"
      And query "SELECT * FROM tasks WHERE agent NOT IN (SELECT name FROM agents)" on database "a.db" never gives a row
      And query "SELECT text FROM notes GROUP BY text HAVING count(*) > 1" on database "a.db" never gives a row
      And query "SELECT count(*) FROM agents HAVING count(*) < 2" on database "a.db" never gives a row
      And table "agents" in database "a.db" never loses a row
      And no row of table "tasks" in database "a.db" ever disappears
      And database "a.db" never becomes corrupt
      And file "other" never exists

      Examples:
        | mode   | program              | sql                                                   |
        | wal    | true                 | INSERT INTO tasks (state, agent) VALUES ('x', 'Ada')  |
        | delete | true                 | INSERT INTO tasks (state, agent) VALUES ('x', 'Ada')  |
        | wal    | python3 hold.py open | INSERT INTO tasks (state, agent) VALUES ('x', 'Ada')  |
        | wal    | python3 hold.py lock | SELECT 1                                              |
        | delete | python3 hold.py lock | SELECT 1                                              |
"""  # noqa: E501


def bad(told: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [(p["text"], p["violation"], p["outcome"], p["detail"]) for p in told if p["outcome"] != "proven"]


def test_every_violation_is_noticed(prove: Prove) -> None:
    told = prove(GOAL, passed=5)
    assert bad(told) == []
    steps = [step for step in vars(never).values() if isinstance(step, Negative)]
    assert {proof["violation"] for proof in told} >= {v.name for step in steps for v in step.violations}


APART = """
    Scenario: what has nothing to do with each other
      Given a database "a.db" with
        \"\"\"
        PRAGMA journal_mode = WAL;
        CREATE TABLE t (a, b);
        CREATE TABLE u (a);
        INSERT INTO t VALUES (1, 'x');
        INSERT INTO u VALUES (1);
        \"\"\"
      And a database "b.db" with
        \"\"\"
        CREATE TABLE t (a);
        INSERT INTO t VALUES (1);
        \"\"\"
      When I run "touch done"
      Then file "done" exists
      But table "t" in database "a.db" never has a row where "a = 2"
      And table "t" in database "a.db" never loses a row
      And table "u" in database "a.db" never loses a row
      And database "a.db" never becomes corrupt
      And table "t" in database "b.db" never loses a row
      And database "b.db" never becomes corrupt
"""


def test_a_row_that_is_added_breaks_nothing_else(prove: Prove) -> None:
    assert bad(prove(APART, passed=1)) == []


def test_what_can_not_be_done_is_told(prove: Prove) -> None:
    told = prove(
        """
        Scenario: x
          Given a database "a.db" with
            \"\"\"
            CREATE TABLE t (a)
            \"\"\"
          When I run "touch done"
          Then file "done" exists
          But table "t" in database "a.db" never loses a row
          And table "t" in database "a.db" never has a row where "a = 1 AND a = 2"
        """,
        passed=0,
    )
    assert {(proof["outcome"], proof["detail"].partition(": ")[2]) for proof in told} == {
        ("no-effect", "t has no rows to lose"),
        ("no-effect", 'no way was found to have a row for SELECT * FROM "t" WHERE (a = 1 AND a = 2)'),
    }


def test_a_sensor_that_sees_nothing_is_found_out(prove: Prove, monkeypatch: pytest.MonkeyPatch) -> None:
    for watch in (QueryWatch, LossWatch, DamageWatch):
        see = watch.see

        def once(self: DatabaseWatch[Any], database: Any, see: Any = see) -> bool:
            return bool(self.inspected) or see(self, database)

        monkeypatch.setattr(watch, "see", once)
    told = prove(APART, passed=0)
    assert {proof["outcome"] for proof in told} == {"vacuous"}


def test_without_a_history_what_comes_and_goes_is_not_seen(
    prove: Prove, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(History, "news", lambda *_: ((), None))
    told = prove(APART, passed=0)
    assert {proof["violation"] for proof in told if proof["outcome"] == "vacuous"} == {
        "add_row",
        "delete_row",
    }


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t WHERE a = 'it''s' AND b BETWEEN 5 AND 6",
        "SELECT * FROM t WHERE a GLOB 'x*' AND length(a) > 3",
        "SELECT * FROM t WHERE a <> 'x' AND b != 5 AND c IS NOT 3",
        "SELECT * FROM t WHERE a NOT IN ('x', 'y') AND b NOT LIKE 'z%' AND 3 < c",
        "SELECT * FROM t WHERE a IS NULL",
        "SELECT a FROM t GROUP BY a HAVING count(*) = 1",
        "SELECT count(*) FROM t HAVING count(*) > 1",
        "SELECT * FROM u WHERE key NOT IN (SELECT a FROM t)",
        "SELECT * FROM u EXCEPT SELECT 1, 'k' UNION SELECT key, 1 FROM u WHERE key > 5",
        'SELECT * FROM "od""d" WHERE "na me" < -4.5',
        "SELECT * FROM v WHERE z > 100",
        "SELECT name FROM s WHERE mail = 'a@b' AND name <> 'Ada'",
    ],
)
@pytest.mark.parametrize("filled", [True, False])
def test_a_way_is_found(sql: str, filled: bool) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(
            """
            CREATE TABLE t (a TEXT, b INTEGER, c);
            CREATE TABLE u (key INTEGER PRIMARY KEY, other TEXT UNIQUE NOT NULL);
            CREATE TABLE "od""d" ("na me" REAL, g AS (1));
            CREATE TABLE s (mail TEXT UNIQUE, name TEXT NOT NULL CHECK (length(name) < 4));
            CREATE VIEW v AS SELECT b AS z FROM t;
            """
        )
        if filled:
            connection.executescript(
                """
                INSERT INTO t VALUES ('x', 5, 3), ('x', 5, 3);
                INSERT INTO u VALUES (1, 'k');
                INSERT INTO "od""d" VALUES (0);
                INSERT INTO s VALUES ('a@b', 'Ada');
                """
            )
        if connection.execute(sql).fetchall():
            return
        before = [*connection.iterdump()]
        way = ways.way_to(connection, sql, "gk0123456789ab")
        assert way is not None
        assert [*connection.iterdump()] == before
        ways.apply(connection, way.does)
        assert connection.execute(sql).fetchall()
        if way.undoes:
            ways.apply(connection, way.undoes)
            assert not connection.execute(sql).fetchall()
