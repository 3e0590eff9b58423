"""The comparison runs every tool on the same work and says what came of it. How fast is not judged here."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent
TOOLS = ["pytest", "behave", "pytest-bdd", "goalkeeper", "goalkeeper-bdd"]


def benchmarks(*arguments: str, module: str = "benchmarks") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_small_run_has_a_row_for_each_tool_with_its_ratios(tmp_path: Path) -> None:
    written = tmp_path / "table.md"
    ran = benchmarks(
        *("--scenarios", "12", "--definitions", "8", "--rounds", "1", "--markdown", str(written))
    )
    assert ran.returncode == 0, ran.stderr
    lines = [line for line in written.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    table = {row[header.index("tool")]: dict(zip(header, row, strict=True)) for row in rows}
    assert [*table] == TOOLS
    for name, row in table.items():
        assert (row["scenarios"], row["definitions"]) == ("12", "8")
        assert name in ran.stdout
        for ratio in ("CPU / pytest", "CPU / behave"):
            assert float(row[ratio]) > 0
    assert table["pytest"]["CPU / pytest"] == table["behave"]["CPU / behave"] == "1.00"
    assert "goalkeeper --help: " in ran.stdout


def test_the_goals_that_lint_is_measured_on_are_clean_in_both_spellings() -> None:
    ran = benchmarks("--goals", "30", "--rounds", "1", module="benchmarks.lint")
    assert ran.returncode == 0, ran.stderr
    rows = [line.split("|")[2].strip() for line in ran.stdout.splitlines()[2:]]
    assert rows == ["behave --dry-run", "goalkeeper lint, .feature", "goalkeeper lint, .goal.yaml"]


def test_wrong_usage_is_told() -> None:
    ran = benchmarks("--definitions", "1")
    assert ran.returncode == 2
    assert "1 is less than 7" in ran.stderr


@pytest.fixture
def suites(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    return import_module("benchmarks.suites")


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    return import_module("benchmarks.measure")


def files_in(folder: Path) -> dict[str, str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


@pytest.mark.parametrize(
    "write",
    ["write_plain", "write_behave", "write_pytest_bdd", "write_goalkeeper", "write_goalkeeper_on_pytest_bdd"],
)
def test_a_seed_decides_every_file(suites: ModuleType, tmp_path: Path, write: str) -> None:
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        getattr(suites, write)(suites.suite(12, 8, seed), tmp_path / name)
    one = files_in(tmp_path / "one")
    assert len([text for text in one.values() if "Subjects of file" in text or "test_scenario_" in text]) == 2
    assert files_in(tmp_path / "same") == one
    assert files_in(tmp_path / "other") != one


def test_all_tools_get_the_same_sentences(suites: ModuleType, tmp_path: Path) -> None:
    suite = suites.suite(3, 8)
    suites.write_behave(suite, tmp_path / "behave")
    suites.write_goalkeeper(suite, tmp_path / "goalkeeper")
    behave = (tmp_path / "behave" / "features" / "f0001.feature").read_text(encoding="utf-8")
    goalkeeper = (tmp_path / "goalkeeper" / "scenarios" / "f0001.feature").read_text(encoding="utf-8")
    assert goalkeeper == "@G1.1\n" + behave
    assert behave.count("never overflows") == 3
    assert len([line for line in behave.splitlines() if "subject" in line]) == 30


def test_a_tool_that_did_less_is_not_compared(
    suites: ModuleType, measure: ModuleType, tmp_path: Path
) -> None:
    tool = import_module("benchmarks.tools").TOOLS["goalkeeper"]
    tool.write(suites.suite(3, 8), tmp_path)
    assert measure.run_tool(tool, tmp_path, 3).cpu > 0
    with pytest.raises(measure.RunFailedError, match="passed 3 of 4 scenarios"):
        measure.run_tool(tool, tmp_path, 4)
    assert tool.passed("2 passed, 1 skipped in 0.1s") == 0


def test_the_least_of_each_figure_counts(measure: ModuleType) -> None:
    costs = [measure.Cost(1.0, 5.0, 9), measure.Cost(2.0, 4.0, 8)]
    assert measure.least(costs) == measure.Cost(1.0, 4.0, 8)
