@STEPS-G1.11 @scope:steps @owner:goalkeeper
Feature: A goal plants a secret and sees wherever it leaks
  Expect: a secret that a program needs is found in no file, no name, no log and no output, in whatever form.
  Hook: small programs of the shell

  Scenario: A program uses its secrets and keeps them to itself
    Given a secret "token" in environment variable "API_TOKEN"
    And a secret "password" in file ".secrets/password"
    And a secret "key"
    And a file "app.toml" containing "key = \"${key}\""
    When I run "sh -c 'test $(printf %s $API_TOKEN | wc -c) -gt 30 && wc -l < .secrets/password > lines'"
    And I run "sh -c 'grep -q ${key} app.toml && echo found > $HOME/answer'"
    Then file "lines" contains "1"
    And the exit code is 0
    But secret "token" never appears
    And secret "password" never appears in files
    And secret "password" never appears in the output
    And secret "key" never appears

  Scenario: A process that logs what it does
    Given a secret "token" in environment variable "API_TOKEN"
    When I start process "app" with "sh -c 'echo {} > app.log; mv app.log app.log.1; echo started > app.log; cat'"
    Then process "app" exits within 30 s
    And file "app.log" contains "started"
    But secret "token" never appears in log "app.log"
    And secret "token" never appears in the output
