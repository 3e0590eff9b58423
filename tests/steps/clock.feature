@STEPS-G1.10 @scope:steps @owner:goalkeeper
Feature: The programs of a scenario see a clock that stands still
  Expect: every program of the scenario, whatever it is written in, sees the moment that the goal names, and time limits go on as ever.
  Hook: programs that ask for the time

  Background:
    Given the clock stands at "2026-01-31T12:00:00+02:00"

  Scenario: A moment with a zone
    When I run "date -u +%FT%TZ"
    Then the output is
      """
      2026-01-31T10:00:00Z
      """
    But the command never prints "12:00"

  Scenario: Another moment takes the place of the first
    Given the clock stands at "1999-12-31 23:59:59"
    When I run "python3 -c 'import datetime; print(datetime.datetime.now())'"
    Then the output contains "1999-12-31 23:59:59"
    But the command never prints "2026"

  Scenario: Programs that other programs start
    When I run "sh -c 'sh -c \"date +%F\"; python3 -c \"import time; print(int(time.time()))\"'"
    Then the output is
      """
      2026-01-31
      1769853600
      """
    But the command never dies of a signal
