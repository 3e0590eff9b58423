"""`goalkeeper trace`: the matrix in each format, its exit codes, and the page that it leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from goalkeeper import schemas
from goalkeeper.cli import main

if TYPE_CHECKING:
    from tests.conftest import Bakery

ROOT = Path(__file__).parents[2]
WriteGoal = Callable[..., Path]


def trace(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["trace", *arguments])


def data(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(trace("--format", "json", *arguments).stdout)
    Draft202012Validator(schemas.load("verdict")).validate(found)
    return found


@pytest.fixture
def well(bakery: Bakery) -> Bakery:
    bakery.goal("G0.1")
    bakery.goal("G1.1")
    bakery.record()
    return bakery


def test_the_matrix_and_the_page(well: Bakery) -> None:
    result = trace()
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert (
        "    G0.1  OK  The oven of G0.1 never burns  1 scenario  1 then, 2 of 2 nevers proven  nightly"
        in (line.partition("  bakery")[0] for line in lines)
    )
    assert lines[-2:] == ["OK: all 2 goals are OK", ".goalkeeper/trace.html"]
    page = (well.root / ".goalkeeper" / "trace.html").read_text(encoding="utf-8")
    assert "G0.1" in page
    assert 'class="verdict ok"' in page


@pytest.mark.usefixtures("well")
@pytest.mark.parametrize(
    ("form", "begin"), [("markdown", "# Traceability"), ("json", "{"), ("html", "<!doctype html>")]
)
def test_other_formats(tmp_path: Path, form: str, begin: str) -> None:
    result = trace("--format", form)
    assert result.exit_code == 0
    assert result.stdout.startswith(begin)
    assert not (tmp_path / ".goalkeeper" / "trace.html").exists()
    written = trace("--format", form, "--output", "out")
    assert (written.exit_code, written.stdout) == (0, "out\n")
    assert (tmp_path / "out").read_text(encoding="utf-8") == result.stdout


def test_another_place_for_the_page(well: Bakery) -> None:
    result = trace("-o", "page.html")
    assert result.stdout.splitlines()[-1] == "page.html"
    assert (well.root / "page.html").is_file()
    assert not (well.root / ".goalkeeper" / "trace.html").exists()
    refused = trace("-o", "none/page.html")
    assert refused.exit_code == 2
    assert "none/page.html can't be written" in refused.stderr


def test_the_page_can_go_into_a_directory_of_its_own(bakery: Bakery) -> None:
    """The first thing in the reports directory may be the page: git is told to overlook it all the same."""
    bakery.goal("G1.1")
    assert trace().exit_code == 1
    assert {path.name for path in (bakery.root / ".goalkeeper").iterdir()} == {
        ".gitignore",
        "runs",
        "trace.html",
    }


def test_a_reports_directory_that_cannot_be_made(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    (bakery.root / ".goalkeeper").write_text("")
    result = trace()
    assert result.exit_code == 2
    assert ".goalkeeper can't be made" in result.stderr
    assert [finding["rule"] for finding in data()["findings"]] == ["unreadable-record"]


def test_the_json_is_what_its_schema_says(well: Bakery) -> None:
    found = data()
    assert found["ok"] is True
    assert [goal["id"] for goal in found["goals"]] == ["G0.1", "G1.1"]
    assert found["run"]["record"] == ".goalkeeper/runs/20261118T120000Z-abcdef/record.jsonl"
    assert "verdict" in schemas.names()
    (well.root / "scenarios" / "g0_1.feature").write_text(
        "@G0.1\nFeature: x\n  Scenario: s\n    Wehn\n  Then\n"
    )
    assert data()["ok"] is False


@pytest.mark.usefixtures("well")
def test_a_part_of_the_goals() -> None:
    assert [goal["id"] for goal in data("scenarios/g1_1.feature")["goals"]] == ["G1.1"]
    assert trace("scenarios/g1_1.feature").exit_code == 0


def test_the_newest_run_is_taken_and_no_older_one_stands_in(well: Bakery) -> None:
    events = well.events()
    events[-2]["outcome"] = "failed"
    well.record(events, "20261119T000000Z-000000")
    assert trace().exit_code == 1
    well.record(None, "20261118T230000Z-ffffff")
    assert trace().exit_code == 1
    (well.root / ".goalkeeper" / "runs" / "20261120T000000Z-000000").mkdir()
    result = trace()
    assert result.exit_code == 1
    assert "20261120T000000Z-000000/record.jsonl is not there" in result.stdout


def test_another_record(well: Bakery) -> None:
    events = well.events()
    events[-2]["outcome"] = "failed"
    worse = well.record(events, "20261119T000000Z-000000")
    assert trace().exit_code == 1
    older = worse.parents[1] / "20261118T120000Z-abcdef"
    for named in (older, older / "record.jsonl"):
        assert trace("--record", str(named)).exit_code == 0
    for named in (worse, worse.parent, worse.parents[2]):
        assert trace("--record", os.path.relpath(named)).exit_code == 1


@pytest.mark.parametrize(
    ("damage", "code", "told", "next_"),
    [
        (lambda path: path.unlink(), 1, "there is no run record", "run the goals first: pytest scenarios"),
        (lambda path: path.write_text(""), 1, "it is empty", "run the goals again: pytest scenarios"),
        (
            lambda path: path.write_text("\n\n"),
            2,
            "line 1 is no JSON",
            "run the goals again: pytest scenarios",
        ),
        (lambda path: path.write_bytes(b"\xff\n"), 2, "line 1 is no JSON", "run the goals again"),
        (lambda path: path.write_bytes(path.read_bytes()[:-9]), 1, "breaks off", "run the goals again"),
        (lambda path: path.write_bytes(path.read_bytes()[:900]), 1, "breaks off", "run the goals again"),
        (
            lambda path: (path.unlink(), path.mkdir()),
            2,
            "can't be read: Is a directory",
            "run the goals again",
        ),
    ],
)
def test_a_record_that_is_no_good(
    well: Bakery, damage: Callable[[Path], object], code: int, told: str, next_: str
) -> None:
    [path] = (well.root / ".goalkeeper").glob("runs/*/record.jsonl")
    assert trace().exit_code == 0
    damage(path)
    result = trace()
    assert result.exit_code == code
    assert told in result.stdout
    assert next_ in result.stdout
    assert "RED" in result.stdout
    assert 'class="verdict red"' in (well.root / ".goalkeeper" / "trace.html").read_text(encoding="utf-8")
    assert data()["ok"] is False
    assert "**RED" in trace("--format", "markdown").stdout


def test_no_record_at_all(bakery: Bakery) -> None:
    bakery.goal("G1.1")
    result = trace()
    assert result.exit_code == 1
    assert "there is no run record\n  run the goals first: pytest scenarios" in result.stdout


def test_a_record_that_is_named_but_not_there(well: Bakery) -> None:
    assert well.root.is_dir()
    result = trace("--record", "none.jsonl")
    assert result.exit_code == 1
    assert "there is no run record: none.jsonl is not there" in result.stdout


def test_goals_that_are_gone_leave_no_green_page(well: Bakery) -> None:
    assert trace().exit_code == 0
    for path in (well.root / "scenarios").iterdir():
        path.unlink()
    result = trace()
    assert result.exit_code == 2
    assert "there are no goals\n  write a first one: goalkeeper init" in result.stdout
    assert 'class="verdict red"' in (well.root / ".goalkeeper" / "trace.html").read_text(encoding="utf-8")


def test_a_goal_file_that_cannot_be_read(well: Bakery) -> None:
    (well.root / "scenarios" / "bad.goal.yaml").write_text("goal: G1.9\ntitle: [\n")
    result = trace()
    assert result.exit_code == 2
    assert "scenarios/bad.goal.yaml:" in result.stdout
    assert "goalkeeper lint scenarios/bad.goal.yaml" in result.stdout
    assert "G0.1  OK" in result.stdout


@pytest.mark.parametrize("arguments", [["none"], ["--format", "pdf"], ["--output", "."]])
def test_wrong_usage(bakery: Bakery, arguments: list[str]) -> None:
    bakery.goal("G1.1")
    assert trace(*arguments).exit_code == 2


def test_from_a_directory_below(well: Bakery, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(well.root / "scenarios")
    result = trace()
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-2:] == ["paths are seen from ..", "../.goalkeeper/trace.html"]


def test_half_a_character(well: Bakery) -> None:
    events = well.events()
    [path] = (well.root / ".goalkeeper").glob("runs/*/record.jsonl")
    events[-2].update(outcome="failed", reason="x\ud800y")
    path.write_text("\n".join(json.dumps(event) for event in events) + "\n")
    for form in ("text", "json", "markdown", "html"):
        result = trace("--format", form)
        assert result.exit_code == 1
        assert "x?y" in result.stdout


def test_a_real_run(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    """What pytest writes is what is read, also from several workers."""
    text = """
        Scenario: {0}
          When I run "echo {0}"
          Then the output contains "{1}"
          But the command never prints "error"
    """
    head = "@G2.{0}\nFeature: x\n"
    for number, (said, expected) in enumerate([("one", "one"), ("two", "too")], 1):
        goal(head.format(number) + text.format(said, expected), f"scenarios/{said}.feature")
    (pytester.path / "pytest.ini").touch()
    ran = pytester.runpytest_subprocess("scenarios", "-n", "2")
    ran.assert_outcomes(passed=1, failed=1)
    found = data()
    assert [(goal["id"], goal["status"]) for goal in found["goals"]] == [("G2.1", "ok"), ("G2.2", "failed")]
    [scenario] = found["goals"][1]["scenarios"]
    assert scenario["reason"] == 'line 6: the output contains "too": the output does not contain "too"'
    assert (pytester.path / scenario["evidence"]).is_dir()
    assert found["run"]["status"] == 1


@pytest.mark.usefixtures("well")
@pytest.mark.parametrize("command", [["trace"], ["gate"], ["trace", "--format", "html"]])
def test_neither_pytest_nor_docker_is_needed(command: list[str]) -> None:
    code = (
        "import sys\nfrom goalkeeper.cli import main\n"
        f"try:\n    main({command})\nexcept SystemExit as ended:\n    assert not ended.code\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print('loaded', *sorted(loaded & {'pytest', '_pytest', 'pytest_bdd', 'docker', 'jsonschema'}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.stderr, ran.stdout.splitlines()[-1]) == ("", "loaded")


@pytest.mark.parametrize(("tests", "matrix", "code"), [(0, 0, 0), (1, 0, 2), (0, 1, 2), (1, 1, 2)])
def test_the_demo_ends_with_the_matrix(tmp_path: Path, tests: int, matrix: int, code: int) -> None:
    """Also after a red run; make itself fails where either is red."""
    (tmp_path / "bin").mkdir()
    for name, status in (("pytest", tests), ("goalkeeper", matrix)):
        script = tmp_path / "bin" / name
        script.write_text(f'#!/bin/sh\necho "{name} $*"\nexit {status}\n')
        script.chmod(0o755)
    (tmp_path / ".ready").touch()
    command = ["make", "-s", "demo", f"VENV={tmp_path}"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    ran = subprocess.run(command, cwd=ROOT, env=kept, capture_output=True, text=True, check=False)
    assert ran.stdout.splitlines() == ["pytest scenarios -v", "goalkeeper trace"]
    assert ran.returncode == code
