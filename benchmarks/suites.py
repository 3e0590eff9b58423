"""Seeded suites: ten scenarios to a file, ten steps to a scenario, written in the dialect of each tool.

The last step of each scenario is a negative one. Goalkeeper gets it as such and must arm, watch and judge
it; to the other tools it is one more Then.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

Kind = Literal["given", "when", "then", "never"]

PER_FILE = 10
SHAPE: tuple[Kind, ...] = ("given",) * 3 + ("when",) * 3 + ("then",) * 3 + ("never",)
NEGATIVES = 4
LEAST_DEFINITIONS = NEGATIVES + 3


@dataclass(frozen=True, slots=True)
class Definition:
    number: int
    kind: Kind

    @property
    def name(self) -> str:
        return f"{self.kind}_{self.number:03}"

    @property
    def body(self) -> str:
        """A Then holds after a When and not before it, as Thens should."""
        act = {"given": "VALUES.clear()", "when": "VALUES.append(n)"}.get(self.kind)
        return f"    {act or 'if not VALUES: raise AssertionError(n)'}\n"

    def wording(self, value: object) -> str:
        verb = "never overflows" if self.kind == "never" else "takes value"
        return f"subject {self.number:03} {verb} {value}"


class Call(NamedTuple):
    definition: Definition
    value: int


Scenario = Sequence[Call]


@dataclass(frozen=True, slots=True)
class Suite:
    scenarios: int
    definitions: Sequence[Definition]
    seed: int

    def files(self) -> Iterator[tuple[int, Sequence[Scenario]]]:
        """File by file and not all at once: a child's peak memory never reads lower than its parent's."""
        rng = random.Random(self.seed)
        by_kind = {kind: [d for d in self.definitions if d.kind == kind] for kind in SHAPE}
        values = rng.sample(range(10**6), self.scenarios * len(SHAPE))
        for number, start in enumerate(range(0, self.scenarios, PER_FILE), 1):
            count = min(PER_FILE, self.scenarios - start)
            yield (
                number,
                [[Call(rng.choice(by_kind[kind]), values.pop()) for kind in SHAPE] for _ in range(count)],
            )


def suite(scenarios: int, definitions: int, seed: int = 1) -> Suite:
    if definitions < LEAST_DEFINITIONS:
        raise ValueError(f"a suite needs {LEAST_DEFINITIONS} definitions or more, not {definitions}")
    ordinary: tuple[Kind, ...] = ("given", "when", "then")
    kinds = [ordinary[n % 3] for n in range(definitions - NEGATIVES)] + ["never"] * NEGATIVES
    return Suite(scenarios, [Definition(n, kind) for n, kind in enumerate(kinds, 1)], seed)


def write_plain(suite: Suite, into: Path) -> None:
    functions = [f"def {d.name}(n):\n{d.body}" for d in suite.definitions]
    _write(into / "subjects.py", "VALUES = []\n\n\n" + "\n\n".join(functions))
    for number, scenarios in suite.files():
        used = sorted({call.definition.name for calls in scenarios for call in calls})
        tests = [
            f"def test_scenario_{n}():\n" + "".join(f"    {d.name}({value})\n" for d, value in calls)
            for n, calls in enumerate(scenarios, 1)
        ]
        text = f"from subjects import {', '.join(used)}\n\n\n" + "\n\n".join(tests)
        _write(into / "tests" / f"test_{number:04}.py", text)
    _write(into / "pytest.ini", "[pytest]\n")


def write_behave(suite: Suite, into: Path) -> None:
    functions = [
        f'@{_ordinary(d)}("{d.wording("{n:d}")}")\ndef {d.name}(context, n):\n{d.body}'
        for d in suite.definitions
    ]
    _write_python(
        into / "features" / "steps" / "subjects.py", "from behave import given, then, when", functions
    )
    _write_features(suite, into / "features")


def write_pytest_bdd(suite: Suite, into: Path) -> None:
    functions = [_pytest_bdd_step(d) for d in suite.definitions]
    _write_python(into / "conftest.py", "from pytest_bdd import given, parsers, then, when", functions)
    _write(into / "test_features.py", 'from pytest_bdd import scenarios\n\nscenarios("features")\n')
    _write_features(suite, into / "features")
    _write(into / "pytest.ini", "[pytest]\n")


def write_goalkeeper(suite: Suite, into: Path) -> None:
    functions = [
        _negative_step(d)
        if d.kind == "never"
        else f'@{d.kind}("{d.wording("{n:int}")}")\ndef {d.name}(n):\n{d.body}'
        for d in suite.definitions
    ]
    imports = "from goalkeeper import Breach, Watch, given, never, then, when"
    _write_python(into / "conftest.py", imports, functions)
    _write_goals(suite, into)


def write_goalkeeper_on_pytest_bdd(suite: Suite, into: Path) -> None:
    functions = [_negative_step(d) if d.kind == "never" else _pytest_bdd_step(d) for d in suite.definitions]
    imports = "from goalkeeper import Breach, Watch, never\nfrom pytest_bdd import given, parsers, then, when"
    _write_python(into / "conftest.py", imports, functions)
    _write_goals(suite, into)


def _ordinary(definition: Definition) -> str:
    return "then" if definition.kind == "never" else definition.kind


def _pytest_bdd_step(definition: Definition) -> str:
    decorator = f'@{_ordinary(definition)}(parsers.parse("{definition.wording("{n:d}")}"))'
    return f"{decorator}\ndef {definition.name}(n):\n{definition.body}"


def _negative_step(definition: Definition) -> str:
    name = definition.name
    return f'''\
@never("{definition.wording("{n:int}")}")
def {name}(n: int) -> Watch[int]:
    watch: Watch[int] = Watch("subject")
    watch.count("values")
    return watch


@{name}.check
def {name}_check(journal):
    return [Breach("overflow") for entry in journal.entries]
'''


def _write_goals(suite: Suite, into: Path) -> None:
    _write_features(suite, into / "scenarios", identified=True)
    _write(into / "pytest.ini", "[pytest]\n")


def _write_features(suite: Suite, folder: Path, *, identified: bool = False) -> None:
    for number, scenarios in suite.files():
        # Not tier 0, in which every scenario stays quiet for a while at its end.
        tag = f"@G{2 - number % 2}.{number}\n" if identified else ""
        _write(folder / f"f{number:04}.feature", tag + _feature(number, scenarios))


def _feature(number: int, scenarios: Sequence[Scenario]) -> str:
    lines = [f"Feature: Subjects of file {number}"]
    for n, calls in enumerate(scenarios, 1):
        lines += ["", f"  Scenario: Values {n} of file {number}"]
        before = ""
        for definition, value in calls:
            kind = _ordinary(definition)
            lines.append(f"    {'And' if kind == before else kind.capitalize()} {definition.wording(value)}")
            before = kind
    return "\n".join(lines) + "\n"


def _write_python(path: Path, imports: str, functions: Sequence[str]) -> None:
    _write(path, f"{imports}\n\nVALUES = []\n\n\n" + "\n\n".join(functions))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
