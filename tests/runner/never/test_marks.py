from __future__ import annotations

from goalkeeper.runner.never import Watch
from goalkeeper.runner.never.marks import Mark, mark


class Part:
    def __init__(self) -> None:
        self.at = 0

    def mark(self) -> Mark:
        return mark(self)


class Busy(Watch[str]):
    def __init__(self) -> None:
        super().__init__("x")
        self.number = 1
        self.seen = {"a"}
        self.part = Part()
        self.parts = {"p": [Part()]}
        self.stranger = object()


def test_a_watch_is_put_back_as_it_was() -> None:
    watch = Busy()
    watch.record("before")
    entries, stranger = watch.entries, watch.stranger
    put_back = watch.mark()
    watch.record("after")
    watch.count("line", 3)
    watch.number, watch.seen = 2, {"b"}
    watch.part.at = watch.parts["p"][0].at = 9
    watch.parts["q"] = []
    put_back()
    assert watch.journal().entries == ("before",)
    assert watch.entries is entries
    assert (watch.inspected, watch.number, watch.seen) == ({}, 1, {"a"})
    assert (watch.part.at, watch.parts["p"][0].at, [*watch.parts]) == (0, 0, ["p"])
    assert watch.stranger is stranger


def test_entries_that_were_dropped_come_back() -> None:
    watch = Busy()
    watch.record("before")
    put_back = watch.mark()
    watch.entries.clear()
    put_back()
    assert watch.journal().entries == ("before",)
