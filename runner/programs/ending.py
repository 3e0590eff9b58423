"""How a program ended, and the names of the signals that may have ended it."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from ..evidence import Outcome
from ..failure import StepFailed
from ..never import Breach
from ..problem import did_you_mean

_SIGNALS = {int(known): known.name for known in signal.Signals}


@dataclass(frozen=True)
class Ending:
    """How a program ended: an exit code, or the number of a signal, negative."""

    code: int

    def __str__(self) -> str:
        if self.code >= 0:
            return f"exit code {self.code}"
        return f"killed by {signal_name(-self.code)}"

    @property
    def outcome(self) -> Outcome:
        """What was asked of a killed program may or may not have taken effect."""
        return "unknown" if self.code < 0 else "failed" if self.code else "ok"

    @property
    def exit_code(self) -> int | None:
        return self.code if self.code >= 0 else None


@dataclass(frozen=True)
class Ended:
    """A program that has ended, as a watch notes it down; `printed` is the end of its output."""

    title: str
    ending: Ending
    printed: str = ""

    @property
    def breach(self) -> Breach:
        return Breach(f"{self.title} ended ({self.ending})", evidence=self.printed)


def signal_name(number: int) -> str:
    return _SIGNALS.get(number, f"signal {number}")


def signal_number(name: str) -> int:
    """The number of a signal that a step calls TERM or SIGTERM."""
    known = {one.removeprefix("SIG"): number for number, one in _SIGNALS.items()}
    short = name.upper().removeprefix("SIG")
    if short not in known:
        raise StepFailed(f'there is no signal "{name}".{did_you_mean(short, known)}')
    return known[short]
