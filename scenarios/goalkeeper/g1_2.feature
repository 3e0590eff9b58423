@GK-G1.2 @tier1 @scope:fmt @scope:convert @owner:runner @ci:test
Feature: Formatting and converting never change a goal
  Expect: layout and spelling change, while meaning and comments stay.
  Hook: goal files in the sandbox

  Background:
    Given a file "a.feature" with
      """
      # why this goal exists
      @G1.1
      Feature: Words
        Scenario: A word
            When I run "echo one"
            # the point of it
            Then the output contains "one"
      """

  Scenario: A file is formatted once and for all
    When I run "goalkeeper fmt a.feature"
    Then file "a.feature" is
      """
      # why this goal exists
      @G1.1
      Feature: Words

        Scenario: A word
          When I run "echo one"
          # the point of it
          Then the output contains "one"
      """
    When I run "goalkeeper fmt --check a.feature"
    Then the exit code is 0
    But the command never prints "would change"

  Scenario: There and back
    When I run "goalkeeper fmt a.feature"
    And I run "cp a.feature before.txt"
    And I run "goalkeeper convert --replace a.feature"
    Then file "a.goal.yaml" is
      """
      # why this goal exists
      goal: G1.1
      title: Words
      scenarios:
        - name: A word
          steps:
            - when: I run "echo one"
            # the point of it
            - then: the output contains "one"
      """
    When I run "goalkeeper convert --replace a.goal.yaml"
    And I run "cmp a.feature before.txt"
    Then the exit code is 0
    But the command never prints "differ"

  Scenario: What Gherkin can't say is refused
    Given a file "b.goal.yaml" with
      """
      goal: G1.2
      title: Words
      description: "Scenario: only a word in a description"
      scenarios:
        - name: A word
          steps:
            - when: I run "echo one"
      """
    When I run "goalkeeper convert --replace b.goal.yaml"
    Then the exit code is 2
    And the error output contains "not-expressible"
    And file "b.goal.yaml" exists
    But file "b.feature" never exists
