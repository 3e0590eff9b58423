from ledger import Ledger, overwrite, same

from goalkeeper import never
from goalkeeper.runner.sandbox import Sandbox


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Ledger:
    return Ledger(sandbox.work / "ledger.txt")


ledger_changes.check(same)
ledger_changes.violation("gross")(overwrite)
