@G1.3 @scope:greet
Feature: A greeting is printed
  Expect: the greeting appears, and no core is dumped.
  Hook: none

  Rule: Greetings are polite

    Background:
      Given a directory "a"
