"""Programs that keep running: started by name, signalled, waited for."""

from __future__ import annotations
