@G0.1 @scope:greet @window:0
Feature: A greeting is printed
  Expect: the greeting appears, and no core is dumped.
  Hook: none

  @window:soon
  Scenario: It greets
    When I run "echo hello"
    Then the output contains "hello"
    But file "core" never exists

  Scenario: It greets again
    When I run "echo hello"
    Then the output contains "hello"
    But file "core" never exists
