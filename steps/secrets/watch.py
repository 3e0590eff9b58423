"""What negative steps see of a secret: in files, in their names, and in what programs print."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from ...runner.changes import Change, Changes
from ...runner.changes.versions import AFTER, DURING
from ...runner.never import Breach, Journal, Watch
from ...runner.never.marks import Mark
from ...runner.programs.output import OutputWatch
from ...runner.sandbox import Sandbox
from .secret import Hit, Secret

_CHUNK = 1 << 20
_OVERLAP = 1 << 10  # the longest form in which a secret stands, spaced and broken into lines
_HELD = 32  # files: handles are few, and other watches want some too
BACK = 3  # lines that are looked at once more with what comes after them
_SHOWN = 5
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
Belongs = Callable[[Path], bool]


@dataclass(frozen=True)
class Sighting:
    """The secret in one place. Nothing of it is in here, so that it may be shown."""

    where: str
    form: str
    when: str = ""
    evidence: str = ""


@dataclass(frozen=True)
class _Read:
    """How far a file was read, and how many lines there were until then."""

    inode: int
    offset: int
    lines: int


class FileWatch(Watch[Sighting]):
    """Reads every file of the sandbox that is made or written to, as the kernel tells.

    What was added is read at once, and the whole file after the step. A file that holds what a Given has
    planted in it is left alone.
    """

    def __init__(
        self,
        changes: Changes,
        sandbox: Sandbox,
        secret: Secret,
        planted: Mapping[Path, bytes],
        belongs: Belongs | None = None,
    ) -> None:
        super().__init__(secret.title)
        self._changes, self._secret, self._planted = changes, secret, planted
        self._belongs = belongs or _any
        self._places = {
            sandbox.work: "", sandbox.root / "home": "~/", sandbox.root / "tmp": "$TMPDIR/",
        }  # fmt: skip
        self._known: dict[Path, _Read] = {}
        self._touched: set[Path] = set()
        self._held: dict[Path, int] = {}
        self._counted: set[Path] = set()
        self._unread: set[Path] = set()
        self._told: set[tuple[str, str]] = set()
        for place in self._places:
            changes.follow(place, self._changed, tree=True)
        self._signs = {} if changes.live else self._now()
        self.look()

    def look(self) -> None:
        with self._changes.settled():
            if not self._changes.live:
                now = self._now()
                self._touched |= {path for path, sign in now.items() if self._signs.get(path) != sign}
                for path in self._touched:
                    self._look_at_name(path, AFTER)
                self._signs = now
            for path in sorted(self._touched):
                self._known.pop(path, None)
                self._read_on(path, AFTER)
            self._touched.clear()
            self._count_moment()

    def mark(self) -> Mark:
        self._let_go()
        put_back = super().mark()

        def back() -> None:
            self._let_go()
            put_back()

        return back

    def close(self) -> None:
        self._changes.leave(self._changed)
        self._let_go()

    def _count_moment(self) -> None:
        self.count("moment" if self._changes.live else "isolated moment")

    def _changed(self, change: Change) -> None:
        path, what = change.path, change.what
        if what == "attributes" or not self._belongs(path):
            return
        if what in ("created", "appeared"):
            self._look_at_name(path, DURING)
            self._hold(path)
        if what == "gone":
            self._lose(path)
            return
        if not self._read_on(path, DURING) and what in ("written", "appeared"):
            self._miss(path)  # and where nothing was written there was nothing to read
        self._touched.add(path)
        if what == "closed":
            self._release(path)

    def _look_at_name(self, path: Path, when: str) -> None:
        hit = self._secret.find(os.fsencode(self._shown(path)))
        if hit is not None:
            self._note(f'the name of file "{self._named(path)}"', hit.form, when)

    def _hold(self, path: Path) -> None:
        """Keep a new file open: what is written to it can be read even if it is gone by then."""
        self._release(path)
        if len(self._held) < _HELD and (file := _open(path)) is not None:
            self._held[path] = file

    def _release(self, path: Path) -> None:
        if path in self._held:
            os.close(self._held.pop(path))

    def _let_go(self) -> None:
        for path in [*self._held]:
            self._release(path)

    def _lose(self, path: Path) -> None:
        """A name is no more: the end of what it stood for can be read where it was kept open."""
        if path in self._held:
            self._read_on(path, DURING)
            self._release(path)
        self._known.pop(path, None)
        self._touched.discard(path)

    def _read_on(self, path: Path, when: str) -> bool:
        """What is new in a file, all of it where it is another one than before or was cut; whether it could.

        Of a link, where it leads; a directory, pipe or socket has nothing to read.
        """
        held = self._held.get(path)
        try:
            file = _open(path) if held is None else held
            if file is None:
                return self._read_link(path, when)
            try:
                self._read(path, file, when)
            finally:
                if held is None:
                    os.close(file)
        except OSError:
            return False
        return True

    def _read_link(self, path: Path, when: str) -> bool:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode) and (hit := self._secret.find(os.fsencode(path.readlink()))) is not None:
            self._note(f'link "{self._named(path)}"', hit.form, when)
        return not stat.S_ISREG(mode)

    def _miss(self, path: Path) -> None:
        if path not in self._unread:
            self._unread.add(path)
            self.count("unread file")

    def _read(self, path: Path, file: int, when: str) -> None:
        known, found = self._known.get(path), os.fstat(file)
        if known is None or known.inode != found.st_ino or known.offset > found.st_size:
            known = _Read(found.st_ino, 0, 0)
        if path not in self._counted:
            self._counted.add(path)
            self.count("file")
        start = max(0, known.offset - _OVERLAP)
        lines = known.lines - os.pread(file, known.offset - start, start).count(b"\n")
        while data := os.pread(file, _CHUNK, start):
            hit = self._secret.find(data)
            if hit is not None and not self._is_planted(path, file):
                self._found(path, hit, lines + hit.line, when)
            end = start + len(data)
            step = len(data) if end >= found.st_size else len(data) - _OVERLAP
            lines += data.count(b"\n", 0, step)
            start += step
            if end >= found.st_size:
                break
        self._known[path] = _Read(found.st_ino, start, lines)

    def _is_planted(self, path: Path, file: int) -> bool:
        """Whether a file holds what a Given has put there, or is on its way to."""
        planted = self._planted.get(path)
        return planted is not None and planted.startswith(os.pread(file, len(planted) + 1, 0))

    def _found(self, path: Path, hit: Hit, line: int, when: str) -> None:
        self._note(f'file "{self._named(path)}"', hit.form, when, f"line {line}: {hit.text}")

    def _note(self, where: str, form: str, when: str, evidence: str = "") -> None:
        """Of each place once: what goes on to grow is read again and again."""
        if (where, form) not in self._told:
            self._told.add((where, form))
            self.record(Sighting(where, form, f" {when}", evidence))

    def _shown(self, path: Path) -> str:
        """As a goal or a program would call it."""
        place = next(one for one in self._places if path == one or one in path.parents)
        return f"{self._places[place]}{path.relative_to(place).as_posix()}"

    def _named(self, path: Path) -> str:
        return self._secret.conceal(self._shown(path))

    def _now(self) -> dict[Path, tuple[int, ...]]:
        """What tells that a file was changed, of every file."""
        found: dict[Path, tuple[int, ...]] = {}
        for place in self._places:
            for folder, folders, names in os.walk(place):
                for path in (Path(folder, name) for name in (*folders, *names)):
                    with suppress(OSError):
                        seen = path.lstat()
                        is_folder = stat.S_ISDIR(seen.st_mode)
                        changed = () if is_folder else (seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
                        if self._belongs(path):
                            found[path] = (seen.st_ino, *changed)
        return found


class LogWatch(FileWatch):
    """The files of logs alone, by patterns below the working directory; without any there is nothing."""

    def __init__(
        self, changes: Changes, sandbox: Sandbox, secret: Secret, patterns: Callable[[], Sequence[str]]
    ) -> None:
        self._work = sandbox.work
        self._ask, self._patterns = patterns, [*patterns()]
        super().__init__(changes, sandbox, secret, {}, self._is_log)

    def look(self) -> None:
        self._patterns = [*self._ask()]
        super().look()

    def _count_moment(self) -> None:
        there = {path for pattern in self._patterns for path in self._work.glob(pattern)}
        if there:
            self.inspected["log"] = max(len(there), self.inspected.get("log", 0))

    def _is_log(self, path: Path) -> bool:
        """The log itself, or a part of it that was rotated away: `x.log.1`."""
        if not path.is_relative_to(self._work):
            return False
        below = path.relative_to(self._work)
        name, _, number = below.name.rpartition(".")
        names = [below, *([below.with_name(name)] if name and number.isdecimal() else [])]
        return any(_is_like(one.parts, Path(pattern).parts) for one in names for pattern in self._patterns)


class PrintWatch(Watch[Sighting]):
    """All that programs print from arming on."""

    def __init__(self, secret: Secret, output: OutputWatch) -> None:
        super().__init__(secret.title)
        self._secret, self._output = secret, output

    def look(self) -> None:
        self._output.look()
        for printed in self._output.entries:
            hit = self._secret.find(printed.text.encode())
            if hit is not None:
                title = self._secret.conceal(printed.title)
                line = f"line {printed.line + hit.line - 1}: {hit.text}"
                self.record(Sighting(f"what {title} printed to {printed.stream}", hit.form, "", line))
        self._output.entries.clear()
        self.inspected.update(self._output.inspected)


class EverywhereWatch(Watch[Sighting]):
    """Files and output together."""

    def __init__(self, files: FileWatch, output: PrintWatch) -> None:
        super().__init__(files.subject)
        self._parts: list[FileWatch | PrintWatch] = [files, output]
        self.look()

    def look(self) -> None:
        for part in self._parts:
            part.look()
            self.entries += part.entries
            part.entries.clear()
            self.inspected.update(part.inspected)

    def close(self) -> None:
        for part in self._parts:
            part.close()


def never_seen(journal: Journal[Sighting]) -> list[Breach]:
    """Each place once, and of many the first."""
    first = {(one.where, one.form): one for one in reversed(journal.entries)}
    breaches = [
        Breach(f"{journal.subject} stood in {one.where}{one.when}, {one.form}", one.evidence)
        for one in [*first.values()][::-1]
    ]
    more = len(breaches) - _SHOWN
    return [*breaches[:_SHOWN], *([Breach(f"in {more} places more")] if more > 0 else [])]


def _open(path: Path) -> int | None:
    """A file to be read; None for what is none. A pipe is not even opened: its writer would notice."""
    with suppress(OSError):
        if stat.S_ISREG(path.lstat().st_mode):
            return os.open(path, _FLAGS)
    return None


def _is_like(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Part by part; `**` is any number of them."""
    if not pattern or not parts:
        return not parts and all(part == "**" for part in pattern)
    if pattern[0] == "**":
        return _is_like(parts, pattern[1:]) or _is_like(parts[1:], pattern)
    return fnmatchcase(parts[0], pattern[0]) and _is_like(parts[1:], pattern[1:])


def _any(_: Path) -> bool:
    return True
