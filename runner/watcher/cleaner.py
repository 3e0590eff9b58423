"""Removes a sandbox: its processes, its mounts, its directory."""

from __future__ import annotations

import contextlib
import os
import stat

from . import processes


class Cleaned:
    """What cleaning found: how many processes were still there, and what it could not remove."""

    __slots__ = ("killed", "left")

    def __init__(self, killed: int, left: tuple[str, ...]) -> None:
        self.killed = killed
        self.left = left


def clean(root: str, inhabited: bool = True) -> Cleaned:
    """Remove everything. Where no process was ever started, none is looked for.

    While something is mounted below, nothing is deleted: it could be a directory from outside.
    """
    killed, running = processes.end(root) if inhabited else (0, [])
    mounted = unmount(root)
    left = [f"process {number} is still running" for number in running]
    left += [f"{place} is still mounted" for place in mounted]
    if not mounted:
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
            with contextlib.suppress(OSError):
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
    """Delete a tree, directories without permission included; links are not followed."""
    import shutil

    shutil.rmtree(root, ignore_errors=True)
    if os.path.isdir(root) and not os.path.islink(root):
        _allow(root)
        shutil.rmtree(root, ignore_errors=True)


def _allow(root: str) -> None:
    """Let the owner list and change every directory of a tree, as far as they are ours."""
    with contextlib.suppress(OSError):
        os.chmod(root, stat.S_IRWXU)
    for place, names, _ in os.walk(root):
        for path in (os.path.join(place, name) for name in names):
            with contextlib.suppress(OSError):
                if not os.path.islink(path):
                    os.chmod(path, stat.S_IRWXU)
