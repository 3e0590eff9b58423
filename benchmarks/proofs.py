"""What a proof costs: `python -m benchmarks.proofs`.

One scenario has twenty negative steps on files, logs and a repository, each with its violations. The peer is
the other way to show that a check can fail: to run the whole scenario again, once for each violation.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tabulate import tabulate

from .measure import RunFailedError, run

BOUND, ARMING_BOUND = 25, 20
NEVERS = {
    "files": (
        'file "core" never exists',
        'file "lock" never exists',
        'file "out/core" never exists',
        'file "ledger.txt" never changes',
        'file "ledger.txt" never disappears',
        'file "ledger.txt" never contains "refund"',
        'directory "archive" never changes',
        'directory "archive" never has a file like "*.tmp"',
    ),
    "logs": (
        'log "run.jsonl" never records "merged"',
        'log "run.jsonl" never records "lost"',
        'log "run.jsonl" never records "merged" after "ended"',
        'log "run.jsonl" never contains "password"',
        'log "run.jsonl" never loses a line',
        'log "old.jsonl" never grows',
    ),
    "git": (
        'branch "main" never moves',
        'branch "release" never appears',
        'branch "main" is never rewound',
        "the repository never loses a commit",
        'branch "stable" never moves',
        'tag "v1" never moves',
    ),
}
GOAL = """\
@G0.1
Feature: Twenty things that must never happen
  Scenario: A payment is made
    Given a "toy" repository on branch "main"
    And I run "git branch stable"
    And I run "git tag v1"
    And a file "ledger.txt" containing "100"
    And a file "archive/old.txt" containing "old"
    And a file "old.jsonl" containing "{{}}"
    And a file "run.jsonl" with
      \"\"\"
      {{"event": "planned"}}
      \"\"\"
    And a file "more.jsonl" with
      \"\"\"
      {{"event": "ended"}}
      \"\"\"
    When I run "sh -c 'cat more.jsonl >> run.jsonl; echo paid > receipt.txt'"
    Then file "receipt.txt" exists
{nevers}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.proofs", description=__doc__.partition(":")[0]
    )
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="goalkeeper-benchmark-") as scratch:
            rounds = [_run(Path(scratch) / str(number)) for number in range(options.rounds)]
    except RunFailedError as error:
        print(error, file=sys.stderr)
        return 1
    print(table(rounds))
    return 0


def write_goal(folder: Path) -> None:
    lines = [f"    But {never}" for nevers in NEVERS.values() for never in nevers]
    folder.mkdir(parents=True)
    (folder / "g0_1.feature").write_text(GOAL.format(nevers="\n".join(lines)), encoding="utf-8")


def _run(folder: Path) -> list[dict[str, Any]]:
    print(f"round {folder.name}", file=sys.stderr)
    write_goal(folder / "scenarios")
    keep = ("-p", "no:cacheprovider", "-p", "no:xdist")
    _, output = run((sys.executable, "-m", "pytest", "-q", *keep, "scenarios"), folder)
    if "1 passed" not in output:
        raise RunFailedError(f"the scenario did not pass:\n{output[-3000:]}")
    [record] = (folder / ".goalkeeper" / "runs").glob("*/record.jsonl")
    return [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]


def table(rounds: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """Of each violation the least time of all rounds, by library, beside one more run of the scenario."""
    again = min(_seconds(events, "end") - _seconds(events, "proof") for events in rounds)
    arming = min(_nevers(events) for events in rounds)
    library = {never: name for name, nevers in NEVERS.items() for never in nevers}
    texts = [step["text"] for event in rounds[0] if event["event"] == "scenario" for step in event["steps"]]
    best: dict[tuple[str, str, str], float] = {}
    for event in (
        event for events in rounds for event in events if event["event"] == "proof" and event["violation"]
    ):
        text = texts[event["step"]]
        key = (library[text], text, event["violation"])
        best[key] = min(best.get(key, event["seconds"]), event["seconds"])
    rows = []
    for name in NEVERS:
        found = sorted(seconds for (where, _, _), seconds in best.items() if where == name)
        rows.append([
            name, str(len(found)), f"{median(found) * 1000:.1f}", f"{found[-1] * 1000:.1f}",
            f"{median(found) / again:.3f}",
        ])  # fmt: skip
    header = ["steps of", "violations", "median ms", "most ms", "median / one more run"]
    told = tabulate(rows, header, tablefmt="github", disable_numparse=True)
    number = sum(map(len, NEVERS.values()))
    return (
        f"{told}\n\nbound: {BOUND} ms a violation; one more run of the scenario: {again * 1000:.0f} ms\n"
        f"arming and judging {number} negative steps: {arming * 1000:.1f} ms (bound: {ARMING_BOUND} ms)"
    )


def _seconds(events: Sequence[Mapping[str, Any]], kind: str) -> float:
    return sum(float(event["seconds"]) for event in events if event["event"] == kind)


def _nevers(events: Sequence[Mapping[str, Any]]) -> float:
    """What the negative steps took by themselves."""
    [scenario] = [event for event in events if event["event"] == "scenario"]
    negative = {number for number, step in enumerate(scenario["steps"]) if step["negative"]}
    steps = (event for event in events if event["event"] == "step" and event["step"] in negative)
    return sum(float(event["seconds"]) for event in steps)


if __name__ == "__main__":
    sys.exit(main())
