# Goals of a shop. A comment before the Feature, and more of them below.
@SHOP-G0.1 @tier0 @scope:till @scope:pay @owner:ada @ci:nightly @window:2s
Feature: The till is never empty
  Expect: whatever is paid out, a coin is left,
    and the books say so.
  Hook: none, the till is a list

  More text that belongs to the goal. When it begins like a step, it is text all the same:
  When in doubt, ask Ada. See also issue #12.

  # A comment between text and background
  Background: a shop
    What every shop has.
    Given a till with 5 coins of "euro"
    # A comment between steps
    And a file "books.txt" with
      """markdown
      # Books

      Given nothing, and "quoted" | piped
        indented
      """

  Scenario: Coins are taken
    When 2 coins are taken
    * a moment passes
    Then the till holds
      | euro | 3 |
    And Ada is paid 2 coins
    But the till is never empty
    And file "books.lock" never exists

  #Scenario: Not yet
  #  When all is taken

  @slow
  Rule: Paying does not depend on the amount
    A rule has text of its own.

    Background:
      Given an empty file "receipt.txt"

    @each
    Scenario Outline: <count> coins are taken by <name>
      When <name> counts the coins
      And <count> coins are taken
      Then file "books.txt" contains "Books"
      And the till holds
        | euro | <left> |
      But the till is never empty

      Examples: few
        Small change.
        | name | count | left |
        | Ada  | 1     | 4    |
        | Bob  | 2     | 3    |

      @large @nightly
      Examples: many
        | name   | count | left |
        | Chloe  | 4     | 1    |
