"""What negative steps see of a state: each version of its document, and what was found in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import dropwhile
from pathlib import Path
from typing import Any

from ...runner import documents
from ...runner.changes import Change, Changes
from ...runner.changes.versions import AFTER, DURING, START, Version, Versions
from ...runner.never import Breach, Journal, Watch
from ...runner.never.marks import Mark
from ...runner.values import Rows, alike, find, finds_many, is_there, pairs, same, shown
from .states import States, form_of


@dataclass(frozen=True)
class Asked:
    """What a negative step asks of every version."""

    title: str
    path: str = ""
    expected: str = ""
    rows: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Reading:
    """One version of one file. `error` says why it is no document, `content` is what it held then."""

    asked: Asked
    file: Path
    when: str
    there: bool = True
    partial: bool = False
    document: Any = None
    error: str = ""
    content: str = ""
    violations: tuple[str, ...] = ()

    @property
    def is_document(self) -> bool:
        return self.there and not self.error and not self.partial

    @property
    def is_gone(self) -> bool:
        return not self.there and not self.partial

    @property
    def has_value(self) -> bool:
        return self.is_document and is_there(self.document, self.asked.path)


class StateWatch(Watch[Reading]):
    """Reads every version of a state's files, of those too that come to be later."""

    unit = "version"

    def __init__(self, states: States, changes: Changes, name: str, asked: Asked) -> None:
        super().__init__(asked.title)
        if asked.path:
            finds_many(asked.path)  # tells a malformed path before anything runs
        self._states, self._changes, self._name, self._asked = states, changes, name, asked
        self._versions: dict[Path, Versions] = {}
        self._when = START
        folder = states.folder(states.find(name))
        if folder is not None:
            changes.follow(folder, self._later, tree=True)
        self.look()
        self._when = AFTER

    def look(self) -> None:
        with self._changes.settled():
            self._bind()
            for versions in self._versions.values():
                versions.look(self._when)
            unread = sum(versions.unread for versions in self._versions.values())
            if unread and self.inspected:
                self.inspected["unread version"] = unread

    def mark(self) -> Mark:
        put_back, known = super().mark(), {*self._versions}

        def back() -> None:
            for path in self._versions.keys() - known:
                self._versions[path].close()
            put_back()

        return back

    def close(self) -> None:
        for versions in self._versions.values():
            versions.close()
        self._changes.leave(self._later)

    def tells(self, reading: Reading) -> bool:
        """Whether this is something to look at: a check over none of these proves nothing."""
        return reading.is_document

    def _bind(self) -> None:
        artifact = self._states.find(self._name)
        known = self._states.folder(artifact) is None
        for path in artifact.paths or ([self._states.place(artifact)] if known else []):
            if path not in self._versions:
                self._versions[path] = Versions(self._changes, path, self._told)

    def _later(self, _: Change) -> None:
        """Something has changed where files of this state may come to be."""
        known = {*self._versions}
        self._bind()
        for path in self._versions.keys() - known:
            self._versions[path].look(DURING)

    def _told(self, version: Version) -> None:
        reading = self._reading(version)
        if self.tells(reading):
            self.count(self.unit if self._changes.live else f"isolated {self.unit}")
        self.record(reading)

    def _reading(self, version: Version) -> Reading:
        asked, path, when = self._asked, version.path, version.when
        if version.content is None:
            return Reading(asked, path, when, there=False, partial=version.partial)
        artifact = self._states.find(self._name)
        text = version.content.decode("utf-8", errors="replace")
        try:
            document = _parsed(version.content, form_of(artifact, path))
        except documents.Unreadable as error:
            return Reading(asked, path, when, partial=version.partial, error=str(error), content=text)
        wrong = documents.violations(document, artifact.schema) if artifact.schema is not None else []
        return Reading(asked, path, when, True, version.partial, document, violations=tuple(wrong))


@lru_cache(maxsize=32)
def _parsed(content: bytes, form: str) -> Any:
    """A document that many watches read, and none changes: YAML takes a millisecond for each."""
    return documents.parse(content, form)


class ValueWatch(StateWatch):
    """Counts the values that were found: a path that finds none has looked at nothing."""

    unit = "value"

    def tells(self, reading: Reading) -> bool:
        return reading.has_value


class MomentWatch(StateWatch):
    """Counts the looks, for steps that are content where there is no state at all."""

    def look(self) -> None:
        super().look()
        self.count("moment" if self._changes.live else "isolated moment")

    def tells(self, _: Reading) -> bool:
        return False


def table(rows: Rows) -> tuple[tuple[str, str], ...]:
    """The rows of a step, checked before anything runs."""
    asked = pairs(rows)
    for path, _ in asked:
        finds_many(path)
    return tuple(asked)


def never_there(journal: Journal[Reading]) -> list[Breach]:
    found = [r for r in journal.entries if r.there or r.partial]
    return [Breach(f"{journal.subject} was there {found[0].when}")] if found else []


def never_gone(journal: Journal[Reading]) -> list[Breach]:
    for readings in _files(journal).values():
        seen = [*dropwhile(lambda r: not r.there, readings)]
        gone = [r for r in seen if r.is_gone]
        if gone:
            return [Breach(f"{journal.subject} was gone {gone[0].when}")]
    return []


def never_half_written(journal: Journal[Reading]) -> list[Breach]:
    unreadable = [r for r in journal.entries if r.error]
    breaches = [
        Breach(f"{journal.subject} could not be read {r.when}: {r.error}", _part(r)) for r in unreadable[:1]
    ]
    if any(r.partial for r in journal.entries):
        advice = "a reader may find a part of it: it should be written elsewhere and moved here"
        breaches.append(Breach(f"{journal.subject} was written in place", advice))
    return breaches


def never_unreadable(journal: Journal[Reading]) -> list[Breach]:
    return [*never_half_written(journal), *never_gone(journal)]


def never_has(journal: Journal[Reading]) -> list[Breach]:
    """The rows hold together, in one version."""
    found = [r for r in _documents(journal) if all(_is_alike(r.document, *row) for row in r.asked.rows)]
    rows = "\n".join(
        f"{path}: {shown(find(r.document, path))}" for r in found[:1] for path, _ in r.asked.rows
    )
    return [
        *_blind(journal),
        *(Breach(f"{journal.subject} had these values {r.when}", rows) for r in found[:1]),
    ]


def never_is(journal: Journal[Reading]) -> list[Breach]:
    found = (r for r in _documents(journal) if _is_alike(r.document, r.asked.path, r.asked.expected))
    return [*_blind(journal), *(Breach(f"{_value(r)} was {_found(r)} {r.when}") for r in [*found][:1])]


def value_never_there(journal: Journal[Reading]) -> list[Breach]:
    found = [r for r in journal.entries if r.has_value]
    return [*_blind(journal), *(Breach(f"{_value(r)} was there {r.when}: {_found(r)}") for r in found[:1])]


def never_changes(journal: Journal[Reading]) -> list[Breach]:
    for first, later in _compared(journal):
        if not later.there:
            return [*_blind(journal), Breach(f"{journal.subject} was gone {later.when}")]
        if not same(first.document, later.document):
            evidence = f"was {shown(first.document)}\nis  {shown(later.document)}"
            return [*_blind(journal), Breach(f"{journal.subject} had changed {later.when}", evidence)]
    return _blind(journal)


def value_never_changes(journal: Journal[Reading]) -> list[Breach]:
    for first, later in _compared(journal):
        found = _found(later) if later.has_value else "gone"
        if found == "gone" or not same(_get(first), _get(later)):
            message = f"{_value(later)} was {found} {later.when}; it had been {_found(first)}"
            return [*_blind(journal), Breach(message)]
    return _blind(journal)


def value_never_decreases(journal: Journal[Reading]) -> list[Breach]:
    for readings in _files(journal).values():
        known: Reading | None = None
        for r in (r for r in readings if r.has_value):
            if isinstance(_get(r), bool) or not isinstance(_get(r), int | float):
                return [Breach(f"{_value(r)} was no number {r.when}: {_found(r)}")]
            if known is not None and _get(r) < _get(known):
                message = f"{_value(r)} went back from {_found(known)} to {_found(r)} {r.when}"
                return [*_blind(journal), Breach(message)]
            known = r
    return _blind(journal)


def _files(journal: Journal[Reading]) -> dict[Path, list[Reading]]:
    files: dict[Path, list[Reading]] = {}
    for reading in journal.entries:
        files.setdefault(reading.file, []).append(reading)
    return files


def _compared(journal: Journal[Reading]) -> Iterator[tuple[Reading, Reading]]:
    """Of each file the first reading that has what the step speaks of, with each that came after it."""
    for readings in _files(journal).values():
        settled = [r for r in readings if r.is_document or r.is_gone]
        has = [r.has_value if r.asked.path else r.is_document for r in settled]
        if True in has:
            start = has.index(True)
            yield from ((settled[start], later) for later in settled[start + 1 :])


def _documents(journal: Journal[Reading]) -> list[Reading]:
    return [r for r in journal.entries if r.is_document]


def _blind(journal: Journal[Reading]) -> list[Breach]:
    """What keeps a check from judging: a state that can't be read at the end, or is not what it should be."""
    breaches = [
        Breach(f"{journal.subject} could not be read at the end: {readings[-1].error}", _part(readings[-1]))
        for readings in _files(journal).values()
        if readings[-1].error
    ]
    wrong = [r for r in _documents(journal) if r.violations][:1]
    text = "does not satisfy its schema"
    return breaches + [Breach(f"{journal.subject} {text} {r.when}", "\n".join(r.violations)) for r in wrong]


def _is_alike(document: Any, path: str, text: str) -> bool:
    """In either reading of the text; of a path that finds many, any one of them counts as well."""
    try:
        found = find(document, path)
    except LookupError:
        return False
    return alike(found, text) or (finds_many(path) and any(alike(one, text) for one in found))


def _get(reading: Reading) -> Any:
    return find(reading.document, reading.asked.path)


def _found(reading: Reading) -> str:
    return shown(_get(reading))


def _value(reading: Reading) -> str:
    return f'value "{reading.asked.path}" of {reading.asked.title}'


def _part(reading: Reading) -> str:
    """The end of what was there: where it is cut off."""
    lines = reading.content[-400:].splitlines()
    return "\n".join(f"| {line}" for line in lines[-6:]) or "| (nothing)"
