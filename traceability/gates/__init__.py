"""Gates: rules over a verdict, each with an answer that a pipeline can stop at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from ..verdict import Verdict
from . import negatives
from .gate import Gate

GATES: Mapping[str, Callable[[Verdict], Gate]] = MappingProxyType({negatives.NAME: negatives.gate})


def judge(verdict: Verdict, names: Iterable[str]) -> tuple[Gate, ...]:
    """The gates of these names, in the order in which they stand here."""
    wanted = set(names)
    return tuple(gate(verdict) for name, gate in GATES.items() if name in wanted)
