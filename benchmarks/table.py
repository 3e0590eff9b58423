"""Measurements as tables and key figures; nothing here runs anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tabulate import tabulate

from .measure import Cost
from .tools import BEHAVE, GOALKEEPER, PLAIN


class Size(NamedTuple):
    scenarios: int
    definitions: int


Results = Mapping[Size, Mapping[str, Cost]]

LARGE = Size(1000, 300)

HEADER = (
    "scenarios",
    "definitions",
    "tool",
    "CPU s",
    "wall s",
    "peak MB",
    f"CPU / {PLAIN}",
    f"CPU / {BEHAVE}",
)


def rows(results: Results) -> list[tuple[str, ...]]:
    return [
        (
            str(size.scenarios),
            str(size.definitions),
            tool,
            f"{cost.cpu:.2f}",
            f"{cost.wall:.2f}",
            f"{cost.memory / 1e6:.0f}",
            _ratio(cost, costs.get(PLAIN)),
            _ratio(cost, costs.get(BEHAVE)),
        )
        for size, costs in results.items()
        for tool, cost in costs.items()
    ]


def as_table(lines: Sequence[Sequence[str]], style: str) -> str:
    """In one of tabulate's styles; numbers to the right, as they were rounded."""
    sides = ["left" if name == "tool" else "right" for name in HEADER]
    return tabulate(lines, HEADER, tablefmt=style, colalign=sides, disable_numparse=True)


def key_figures(results: Results) -> Iterator[str]:
    """The ratios that the design promises, as far as the sizes they need were measured."""

    def cpu(size: Size, tool: str) -> float | None:
        cost = results.get(size, {}).get(tool)
        return None if cost is None else cost.cpu

    here, named = cpu(LARGE, GOALKEEPER), f"{LARGE.scenarios} × {LARGE.definitions}"
    if here is None:
        return
    if (behave := cpu(LARGE, BEHAVE)) is not None:
        yield f"Goalkeeper / behave at {named}: {here / behave:.2f}"
    if (longer := cpu(LARGE._replace(scenarios=5000), GOALKEEPER)) is not None:
        yield f"Goalkeeper, 1000 -> 5000 scenarios at 300 definitions: {longer / here:.2f} (at most 5.5)"
    if (fewer := cpu(LARGE._replace(definitions=20), GOALKEEPER)) is not None:
        yield f"Goalkeeper, 20 -> 300 definitions at 1000 scenarios: {here / fewer:.2f}"


def _ratio(cost: Cost, base: Cost | None) -> str:
    return "" if base is None else f"{cost.cpu / base.cpu:.2f}"
