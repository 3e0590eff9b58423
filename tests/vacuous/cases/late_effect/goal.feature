# caught: failed
@V-G0.16
Feature: The forbidden thing comes after the last step
  Scenario: A payment is made
    Given a file "ledger.txt" containing "100"
    When I run "sh -c '(i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo 0 > refund.txt) > /dev/null 2>&1 & echo paid > receipt.txt'"
    Then file "receipt.txt" exists
    But file "refund.txt" never exists
