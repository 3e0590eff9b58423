from ledger import Ledger, add, overwrite, same

from goalkeeper import never
from goalkeeper.runner.sandbox import Sandbox


class Early(Ledger):
    """Has looked when it was armed; that will do."""

    def look(self) -> None:
        if not self.entries:
            super().look()


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Early:
    return Early(sandbox.work / "ledger.txt")


ledger_changes.check(same)
ledger_changes.violation("gross")(overwrite)
ledger_changes.violation("minimal")(add)
