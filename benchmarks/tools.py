"""The tools under comparison: how each is given its suite, started and believed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import suites

PLAIN, BEHAVE, PYTEST_BDD = "pytest", "behave", "pytest-bdd"
GOALKEEPER, GOALKEEPER_ON_PYTEST_BDD = "goalkeeper", "goalkeeper-bdd"

_PYTEST = (
    sys.executable,
    "-m",
    "pytest",
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-p",
    "no:hypothesispytest",
)
_PYTEST_PASSED = re.compile(r"^(\d+) passed(?:, \d+ warnings?)? in ", re.MULTILINE)
_BEHAVE_PASSED = re.compile(r"^(\d+) scenarios? passed, 0 failed, 0 skipped", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    write: Callable[[suites.Suite, Path], None]
    command: tuple[str, ...]
    summary: re.Pattern[str] = _PYTEST_PASSED

    def passed(self, output: str) -> int:
        """How many scenarios passed, by the tool's own account; 0 where it reports anything else besides."""
        match = self.summary.search(output)
        return int(match[1]) if match is not None else 0


# Others have nothing to set against a proof.
_GOALKEEPER = (*_PYTEST, "--no-proof", "scenarios")

TOOLS = {
    tool.name: tool
    for tool in (
        Tool(PLAIN, suites.write_plain, (*_PYTEST, "-p", "no:goalkeeper", "-p", "no:pytest-bdd")),
        Tool(
            BEHAVE,
            suites.write_behave,
            (sys.executable, "-m", "behave", "--no-color", "-f", "progress"),
            _BEHAVE_PASSED,
        ),
        Tool(PYTEST_BDD, suites.write_pytest_bdd, (*_PYTEST, "-p", "no:goalkeeper")),
        Tool(GOALKEEPER, suites.write_goalkeeper, _GOALKEEPER),
        Tool(GOALKEEPER_ON_PYTEST_BDD, suites.write_goalkeeper_on_pytest_bdd, _GOALKEEPER),
    )
}
