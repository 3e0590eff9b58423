@GK-G0.3 @tier0 @scope:lint @scope:collection @owner:runner @ci:test
Feature: A tree without goals never passes
  Expect: where there is nothing to check or to run, the answer is an error and not a success.
  Hook: empty directories in the sandbox

  Scenario: Lint finds no goal file
    Given a directory "scenarios"
    When I run "goalkeeper lint scenarios"
    Then the exit code is 2
    And the error output contains "there is no goal file in scenarios"
    But the command never prints "no problem"

  Scenario: pytest finds no goal file
    Given a directory "scenarios"
    When I run "pytest scenarios"
    Then the exit code is 5
    And the output contains "no tests ran"
    But the command never prints "passed"

  Scenario: The configured directory is not there
    Given a file "goalkeeper.toml" with
      """
      goals = ["golas"]
      """
    When I run "goalkeeper lint"
    Then the exit code is 2
    And the error output contains "golas does not exist"
    But the command never prints "no problem"
