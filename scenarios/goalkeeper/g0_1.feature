@GK-G0.1 @tier0 @scope:collection @owner:runner @ci:test
Feature: A goal file with a mistake never passes
  Expect: pytest fails, points at the mistake, and still runs the goals of every other file.
  Hook: a small project in the sandbox, run by a pytest of its own

  Background:
    Given a file "scenarios/good.feature" with
      """
      @G1.1
      Feature: A goal without a mistake
        Scenario: A word is printed
          When I run "echo works"
          Then the output contains "works"
          But the command never prints "broken"
      """

  Scenario: No library defines the step
    Given a file "scenarios/bad.feature" with
      """
      @G1.2
      Feature: A goal with a slip of the pen
        Scenario: Misspelt
          When I runn "true"
          Then the exit code is 0
      """
    When I run "pytest scenarios"
    Then the exit code is 1
    And the output contains "scenarios/bad.feature:4:10: unknown-step"
    And the output contains "I run \"{command}\""
    And the output contains "1 passed, 1 error"
    But the command never prints "2 passed"

  Scenario: A scenario has no steps
    Given a file "scenarios/bad.feature" with
      """
      @G1.2
      Feature: A goal that somebody meant to finish
        Scenario: Nothing yet
      """
    When I run "pytest scenarios"
    Then the exit code is 1
    And the output contains "scenarios/bad.feature:3:3: empty-scenario"
    And the output contains "1 passed, 1 error"
    But the command never prints "2 passed"

  Scenario: A placeholder has no column
    Given a file "scenarios/bad.feature" with
      """
      @G1.2
      Feature: A goal about words
        Scenario Outline: Words
          When I run "echo <wrod>"
          Then the output contains "<word>"
          Examples:
            | word |
            | one  |
      """
    When I run "pytest scenarios"
    Then the exit code is 1
    And the output contains "scenarios/bad.feature:4:22: unknown-placeholder"
    And the output contains "Did you mean \"word\"?"
    But the command never prints "2 passed"

  Scenario: Two files claim one id
    Given a file "scenarios/bad.feature" with
      """
      @G1.1
      Feature: Another goal under the same id
        Scenario: Another word is printed
          When I run "echo too"
          Then the output contains "too"
      """
    When I run "pytest scenarios"
    Then the exit code is 1
    And the output contains "duplicate-id"
    But the command never prints "2 passed"
