from ledger import Ledger

from goalkeeper import Breach, Journal, given, never
from goalkeeper.runner.sandbox import Sandbox


class Trail(Ledger):
    def look(self) -> None:
        for line in self.read().splitlines():
            self.count("line")
            self.record(line)


@given("the audit trail is switched on")
def switch_on() -> None:
    """Somebody will write this one day."""


@never("the ledger never changes")
def refunded(sandbox: Sandbox) -> Trail:
    return Trail(sandbox.work / "audit.log")


@refunded.check
def no_refund(journal: Journal[str]) -> list[Breach]:
    return [Breach(line) for line in journal.entries if "refund" in line]
