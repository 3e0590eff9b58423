# caught: vacuous
@V-G0.1
Feature: The check looks at a file that is not the ledger
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c 'echo paid > receipt.txt'"
    Then file "receipt.txt" exists
    But the ledger never changes
