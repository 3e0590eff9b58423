# caught: vacuous
@V-G0.4
Feature: What goes wrong in the check is swallowed
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c 'echo paid > receipt.txt'"
    Then file "receipt.txt" exists
    But the ledger never changes
