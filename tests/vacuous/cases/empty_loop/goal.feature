# caught: vacuous
@V-G0.3
Feature: The check goes through a list that is always empty
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c 'echo paid > receipt.txt'"
    Then file "receipt.txt" exists
    But the ledger never changes
