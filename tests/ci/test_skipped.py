"""CI must notice a test that was skipped without need."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "skipped.py"
Check = Callable[..., int]

SKIP = '<skipped type="pytest.skip" message="{0}"/>'
XFAIL = '<skipped type="pytest.xfail" message="known"/>'


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Judge runs of one test, each given by what JUnit says of it, on a machine that can do all or little."""
    script: dict[str, Any] = runpy.run_path(str(SCRIPT))

    def judge(*runs: str, able: bool) -> int:
        monkeypatch.setattr("os.geteuid", lambda: 0 if able else 1000)
        monkeypatch.setattr(Path, "exists", lambda _: able)
        for number, outcome in enumerate(runs):
            case = f'<testcase classname="tests.test_a" name="test_b">{outcome}</testcase>'
            (tmp_path / f"{number}.xml").write_text(f"<testsuites><testsuite>{case}</testsuite></testsuites>")
        result: int = script["main"](tmp_path)
        return result

    return judge


@pytest.mark.parametrize(
    ("runs", "able", "code"),
    [
        ([""], True, 0),
        ([SKIP.format("needs Docker: make test-docker")], True, 1),
        ([SKIP.format("needs Docker: make test-docker")], False, 0),
        ([SKIP.format("needs root to mount")], False, 0),
        ([SKIP.format("flaky")], False, 1),
        ([SKIP.format("needs Docker: make test-docker"), ""], True, 0),
        ([SKIP.format("needs Docker"), SKIP.format("needs Docker")], True, 1),
        ([XFAIL], True, 0),
        ([], True, 1),
    ],
)
def test_a_skip_without_need_fails(check: Check, runs: list[str], able: bool, code: int) -> None:
    assert check(*runs, able=able) == code


def test_it_says_which_and_why(check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    check(SKIP.format("flaky"), able=True)
    printed = capsys.readouterr()
    assert "skipped: tests.test_a::test_b: flaky" in printed.out
    assert "could have run here: tests.test_a::test_b" in printed.err
