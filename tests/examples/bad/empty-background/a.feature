@G1.1 @scope:greet
Feature: A greeting is printed
  Expect: the greeting appears, and no core is dumped.
  Hook: none

  Background:

  Scenario: It greets
    When I run "echo hello"
    Then the output contains "hello"
    But file "core" never exists
