@STEPS-G1.1 @scope:steps @owner:goalkeeper
Feature: A goal drives any command line and judges what it printed
  Expect: a command runs as it would at a prompt, in a directory of its own, and every part of its answer can be judged.
  Hook: the programs of any POSIX system

  Background:
    Given environment variable "LC_ALL" is "C"

  Scenario: The answer of a program
    When I run "printf 'first line\nsecond line\n'"
    Then the exit code is 0
    And the output is
      """
      first line
      second line
      """
    And the output contains "second"
    And the output matches "^\w+ line$"
    But the command never prints "third"

  Scenario: A program that refuses
    When I run "cat no-such-file"
    Then the exit code is not 0
    And the output is empty
    And the error output contains "no-such-file"
    And the error output matches "(?i)no such file or directory$"
    But the command never prints "Permission denied"
    And the command never succeeds
    And the output never contains "no-such-file"
    And file "no-such-file" never exists

  Scenario: What a program is given
    Given a directory "inner"
    And environment variable "COLOUR" is "blue"
    When I run "sh -c 'echo $COLOUR > colour'" in "inner"
    Then file "inner/colour" contains "blue"
    When I run "sh -c 'cat - colour; echo $COLOUR'" with
      | directory  | inner |
      | input      | typed |
      | env.COLOUR | red   |
      | limit      | 30 s  |
    Then the output matches "^typedblue\nred$"
    When I run "sort -r" with input
      """
      a
      b
      """
    Then the output is
      """
      b
      a
      """
    But file "colour" never exists
    And the command never prints "green"

  Scenario: An answer in JSON
    Given a file "answer.json" with
      """
      {"run": {"id": "r1", "ok": true, "tries": 2}, "tasks": [{"name": "build"}, {"name": "1"}]}
      """
    When I run "cat answer.json"
    Then the output is JSON with
      | run.id       | r1    |
      | run.ok       | true  |
      | run.tries    | 2     |
      | tasks.0.name | build |
      | tasks.1.name | "1"   |
    But the command never prints "error"

  Scenario: Time limits, and preparations that do not count
    Given commands may take up to 2 min
    And I run "echo a secret that only the preparation may tell"
    When I run "echo done" for at most 30 s
    Then the output contains "done"
    But the command never prints "secret"
    And the command never runs longer than 30 s
    And the output never contains "preparation"
    And the error output never contains "done"
    And the command never prints to the error output

  Scenario: A command that goes on in the background
    Given a file "server.py" with
      """
      import os, signal, socket

      server = socket.socket(socket.AF_UNIX)
      server.bind("server.sock")
      server.listen()
      print("ready", flush=True)
      server.accept()
      print("somebody came", flush=True)
      """
    And I run "python3 server.py" in the background
    And the background command prints "ready" within 30 s
    And the background command listens at socket "server.sock" within 30 s
    When I run "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"server.sock\")'"
    Then the exit code is 0
    When the background command ends within 30 s
    Then the exit code is 0
    And the output contains "somebody came"
    But the command never prints "ready"
    And the command never prints a line that matches "Error:"
    And the command never exits with code 1
    And the command never dies of a signal

  Scenario: Copies that run at once, of which one can win
    When I run "mkdir lock" 5 times at once
    Then exactly 1 of them exits with 0
    And exactly 4 of them exit with 1
    And at least 1 of them exits with 0
    And all outputs are the same
    When I run "sh -c 'echo $$'" 3 times at once
    Then all exit codes are 0
    And all outputs are different
    But the command never dies of a signal

  Scenario: Different commands at once
    When I run these commands at once
      | echo one     |
      | echo one two |
    Then all of them print "one"
    And exactly 1 of them prints "two"
    But the command never exits with code 127

  Scenario Outline: Quotes and what a shell would expand
    When I run "<command>"
    Then the output is
      """
      <output>
      """
    But the command never prints "expanded"

    Examples:
      | command                     | output  |
      | echo 'a  b'                 | a  b    |
      | echo $HOME                  | $HOME   |
      | echo *                      | *       |
      | echo \\"quoted\\"           | quoted  |
      | sh -c 'echo $((1 + 1)) two' | 2 two   |
