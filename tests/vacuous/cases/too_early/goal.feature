# caught: vacuous
@V-G0.6
Feature: The check looks once, before anything happens
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c 'echo paid > receipt.txt'"
    Then file "receipt.txt" exists
    But the ledger never changes
