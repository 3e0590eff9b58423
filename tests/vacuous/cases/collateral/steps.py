from ledger import Ledger, add, overwrite, same

from goalkeeper import Witness, never
from goalkeeper.runner.sandbox import Sandbox


def overwrite_all(sandbox: Sandbox) -> Witness:
    (sandbox.work / "receipt.txt").unlink()
    return overwrite(sandbox)


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Ledger:
    return Ledger(sandbox.work / "ledger.txt")


ledger_changes.check(same)
ledger_changes.violation("gross")(overwrite_all)
ledger_changes.violation("minimal")(add)
