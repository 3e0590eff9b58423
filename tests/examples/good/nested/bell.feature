@SHOP-G1.5 @scope:bell
Feature: A bell rings
  Expect: it is heard, and nothing breaks.
  Hook: none

  Scenario: Once
    Given the till is full
    When it rings "\"big\" bell"
    And 2 coins are taken
    Then file "crack" never exists
    And the till is never empty
