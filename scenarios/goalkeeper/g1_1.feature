@GK-G1.1 @tier1 @scope:collection @owner:runner @ci:test
Feature: Goals run without glue, in both spellings
  Expect: pytest finds goal files by itself, names their scenarios, and selects them by id, tier and name.
  Hook: a small project in the sandbox, run by a pytest of its own

  Background:
    Given a file "scenarios/g0_1.feature" with
      """
      @G0.1 @smoke
      Feature: Words in Gherkin
        Scenario Outline: <word> is printed
          When I run "echo <word>"
          Then the output contains "<word>"
          But the command never prints "broken"
          Examples:
            | word |
            | one  |
            | two  |
      """
    And a file "scenarios/g1_1.goal.yaml" with
      """
      goal: G1.1
      title: A word in YAML
      scenarios:
        - name: three is printed
          steps:
            - when: I run "echo three"
            - then: the output contains "three"
            - never: the command never prints "broken"
      """
    And a file "pytest.ini" with
      """
      [pytest]
      addopts = --strict-markers
      markers = smoke: the short run
      """

  Scenario: Everything runs
    When I run "pytest scenarios -v"
    Then the exit code is 0
    And the output contains "scenarios/g0_1.feature::one is printed[one]"
    And the output contains "scenarios/g1_1.goal.yaml::three is printed"
    And the output contains "3 passed"
    But the command never prints "error"

  Scenario Outline: A part is selected by <what>
    When I run "pytest scenarios <option> '<expression>'"
    Then the exit code is 0
    And the output contains "<passed> passed"
    But the command never prints "3 passed"

    Examples:
      | what | option | expression   | passed |
      | id   | -m     | G1.1         | 1      |
      | tier | -m     | tier0        | 2      |
      | tag  | -m     | not smoke    | 1      |
      | name | -k     | two or three | 2      |

  Scenario: Machines get the results too
    When I run "pytest scenarios --junitxml=junit.xml --cucumberjson=cucumber.json"
    Then file "junit.xml" contains "scenarios/g1_1.goal.yaml"
    And file "cucumber.json" contains "three is printed"
    But the command never prints "failed"
