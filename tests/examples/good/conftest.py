"""Steps of these goals, in all the ways that steps are defined. Lint reads this file and never runs it."""

from __future__ import annotations

import pytest_bdd as bdd
from pytest_bdd import parsers

import goalkeeper
from goalkeeper import Breach, Journal, Watch, never
from goalkeeper import given as provided

FULL = "the till is full"


@provided('a till with {coins:int} coins of "{currency}"', target_fixture="till")
def a_till(coins: int, currency: str) -> list[str]:
    return [currency] * coins


@bdd.given(FULL, target_fixture="till")
def full_till() -> list[str]:
    return ["euro"] * 1000


@bdd.when(parsers.parse("{count:d} coins are taken"))
def take(till: list[str], count: int) -> None:
    del till[:count]


@bdd.when(parsers.re(r"(?P<name>\w+) counts (?:them|the coins)"))
def count_them(name: str) -> None: ...


@bdd.then(parsers.cfparse("{name} is paid {amount:d} coins"))
def is_paid(name: str, amount: int) -> None: ...


@goalkeeper.then("the till holds")
def holds(till: list[str], datatable: list[list[str]]) -> None:
    assert [[coin, str(till.count(coin))] for coin in dict.fromkeys(till)] == datatable


@goalkeeper.step("a moment passes")
def moment() -> None: ...


class Till(Watch[int]):
    def __init__(self, till: list[str]) -> None:
        super().__init__("till")
        self._till = till

    def look(self) -> None:
        self.count("moment")
        self.record(len(self._till))


@never("the till is never empty")
def till_empty(till: list[str]) -> Till:
    return Till(till)


@till_empty.check
def no_empty_till(journal: Journal[int]) -> list[Breach]:
    return [Breach("the till was empty") for coins in journal.entries if coins == 0]
