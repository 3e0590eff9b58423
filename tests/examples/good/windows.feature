@SHOP-G2.6	@scope:print
Feature: A receipt is printed
	Expect: the sum is on it.
	Hook: none

	Scenario: With tabs, carriage returns and a byte order mark
		When I run "echo sum" with
			| limit	| 5 s	|
			| env.A\|B	| \\	|
		Then the output matches "^s.m$"
		But the command never prints "error"
