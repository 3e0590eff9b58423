"""What the record says about the circumstances of a run: versions, repository, hashes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

_PACKAGES = ("goalkeeper", "pytest", "pytest-bdd", "pytest-xdist")
_OURS = ("__pycache__/", ".pytest_cache/")


def versions() -> dict[str, str]:
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def platform() -> str:
    """The kernel and the machine. What else the module of that name would tell takes it milliseconds."""
    told = os.uname()
    return f"{told.sysname}-{told.release}-{told.machine}"


def digest(*parts: bytes | str) -> str:
    """One hash for several texts, each told from the next."""
    whole = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        whole.update(f"{len(data)}:".encode())
        whole.update(data)
    return whole.hexdigest()


def code_digest(files: Iterable[tuple[str, bool]]) -> str:
    """A hash of step code: of single files, and of the folders of libraries that they belong to."""
    return digest(*sorted(_file_digest(name, whole_folder) for name, whole_folder in set(files)))


@cache
def _file_digest(name: str, whole_folder: bool) -> str:
    path = Path(name)
    found = sorted(path.parent.rglob("*.py")) if whole_folder else [path]
    try:
        return digest(*(part for file in found for part in (file.name, file.read_bytes())))
    except OSError:
        return digest(name)


def tree_digest(path: Path) -> str:
    """A hash of a file, or of all files in a directory."""
    try:
        found = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
        kept = (file for file in found if "__pycache__" not in file.parts)
        return digest(
            *(part for file in kept for part in (str(file.relative_to(path.parent)), file.read_bytes()))
        )
    except OSError:
        return ""


def repository(root: Path) -> dict[str, Any] | None:
    """Commit, branch and changes of the repository that holds the goals; None where there is none."""
    if not any((place / ".git").exists() for place in (root, *root.parents)):
        return None
    command = ["git", "--no-optional-locks", "status", "--porcelain=v2", "--branch", "-z"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        ran = subprocess.run(command, cwd=root, env=kept, capture_output=True, check=False)
    except OSError:
        return None
    if ran.returncode:
        return None
    told: dict[str, str] = {}
    changes: list[str] = []
    entries = iter(ran.stdout.decode("utf-8", "replace").split("\0")[:-1])
    for entry in entries:
        if entry.startswith("# "):
            name, _, value = entry[2:].partition(" ")
            told[name] = value
            continue
        if entry.startswith("2 "):
            next(entries)  # the name before a file was renamed
        if not entry.endswith(_OURS):
            changes.append(entry)
    return {
        "commit": told.get("branch.oid", ""),
        "branch": told.get("branch.head", ""),
        "changes": sorted(changes),
    }


def repository_before(record: Path) -> dict[str, Any] | None:
    """What the first line of a record says of the repository."""
    try:
        with record.open(encoding="utf-8") as file:
            found: dict[str, Any] | None = json.loads(file.readline()).get("repository")
    except (OSError, ValueError):
        return None
    return found


def changed(before: dict[str, Any] | None, after: dict[str, Any] | None) -> list[str]:
    """What is no longer as it was, for people to read."""
    if before is None or after is None:
        return []
    found = [
        f"{name} was {before[name]}, is {after[name]}"
        for name in ("commit", "branch")
        if before[name] != after[name]
    ]
    old, new = ({_shown(entry): entry for entry in state["changes"]} for state in (before, after))
    found += [shown for shown, entry in new.items() if old.get(shown) != entry]
    return found + [f"no longer {shown}" for shown in old if shown not in new]


def _shown(entry: str) -> str:
    """A line of `git status --porcelain=v2` as `new: path` or `changed: path`."""
    if entry.startswith("? "):
        return f"new: {entry[2:]}"
    fields = {"1": 8, "2": 9, "u": 10}
    return f"changed: {entry.split(' ', fields.get(entry[:1], 1))[-1]}"
