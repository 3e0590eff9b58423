"""Removes a sandbox: its processes, its mounts, its directory."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Any, NamedTuple

from . import processes


class Cleaned(NamedTuple):
    """What cleaning found: how many processes were still there, and what it could not remove."""

    killed: int
    left: tuple[str, ...]


def clean(root: str, inhabited: bool = True) -> Cleaned:
    """Remove everything. Where no process was ever started, none is looked for."""
    killed, running = processes.end(root) if inhabited else (0, [])
    left = [f"process {number} is still running" for number in running]
    left += [f"{place} is still mounted" for place in (unmount(root) if inhabited else ())]
    remove(root)
    if os.path.lexists(root):
        left.append(f"{root} could not be removed")
    return Cleaned(killed, tuple(left))


def unmount(root: str) -> list[str]:
    """Unmount what lies below, innermost first; what stayed."""
    found = mounts(root)
    if found:
        import subprocess

        for place in found:
            subprocess.run(["umount", "-l", place], check=False, capture_output=True)
    return mounts(root) if found else []


def mounts(root: str) -> list[str]:
    """What is mounted below a directory, the innermost first."""
    with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as file:
        places = [_unescape(line.split(" ")[1]) for line in file]
    return sorted((place for place in places if place.startswith(f"{root}/")), key=len, reverse=True)


def _unescape(text: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, char)
    return text


def remove(root: str) -> None:
    """Delete a tree, directories without write permission included; links are not followed."""
    import shutil

    def allow(_function: Callable[..., Any], path: str, _error: object) -> None:
        for place in (os.path.dirname(path), path):
            if os.path.isdir(place) and not os.path.islink(place):
                os.chmod(place, stat.S_IRWXU)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)

    if os.path.lexists(root):
        try:
            shutil.rmtree(root, onerror=allow)
        except OSError:
            shutil.rmtree(root, ignore_errors=True)
