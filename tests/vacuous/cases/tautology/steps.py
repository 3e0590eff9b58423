from ledger import Ledger, add, overwrite

from goalkeeper import Breach, Journal, never
from goalkeeper.runner.sandbox import Sandbox


def changed(journal: Journal[str]) -> list[Breach]:
    return [Breach("the ledger changed")] if len(journal.entries) < 0 else []


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Ledger:
    return Ledger(sandbox.work / "ledger.txt")


ledger_changes.check(changed)
ledger_changes.violation("gross")(overwrite)
ledger_changes.violation("minimal")(add)
