# caught: refused no-when
@V-G0.22
Feature: Nothing happens at all
  Scenario: A payment is not made
    Given a file "ledger.txt" containing "100"
    Then file "ledger.txt" exists
    But file "receipt.txt" never exists
