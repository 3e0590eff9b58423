from ledger import Ledger, add, same

from goalkeeper import Witness, never
from goalkeeper.runner.sandbox import Sandbox


def overwrite(sandbox: Sandbox) -> Witness:
    ledger = sandbox.work / "ledger.txt"
    before = ledger.read_text()
    ledger.write_text(before)
    return Witness.of("cat ledger.txt", before, ledger.read_text())


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Ledger:
    return Ledger(sandbox.work / "ledger.txt")


ledger_changes.check(same)
ledger_changes.violation("gross")(overwrite)
ledger_changes.violation("minimal")(add)
