# caught: refused not-negative
@V-G0.21
Feature: But stands before a step that is not negative
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c 'echo paid > receipt.txt'"
    Then file "receipt.txt" exists
    But file "receipt.txt" exists
    And file "core" never exists
