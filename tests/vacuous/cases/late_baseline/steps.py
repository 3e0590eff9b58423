from ledger import Ledger, add, overwrite

from goalkeeper import Breach, Journal, never
from goalkeeper.runner.sandbox import Sandbox


class Late(Ledger):
    """Reads what it compares with when all is over."""

    def look(self) -> None:
        self.count("look")
        before = self.read()
        if self.read() != before:
            self.record(self.read())


def changed(journal: Journal[str]) -> list[Breach]:
    return [Breach(f"the ledger was {now}") for now in journal.entries]


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Late:
    return Late(sandbox.work / "ledger.txt")


ledger_changes.check(changed)
ledger_changes.violation("gross")(overwrite)
ledger_changes.violation("minimal")(add)
