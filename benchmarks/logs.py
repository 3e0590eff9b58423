"""What it costs to find a rare event in a long log: `python -m benchmarks.logs`.

The log is JSON Lines as an orchestrator writes them, some 150 bytes a line; the event stands on ten of them.
The peers do the same work: `grep -F` for the words, then json for the lines that it prints; and json for
every line. Each runs in a process of its own and times itself, so that starting Python does not count.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tabulate import tabulate

from .measure import RunFailedError, run

SIZES = (100_000, 1_000_000)
RARE, HITS = "budget.block", 10
EVENTS = ("run.start", "batch.start", "task.stage.move", "workspace.prepare.start", "doctor.pass")
SCHEMA = {
    "type": "object",
    "required": ["ts", "type", "run_id"],
    "properties": {
        "ts": {"type": "string", "pattern": "^[0-9]{4}-"},
        "type": {"enum": [*EVENTS, RARE]},
        "run_id": {"type": "string", "minLength": 1},
        "task_id": {"type": "string"},
    },
}

_BEGUN = datetime(2026, 11, 18, 6, tzinfo=UTC)

GREP, NAIVE = "grep -F, then json", "json for every line"
_TIMED = """
import json, subprocess, sys
from itertools import count
from pathlib import Path
from time import perf_counter

{prepare}

path, begun = sys.argv[1], perf_counter()
hits = {search}
print(hits, perf_counter() - begun)
"""
_READER = """
import jsonschema
from goalkeeper.runner.artifacts import Artifact
from goalkeeper.runner.evidence import Evidence
from goalkeeper.steps.logs.log import Logs

class Here:
    work = Path.cwd()
    def find(self, kind, name):
        return Artifact(name, name, (Path(name),), schema={schema})

def found(path, budget):
    with Logs(Here(), Here(), Evidence()).whole(path, **budget) as log:
        return sum(1 for _ in log.entries("{rare}"))
"""
_TOOLS = {
    GREP: (
        "def grep(*line):\n    return subprocess.run(line, capture_output=True).stdout.splitlines()",
        """sum(json.loads(line)["type"] == "{rare}" for line in grep("grep", "-F", '"{rare}"', path))""",
    ),
    "goalkeeper": (_READER, "found(path, {{}})"),
    "goalkeeper, with a schema": (_READER, "found(path, {{}})"),
    "goalkeeper, all lines checked": (_READER, "found(path, {{'budget': float('inf')}})"),
    NAIVE: ("", """sum(json.loads(line)["type"] == "{rare}" for line in open(path, encoding="utf-8"))"""),
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.logs", description=__doc__.partition(":")[0])
    parser.add_argument("--lines", type=int, nargs="+", default=[*SIZES])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory(prefix="goalkeeper-benchmark-") as scratch:
        for lines in options.lines:
            path = Path(scratch) / f"{lines}.jsonl"
            write(path, lines, options.seed)
            rows += _measure(path, lines, options.rounds)
    header = ["lines", "MB", "tool", "wall s", "peak MB", "MB/s", "wall / grep"]
    print(tabulate(rows, header, tablefmt="github", disable_numparse=True))
    return 0


def _measure(path: Path, lines: int, rounds: int) -> list[list[str]]:
    times: dict[str, list[float]] = {name: [] for name in _TOOLS}
    peaks: dict[str, int] = {}
    for _ in range(rounds):
        for name, (prepare, search) in _TOOLS.items():
            print(f"{lines} lines: {name}", file=sys.stderr)
            schema = None if name == "goalkeeper" else SCHEMA
            told = {"rare": RARE, "schema": schema}
            script = _TIMED.format(prepare=prepare.format(**told), search=search.format(**told))
            cost, output = run([sys.executable, "-c", script, str(path)], path.parent)
            hits, seconds = output.split()
            if int(hits) != min(HITS, lines):
                raise RunFailedError(f"{name} found {hits} lines of {HITS}")
            times[name].append(float(seconds))
            peaks[name] = min(cost.memory, peaks.get(name, cost.memory))
    size = path.stat().st_size / 1e6
    return [
        [
            str(lines),
            f"{size:.0f}",
            name,
            f"{min(found):.3f}",
            f"{peaks[name] / 1e6:.0f}",
            f"{size / min(found):.0f}",
            f"{min(found) / min(times[GREP]):.1f}",
        ]
        for name, found in times.items()
    ]


def write(path: Path, lines: int, seed: int) -> None:
    """A log with the rare event on as many lines as `HITS`, spread evenly."""
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8") as log:
        for number in range(lines):
            rare = number % max(1, lines // HITS) == 0 and number // max(1, lines // HITS) < HITS
            entry = {
                "ts": (_BEGUN + timedelta(milliseconds=number)).isoformat(timespec="milliseconds"),
                "type": RARE if rare else rng.choice(EVENTS),
                "run_id": f"r{number % 7}",
                "task_id": f"{number % 900:03}",
                "path": f"/home/workspaces/toy/run-k/tasks/active/{rng.randrange(10**5):05}",
            }
            log.write(json.dumps(entry) + "\n")


if __name__ == "__main__":
    sys.exit(main())
