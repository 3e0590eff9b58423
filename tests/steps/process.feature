@STEPS-G1.3 @scope:steps @owner:goalkeeper
Feature: A goal starts programs that keep running, waits for them, signals them, and sees how they end
  Expect: a program is known by a name from its start to its end, and whatever it does meanwhile can be waited for and judged.
  Hook: small servers in Python and shell

  Background:
    Given a file "server.py" with
      """
      import os, signal, socket, sys

      kind, address = sys.argv[1:]
      if kind == "tcp":
          server = socket.create_server(("127.0.0.1", int(address)))
          print("port", server.getsockname()[1], flush=True)
      else:
          server = socket.socket(socket.AF_UNIX)
          server.bind(address)
          server.listen()
      def reload(*_):
          print("reloaded", flush=True)
      def end(*_):
          print("bye", flush=True)
          sys.exit(3)
      signal.signal(signal.SIGHUP, reload)
      signal.signal(signal.SIGTERM, end)
      with open("server.pid", "w") as file:
          file.write(str(os.getpid()))
      print("ready", file=sys.stderr, flush=True)
      while True:
          signal.pause()
      """

  Scenario: A server that gets ready, reloads and ends when it is told to
    Given environment variable "PYTHONUNBUFFERED" is "1"
    And I start process "server" with "python3 server.py unix server.sock"
    And process "server" prints "ready" within 30 s
    And process "server" listens at socket "server.sock" within 30 s
    And process "server" writes file "server.pid" within 30 s
    When I send signal HUP to process "server"
    Then process "server" prints "reloaded" after the signal within 30 s
    And process "server" is running
    And the error output of process "server" contains "ready"
    And the error output of process "server" matches "^ready$"
    When I send signal TERM to process "server"
    Then process "server" exits with code 3 within 30 s
    And the output of process "server" contains "bye"
    And the output of process "server" matches "^reloaded\nbye$"
    But process "server" never exits by itself
    And process "server" never prints "Traceback"
    And process "server" never prints a line that matches "^\w*Error"

  Scenario: A server that is killed, and comes back under its name
    Given a directory "inner"
    And I start process "server" with
      | command      | python3 ../server.py unix s |
      | directory    | inner                       |
      | input        | nothing to read             |
      | env.GREETING | hello                       |
    And process "server" listens at socket "inner/s" within 30 s
    When I send signal KILL to process "server"
    Then process "server" is killed by KILL within 30 s
    When I run "rm inner/s"
    And I restart process "server"
    Then process "server" listens at socket "inner/s" within 30 s
    When I stop process "server" within 30 s
    Then process "server" exits within 1 s
    But process "server" never exits by itself
    And the command never prints "No such file"

  Scenario: A frozen program, and its children
    Given I start process "parent" with "sh -c 'sleep 600 & sleep 600 & echo started; wait'"
    And process "parent" prints "started" within 30 s
    When I send signal STOP to process "parent"
    Then process "parent" keeps running for 50 ms
    When I send signal CONT to process "parent"
    Then process "parent" is running
    When I send signal TERM to process "parent" and its children
    Then process "parent" is killed by TERM within 30 s
    And all children of process "parent" are gone within 30 s
    But process "parent" never exits by itself

  @invariant
  Scenario: A program that stays
    Given I start process "sleeper" with "sleep 600"
    When I run "true"
    Then process "sleeper" is running
    But process "sleeper" never exits
    And process "sleeper" never prints "I was woken"
    And no process but "sleeper" is left running

  Scenario: A program that cleans up behind itself
    When I run "sh -c 'sleep 0.05 & sleep 0.05 & wait; echo done'"
    Then the output contains "done"
    But no process is left running
    And never more than 3 processes run at once
    And never more than 2 processes like "sleep *" run at once
    And no process like "curl" ever runs
    And no process like "*--force*" ever runs
