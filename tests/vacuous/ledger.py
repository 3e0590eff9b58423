"""A negative step that is as it should be: each case takes these parts and gets one of them wrong."""

from __future__ import annotations

from pathlib import Path

from goalkeeper import Breach, Journal, Watch, Witness
from goalkeeper.runner.sandbox import Sandbox


class Ledger(Watch[str]):
    """Puts down what the ledger holds at each look."""

    def __init__(self, path: Path) -> None:
        super().__init__("the ledger")
        self.path = path
        self.look()

    def look(self) -> None:
        self.count("look")
        self.record(self.read())

    def read(self) -> str:
        return self.path.read_text() if self.path.exists() else ""


def same(journal: Journal[str]) -> list[Breach]:
    return [Breach(f"the ledger was {now}") for now in journal.entries if now != journal.entries[0]]


def overwrite(sandbox: Sandbox) -> Witness:
    ledger = sandbox.work / "ledger.txt"
    before = ledger.read_text()
    ledger.write_text("0")
    return Witness.of("cat ledger.txt", before, ledger.read_text(), "0")


def add(sandbox: Sandbox) -> Witness:
    ledger = sandbox.work / "ledger.txt"
    before = ledger.read_text()
    ledger.write_text(f"{before}0")
    return Witness.of("cat ledger.txt", before, ledger.read_text())
