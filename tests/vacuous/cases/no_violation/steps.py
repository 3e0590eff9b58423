from pathlib import Path

from goalkeeper import Breach, Journal, Watch, never
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
