"""`goalkeeper gate`: red by exit code, with what is missing, where, and what to type next."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from goalkeeper.cli import main

if TYPE_CHECKING:
    from tests.conftest import Bakery


def gate(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["gate", *arguments])


@pytest.fixture
def well(bakery: Bakery) -> Bakery:
    bakery.goal("G0.1")
    bakery.goal("G1.1")
    bakery.record()
    return bakery


@pytest.mark.usefixtures("well")
@pytest.mark.parametrize("names", [[], ["negatives"], ["negatives", "negatives"]])
def test_open(names: list[str]) -> None:
    result = gate(*names)
    assert (result.exit_code, result.stderr) == (0, "")
    head, looked = result.stdout.splitlines()
    assert head.startswith("OK  gate negatives: ")
    assert looked == "  looked at 2 goals, 0 findings"


def test_what_is_missing_and_what_to_type(well: Bakery) -> None:
    events = well.events()
    [proof, *_] = [event for event in events if event["event"] == "proof"]
    proof.update(outcome="vacuous", detail="looked at 3 lines")
    well.record(events)
    result = gate("negatives")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == [
        "  G0.1  scenarios/g0_1.feature:9: A loaf: the oven never burns: the check did not notice a "
        "violation, burn_gross (gross): looked at 3 lines",
        "    run it: pytest scenarios/g0_1.feature",
        "  looked at 2 goals, 1 finding",
    ]
    found = json.loads(gate("--format", "json").stdout)
    assert (found["ok"], [one["name"] for one in found["gates"]]) == (False, ["negatives"])
    [finding] = found["gates"][0]["findings"]
    assert (finding["goal"], finding["file"], finding["line"]) == ("G0.1", "scenarios/g0_1.feature", 9)


@pytest.mark.usefixtures("well")
def test_json_of_an_open_gate() -> None:
    result = gate("--format", "json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["ok"] is True
    assert found["gates"][0]["checked"] == 2


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda path: path.unlink(), "there is no run record"),
        (lambda path: path.write_text(""), "it is empty"),
        (lambda path: path.write_text("{]\n"), "line 1 is no JSON"),
        (lambda path: (path.unlink(), path.mkdir()), "can't be read: Is a directory"),
        (lambda path: path.write_bytes(path.read_bytes()[:-9]), "breaks off"),
        (lambda path: path.write_text(path.read_text().replace('"G', '"X-G')), "is of other goal files"),
    ],
)
def test_a_record_that_is_no_good(well: Bakery, damage: Callable[[Path], object], told: str) -> None:
    [path] = (well.root / ".goalkeeper").glob("runs/*/record.jsonl")
    assert gate().exit_code == 0
    damage(path)
    result = gate()
    assert result.exit_code == 1
    assert told in result.stdout
    assert ": pytest scenarios" in result.stdout
    assert json.loads(gate("--format", "json").stdout)["ok"] is False


def test_a_file_that_changed(well: Bakery) -> None:
    path = well.root / "scenarios" / "g1_1.feature"
    path.write_text(path.read_text() + "\n")
    result = gate()
    assert result.exit_code == 1
    assert "G1.1  scenarios/g1_1.feature:2: the file changed since this run" in result.stdout
    assert "G0.1" not in result.stdout


def test_no_goals(bakery: Bakery) -> None:
    (bakery.root / "scenarios").mkdir()
    result = gate()
    assert result.exit_code == 1
    assert "there are no goals" in result.stdout


def test_another_record(well: Bakery) -> None:
    well.raw("", "20261119T000000Z-000000")
    assert gate().exit_code == 1
    assert gate("--record", ".goalkeeper/runs/20261118T120000Z-abcdef").exit_code == 0


@pytest.mark.usefixtures("well")
@pytest.mark.parametrize(
    ("name", "hint"), [("negative", 'Did you mean "negatives"?'), ("x", "There are: negatives.")]
)
def test_an_unknown_gate(name: str, hint: str) -> None:
    result = gate("negatives", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f'Error: there is no gate "{name}". {hint}\n'
