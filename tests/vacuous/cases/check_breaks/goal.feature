# caught: wrong-reason
@V-G0.11
Feature: The check is red because it stumbles
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c 'echo paid > receipt.txt'"
    Then file "receipt.txt" exists
    But the ledger never changes
