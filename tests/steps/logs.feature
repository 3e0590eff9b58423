@STEPS-G1.5 @scope:steps @owner:goalkeeper
Feature: A goal judges what a system recorded in its logs
  Expect: events, their fields, order and times are found in the log as it is written, and a forbidden one is noticed.
  Hook: the programs of any POSIX system

  Background:
    Given a file "run.jsonl" with
      """
      {"ts": "2026-01-01T00:00:00Z", "type": "run.start", "run_id": "r1", "seq": 1}
      """

  Scenario: A run records its events
    When I run "tee -a run.jsonl" with input
      """
      {"ts": "2026-01-01T00:00:01.5Z", "type": "task.start", "run_id": "r1", "seq": 2, "task": {"id": "001"}}
      {"ts": "2026-01-01T00:00:02Z", "type": "task.start", "run_id": "r1", "seq": 3, "task": {"id": "002"}}
      {"ts": "2026-01-01T00:00:04Z", "type": "task.end", "run_id": "r1", "seq": 4, "task": {"id": "001"}, "ok": true}
      {"ts": "2026-01-01T00:00:05Z", "type": "task.end", "run_id": "r1", "seq": 5, "task": {"id": "002"}, "ok": false}
      {"ts": "2026-01-01T00:00:06Z", "type": "run.end", "run_id": "r1", "seq": 6}
      """
    Then log "run.jsonl" records "run.end" within 10 s
    And log "run.jsonl" records "task.end" with
      | task.id | "002" |
      | ok      | false |
    And log "run.jsonl" records "run.start" exactly once
    And log "run.jsonl" records "task.start" exactly 2 times
    And log "run.jsonl" records "task.end" at least 1 times with
      | ok | true |
    And log "run.jsonl" records "task.retry" at most 0 times
    And log "run.jsonl" has 6 lines
    And every line of log "run.jsonl" is valid
    But log "run.jsonl" never records "run.failed"
    And log "run.jsonl" never records "task.end" with
      | task.id | "003" |
    And log "run.jsonl" never records "task.end" more than 2 times
    And log "run.jsonl" never has a line without field "run_id"
    And log "run.jsonl" never loses a line

  Scenario: Events in their order
    When I run "tee -a run.jsonl" with input
      """
      {"ts": 1767225601, "type": "task.start", "run_id": "r1", "seq": 2, "task": "a"}
      {"ts": 1767225602000, "type": "task.start", "run_id": "r1", "seq": 3, "task": "b"}
      {"ts": 1767225603.5, "type": "task.end", "run_id": "r1", "seq": 4, "task": "a"}
      {"ts": 1767225604, "type": "task.end", "run_id": "r1", "seq": 5, "task": "b"}
      {"ts": 1767225605, "type": "run.end", "run_id": "r1", "seq": 6}
      """
    Then log "run.jsonl" records "run.start" before "task.start"
    And log "run.jsonl" records in order
      | run.start |
      | task.end  |
      | run.end   |
    And log "run.jsonl" records "task.end" between "task.start" and "run.end"
    And log "run.jsonl" records no "run.end" between "task.start" and "task.end"
    And every "run.start" in log "run.jsonl" is followed by "run.end" within 5 s
    And every "task.start" in log "run.jsonl" is followed by "task.end" with the same "task" within 3 s
    But log "run.jsonl" never records "task.start" after "run.end"
    And log "run.jsonl" never records "run.end" before "task.end"

  Scenario: Every line can be traced
    When I run "tee -a run.jsonl" with input
      """
      {"ts": "2026-01-01T00:00:01Z", "type": "run.end", "run_id": "r1", "seq": 2}
      """
    Then every line of log "run.jsonl" has
      | ts     |
      | run_id |
    And every line of log "run.jsonl" has the same "run_id"
    And every line of log "run.jsonl" has a different "seq"
    And every line of log "run.jsonl" has a higher "seq" than the line before
    And every "run.end" in log "run.jsonl" has
      | run_id | r1 |
    But log "run.jsonl" never matches "run_id.*r2"

  Scenario: A log in plain text, written in the background
    When I run "sh -c '(echo starting; echo port 8080 open) > server.log &'"
    Then log "server.log" contains "port 8080" within 10 s
    And log "server.log" matches "^port \d+ open$"
    And log "server.log" does not grow for 10 ms
    But log "server.log" never contains "password"

  Scenario: A log that is rotated is read as one
    When I run "mv run.jsonl run.jsonl.1"
    And I run "tee run.jsonl" with input
      """
      {"ts": "2026-01-01T00:00:09Z", "type": "run.end", "run_id": "r1", "seq": 2}
      """
    Then log "run.jsonl" records "run.start" before "run.end"
    And log "run.jsonl" has 2 lines
    But log "run.jsonl" never loses a line
    And log "run.jsonl" never records "run.start"

  Scenario: A log that nobody writes to
    When I run "cat run.jsonl"
    Then the exit code is 0
    And log "run.jsonl" has at least 1 lines
    But log "run.jsonl" never grows
