"""What git is told by us: who commits, when, and that nobody else's configuration counts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

NAME, EMAIL = "Goalkeeper", "goalkeeper@sandbox.invalid"
_FIRST = 946_684_800  # 2000-01-01T00:00:00Z

# Directories may belong to someone else where a container or a runner's checkout made them.
CONFIG = f"""\
[user]
\tname = {NAME}
\temail = {EMAIL}
[init]
\tdefaultBranch = main
[core]
\teditor = :
[safe]
\tdirectory = *
"""

# For the commands that we run ourselves, whatever the repository's own configuration says.
OPTIONS = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "commit.gpgSign=false"),
    *("-c", "tag.gpgSign=false"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
)


def isolation(config: Path) -> dict[str, str]:
    """What makes git, started by anyone, read this file and not the user's or the system's configuration.

    Identity stands in the file and not in variables, so that a program may still set one of its own.
    """
    return {
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }


def environment(config: Path, inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of the git commands that we run: none of the caller's git variables, no network.

    A pytest that runs inside of a git hook has GIT_DIR and GIT_INDEX_FILE of the outer repository set.
    Optional locks are off: looking at a repository must never make its owner's command fail.
    """
    kept = {name: value for name, value in inherited.items() if not name.startswith("GIT_")}
    return {
        **kept,
        **isolation(config),
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


def identity(number: int) -> dict[str, str]:
    """Author and committer of our commit of that number: a minute for each, so that hashes never differ."""
    date = f"{_FIRST + 60 * number} +0000"
    return {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", NAME), ("EMAIL", EMAIL), ("DATE", date))
    }
