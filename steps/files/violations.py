"""Does what the negative steps of this library forbid, by plain means that are none of theirs.

Files need not be put back: Goalkeeper does that after each violation.
"""

from __future__ import annotations

import os
import secrets

from ...runner.never import Witness
from ...runner.sandbox import Sandbox


def make_file(sandbox: Sandbox, path: str) -> Witness:
    """A file of that name, with something in it."""
    target = f"{sandbox.work}/{path}"
    before = os.path.lexists(target)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "x") as file:
        file.write(secrets.token_hex(8))
    return Witness.of(f"ls {path}", before, os.path.lexists(target), path)


def make_and_remove_file(sandbox: Sandbox, path: str) -> Witness:
    """An empty file of that name, gone before anybody looks.

    In a directory that is made for it, it stays: what comes and goes there at once is beyond our sight.
    """
    target = f"{sandbox.work}/{path}"
    before = os.path.lexists(target)
    is_watched = os.path.isdir(os.path.dirname(target))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL))
    made = os.path.lexists(target)
    if is_watched:
        os.unlink(target)
    return Witness.of(f"ls {path}", before, made, path)
