"""Goals in Given/When/Then that a machine keeps.

The names below are for people who write steps. They are loaded when used, so that the command line and the goal
model need neither pytest nor pytest-bdd.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .runner.define import given, never, step, then, when
    from .runner.failure import StepFailed
    from .runner.never import Breach, Journal, Watch, Witness

__version__ = "0.1.0"

__all__ = ["Breach", "Journal", "StepFailed", "Watch", "Witness", "given", "never", "step", "then", "when"]

_HOMES = {
    "given": "define",
    "when": "define",
    "then": "define",
    "step": "define",
    "never": "define",
    "StepFailed": "failure",
    "Breach": "never",
    "Journal": "never",
    "Watch": "never",
    "Witness": "never",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.runner.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
