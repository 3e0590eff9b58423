"""HTTP: requests to a server in the sandbox, and what it answered."""

from __future__ import annotations
