"""What a program of a scenario finds in its environment: nothing of the user's but what is let in."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..watcher.processes import MARK

# Where tools are installed and certificates lie; nothing that tells a tool how to behave.
_PLACES = (
    "DOTNET_ROOT", "GOROOT", "JAVA_HOME", "LD_LIBRARY_PATH", "NVM_DIR", "PYENV_ROOT", "PYENV_VERSION",
    "RBENV_ROOT", "RUSTUP_HOME", "SSL_CERT_DIR", "SSL_CERT_FILE",
)  # fmt: skip
_DATE = "2000-01-01T00:00:00+00:00"
_FIXED = {
    "USER": "goalkeeper",
    "LOGNAME": "goalkeeper",
    "SHELL": "/bin/sh",
    "TERM": "dumb",
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Goalkeeper",
    "GIT_AUTHOR_EMAIL": "goalkeeper@sandbox.invalid",
    "GIT_AUTHOR_DATE": _DATE,
    "GIT_COMMITTER_NAME": "Goalkeeper",
    "GIT_COMMITTER_EMAIL": "goalkeeper@sandbox.invalid",
    "GIT_COMMITTER_DATE": _DATE,
}


def environment(root: Path, outer: Mapping[str, str], passed: Iterable[str] = ()) -> dict[str, str]:
    """The environment for a sandbox at `root`, made of the harness's own.

    Programs that are installed beside this Python come first on the PATH, whether or not its virtual
    environment is activated.
    """
    home = root / "home"
    path = [str(root / "bin"), str(Path(sys.executable).parent), outer.get("PATH") or os.defpath]
    return {
        **{name: outer[name] for name in _PLACES if name in outer},
        "PATH": os.pathsep.join(path),
        "HOME": str(home),
        "TMPDIR": str(root / "tmp"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_RUNTIME_DIR": str(root / "run"),
        # Not /dev/null: git config --global renames a file to that name, and root may.
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        **_FIXED,
        **{name: outer[name] for name in passed if name in outer},
        MARK: str(root),
    }
