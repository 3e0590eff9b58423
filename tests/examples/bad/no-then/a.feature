@G1.1 @scope:greet
Feature: A greeting is printed
  Expect: the greeting appears, and no core is dumped.
  Hook: none

  Scenario: It greets
    Given a file "a" containing "b"
    When I run "echo hello"
    And I run "echo output"
