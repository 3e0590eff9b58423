@GK-G1.3 @tier1 @scope:init @owner:cli @ci:test
Feature: Two commands lead to a first goal about one's own program
  Expect: init writes a goal that passes, asks for nothing more, and overwrites nothing.
  Hook: small repositories in the sandbox

  Scenario: A repository with a script
    Given a file "greet" with
      """
      #!/bin/sh
      # usage: greet NAME
      case "$1" in
        --help) echo "usage: greet NAME"; exit 0 ;;
      esac
      echo "hello, $1"
      """
    And I run "chmod +x greet"
    When I run "goalkeeper init --yes"
    And I run "pytest scenarios"
    Then the exit code is 0
    And the output contains "1 passed"
    When I run "goalkeeper lint"
    Then the exit code is 0
    When I run "goalkeeper fmt --check"
    Then the exit code is 0
    But the command never prints "Traceback"

  Scenario: An empty directory
    When I run "goalkeeper init --yes --spelling yaml"
    And I run "pytest scenarios"
    Then the exit code is 0
    And the output contains "1 passed"
    But the command never prints "Traceback"

  Scenario: Somebody has been here before
    Given a file "goalkeeper.toml" with
      """
      goals = ["goals"]
      """
    When I run "goalkeeper init --yes"
    Then the exit code is 2
    And file "goalkeeper.toml" is
      """
      goals = ["goals"]
      """
    But file "scenarios" never exists
