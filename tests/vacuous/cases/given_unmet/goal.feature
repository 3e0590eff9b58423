# caught: nothing
@V-G0.5
Feature: The Given does not do what it says
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    And the audit trail is switched on
    When I run "sh -c 'echo paid > receipt.txt'"
    Then file "receipt.txt" exists
    But the ledger never changes
