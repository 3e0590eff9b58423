"""The harness and the shell script do the same work. How fast is not judged here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_both_do_the_work_and_are_compared() -> None:
    command = [sys.executable, "-m", "benchmarks.sandbox", "--scenarios", "3", "--rounds", "0"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert [line.split("|")[2].strip() for line in lines[2:4]] == ["sh", "goalkeeper"]
    assert lines[2].split("|")[5].strip() == "1.00"
    assert lines[4].startswith("overhead of a scenario: ")
    assert lines[4].endswith("(bound: 20 ms)")
