"""Trees of files: what is in them, and how one is copied."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from ...runner.failure import StepFailed


def files_below(directory: Path) -> list[str]:
    """The files and links at any depth, and with a slash at their end the directories that are empty."""
    found: list[str] = []
    for path, is_directory in _entries(directory):
        name = path.relative_to(directory).as_posix()
        if not is_directory:
            found.append(name)
        elif not any(path.iterdir()):
            found.append(f"{name}/")
    return sorted(found)


def picture(path: Path) -> dict[str, str]:
    """What a file or tree is like: permissions, and content or where a link leads, by name."""
    entries = [path, *(below for below, _ in _entries(path))] if path.is_dir() else [path]
    return {entry.relative_to(path).as_posix(): _likeness(entry) for entry in entries}


def unlike(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """A line for each entry that is new, gone or other than it was."""
    changed = [f"  changed: {name}" for name in before if name in now and before[name] != now[name]]
    gone = [f"  gone: {name}" for name in before if name not in now]
    return sorted([*changed, *gone, *(f"  new: {name}" for name in now if name not in before)])


def copy(source: Path, target: Path) -> None:
    """A file, or a tree into which the other one is laid. Modes and links are kept.

    A link that leads out of the tree is refused: the copy would reach what lies outside of the sandbox.
    """
    if not source.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        return
    root = os.path.realpath(source)
    for path, _ in _entries(source):
        if path.is_symlink():
            if path.readlink().is_absolute() or not Path(os.path.realpath(path)).is_relative_to(root):
                name = path.relative_to(source)
                raise StepFailed(f"the link {name} leads out of {source.name}, to {path.readlink()}")
        elif not (path.is_file() or path.is_dir()):
            raise StepFailed(f"{path.relative_to(source)} is neither a file nor a directory nor a link")
    if Path(os.path.realpath(target)).is_relative_to(root):
        raise StepFailed(f"{source.name} can't be copied into itself")
    _lay(source, target)


def _lay(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for entry in sorted(source.iterdir()):
        new = target / entry.name
        if new.is_symlink() or (new.exists() and new.is_dir() != entry.is_dir()):
            raise StepFailed(f"{entry.name} is in the way: there is something else by that name already")
        if entry.is_symlink():
            new.symlink_to(entry.readlink())
        elif entry.is_dir():
            _lay(entry, new)
        else:
            shutil.copy2(entry, new)
    shutil.copymode(source, target)


def _entries(directory: Path) -> Iterator[tuple[Path, bool]]:
    """All that lies below, and whether it is a directory; links are not followed."""
    for above, directories, files in os.walk(directory):
        for name in directories:
            path = Path(above, name)
            yield path, not path.is_symlink()
        yield from ((Path(above, name), False) for name in files)


def _likeness(path: Path) -> str:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return f"link to {path.readlink()}"
    kind = "directory" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "special"
    digest = hashlib.sha256(path.read_bytes()).hexdigest() if kind == "file" else ""
    return f"{kind} {stat.S_IMODE(mode):o} {digest}"
