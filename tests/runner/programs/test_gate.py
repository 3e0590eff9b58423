"""The gate: programs wait there until it is opened, and then are what they were to be."""

from __future__ import annotations

import subprocess
from pathlib import Path

from goalkeeper.runner.programs.gate import Gate


def test_nobody_passes_a_gate_that_is_closed(tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")
    made = tmp_path / "made"
    waiting = [subprocess.Popen(gate.before(["touch", f"{made}{number}"])) for number in range(2)]
    assert not list(tmp_path.glob("made*"))
    gate.open(2)
    assert [process.wait(30) for process in waiting] == [0, 0]
    assert len(list(tmp_path.glob("made*"))) == 2
    gate.close()


def test_one_that_comes_late_is_let_in(tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")
    first = subprocess.Popen(gate.before(["true"]))
    gate.open(1)
    assert first.wait(30) == 0
    late = subprocess.Popen(gate.before(["sh", "-c", "exit $0", "3"]))
    gate.open(1)
    assert late.wait(30) == 3
    gate.close()
