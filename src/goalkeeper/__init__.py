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
    from .steps.combine import never_event, never_file, never_output, never_ref

__version__ = "0.1.0"

__all__ = [
    "Breach", "Journal", "StepFailed", "Watch", "Witness", "given", "never", "never_event", "never_file",
    "never_output", "never_ref", "step", "then", "when",
]  # fmt: skip

_HOMES = {
    "runner.define": ("given", "when", "then", "step", "never"),
    "runner.failure": ("StepFailed",),
    "runner.never": ("Breach", "Journal", "Watch", "Witness"),
    "steps.combine": ("never_event", "never_file", "never_output", "never_ref"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
