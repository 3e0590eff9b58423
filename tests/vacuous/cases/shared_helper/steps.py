from pathlib import Path

from ledger import Ledger, same

from goalkeeper import Witness, never
from goalkeeper.runner.sandbox import Sandbox


def ledger(sandbox: Sandbox) -> Path:
    """Both sides ask here, and this is not the ledger."""
    return sandbox.work / "ledger.bak"


def overwrite(sandbox: Sandbox) -> Witness:
    before = (sandbox.work / "ledger.txt").read_text()
    ledger(sandbox).write_text("0")
    return Witness.of("cat ledger.txt", before, (sandbox.work / "ledger.txt").read_text(), "0")


def add(sandbox: Sandbox) -> Witness:
    return overwrite(sandbox)


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Ledger:
    return Ledger(ledger(sandbox))


ledger_changes.check(same)
ledger_changes.violation("gross")(overwrite)
ledger_changes.violation("minimal")(add)
