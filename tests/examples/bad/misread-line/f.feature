@G1.5 @scope:greet
Feature: A greeting is printed
  Expect: the greeting appears, and no core is dumped.
  Rule: always greet
  Hook: none

  Scenario: It greets
    When I run "echo hello"
    Then the output contains "hello"
    But file "core" never exists
