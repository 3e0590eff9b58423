"""One verdict with something of everything, rendered in each way and compared with what was read over.

    UPDATE_GOLD=1 pytest tests/reports

writes the files anew, to be read over again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from goalkeeper.reports import html, markdown, text
from goalkeeper.traceability.gates import GATES, judge
from goalkeeper.traceability.status import Status
from goalkeeper.traceability.verdict import Verdict

if TYPE_CHECKING:
    from tests.conftest import Bakery

GOLD = Path(__file__).parents[1] / "gold"
RENDERINGS: dict[str, Callable[[Verdict], str]] = {
    "trace.txt": lambda verdict: "".join(f"{line}\n" for line, _ in text.trace(verdict)),
    "trace.md": markdown.render,
    "trace.html": html.render,
    "trace.json": lambda verdict: json.dumps(verdict.data(), indent=2) + "\n",
    "gate.txt": lambda verdict: "".join(f"{line}\n" for line, _ in text.gates(judge(verdict, GATES))),
}


@pytest.fixture
def mixed(bakery: Bakery) -> Verdict:
    """A goal of each status, a finding, and a goal on record that is gone."""
    for goal_id in ("G0.1", "G0.2", "G1.1", "G1.2", "G1.10", "G2.1", "G2.2"):
        bakery.goal(goal_id, file=f"scenarios/bakery/{goal_id}.feature")
    bakery.goal("G1.3", "A <b>loaf</b> | *half*", "A roll", "A cake")
    events = bakery.events()

    def of(name: str, goal_id: str) -> list[dict[str, Any]]:
        return [e for e in events if e["event"] == name and f"{goal_id.lower()}." in _file(e).lower()]

    of("proof", "G0.2")[1].update(outcome="vacuous", detail="burnt for 1 ms")
    of("end", "G0.2")[0]["outcome"] = "failed"
    of("end", "G1.1")[0].update(outcome="failed", evidence="evidence/G1.1-A-loaf-123456")
    of("step", "G1.1")[2].update(outcome="failed", error="StepFailed: the bread is raw\n  40 °C")
    of("end", "G1.2")[0].update(outcome="skipped", reason="needs Docker: no engine")
    of("proof", "G2.1")[0]["outcome"] = "no-effect"
    of("end", "g1_3")[0].update(outcome="failed", reason="teardown: left over")
    of("end", "g1_3")[2].update(outcome="skipped", reason="no \x1b[31mflour")
    events.remove(of("end", "g1_3")[1])
    stale = bakery.root / "scenarios" / "bakery" / "G1.10.feature"
    stale.write_text(stale.read_text().replace("whole", 'whole & "crisp" <script>alert(1)</script>'))
    (bakery.root / "scenarios" / "bakery" / "G2.2.feature").unlink()
    empty = bakery.root / "scenarios" / "empty.feature"
    empty.write_text("@G1.4 @ci:nightly @ci:merge\nFeature: 日本のパン\n")
    bakery.goal("G1.1", file="scenarios/copy.feature")
    return bakery.verdict(events)


def _file(event: dict[str, Any]) -> str:
    return str(event.get("scenario", "")).partition("::")[0]


def test_there_is_something_of_everything(mixed: Verdict) -> None:
    assert {goal.status for goal in mixed.goals} == {*Status}
    assert {scenario.status for goal in mixed.goals for scenario in goal.scenarios} == {*Status} - {
        Status.UNCOVERED
    }
    assert [finding.rule for finding in mixed.findings] == ["duplicate-id"]


@pytest.mark.parametrize("name", RENDERINGS)
def test_rendered_as_it_was_read_over(mixed: Verdict, name: str) -> None:
    rendered = RENDERINGS[name](mixed)
    if os.environ.get("UPDATE_GOLD"):
        (GOLD / name).write_text(rendered, encoding="utf-8")
    assert rendered == (GOLD / name).read_text(encoding="utf-8")


def test_no_file_is_left_without_a_rendering() -> None:
    assert {path.name for path in GOLD.iterdir()} == {*RENDERINGS}
