"""State files: JSON, YAML and TOML documents, by handle or by path, and the values in them."""

from __future__ import annotations
