"""What the harness adds to a scenario with a sandbox and a repository: `python -m benchmarks.sandbox`.

Each scenario gets a toy repository, runs two git commands, and has one Then and one negative step. A shell
script does the same work without a harness: it copies a repository into a directory of its own, runs the same
two commands, and compares the branch before and after.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate

from .measure import Cost, RunFailedError, least, run

BOUND = 20
SHELL, GOALKEEPER = "sh", "goalkeeper"
COMMANDS = ("git checkout -q -b work", "git commit -q --allow-empty -m more")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sandbox", description=__doc__.partition(":")[0]
    )
    parser.add_argument("--scenarios", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="goalkeeper-benchmark-") as scratch:
            costs = _measure(Path(scratch), options.scenarios, options.rounds)
    except RunFailedError as error:
        print(error, file=sys.stderr)
        return 1
    header = ["scenarios", "tool", "CPU ms / scenario", "wall ms / scenario", "CPU / sh", "wall / sh"]
    print(tabulate(_rows(costs, options.scenarios), header, tablefmt="github", disable_numparse=True))
    print(_verdict(costs, options.scenarios))
    return 0


def _measure(folder: Path, scenarios: int, rounds: int) -> dict[str, Cost]:
    """The least of several rounds; what starting pytest costs is measured with one scenario and taken off."""
    write_script(folder / SHELL, scenarios)
    write_goals(folder / "one", 1)
    write_goals(folder / GOALKEEPER, scenarios + 1)
    costs: dict[str, list[Cost]] = {SHELL: [], GOALKEEPER: [], "one": []}
    for number in range(rounds + 1):
        for name, found in costs.items():
            print(f"{scenarios} scenarios, round {number} of {rounds}: {name}", file=sys.stderr)
            cost = _run(folder / name, name, {SHELL: scenarios, "one": 1}.get(name, scenarios + 1))
            if number or not rounds:
                found.append(cost)
    best = {name: least(found) for name, found in costs.items()}
    start, whole = best.pop("one"), best[GOALKEEPER]
    best[GOALKEEPER] = Cost(whole.cpu - start.cpu, whole.wall - start.wall, whole.memory)
    return best


def _run(folder: Path, name: str, scenarios: int) -> Cost:
    if name == SHELL:
        command: tuple[str, ...] = ("sh", "-e", "script.sh")
    else:
        keep = ("-o", "tmp_path_retention_count=0", "-p", "no:cacheprovider", "-p", "no:xdist")
        command = (sys.executable, "-m", "pytest", "-q", "--no-proof", *keep, "--basetemp=base", "scenarios")
    cost, output = run(command, folder)
    if f"{scenarios} passed" not in output:
        raise RunFailedError(f"{name} did not pass {scenarios} scenarios:\n{output[-3000:]}")
    return cost


def write_script(folder: Path, scenarios: int) -> None:
    template = folder / "template"
    template.mkdir(parents=True)
    for name, text in {
        "README.md": "# Toy\n",
        "doctor.sh": "#!/bin/sh\n",
        "src/greet.sh": "echo Hello\n",
    }.items():
        (template / name).parent.mkdir(exist_ok=True)
        (template / name).write_text(text, encoding="utf-8")
    script = "git init -q -b main && git add . && git commit -q -m first && git repack -adq"
    environment = {**os.environ, **IDENTITY}
    subprocess.run(["sh", "-ec", script], cwd=template, env=environment, check=True)
    lines = [f"export {name}='{value}'" for name, value in IDENTITY.items()]
    lines += [
        f"for n in $(seq {scenarios}); do",
        "  mkdir -p base/$n; cp -r template base/$n/work; cd base/$n/work",
    ]
    lines += ["  before=$(git rev-parse main)", *(f"  {command} >../out 2>../err" for command in COMMANDS)]
    lines += ['  test "$(git rev-list --count main..work)" = 1', '  test "$(git rev-parse main)" = "$before"']
    lines += ["  cd ../../..", "done", "rm -rf base", f"echo {scenarios} passed"]
    (folder / "script.sh").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_goals(folder: Path, scenarios: int) -> None:
    """One goal of one scenario to a file, as people write them."""
    (folder / "scenarios").mkdir(parents=True)
    steps = "\n".join(
        f'    {word} I run "{line}"' for word, line in zip(("When", "And"), COMMANDS, strict=True)
    )
    for number in range(scenarios):
        text = f"""\
@G1.{number}
Feature: Work on a branch {number}

  Scenario: Work on a branch {number}
    Given a "toy" repository on branch "main"
{steps}
    Then branch "work" is 1 commit ahead of "main"
    But branch "main" never moves
"""
        (folder / "scenarios" / f"g{number:04}.feature").write_text(text, encoding="utf-8")


IDENTITY = {
    "GIT_CONFIG_GLOBAL": "/nonexistent/gitconfig",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{role}_NAME": "Goalkeeper" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "goalkeeper@sandbox.invalid" for role in ("AUTHOR", "COMMITTER")},
}


def _rows(costs: dict[str, Cost], scenarios: int) -> list[list[str]]:
    peer = costs[SHELL]
    return [
        [
            str(scenarios),
            name,
            f"{cost.cpu / scenarios * 1000:.1f}",
            f"{cost.wall / scenarios * 1000:.1f}",
            f"{cost.cpu / peer.cpu:.2f}",
            f"{cost.wall / peer.wall:.2f}",
        ]
        for name, cost in costs.items()
    ]


def _verdict(costs: dict[str, Cost], scenarios: int) -> str:
    cpu, wall = (
        (getattr(costs[GOALKEEPER], figure) - getattr(costs[SHELL], figure)) / scenarios * 1000
        for figure in ("cpu", "wall")
    )
    return f"overhead of a scenario: {cpu:.1f} ms CPU, {wall:.1f} ms wall (bound: {BOUND} ms)"


if __name__ == "__main__":
    sys.exit(main())
