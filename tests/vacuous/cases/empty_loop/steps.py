from ledger import Ledger, add, overwrite

from goalkeeper import Breach, Journal, never
from goalkeeper.runner.sandbox import Sandbox


class Ledgers(Ledger):
    def look(self) -> None:
        self.count("look")
        for path in self.path.glob("*.ledger"):
            self.record(path.read_text())


def changed(journal: Journal[str]) -> list[Breach]:
    return [Breach(f"a ledger was {now}") for now in journal.entries if now != "100"]


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Ledgers:
    return Ledgers(sandbox.work)


ledger_changes.check(changed)
ledger_changes.violation("gross")(overwrite)
ledger_changes.violation("minimal")(add)
