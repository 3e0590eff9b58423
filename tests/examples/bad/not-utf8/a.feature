@G1.1 @scope:greet
Feature: A greeting is printed
  Expect: the greeting appears, and no core is dumped.
  Hook: none

  Scenario: It greets
    When I run "echo hällo"
    Then the output contains "hällo"
    But file "core" never exists
