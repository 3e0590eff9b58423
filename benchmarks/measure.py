"""Runs a command in a child and says what it cost."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .tools import Tool

_DISTURBING = ("PYTHONDONTWRITEBYTECODE", "PYTEST_ADDOPTS", "PYTEST_PLUGINS")


class RunFailedError(Exception):
    """A run that can't be compared, because it did not do the work."""


@dataclass(frozen=True, slots=True)
class Cost:
    """`cpu` is user and system time in seconds, grandchildren included; `memory` is the peak in bytes."""

    cpu: float
    wall: float
    memory: int


def least(costs: Iterable[Cost]) -> Cost:
    """The minimum of each figure: disturbance only ever adds."""
    all_costs = list(costs)
    return Cost(
        min(c.cpu for c in all_costs), min(c.wall for c in all_costs), min(c.memory for c in all_costs)
    )


def run(command: Sequence[str], cwd: Path) -> tuple[Cost, str]:
    environment = {k: v for k, v in os.environ.items() if k not in _DISTURBING} | {"PYTHONHASHSEED": "0"}
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        child = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if child.returncode != 0:
        raise RunFailedError(f"{' '.join(command)} in {cwd} ended with {child.returncode}:\n{text[-3000:]}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024), text


def run_tool(tool: Tool, folder: Path, scenarios: int) -> Cost:
    cost, output = run(tool.command, folder)
    passed = tool.passed(output)
    if passed != scenarios:
        raise RunFailedError(
            f"{tool.name} in {folder} passed {passed} of {scenarios} scenarios:\n{output[-3000:]}"
        )
    return cost
