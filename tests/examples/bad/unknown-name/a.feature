@G1.1 @scope:greet
Feature: A greeting is printed
  Expect: the greeting appears, and no core is dumped.
  Hook: none

  Scenario: It greets
    When I run "echo ${greeting}"
    Then I remember "hello" as "greeting"
    And the output contains "${greting}"
    But file "core" never exists

  Scenario: It watches
    When I remember "core" as "dump"
    And I run "echo $${HOME}"
    Then the output contains "HOME"
    But file "${dump}" never exists
