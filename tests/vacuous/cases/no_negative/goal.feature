# caught: refused no-negative
@V-G0.20
Feature: Nothing is said of what must not happen
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c 'echo paid > receipt.txt'"
    Then file "receipt.txt" exists
