@STEPS-G1.4 @scope:steps @owner:goalkeeper
Feature: A goal reads what a system keeps, whatever its format, and sees every version of it
  Expect: values in JSON, YAML and TOML are found, compared with their types, waited for and watched.
  Hook: the programs of any POSIX system

  Background:
    Given state "run.json" is
      """
      {
        "id": "001", "status": "running", "tries": 2, "ratio": 1.0, "error": null, "done": false,
        "serial": 12345678901234567890,
        "tasks": [{"id": "a", "status": "complete"}, {"id": "b", "status": "failed"}]
      }
      """

  Scenario: Values and their types
    When I run "cat run.json"
    Then the output is JSON with
      | id | "001" |
    And state "run.json" exists
    And state "run.json" has
      | id                                | 001                  |
      | tries                             | 2                    |
      | ratio                             | 1                    |
      | error                             | null                 |
      | serial                            | 12345678901234567890 |
      | $.tasks[?@.status == 'failed'].id | ["b"]                |
      | $.tasks[-1].id                    | b                    |
    And value "tasks.0.status" of state "run.json" is "complete"
    And value "status" of state "run.json" is not "complete"
    And value "tries" of state "run.json" is at least 2
    And value "tries" of state "run.json" is at most 2.5
    And value "tries" of state "run.json" is an integer
    And value "tasks" of state "run.json" is a list
    And value "tasks" of state "run.json" has 2 entries
    And value "$.tasks[?@.status == 'failed']" of state "run.json" has 1 entry
    And value "id" of state "run.json" matches "^\d{3}$"
    And value "$.tasks[*].id" of state "run.json" contains "a"
    And value "tasks.0" of state "run.json" does not contain "error"
    And value "error" of state "run.json" exists
    And value "errors" of state "run.json" does not exist
    But value "status" of state "run.json" is never "merged"
    And value "$.tasks[?@.status == 'merged']" of state "run.json" never exists

  Scenario Outline: One document in three formats
    Given a file "<name>" with
      """
      <text>
      """
    When I run "cat <name>"
    Then the output contains "2024-05-06"
    And state "<name>" has
      | a.b  | 1          |
      | a.on | 2024-05-06 |
    And state "<name>" is
      """
      <text>
      """
    But state "<name>" never changes
    And state "<name>" never has
      | a.b | 1 |
      | a.c | 2 |

    Examples:
      | name   | text                                |
      | a.json | {"a": {"b": 1, "on": "2024-05-06"}} |
      | a.yml  | a: {b: 1, on: 2024-05-06}           |
      | a.toml | a = {b = 1, on = 2024-05-06}        |
      | plain  | a: {b: 1, on: 2024-05-06}           |

  Scenario: A state that comes to be while others work
    Given a file "next.json" containing "{\"step\": 1}"
    When I run "sh -c 'mv next.json late.json &'"
    Then state "late.json" exists within 30 s
    And state "late.json" has within 30 s
      | step | 1 |
    And value "step" of state "late.json" is "1" within 30 s
    And value "stop" of state "late.json" does not exist within 30 s
    But value "step" of state "late.json" never decreases
    And state "late.json" is never half-written
    And state "late.json" never disappears

  Scenario: A program replaces its state at once
    Given I note state "run.json"
    When I run "sh -c 'sed s/running/complete/ run.json > run.new && mv run.new run.json'"
    Then value "status" of state "run.json" is "complete"
    And state "run.json" has changed
    But state "run.json" is never half-written
    And state "run.json" is never unreadable
    And state "run.json" never disappears
    And value "id" of state "run.json" never changes
    And value "tries" of state "run.json" never decreases

  Scenario: The user changes a state by hand
    Given I set "tasks.2.id" of state "run.json" to "c"
    And I set "limits.tokens" of state "run.json" to "5"
    And I remove "$.tasks[?@.status == 'failed']" from state "run.json"
    And I note state "run.json"
    When I set "tries" of state "run.json" to "3"
    And I set "tries" of state "run.json" to "2"
    And I write state "other.yaml" with
      """
      mode: "off"
      """
    Then state "run.json" is unchanged
    And every value "$.tasks[1:].id" of state "run.json" is "c"
    And value "limits.tokens" of state "run.json" is "5"
    And value "mode" of state "other.yaml" is "off"
    But state "run.json" is never half-written
    And state "third.toml" never exists
