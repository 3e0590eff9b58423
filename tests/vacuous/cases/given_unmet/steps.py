from pathlib import Path

from goalkeeper import Breach, Journal, Watch, given, never
from goalkeeper.runner.sandbox import Sandbox


class Trail(Watch[str]):
    def __init__(self, path: Path) -> None:
        super().__init__("the audit trail")
        self._path = path

    def look(self) -> None:
        for line in self._path.read_text().splitlines() if self._path.exists() else ():
            self.count("line")
            self.record(line)


@given("the audit trail is switched on")
def switch_on() -> None:
    """Somebody will write this one day."""


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Trail:
    return Trail(sandbox.work / "audit.log")


@ledger_changes.check
def same(journal: Journal[str]) -> list[Breach]:
    return [Breach(line) for line in journal.entries if "refund" in line]
