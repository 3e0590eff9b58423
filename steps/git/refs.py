"""Branches and tags as git keeps them in files, and what became of one between two looks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...runner.failure import StepFailed

How = Literal["moved", "appeared", "deleted", "undone", "recreated", "came and went", "unseen", "rewritten"]
_ZERO = "0" * 40


@dataclass(frozen=True)
class Ref:
    """The commit (or tag object) that a name stands for; `loose` if it has a file of its own."""

    commit: str
    loose: bool


@dataclass(frozen=True)
class Signs:
    """What was seen to happen to the files of one name. `blind` where its directory was not watched.

    `by_hand` is how often `packed-refs` was written in another way than git's, which moves no name by that.
    """

    written: int = 0
    removed: int = 0
    packed: bool = False
    blind: bool = False
    by_hand: int = 0


@dataclass(frozen=True)
class Move:
    """One line of a reflog."""

    old: str | None
    new: str | None
    message: str

    def __str__(self) -> str:
        return f"{short(self.old)} -> {short(self.new)}  {self.message}"


@dataclass(frozen=True)
class Change:
    """What became of one name. `log` has the reflog's lines of that time, as far as there are any left.

    `seen` are values that somebody read while they stood there, in their order. `hidden` says that there may
    have been others, of which nothing tells.
    """

    name: str
    how: How
    old: str | None
    new: str | None
    log: tuple[Move, ...] = ()
    seen: tuple[str, ...] = ()
    hidden: bool = False

    def __str__(self) -> str:
        if self.name.endswith("/"):
            return f"something may have come and gone in {self.name}"
        title, old, new = describe(self.name), short(self.old), short(self.new)
        return {
            "moved": f"{title} moved from {old} to {new}",
            "appeared": f"{title} appeared, at {new}",
            "deleted": f"{title} was deleted; it was at {old}",
            "undone": f"{title} moved away from {old} and back",
            "recreated": f"{title} was deleted and made again, at {old}",
            "came and went": f"{title} appeared and was deleted again",
            "unseen": f"{title} may have moved: its directory was made anew while one step ran",
            "rewritten": f"{title} may have moved: packed-refs was rewritten by hand",
        }[self.how]

    @property
    def values(self) -> tuple[str, ...]:
        """All that the name is known to have stood for."""
        told = (value for move in self.log for value in (move.old, move.new))
        known = (self.old, *told, *self.seen, self.new)
        return tuple(dict.fromkeys(value for value in known if value is not None))

    @property
    def evidence(self) -> str:
        return "\n".join(["reflog:", *(f"  {move}" for move in self.log)]) if self.log else ""


def compare(
    name: str,
    old: Ref | None,
    new: Ref | None,
    signs: Signs,
    log: tuple[Move, ...],
    seen: tuple[str, ...] = (),
) -> Change | None:
    """What became of a name between two looks, from its two values and all that was seen to happen.

    Git does not write a ref that has the wanted value already, so two writes mean that it was away and came
    back. `git pack-refs` removes the file of a ref without a write: that alone is no change. A name that was
    written although it was there, at the same value, has been deleted in between.
    """
    before, after = old.commit if old else None, new.commit if new else None
    is_packed = not (old and old.loose and new and new.loose)
    how: How | None = None
    if before != after:
        how = "moved" if before and after else "appeared" if after else "deleted"
    elif before is None and (signs.written or signs.removed):
        how = "came and went"
    elif before is not None and (signs.written > 1 or any(move.new != before for move in log)):
        how = "undone"
    elif signs.written and (signs.removed or (signs.packed and old and not old.loose)):
        how = "recreated"
    elif signs.blind:
        how = "unseen"
    elif signs.by_hand > 1 and is_packed:
        how = "rewritten"
    if how is None:
        return None
    return Change(name, how, before, after, log, seen, _is_hidden(after, signs, is_packed, log, seen))


def _is_hidden(
    after: str | None, signs: Signs, is_packed: bool, log: tuple[Move, ...], seen: tuple[str, ...]
) -> bool:
    """Whether a name was written more often than there are values known of it; the last is the one it has."""
    last = 1 if after is not None and signs.written else 0
    unknown = signs.written - last > max(len(log), len(seen) - last)
    return unknown or signs.blind or (signs.by_hand > 1 and is_packed)


def read(common: Path) -> dict[str, Ref]:
    """All refs by their full names; symbolic ones have the value of what they point to."""
    found = {name: Ref(commit, False) for name, commit in _packed(common).items()}
    symbolic: dict[str, str] = {}
    for folder, names in walk(common):
        for name in names:
            if name.endswith(".lock") or name.startswith("."):
                continue
            full = f"{folder}/{name}"
            text = _line(f"{common}/{full}")
            if text.startswith("ref: "):
                symbolic[full] = text.removeprefix("ref: ").strip()
            elif text:
                found[full] = Ref(text, True)
    for name, target in symbolic.items():
        if target in found:
            found[name] = Ref(found[target].commit, True)
    return found


def walk(common: Path) -> Iterator[tuple[str, list[str]]]:
    """The directories of refs and the files in them, by names that begin with `refs`."""
    waiting = ["refs"]
    while waiting:
        folder = waiting.pop()
        files: list[str] = []
        try:
            with os.scandir(f"{common}/{folder}") as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(f"{folder}/{entry.name}")
                    else:
                        files.append(entry.name)
        except OSError:
            continue
        yield folder, files


def reflog(common: Path, name: str) -> tuple[str, ...]:
    """The lines of a ref's reflog, oldest first."""
    try:
        text = (common / "logs" / name).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    return tuple(text.splitlines())


def added(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[Move, ...]:
    """The lines that a reflog has more than before; where it was rewritten, those that it did not have."""
    if after[: len(before)] == before:
        lines = after[len(before) :]
    else:
        lines = tuple(line for line in after if line not in before)
    return tuple(_move(line) for line in lines if line)


def git_directory(path: Path) -> Path:
    """Where git keeps what it knows of a working tree: its own, or that of a bare repository."""
    inner = path / ".git"
    if inner.is_file():
        return path / _line(inner).removeprefix("gitdir: ")
    return inner if inner.is_dir() else path


def common_directory(path: Path) -> Path | None:
    """Where a repository, a linked worktree or a bare repository keeps its refs; None if it is neither."""
    inner = git_directory(path)
    if not (inner / "HEAD").exists() and not (inner / "HEAD").is_symlink():
        return None
    shared = _line(inner / "commondir")
    common = inner / shared if shared else inner
    return common if (common / "objects").is_dir() else None


def full_name(branch: str, refs: Mapping[str, object]) -> str:
    """A branch of the repository itself, else one that it knows of a remote."""
    own, remote = f"refs/heads/{branch}", f"refs/remotes/{branch}"
    return remote if own not in refs and remote in refs else own


def describe(name: str) -> str:
    for prefix, title in (("refs/heads/", "branch"), ("refs/remotes/", "branch"), ("refs/tags/", "tag")):
        if name.startswith(prefix):
            return f'{title} "{name.removeprefix(prefix)}"'
    return name


def short(commit: str | None) -> str:
    return commit[:10] if commit else "nothing"


def _packed(common: Path) -> dict[str, str]:
    try:
        text = (common / "packed-refs").read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StepFailed(f"the branches can't be read: {error.strerror}") from error
    pairs = (line.partition(" ") for line in text.splitlines() if line[:1] not in ("#", "^", ""))
    return {name: commit for commit, _, name in pairs}


def _line(path: Path | str) -> str:
    try:
        # Path.read_text takes twice as long, and there may be hundreds.
        with open(path, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
            return file.read().strip()
    except OSError:
        return ""


def _move(line: str) -> Move:
    head, _, message = line.partition("\t")
    old, new, *_ = [*head.split(" "), "", ""]
    return Move(None if old == _ZERO else old, None if new == _ZERO else new, message)
