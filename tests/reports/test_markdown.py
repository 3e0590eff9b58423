"""The matrix as Markdown: one table, whatever goals say."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from goalkeeper.reports import markdown

if TYPE_CHECKING:
    from tests.conftest import Bakery

_BARS = re.compile(r"(?<!\\)\|")


@pytest.mark.parametrize(
    "text", ["a | b", "a\nb\n\n# c", "<script>", "`x`", "**x**", "[x](y)", "\\|", "1e5", "a\\"]
)
def test_a_cell_stays_a_cell(bakery: Bakery, text: str) -> None:
    bakery.goal("G0.1")
    verdict = bakery.verdict()
    [goal] = verdict.goals
    shown = markdown.render(replace(verdict, goals=(replace(goal, title=text, owner=text),)))
    [row] = [line for line in shown.splitlines() if line.startswith("| G0.1")]
    assert len(_BARS.findall(row.replace("\\\\", ""))) == 8
    assert "<script" not in shown
    assert re.sub(r"\\(.)", r"\1", row).split("|")[-2].strip() or "|" in text
