"""The page: one file that needs nothing else, safe with whatever goals say, and small."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from goalkeeper.reports import html
from goalkeeper.traceability.status import Status
from goalkeeper.traceability.verdict import Verdict

if TYPE_CHECKING:
    from tests.conftest import Bakery


class Page(HTMLParser):
    """The cells of the matrix by row, and everything that a browser might act on."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    def row(self, goal_id: str) -> list[str]:
        [found] = [row for row in self.rows if row[0] == goal_id]
        return found


def test_a_row_has_it_all(bakery: Bakery) -> None:
    bakery.goal("G0.1")
    row = Page(html.render(bakery.verdict())).row("G0.1")
    assert row[1:] == [
        "OK",
        "The oven of G0.1 never burnsbread comes out whole.",
        'the bread is donethe oven never burns provenlog "oven" never records "fire" proven',
        "scenarios/g0_1.feature:2",
        "nightly",
        row[6],
    ]
    assert row[6].strip() == "bakery"


def test_nothing_but_the_page_is_needed(bakery: Bakery) -> None:
    bakery.goal("G0.1")
    text = html.render(bakery.verdict())
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "form"} & {*page.tags}
    assert not [name for name, _ in page.attributes if name in ("src", "style") or name.startswith("on")]
    assert [value for name, value in page.attributes if name == "href"] == ["#tier0"]
    assert not re.search(r"https?:|url\(|@import", text)
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


EVIL = "</b></style><script>alert(1)</script><img src=x onerror=alert(2)> \" ' & \x1b \u202e"


@pytest.mark.parametrize(
    "field", ["id", "title", "statement", "owner", "file", "reason", "ci", "system", "then", "negative"]
)
def test_what_a_goal_says_stays_text(bakery: Bakery, field: str) -> None:
    bakery.goal("G0.1")
    verdict = bakery.verdict()
    [goal] = verdict.goals
    [scenario] = goal.scenarios
    tags = Page(html.render(verdict)).tags
    if field == "ci":
        goal = replace(goal, ci=(EVIL,))
    elif field == "then":
        goal = replace(goal, scenarios=(replace(scenario, thens=(EVIL,)),))
    elif field == "negative":
        first = replace(scenario.negatives[0], text=EVIL, outcome=EVIL)
        goal = replace(goal, scenarios=(replace(scenario, negatives=(first, *scenario.negatives[1:])),))
    else:
        changes: dict[str, Any] = {field: EVIL}
        goal = replace(goal, **changes)
    text = html.render(replace(verdict, goals=(goal,)))
    page = Page(text)
    assert [tag for tag in page.tags if tag != "small"] == tags
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_finding_stands_at_the_top(bakery: Bakery) -> None:
    bakery.goal("G0.1")
    text = html.render(bakery.verdict(bakery.events()[:-1]))
    assert "verdict red" in text
    assert text.index("breaks off") < text.index("<h2>Coverage")
    assert "run the goals again: pytest scenarios" in text


def test_a_verdict_over_nothing_is_red() -> None:
    text = html.render(Verdict(None, (), ()))
    assert 'class="verdict red"' in text
    assert "<table" not in text


def many(verdict: Verdict, number: int) -> Verdict:
    """As many goals as that, each with text of its own."""
    [goal] = verdict.goals
    statement = "a run over its token budget stops, fails, and merges nothing, whatever the worker does."
    goals = (
        replace(
            goal, id=f"G0.{n}", statement=f"{n}: {statement}", file=f"scenarios/system{n % 20}/g0_{n}.feature"
        )
        for n in range(number)
    )
    return replace(verdict, goals=tuple(goals))


def test_the_page_stays_small(bakery: Bakery) -> None:
    """5000 goals within 3 MB; what is shared by all rows does not count for much."""
    bakery.goal("G0.1")
    size = len(html.render(many(bakery.verdict(), 5000)).encode())
    assert size < 3_000_000
    assert size < 5.5 * len(html.render(many(bakery.verdict(), 1000)).encode())


def test_a_large_page_cuts_long_lists_and_says_so(bakery: Bakery) -> None:
    bakery.goal("G0.1")
    verdict = bakery.verdict()
    [goal] = verdict.goals
    [scenario] = goal.scenarios
    fire, *rest = scenario.negatives
    long = replace(
        scenario,
        thens=tuple(f"then {n}" for n in range(9)),
        negatives=(
            *(replace(fire, text=f"never {n}") for n in range(9)),
            replace(fire, text="x", outcome="vacuous"),
        ),
    )
    assert rest
    goal = replace(goal, scenarios=(long,), status=Status.UNPROVEN)
    small = Page(html.render(replace(verdict, goals=(goal,)))).row("G0.1")[3]
    assert "then 8" in small
    assert "more" not in small
    filled = many(verdict, 1200)
    large = Page(html.render(replace(filled, goals=(goal, *filled.goals[2:])))).row("G0.1")[3]
    assert "then 2and 6 more" in large
    assert "x vacuousnever 0 provennever 1 provenand 7 more" in large
