"""Values that one step finds and a later one uses, as `${name}`."""

from __future__ import annotations
