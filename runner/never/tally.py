"""How many negative steps a run had, and how many of them were shown to be able to fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .proof import Proof

NEVER, PROOF = "never", "proof"
_UNPROVEN = "unproven"


def properties(nevers: Iterable[tuple[int, str]], proofs: Sequence[Proof]) -> list[tuple[str, str]]:
    """What pytest's reports, JUnit's among them, are told of each negative step: `proof: PROVEN gross`."""
    told: list[tuple[str, str]] = []
    for index, text in nevers:
        own = [proof for proof in proofs if proof.index == index]
        outcomes = ", ".join(f"{proof.outcome} {proof.strength}" for proof in own)
        told += [(NEVER, text), (PROOF, outcomes or _UNPROVEN)]
    return told


class Tally:
    """Adds up what the reports tell, from workers too."""

    def __init__(self) -> None:
        self._nevers = 0
        self._outcomes: Counter[str] = Counter()

    def add(self, properties: Iterable[tuple[str, object]]) -> None:
        for name, value in properties:
            if name == NEVER:
                self._nevers += 1
            elif name == PROOF:
                outcomes = [told.rpartition(" ")[0] for told in str(value).split(", ")]
                bad = next((one for one in outcomes if one != "proven"), "proven")
                self._outcomes[bad or _UNPROVEN] += 1

    def summary(self, asked: bool) -> tuple[str, str] | None:
        """One line and its colour: `31 nevers, 31 proved`. None where there were no negative steps."""
        if not self._nevers:
            return None
        proved = self._outcomes["proven"]
        told = [f"{self._nevers} never{'' if self._nevers == 1 else 's'}, {proved} proved"]
        told += [
            f"{count} {name.replace('-', ' ')}"
            for name, count in sorted(self._outcomes.items())
            if name not in ("proven", _UNPROVEN)
        ]
        if left := self._outcomes[_UNPROVEN]:
            told.append(f"{left} not tried ({'the scenario failed' if asked else '--no-proof'})")
        return ", ".join(told), "green" if proved == self._nevers else "yellow"
