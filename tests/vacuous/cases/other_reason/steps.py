from ledger import Ledger, add

from goalkeeper import Breach, Journal, Witness, never
from goalkeeper.runner.sandbox import Sandbox


class Folder(Ledger):
    def read(self) -> str:
        return str(len(list(self.path.parent.iterdir())))


def more_files(journal: Journal[str]) -> list[Breach]:
    return [Breach("there are more files than before")] if int(journal.entries[-1]) > 2 else []


def overwrite(sandbox: Sandbox) -> Witness:
    ledger = sandbox.work / "ledger.txt"
    before = ledger.read_text()
    (sandbox.work / "ledger.bak").write_text(before)
    ledger.write_text("0")
    return Witness.of("cat ledger.txt", before, ledger.read_text(), "was 0")


@never("the ledger never changes")
def ledger_changes(sandbox: Sandbox) -> Folder:
    return Folder(sandbox.work / "ledger.txt")


ledger_changes.check(more_files)
ledger_changes.violation("gross")(overwrite)
ledger_changes.violation("minimal")(add)
