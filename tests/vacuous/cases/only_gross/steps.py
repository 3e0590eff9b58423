from pathlib import Path

from goalkeeper import Breach, Journal, Watch, Witness, never
from goalkeeper.runner.sandbox import Sandbox


class Ledger(Watch[str]):
    def __init__(self, path: Path) -> None:
        super().__init__("the ledger")
        self._path = path
        self.look()

    def look(self) -> None:
        self.count("look")
        self.record(self._path.read_text())


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Ledger:
    return Ledger(sandbox.work / "ledger.txt")


@ledger_changes.check
def same(journal: Journal[str]) -> list[Breach]:
    return [Breach(f"the ledger was {now}") for now in journal.entries if now != journal.entries[0]]


@ledger_changes.violation("gross")
def overwrite(sandbox: Sandbox) -> Witness:
    ledger = sandbox.work / "ledger.txt"
    before = ledger.read_text()
    ledger.write_text("0")
    return Witness.of("cat ledger.txt", before, ledger.read_text(), "0")
