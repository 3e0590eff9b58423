from ledger import Ledger, add, overwrite

from goalkeeper import Breach, Journal, never
from goalkeeper.runner.sandbox import Sandbox

SEEN: list[str] = []


class Sticky(Ledger):
    """Keeps its journal where nobody can put it back."""

    def record(self, entry: str) -> None:
        SEEN.append(entry)
        super().record(entry)


def changed(_: Journal[str]) -> list[Breach]:
    return [Breach(f"the ledger was {now}") for now in SEEN if now != SEEN[0]]


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Sticky:
    return Sticky(sandbox.work / "ledger.txt")


ledger_changes.check(changed)
ledger_changes.violation("gross")(overwrite)
ledger_changes.violation("minimal")(add)
