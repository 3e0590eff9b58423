"""What a gate answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..finding import Finding


@dataclass(frozen=True, slots=True)
class Gate:
    """`checked` counts the goals that it looked at: a gate that looked at none says so."""

    name: str
    rule: str
    checked: int
    findings: tuple[Finding, ...]

    @property
    def is_open(self) -> bool:
        return not self.findings

    def data(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "rule": self.rule,
            "ok": self.is_open,
            "checked": self.checked,
            "findings": [finding.data() for finding in self.findings],
        }
