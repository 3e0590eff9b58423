@SHOP-G2.7 @scope:list
Business Need: Lists read well
  Hook: none
  Expect: a list of steps needs no And.

  Example: As a list
    Given the till is full
    * a directory "shelves"
    When I run "ls" in "shelves"
    * I run "echo done" with input
      ```
      Scenario: no scenario, and no # comment
      """
      ```
    Then the exit code is 0
    * the output contains "done"
    * file "core" never exists
