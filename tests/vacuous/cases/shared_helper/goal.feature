# caught: no-effect
@V-G0.9
Feature: Check and violation ask the same helper, which is wrong
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c 'echo paid > receipt.txt'"
    Then file "receipt.txt" exists
    But the ledger never changes
