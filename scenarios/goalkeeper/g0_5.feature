@GK-G0.5 @tier0 @scope:trace @owner:traceability @ci:test
Feature: The matrix is never green without results
  Expect: where results are missing, broken or of another version of a goal, trace and gate fail and say what to type.
  Hook: a small project in the sandbox, with records of its own

  Background:
    Given a file "goalkeeper.toml" with
      """
      goals = ["scenarios"]
      """
    And a file "scenarios/a.feature" with
      """
      @G2.1
      Feature: A word is printed
        Scenario: A word
          When I run "echo works"
          Then the output contains "works"
          But the command never prints "broken"
      """

  Scenario: Nothing has run
    When I run "goalkeeper trace"
    Then the exit code is 1
    And the output contains "there is no run record"
    And the output contains "run the goals first: pytest scenarios"
    And file ".goalkeeper/trace.html" contains "RED"
    But the command never prints "OK: "

  Scenario: The goal changed after its run
    When I run "pytest scenarios"
    And I run "goalkeeper trace"
    Then the output contains "OK: the one goal is OK"
    When I run "sed -i s/word/letter/ scenarios/a.feature"
    And I run "goalkeeper trace"
    Then the exit code is 1
    And the output contains "RED: 1 of 1 goal is not OK"
    But the command never prints "Traceback"

  Scenario: A gate has nothing to judge by
    Given a file ".goalkeeper/runs/20260101T000000Z-000000/record.jsonl" containing "{"
    When I run "goalkeeper gate negatives"
    Then the exit code is 1
    And the output contains "line 1 is no JSON"
    But the command never prints "OK  gate"
