"""SQLite databases: their tables, their rows, their integrity."""

from __future__ import annotations
