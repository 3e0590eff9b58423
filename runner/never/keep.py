"""The files of a sandbox as they are at one moment, and the way back to it.

A violation may do anything to the files of its sandbox. Afterwards each is again what it was, down to its
inode: a program that has it open, or a watch that follows it, finds the same file. So a second name is kept
for each, and a copy of what it holds.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

_SMALL = 1 << 16
_CHUNK = 1 << 20
_Signature = tuple[int, ...]


@dataclass(slots=True)
class _Kept:
    """One file, link or directory. `name` is its second name; `copy` what it holds, or None if on disk."""

    mode: int
    inode: int
    mtime: int
    signature: _Signature
    name: str = ""
    copy: bytes | None = None
    target: str = ""


class Keep:
    """Keeps folders as they are now; `store` is a new directory on the same file system."""

    def __init__(self, folders: Iterable[str], store: str) -> None:
        self._folders = [*folders]
        self._store = store
        os.mkdir(store, 0o700)
        self._kept = {path: self._keep(path, found) for path, found in self._walk()}

    def restore(self) -> list[str]:
        """Put everything back; what could not be."""
        failed: list[str] = []
        now = dict(self._walk())
        for path in sorted(now.keys() - self._kept.keys(), reverse=True):
            _remove(path)
        touched: set[str] = set()
        for path, kept in self._kept.items():
            found = now.get(path)
            if found is not None and _signature(found) == kept.signature:
                continue
            try:
                self._put_back(path, kept, found)
            except OSError as error:
                failed.append(f"{path}: {error.strerror}")
            touched.add(path)
        # Directories last: putting an entry back has changed the time of the one it lies in.
        for path in sorted(touched, reverse=True):
            kept = self._kept[path]
            with suppress(OSError):
                if not stat.S_ISLNK(kept.mode):
                    os.utime(path, ns=(kept.mtime, kept.mtime))
                kept.signature = _signature(os.lstat(path))
        return failed

    def remove(self) -> None:
        """Let go of second names and copies."""
        shutil.rmtree(self._store, ignore_errors=True)

    def _walk(self) -> Iterator[tuple[str, os.stat_result]]:
        """Everything in the folders, each directory before what is in it."""
        waiting = [folder for folder in self._folders if os.path.isdir(folder)]
        yield from ((folder, os.lstat(folder)) for folder in waiting)
        while waiting:
            try:
                entries = [*os.scandir(waiting.pop())]
            except OSError:
                continue
            for entry in entries:
                with suppress(FileNotFoundError):
                    found = entry.stat(follow_symlinks=False)
                    yield entry.path, found
                    if stat.S_ISDIR(found.st_mode):
                        waiting.append(entry.path)

    def _keep(self, path: str, found: os.stat_result) -> _Kept:
        kept = _Kept(found.st_mode, found.st_ino, found.st_mtime_ns, _signature(found))
        if stat.S_ISLNK(found.st_mode):
            kept.target = os.readlink(path)
        elif not stat.S_ISDIR(found.st_mode):
            name = f"{self._store}/{found.st_ino:x}"
            with suppress(OSError):  # another file system in the sandbox can't lend a name here
                if not os.path.lexists(name):
                    os.link(path, name, follow_symlinks=False)
                kept.name = name
            if stat.S_ISREG(found.st_mode):
                kept.copy = self._copy(path, found, f"{name}.copy")
            kept.signature = _signature(os.lstat(path))
        return kept

    def _copy(self, path: str, found: os.stat_result, name: str) -> bytes | None:
        with suppress(PermissionError):
            if found.st_size <= _SMALL:
                return _read(path)
            if not os.path.exists(name):
                shutil.copyfile(path, name)
        return None

    def _put_back(self, path: str, kept: _Kept, found: os.stat_result | None) -> None:
        if found is not None and (
            stat.S_IFMT(found.st_mode) != stat.S_IFMT(kept.mode)
            or (found.st_ino != kept.inode and not stat.S_ISDIR(kept.mode))
        ):
            _remove(path)
            found = None
        if stat.S_ISDIR(kept.mode):
            if found is None:
                os.mkdir(path)
        elif stat.S_ISLNK(kept.mode):
            if found is None or os.readlink(path) != kept.target:
                _remove(path)
                os.symlink(kept.target, path)
            return
        else:
            if found is None and kept.name:
                os.link(kept.name, path, follow_symlinks=False)
            if stat.S_ISREG(kept.mode):
                self._put_content_back(path, kept)
        os.chmod(path, stat.S_IMODE(kept.mode))

    def _put_content_back(self, path: str, kept: _Kept) -> None:
        """In place, so that the inode stays; and only where it differs, as a file may be long."""
        copy = f"{self._store}/{kept.inode:x}.copy"
        if kept.copy is None and not os.path.exists(copy):
            raise PermissionError(0, "it could not be read, so there is no copy of it")
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        if kept.copy is not None:
            if _read(path) != kept.copy:
                with open(path, "r+b") as file:
                    file.write(kept.copy)
                    file.truncate()
            return
        with open(copy, "rb") as source, open(path, "r+b") as file:
            while chunk := source.read(_CHUNK):
                if file.read(len(chunk)) != chunk:
                    file.seek(source.tell() - len(chunk))
                    file.write(chunk)
            file.truncate()


def _signature(found: os.stat_result) -> _Signature:
    """What differs after anything was done to a file. A directory's changes are told by what is in it."""
    if stat.S_ISDIR(found.st_mode):
        return (found.st_mode, found.st_mtime_ns)
    return (found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(FileNotFoundError):
            os.unlink(path)
