from ledger import Ledger, add

from goalkeeper import Breach, Journal, Witness, never
from goalkeeper.runner.sandbox import Sandbox


def shrank(journal: Journal[str]) -> list[Breach]:
    first, last = int(journal.entries[0]), int(journal.entries[-1])
    return [Breach(f"the ledger shrank to {last}")] if last < first else []


def overwrite(sandbox: Sandbox) -> Witness:
    ledger = sandbox.work / "ledger.txt"
    before = ledger.read_text()
    ledger.write_text("nothing")
    return Witness.of("cat ledger.txt", before, ledger.read_text())


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Ledger:
    return Ledger(sandbox.work / "ledger.txt")


ledger_changes.check(shrank)
ledger_changes.violation("gross")(overwrite)
ledger_changes.violation("minimal")(add)
