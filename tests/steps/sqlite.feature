@STEPS-G1.9 @scope:steps @owner:goalkeeper
Feature: A goal looks into a database without touching it
  Expect: tables, rows and integrity of an SQLite database can be judged while a program uses it, and after it died.
  Hook: databases made from SQL, and a small program in Python that writes to one

  Background:
    Given a database "var/app.db" with
      """
      PRAGMA journal_mode = WAL;
      PRAGMA user_version = 13;
      CREATE TABLE agents (name TEXT PRIMARY KEY, age INTEGER, photo BLOB);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, author TEXT REFERENCES agents (name), text);
      INSERT INTO agents VALUES ('Ada', 36, x'00ff'), ('Bob', NULL, NULL);
      """

  Scenario: What is in a database
    When I change database "var/app.db" with
      """
      INSERT INTO messages (author, text) VALUES ('Ada', 'hello'), ('Bob', '42'), ('Bob', 42);
      """
    Then database "var/app.db" has table "messages"
    And database "var/app.db" has no table "threads"
    And table "agents" in database "var/app.db" has columns
      | name | TEXT    |
      | age  | INTEGER |
    And table "messages" in database "var/app.db" has 3 rows
    And table "messages" in database "var/app.db" has one row where "author = 'Ada'"
    And table "messages" in database "var/app.db" has at least 1 rows where "text = 'hello'"
    And query "SELECT author, text FROM messages ORDER BY id" on database "var/app.db" gives
      | author | text  |
      | Ada    | hello |
      | Bob    | "42"  |
      | Bob    | 42    |
    And database "var/app.db" uses a write-ahead log
    And the user version of database "var/app.db" is 13
    And database "var/app.db" is intact
    And database "var/app.db" has no dangling foreign keys
    But table "agents" in database "var/app.db" never loses a row
    And no row of table "messages" in database "var/app.db" ever disappears
    And table "messages" in database "var/app.db" never has a row where "author IS NULL"

  Scenario: A query of several lines
    When I query database "var/app.db" with
      """
      SELECT name, age, photo
      FROM agents
      ORDER BY name
      """
    Then the query gives
      | name | age  | photo   |
      | Ada  | 36   | x'00ff' |
      | Bob  | NULL | NULL    |
    But query "SELECT * FROM agents WHERE age < 0" on database "var/app.db" never gives a row

  Scenario: A program that writes meanwhile, and is killed in the middle of it
    Given a file "writer.py" with
      """
      import itertools, os, sqlite3
      connection = sqlite3.connect("var/app.db", isolation_level=None)
      for number in itertools.count(1):
          connection.execute("BEGIN")
          connection.execute("INSERT INTO messages (author, text) VALUES ('Ada', ?)", (number,))
          connection.execute("INSERT INTO messages (author, text) VALUES ('Bob', ?)", (number,))
          connection.execute("COMMIT")
      """
    When I run "sh -c 'python writer.py & echo $! > writer.pid'"
    Then table "messages" in database "var/app.db" has at least 20 rows within 30 s
    When I run "sh -c 'kill -9 $(cat writer.pid)'"
    Then file "var/app.db-wal" exists
    And database "var/app.db" is intact
    And query "SELECT text FROM messages GROUP BY text HAVING count(*) <> 2" on database "var/app.db" gives
      | text |
    But database "var/app.db" never becomes corrupt
    And table "messages" in database "var/app.db" never loses a row
    And query "SELECT text FROM messages GROUP BY text HAVING count(*) = 1" on database "var/app.db" never gives a row
