@G1.6 @scope:greet
Feature: A greeting is printed
  Expect: the greeting appears, and no core is dumped.
  Hook: none
  Example: greet twice

  Background:
    Given a directory "a"

  Scenario: It greets
    When I run "echo hello"
    Then the output contains "hello"
    But file "core" never exists
