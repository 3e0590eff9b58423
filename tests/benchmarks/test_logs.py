"""The comparison of searching a log finds the same lines with every tool. How fast is not judged here."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def test_every_tool_has_a_row() -> None:
    command = [sys.executable, "-m", "benchmarks.logs", "--lines", "200", "--rounds", "1"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in ran.stdout.splitlines()[2:]]
    assert [row[2] for row in rows] == [
        "grep -F, then json",
        "goalkeeper",
        "goalkeeper, with a schema",
        "goalkeeper, all lines checked",
        "json for every line",
    ]
    assert rows[0][-1] == "1.0"


def test_a_seed_decides_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    logs = import_module("benchmarks.logs")
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        logs.write(tmp_path / name, 50, seed)
    one, same, other = ((tmp_path / name).read_text() for name in ("one", "same", "other"))
    assert one == same != other
    assert one.count(f'"{logs.RARE}"') == logs.HITS
