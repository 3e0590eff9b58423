@G1.1 @scope:greet
Feature: A greeting is printed
  Expect: the greeting appears, and no core is dumped.
  Hook: none

  Scenario: It greets
    When it is greeted
    Then it is happy
    But it never frowns
