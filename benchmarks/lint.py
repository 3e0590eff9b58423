"""What it costs to check a tree of goals without running any: `python -m benchmarks.lint`.

The goals are as people write them, one to a file, each with its template fields, a background with a table,
and negative steps. behave's dry run, the nearest peer, parses the same features and looks for undefined
steps; it knows no template, no ids and no negative steps.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate

from .measure import Cost, least, run

SIZES = (1000, 5000)
VERBS = ("starts", "stops", "pauses", "resumes", "lists", "merges", "retries", "cancels", "plans", "drains")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lint", description=__doc__.partition(":")[0])
    parser.add_argument("--goals", type=int, nargs="+", default=[*SIZES])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory(prefix="goalkeeper-benchmark-") as scratch:
        for goals in options.goals:
            rows += _measure(Path(scratch) / str(goals), goals, options.rounds, options.seed)
    header = ["goals", "tool", "CPU s", "wall s", "peak MB", "CPU ms / goal", "CPU / behave"]
    print(tabulate(rows, header, tablefmt="github", disable_numparse=True))
    return 0


def _measure(folder: Path, goals: int, rounds: int, seed: int) -> list[list[str]]:
    lint = (str(Path(sys.executable).with_name("goalkeeper")), "lint", "scenarios")
    tools = {
        "behave --dry-run": (
            sys.executable,
            "-m",
            "behave",
            "--dry-run",
            "--no-summary",
            "-f",
            "null",
            "features",
        ),
        "goalkeeper lint, .feature": lint,
        "goalkeeper lint, .goal.yaml": lint,
    }
    write(folder / "behave" / "features", goals, seed, "behave")
    write(folder / "feature" / "scenarios", goals, seed, "feature")
    write(folder / "yaml" / "scenarios", goals, seed, "yaml")
    folders = dict(zip(tools, (folder / name for name in ("behave", "feature", "yaml")), strict=True))
    costs: dict[str, list[Cost]] = {name: [] for name in tools}
    for _ in range(rounds):
        for name, command in tools.items():
            print(f"{goals} goals: {name}", file=sys.stderr)
            costs[name].append(run(command, folders[name])[0])
    best = {name: least(found) for name, found in costs.items()}
    peer = best["behave --dry-run"].cpu
    return [
        [
            str(goals),
            name,
            f"{cost.cpu:.2f}",
            f"{cost.wall:.2f}",
            f"{cost.memory / 1e6:.0f}",
            f"{cost.cpu / goals * 1000:.2f}",
            f"{cost.cpu / peer:.2f}",
        ]
        for name, cost in best.items()
    ]


def write(folder: Path, goals: int, seed: int, spelling: str) -> None:
    """A tree of goals, a hundred to a directory, and the steps that they use."""
    rng = random.Random(seed)
    for number in range(goals):
        tier, verb, limit = number % 3, rng.choice(VERBS), rng.randrange(1, 10**6)
        text = (_yaml if spelling == "yaml" else _feature)(f"G{tier}.{number}", tier, verb, limit)
        suffix = "goal.yaml" if spelling == "yaml" else "feature"
        path = folder / f"area{number // 100:03}" / f"g{number:05}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _write_steps(folder, spelling)


def _write_steps(folder: Path, spelling: str) -> None:
    wordings = [
        ("given", 'a "{name}" repository on branch "{branch}"'),
        ("given", '"{system}" is configured with'),
        ("given", "the worker uses {n} tokens"),
        *(("when", f'the operator {verb} run "{{run}}"') for verb in VERBS),
        ("then", 'run "{run}" ends as {status}'),
        ("then", 'log "{log}" records "{event}" with'),
        ("never", 'branch "{branch}" never moves'),
        ("never", 'log "{log}" never records "{event}"'),
    ]
    ours = spelling != "behave"
    lines = [
        "from goalkeeper import given, never, then, when" if ours else "from behave import given, then, when"
    ]
    for number, (kind, wording) in enumerate(wordings):
        table = "datatable" if ours and wording.endswith("with") else "**values"
        lines += ["", f"@{kind if ours else 'then' if kind == 'never' else kind}({wording!r})"]
        lines += [f"def step_{number}({'' if ours else 'context, '}{table}): ..."]
        if ours and kind == "never":
            lines += [f"@step_{number}.check", f"def check_{number}(journal): ..."]
    path = folder.parent / "conftest.py" if ours else folder / "steps" / "steps.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _feature(goal_id: str, tier: int, verb: str, limit: int) -> str:
    return f"""\
@{goal_id} @tier{tier} @scope:run @owner:orchestration @ci:acceptance-local
Feature: The operator {verb} a run over its budget of {limit}
  Expect: a run over its token budget stops, fails, and merges nothing.
  Hook: toy repository, mock worker with token usage

  Background:
    Given a "toy" repository on branch "main"
    And "mycelium" is configured with
      | budgets.mode                | block   |
      | budgets.max_tokens_per_task | {limit} |
    And the worker uses {limit + 1} tokens

  Scenario: One task goes over its token budget
    When the operator {verb} run "r1"
    Then run "r1" ends as failed
    And log "orchestrator" records "budget.block" with
      | scope | task |
    But branch "main" never moves
    And log "orchestrator" never records "batch.merging"
"""


def _yaml(goal_id: str, tier: int, verb: str, limit: int) -> str:
    return f"""\
goal: {goal_id}
tier: {tier}
title: The operator {verb} a run over its budget of {limit}
expect: a run over its token budget stops, fails, and merges nothing.
hook: toy repository, mock worker with token usage
scope: [run]
owner: orchestration
ci: [acceptance-local]
background:
  - given: a "toy" repository on branch "main"
  - given: '"mycelium" is configured with'
    table:
      - [budgets.mode, block]
      - [budgets.max_tokens_per_task, {limit}]
  - given: the worker uses {limit + 1} tokens
scenarios:
  - name: One task goes over its token budget
    steps:
      - when: the operator {verb} run "r1"
      - then: run "r1" ends as failed
      - then: log "orchestrator" records "budget.block" with
        table:
          - [scope, task]
      - never: branch "main" never moves
      - never: log "orchestrator" never records "batch.merging"
"""


if __name__ == "__main__":
    sys.exit(main())
