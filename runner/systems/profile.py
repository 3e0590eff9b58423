"""What a system's profile says, as values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .phrase import Phrase

# What is open in the path of an artifact.
VARIABLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class ArtifactRule:
    """Where a system keeps something, and in which form."""

    system: str
    kind: str
    name: str
    path: str
    format: str = ""
    schema: Path | None = None
    event: str = ""


@dataclass(frozen=True)
class Probe:
    """A command that is tried beforehand, for the sake of those that begin with `needed_by`."""

    words: tuple[str, ...]
    needed_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Profile:
    environment: Mapping[str, str] = field(default_factory=dict)
    artifacts: tuple[ArtifactRule, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    preflight: tuple[Probe, ...] = ()
    text: str = ""
