@G1.1 @scope:greet
Feature: A greeting is printed
  Expect: the greeting appears, and no core is dumped.
  Hook: none

  Scenario: It greets
    When I greet
    Then all is well
    And it turns
    But file "core" never exists
