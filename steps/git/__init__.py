"""Git repositories: made from fixtures, looked at, compared."""

from __future__ import annotations
