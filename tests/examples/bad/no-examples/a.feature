@G1.1 @scope:greet
Feature: A greeting is printed
  Expect: the greeting appears, and no core is dumped.
  Hook: none

  Scenario Outline: It says <word>
    When I run "echo <word>"
    Then the output contains "<word>"
    But file "core" never exists
