"""One run of pytest, whichever of its processes asks."""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

RECORD = "record.jsonl"
RUNS = "runs"
_LONGEST = 80


def shown(path: Path, start: Path) -> str:
    """A path as a person at `start` would type it."""
    return str(path.relative_to(start) if path.is_relative_to(start) else path)


@dataclass(frozen=True)
class Run:
    """`began` is on the machine's monotonic clock, which all processes share."""

    id: str
    reports: str
    began: float
    started: str

    @classmethod
    def new(cls, reports: Path) -> Run:
        now = datetime.now(UTC)
        name = f"{now:%Y%m%dT%H%M%S}Z-{os.urandom(3).hex()}"
        return cls(name, str(reports), monotonic(), now.isoformat(timespec="milliseconds"))

    @classmethod
    def of(cls, data: dict[str, Any]) -> Run:
        """What `data` told, on the other side of a process boundary."""
        return cls(**data)

    def data(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def directory(self) -> Path:
        return Path(self.reports) / RUNS / self.id

    @property
    def record(self) -> Path:
        return self.directory / RECORD

    def evidence(self, scenario: str, worker: str = "") -> Path:
        """Where the evidence of a scenario is kept if it fails: a readable name, and one of its own."""
        readable = re.sub(r"[^\w.-]+", "-", scenario.rpartition("/")[2]).strip("-")[:_LONGEST]
        digest = sha256(f"{scenario} {worker}".encode()).hexdigest()[:6]
        return self.directory / "evidence" / f"{readable}-{digest}"
