@STEPS-G1.7 @scope:steps @owner:goalkeeper
Feature: A goal remembers what it finds, and speaks of it later by name
  Expect: what one step remembers stands wherever a later step has its name, as text, as a number or as a time.
  Hook: small programs of the shell

  Scenario: What a command printed
    Given I run "sh -c 'echo started run r-17 on port 8080'"
    And I remember the output as "said"
    And I remember what matches "run (\S+)" in the output as "run"
    And I remember what matches "[0-9]{4}" in the output as "port"
    When I run "sh -c 'echo ${run}:${port}; exit 3'"
    Then the output is
      """
      r-17:${port}
      """
    And "${said}" is "started run ${run} on port ${port}"
    And "${run}" is not "${port}"
    But the command never prints "run (\S+)"

  Scenario: Values of documents and logs
    Given a file "state.json" with
      """
      {"run": {"id": "r1", "tries": 3, "open": true}}
      """
    And a file "log.jsonl" with
      """
      {"event": "started", "port": 1}
      {"event": "started", "port": 2}
      """
    And I remember value "run.id" of state "state.json" as "id"
    And I remember value "run.tries" of state "state.json" as "tries"
    And I remember value "run.open" of state "state.json" as "open"
    And I remember field "port" of the last "started" in log "log.jsonl" as "port"
    When I run "sh -c 'cat state.json; exit ${tries}'"
    Then the exit code is ${tries}
    And the output is JSON with
      | run.id    | ${id}    |
      | run.tries | ${tries} |
      | run.open  | ${open}  |
    And "${port}" is "2"
    But the command never exits with code ${port}

  Scenario: A value of the output, the content of a file, and where the scenario works
    Given a file "name.txt" with
      """
      report
      """
    And a file "answer.json" with
      """
      {"id": "x7"}
      """
    And I remember the content of file "name.txt" as "name"
    And I remember the working directory as "here"
    When I run "sh -c 'tee ${here}/${name}.json < answer.json'"
    And I remember value "id" of the output as "id"
    Then state "${name}.json" has
      | id | ${id} |
    But file "${name}.tmp" never exists

  Scenario: A port for a server, and a name that gets another value
    Given I remember a free port as "port"
    And I remember "5 s" as "limit"
    And I remember "first" as "word"
    When I run "echo $${word} ${word}" for at most ${limit}
    And I remember "second" as "word"
    Then the output contains "$${word} first"
    And "${word}" is "second"
    And "${port}" is not "0"
    But the command never prints "second"
