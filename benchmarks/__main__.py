from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from .measure import Cost, RunFailedError, least, run, run_tool
from .suites import LEAST_DEFINITIONS, PER_FILE, SHAPE, suite
from .table import Results, Size, as_table, key_figures, rows
from .tools import GOALKEEPER, PYTEST_BDD, TOOLS

HELP_ROUNDS = 5


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="goalkeeper-benchmark-") as scratch:
            # First, while this process is small: a child's peak memory starts from its parent's.
            startup = _startup(Path(scratch)) if options.cli else None
            results = {
                Size(scenarios, definitions): _measure(Size(scenarios, definitions), options, Path(scratch))
                for scenarios in options.scenarios
                for definitions in options.definitions
            }
    except RunFailedError as error:
        print(error, file=sys.stderr)
        return 1
    figures = [*key_figures(results)]
    if startup is not None:
        figures.append(f"goalkeeper --help: {startup.cpu:.2f} s CPU, {startup.memory / 1e6:.0f} MB")
    print(as_table(rows(results), "simple"), *figures, sep="\n")
    if options.markdown is not None:
        options.markdown.write_text(_markdown(results, figures), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Compare what the same suite costs."
    )
    parser.add_argument("--scenarios", type=_at_least(1), nargs="+", default=[100, 1000, 5000])
    parser.add_argument("--definitions", type=_at_least(LEAST_DEFINITIONS), nargs="+", default=[20, 300])
    parser.add_argument("--rounds", type=_at_least(1), help="default: 7 up to 1000 scenarios, 2 above")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=[*TOOLS])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there too")
    parser.add_argument("--full", action="store_true", help="run pytest-bdd on the largest suites as well")
    parser.add_argument(
        "--cli", action=argparse.BooleanOptionalAction, default=True, help="time goalkeeper --help"
    )
    return parser


def _at_least(bound: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        value = int(text)
        if value < bound:
            raise argparse.ArgumentTypeError(f"{text} is less than {bound}")
        return value

    return number


def _measure(size: Size, options: argparse.Namespace, scratch: Path) -> dict[str, Cost]:
    generated = suite(*size, options.seed)
    folders: dict[str, Path] = {}
    for name in options.tools:
        if name == PYTEST_BDD and size.scenarios > 1000 and size.definitions > 100 and not options.full:
            print(f"{name} is left out at {size.scenarios} × {size.definitions}: --full", file=sys.stderr)
            continue
        folders[name] = scratch / f"{size.scenarios}x{size.definitions}" / name
        TOOLS[name].write(generated, folders[name])
    rounds = options.rounds or (7 if size.scenarios <= 1000 else 2)
    costs: dict[str, list[Cost]] = {name: [] for name in folders}
    for number in range(rounds + 1):
        called = f"round {number} of {rounds}" if number else "warm-up"
        for name, folder in folders.items():
            print(f"{size.scenarios} × {size.definitions}, {called}: {name}", file=sys.stderr)
            cost = run_tool(TOOLS[name], folder, size.scenarios)
            if number:
                costs[name].append(cost)
    return {name: least(found) for name, found in costs.items()}


def _startup(scratch: Path) -> Cost:
    command = (str(Path(sys.executable).with_name(GOALKEEPER)), "--help")
    return least([run(command, scratch)[0] for _ in range(HELP_ROUNDS + 1)][1:])


def _markdown(results: Results, figures: Sequence[str]) -> str:
    intro = (
        f"{PER_FILE} scenarios to a file, {len(SHAPE)} steps to a scenario; Python {sys.version.split()[0]}."
    )
    parts = [intro, as_table(rows(results), "github"), "\n".join(f"- {figure}" for figure in figures)]
    return "\n\n".join(part for part in parts if part) + "\n"


if __name__ == "__main__":
    sys.exit(main())
