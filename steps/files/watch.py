"""What negative steps see of files and directories."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import dropwhile
from pathlib import Path

from ...runner.changes import Change, Changes
from ...runner.changes.versions import AFTER, DURING, START, Version, VersionWatch
from ...runner.failure import StepFailed
from ...runner.never import Breach, Journal, Watch
from ...runner.sandbox import Sandbox

BRIEFLY = "during a step, and was gone after it"


class PresenceWatch(Watch[str]):
    """Whether there is anything by one name: when armed, after every step, and as the kernel tells."""

    def __init__(self, changes: Changes, path: Path, subject: str) -> None:
        super().__init__(subject)
        self._changes, self._path = changes, path
        self._there = self._came = False
        self._when = START
        changes.follow(path, self._changed)
        self.look()
        self._when = AFTER

    def look(self) -> None:
        with self._changes.settled():
            self.count("moment" if self._changes.live else "isolated moment")
            self._there = os.path.lexists(self._path)
            if self._there or self._came:
                self.record(self._when if self._there else BRIEFLY)
            self._came = False

    def close(self) -> None:
        self._changes.leave(self._changed)

    def _changed(self, change: Change) -> None:
        if change.what == "gone" and self._there:
            self._there = False
        else:
            self._came = True


def never_there(journal: Journal[str]) -> list[Breach]:
    return [Breach(f"{journal.subject} was there {when}") for when in dict.fromkeys(journal.entries)]


@dataclass(frozen=True)
class Seen:
    """One version of a file. `hit` is the line in which a forbidden text stands."""

    when: str
    content: bytes | None = None
    partial: bool = False
    hit: str = ""


class ContentWatch(VersionWatch[Seen]):
    """Every version of one file. With a text, only whether it is in there is kept of each."""

    def __init__(self, changes: Changes, path: Path, name: str, text: str | None = None) -> None:
        self._text = None if text is None else text.encode()
        super().__init__(changes, path, f'file "{name}"')

    def told(self, version: Version) -> None:
        if self._text is None:
            self.record(Seen(version.when, version.content, version.partial))
        elif version.content is not None and self._text in version.content:
            self.record(Seen(version.when, hit=_line(version.content, self._text)))


def never_contains(journal: Journal[Seen]) -> list[Breach]:
    hits = {seen.hit: seen for seen in reversed(journal.entries) if seen.hit}
    return [
        Breach(f"{journal.subject} contained it {seen.when}", seen.hit) for seen in [*hits.values()][::-1]
    ]


def never_changes(journal: Journal[Seen]) -> list[Breach]:
    first, *later = journal.entries
    for seen in later:
        if seen.partial:
            return [Breach(f"{journal.subject} was written to {seen.when}")]
        if seen.content != first.content:
            problem = "was gone" if seen.content is None else "had changed"
            return [Breach(f"{journal.subject} {problem} {seen.when}")]
    return []


def never_gone(journal: Journal[Seen]) -> list[Breach]:
    since = dropwhile(lambda seen: seen.content is None, journal.entries)
    gone = [seen for seen in since if seen.content is None and not seen.partial]
    return [Breach(f"{journal.subject} was gone {gone[0].when}")] if gone else []


@dataclass(frozen=True)
class Stir:
    """Something that happened in a tree."""

    name: str
    what: str
    when: str


class TreeWatch(Watch[Stir]):
    """All that happens in a directory and below it; of names like a pattern only where there is one."""

    def __init__(self, changes: Changes, path: Path, name: str, pattern: str = "") -> None:
        super().__init__(f'directory "{name}"')
        if not pattern and not path.is_dir():
            raise StepFailed(f'directory "{name}" is not there, so that it can\'t be seen to stay as it is')
        self._changes, self._path, self._pattern = changes, path, pattern
        self._when = START
        changes.follow(path, self._changed, tree=True)
        self._known = {} if pattern else _signatures(path)
        self.look()
        self._when = AFTER

    def look(self) -> None:
        with self._changes.settled():
            if self._path.is_dir():
                self.count("moment" if self._changes.live else "isolated moment")
            if self._pattern:
                for name in _signatures(self._path):
                    self._note(name, "there", self._when)
            elif not self._changes.live:
                now = _signatures(self._path)
                for name in sorted(dict(now.items() ^ self._known.items())):
                    self._note(name, "changed", self._when)
                self._known = now

    def close(self) -> None:
        self._changes.leave(self._changed)

    def _changed(self, change: Change) -> None:
        if change.what in ("created", "appeared", "written", "gone"):
            self._note(change.path.relative_to(self._path).as_posix(), change.what, DURING)

    def _note(self, name: str, what: str, when: str) -> None:
        if not self._pattern or _is_like(name, self._pattern):
            self.record(Stir(name, what, when))


class OutsideWatch(Watch[Stir]):
    """All that happens in the directories of a sandbox, but for one of them and the way to it."""

    def __init__(self, changes: Changes, sandbox: Sandbox, allowed: Path, name: str) -> None:
        super().__init__(f'directory "{name}"')
        self._changes, self._allowed = changes, allowed
        self._places = {
            sandbox.work: "",
            sandbox.root / "home": "~/",
            sandbox.root / "tmp": "$TMPDIR/",
            sandbox.root / "run": "$XDG_RUNTIME_DIR/",
        }
        for place in self._places:
            changes.follow(place, self._changed, tree=True)
        self._known = {} if changes.live else self._now()
        self.look()

    def look(self) -> None:
        with self._changes.settled():
            self.count("moment" if self._changes.live else "isolated moment")
            if not self._changes.live:
                now = self._now()
                for path in sorted(dict(now.items() ^ self._known.items())):
                    self._note(path, "changed", AFTER)
                self._known = now

    def close(self) -> None:
        self._changes.leave(self._changed)

    def _now(self) -> dict[Path, tuple[int, ...]]:
        return {place / name: sign for place in self._places for name, sign in _signatures(place).items()}

    def _changed(self, change: Change) -> None:
        if change.what in ("created", "appeared", "written", "gone"):
            self._note(change.path, change.what, DURING)

    def _note(self, path: Path, what: str, when: str) -> None:
        is_inside = path == self._allowed or self._allowed in path.parents
        is_way = path in self._allowed.parents and what != "gone"
        if not is_inside and not is_way:
            self.record(Stir(self._shown(path), what, when))

    def _shown(self, path: Path) -> str:
        """As a goal or a program would call it."""
        place = next(one for one in self._places if path == one or one in path.parents)
        return f"{self._places[place]}{path.relative_to(place).as_posix()}"


def nothing_outside(journal: Journal[Stir]) -> list[Breach]:
    return _stirred(journal, f"something was written outside {journal.subject}")


def tree_never_changes(journal: Journal[Stir]) -> list[Breach]:
    return _stirred(journal, f"{journal.subject} changed")


def _stirred(journal: Journal[Stir], message: str) -> list[Breach]:
    """One breach for all that stirred, with the first of it."""
    stirs = {stir.name: stir for stir in reversed(journal.entries)}
    first = [*stirs.values()][::-1][:8]
    lines = "\n".join(f"{stir.name}: {stir.what} {stir.when}" for stir in first)
    more = f"\nand {len(stirs) - 8} more" if len(stirs) > 8 else ""
    return [Breach(message, lines + more)] if stirs else []


def tree_never_has(journal: Journal[Stir]) -> list[Breach]:
    stirs = {stir.name: stir for stir in reversed(journal.entries)}
    return [Breach(f"{journal.subject} had {stir.name} {stir.when}") for stir in [*stirs.values()][::-1][:8]]


def _is_like(name: str, pattern: str) -> bool:
    """By the whole path below the directory where the pattern has a slash, else by the last name."""
    return fnmatchcase(name if "/" in pattern else name.rpartition("/")[2], pattern)


def _signatures(directory: Path) -> dict[str, tuple[int, ...]]:
    return dict(_signed(directory, ""))


def _signed(directory: Path, above: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    try:
        entries = [*os.scandir(directory)]
    except OSError:
        return
    for entry in entries:
        try:
            found = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        yield f"{above}{entry.name}", (found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns)
        if entry.is_dir(follow_symlinks=False):
            yield from _signed(Path(entry.path), f"{above}{entry.name}/")


def _line(content: bytes, text: bytes) -> str:
    """The lines in which a text stands first, numbered."""
    at = content.index(text)
    start, end = content.rfind(b"\n", 0, at) + 1, content.find(b"\n", at + len(text))
    found = content[start : end if end >= 0 else len(content)].decode("utf-8", errors="replace")
    number = content.count(b"\n", 0, start) + 1
    return "\n".join(f"line {number + index}: {line}" for index, line in enumerate(found.split("\n")))
