# caught: already
@V-G0.15
Feature: The Then holds before anything is done
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c 'true'"
    Then file "ledger.txt" exists
    But file "core" never exists
