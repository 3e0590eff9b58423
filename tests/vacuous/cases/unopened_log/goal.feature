# caught: nothing
@V-G0.13
Feature: The log is never opened
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c 'echo paid > receipt.txt'"
    Then file "receipt.txt" exists
    But log "audit.jsonl" never records "refund"
