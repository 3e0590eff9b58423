# caught: collateral
@V-G0.14
Feature: The violation breaks more than it says
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c 'echo paid > receipt.txt'"
    Then file "receipt.txt" exists
    But the ledger never changes
    And file "receipt.txt" never disappears
