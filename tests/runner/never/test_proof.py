"""Proofs in a sandbox of their own, without pytest around them."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.never import Breach, Journal, Negative, Violation, Watch, Witness
from goalkeeper.runner.never import proof as engine
from goalkeeper.runner.never.proof import Armed, Proof, Reaction, Trial, judge, proofs
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.runner.watcher import processes


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path, Evidence())


class Content(Watch[str]):
    def __init__(self, path: Path) -> None:
        super().__init__(path.name)
        self._path = path
        self.look()

    def look(self) -> None:
        self.count("look")
        found = self._path.read_text() if self._path.exists() else "gone"
        if self.entries[-1:] != [found]:
            self.record(found)


def step(name: str = "changes", check: Any = None) -> Negative:
    def arm() -> Watch[str]:
        raise NotImplementedError

    arm.__name__ = name
    negative = Negative(arm)

    def same(journal: Journal[str]) -> list[Breach]:
        return [Breach(f"{journal.subject} was {now}") for now in journal.entries[1:]]

    negative.check(check or same)
    return negative


def armed(index: int, path: Path, negative: Negative, **arguments: Any) -> Armed:
    def act(violation: Violation) -> Any:
        return violation.act(path, **arguments)

    return Armed(index, f"lib.{negative.name}", f"{path.name} never changes", negative, Content(path), act)


def overwrite(path: Path) -> Witness:
    before = path.read_text()
    path.write_text("other")
    return Witness.of("cat", before, path.read_text(), "other")


def outcomes(found: Iterator[Proof]) -> list[tuple[int, str, str]]:
    return [(one.index, one.violation, one.outcome) for one in found]


def test_a_violation_that_the_check_notices_proves_it(sandbox: Sandbox) -> None:
    path = sandbox.work / "a"
    path.write_text("1")
    negative = step()
    negative.violation("gross")(overwrite)
    [found] = proofs([armed(3, path, negative)], sandbox, tier=1)
    assert (found.index, found.strength, found.outcome, found.violation) == (
        3,
        "gross",
        "proven",
        "overwrite",
    )
    assert found.detail == "a was other"
    assert path.read_text() == "1"
    assert sorted(path.name for path in sandbox.root.iterdir()) == [
        "bin",
        "evidence",
        "home",
        "run",
        "tmp",
        "work",
    ]


# Five that get in each other's way unless everything is put back: files, watches and journals.
def append(path: Path) -> Witness:
    before = path.read_text()
    path.write_text(f"{before}!")
    return Witness.of("cat", before, path.read_text(), f"{before}!")


def remove(path: Path) -> Witness:
    path.unlink()
    return Witness("ls", not path.exists(), "gone")


def replace(path: Path) -> Witness:
    path.with_name("new").write_text("new")
    path.with_name("new").replace(path)
    return Witness("cat", path.read_text() == "new", "new")


def nothing(path: Path) -> Witness:
    before = path.read_text()
    return Witness.of("cat", before, path.read_text())


def stumble(path: Path) -> Witness:
    path.write_text("half done")
    raise OSError("no space left on device")


FIVE = (append, remove, replace, nothing, stumble)
EXPECTED = {"append": "proven", "remove": "proven", "replace": "proven", "nothing": "no-effect",
            "stumble": "no-effect"}  # fmt: skip


def test_violations_come_out_the_same_in_every_order(sandbox: Sandbox) -> None:
    path, other = sandbox.work / "a", sandbox.work / "b"
    path.write_text("1")
    other.write_text("2")
    for order in permutations(FIVE):
        negative = step()
        for number, act in enumerate(order):
            negative.violation("minimal" if number else "gross")(act)
        steps = [armed(0, path, negative), armed(1, other, step("others"))]
        found = [one for one in proofs(steps, sandbox, tier=0) if one.index == 0]
        assert {one.violation: one.outcome for one in found} == EXPECTED
        assert (path.read_text(), other.read_text()) == ("1", "2")


def test_a_step_without_violations_is_told_of(sandbox: Sandbox) -> None:
    path = sandbox.work / "a"
    path.write_text("1")
    assert outcomes(proofs([armed(0, path, step())], sandbox, tier=2)) == [(0, "", "no-violation")]


@pytest.mark.parametrize(("tier", "missing"), [(0, ["minimal"]), (1, []), (2, [])])
def test_only_tier_0_needs_both_strengths(sandbox: Sandbox, tier: int, missing: list[str]) -> None:
    path = sandbox.work / "a"
    path.write_text("1")
    negative = step()
    negative.violation("gross")(overwrite)
    found = [*proofs([armed(0, path, negative)], sandbox, tier)]
    assert [one.strength for one in found if one.outcome == "no-violation"] == missing


def spill(path: Path) -> Witness:
    path.with_name("b").write_text("spilt")
    return overwrite(path)


@pytest.mark.parametrize(
    ("implies", "outcome"),
    [((), "collateral"), (("others",), "proven"), (("lib.others",), "proven"), (("lib.*",), "proven"),
     (("other.others",), "collateral"), (("other.*",), "collateral")],
)  # fmt: skip
def test_a_violation_that_breaks_another_step_must_say_so(
    sandbox: Sandbox, implies: tuple[str, ...], outcome: str
) -> None:
    path, other = sandbox.work / "a", sandbox.work / "b"
    path.write_text("1")
    other.write_text("2")
    negative = step()
    negative.violation("gross", implies=implies)(spill)
    steps = [armed(0, path, negative), armed(1, other, step("others"))]
    found = next(proofs(steps, sandbox, tier=1))
    assert found.outcome == outcome
    assert (other.read_text(), path.read_text()) == ("2", "1")


def test_a_violation_may_undo_what_is_no_file(sandbox: Sandbox) -> None:
    path, undone = sandbox.work / "a", []
    path.write_text("1")

    def with_undo(path: Path) -> Iterator[Witness]:
        yield overwrite(path)
        undone.append(path.read_text())

    negative = step()
    negative.violation("gross")(with_undo)
    assert outcomes(proofs([armed(0, path, negative)], sandbox, tier=1)) == [(0, "with_undo", "proven")]
    assert undone == ["other"]


def test_after_an_undoing_that_fails_nothing_more_is_tried(sandbox: Sandbox) -> None:
    path = sandbox.work / "a"
    path.write_text("1")

    def stuck(path: Path) -> Iterator[Witness]:
        yield overwrite(path)
        raise OSError("it is stuck")

    negative = step()
    negative.violation("gross")(stuck)
    negative.violation("minimal")(overwrite)
    found = [*proofs([armed(0, path, negative)], sandbox, tier=1)]
    assert [one.outcome for one in found] == ["no-effect", "no-effect"]
    assert "it is stuck" in found[0].detail
    assert found[1].detail.startswith("not tried")


def test_a_violation_that_returns_no_witness_proves_nothing(sandbox: Sandbox) -> None:
    path = sandbox.work / "a"
    path.write_text("1")
    negative = step()
    negative.violation("gross")(lambda path: path.write_text("other"))
    [found] = proofs([armed(0, path, negative)], sandbox, tier=1)
    assert (found.outcome, "must return a Witness" in found.detail) == ("no-effect", True)


def test_what_runs_in_the_sandbox_stands_still_meanwhile(sandbox: Sandbox) -> None:
    path = sandbox.work / "a"
    path.write_text("1")
    states: list[str] = []

    def look_at_it(path: Path) -> Witness:
        states.append(Path(f"/proc/{program.pid}/stat").read_text().rpartition(")")[2].split()[0])
        return overwrite(path)

    negative = step()
    negative.violation("gross")(look_at_it)
    program = subprocess.Popen(["cat"], stdin=subprocess.PIPE, env=sandbox.environment())
    try:
        assert outcomes(proofs([armed(0, path, negative)], sandbox, tier=1)) == [(0, "look_at_it", "proven")]
        assert states == ["T"]
        assert program.stdin is not None
        program.stdin.close()
        assert program.wait(10) == 0
    finally:
        program.kill()
        program.wait()


def test_what_stood_still_before_stays_so(sandbox: Sandbox) -> None:
    program = subprocess.Popen(["cat"], stdin=subprocess.PIPE, env=sandbox.environment())
    assert program.stdin is not None
    try:
        os.kill(program.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, program.pid, os.WSTOPPED | os.WNOWAIT)
        processes.Still(str(sandbox.root)).release()
        assert Path(f"/proc/{program.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    finally:
        program.kill()
        program.wait()
        program.stdin.close()


def reaction(*breaches: Breach, error: str = "") -> Reaction:
    return Reaction(Armed(0, "lib.x", "x never is", step(), Watch("x"), lambda _: None), breaches, error)


@pytest.mark.parametrize(
    ("witness", "own", "others", "outcome"),
    [
        (Witness("w", True, "t"), reaction(Breach("m t")), [], "proven"),
        (Witness("w", True, "t"), reaction(Breach("m", "e t")), [], "proven"),
        (Witness("w", True), reaction(Breach("m")), [], "proven"),
        (Witness("w", False, "t"), reaction(Breach("m t")), [], "no-effect"),
        (Witness("w", False), reaction(), [], "no-effect"),
        (Witness("w", True), reaction(), [], "vacuous"),
        (Witness("w", True), reaction(), [reaction(Breach("o"))], "vacuous"),
        (Witness("w", True, "t"), reaction(Breach("m")), [], "wrong-reason"),
        (Witness("w", True), reaction(error="ValueError: x"), [], "wrong-reason"),
        (Witness("w", True), reaction(Breach("m")), [reaction(Breach("o"))], "collateral"),
        (Witness("w", True), reaction(Breach("m")), [reaction(error="E: x")], "collateral"),
    ],
)
def test_the_outcome_of_what_was_said(
    witness: Witness, own: Reaction, others: list[Reaction], outcome: str
) -> None:
    assert judge(Trial(Violation("gross", overwrite), witness, own, others))[0] == outcome


def test_strengths_and_names_are_checked_when_a_step_is_defined() -> None:
    negative = step()
    negative.violation("gross")(overwrite)
    with pytest.raises(TypeError, match="has a violation overwrite already"):
        negative.violation("minimal")(overwrite)
    with pytest.raises(TypeError, match="gross or minimal"):
        negative.violation("big")  # type: ignore[arg-type]


def test_every_detector_decides_alone() -> None:
    assert len({one.__name__ for one in engine.DETECTORS}) == 5
