"""A log while a step reads it: its lines, the events that they record, and whether they are valid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import NoReturn, TypeVar

from ...runner.artifacts import Artifact, Artifacts
from ...runner.changes import Changes
from ...runner.evidence import Evidence
from ...runner.failure import StepFailed
from ...runner.never.marks import Mark, mark
from ...runner.problem import did_you_mean
from ...runner.sandbox import Sandbox
from ...runner.wait import until
from .follow import Followed
from .line import Entry, Line, parse, parse_line, suspects
from .schema import Schema, compiled
from .search import Phrase, expression, one_line
from .tail import Block, Source, Tail

T = TypeVar("T")

# How many bytes of lines that no step has checked yet one step checks, besides those that it looks for.
BUDGET = 8 << 20
_PATIENCE = 1.0  # for a line that is just being written, where a step would not wait otherwise
_SUFFIXES = (".jsonl", ".ndjson", ".jsonlines")
_NAMES = 20_000
_SHOWN = 12


class BadLine(StepFailed):
    """A line that is not as the lines of its log should be."""


def _refuse(bad: BadLine) -> NoReturn:
    raise bad


class Logs:
    """The logs of one scenario. Remembers how far each file was checked, so that no line is checked twice."""

    def __init__(self, artifacts: Artifacts, sandbox: Sandbox, evidence: Evidence) -> None:
        self._artifacts = artifacts
        self.work = sandbox.work
        self.evidence = evidence
        self.checked: dict[Source, int] = {}

    def open(self, name: str, *, budget: float = BUDGET, changes: Changes | None = None) -> Log:
        """With changes, to be read as it is written."""
        return Log(self, name, budget, changes)

    def whole(self, name: str, *, budget: float = BUDGET) -> Log:
        """To be read once, to the very end."""
        log = Log(self, name, budget)
        log.end()
        return log

    def mark(self) -> Mark:
        return mark(self)

    def find(self, name: str) -> Artifact:
        return self._artifacts.find("log", name)

    def shown(self, path: Path) -> str:
        """As a goal would call it: relative to the working directory."""
        return str(path.relative_to(self.work) if path.is_relative_to(self.work) else path)


class Log:
    """One log, for the time of one step or watch. Each reading goes on where the one before ended.

    `on_bad` is told of each line that is not valid; unless it is replaced, the first of them is an error.
    """

    def __init__(self, logs: Logs, name: str, budget: float, changes: Changes | None = None) -> None:
        self._logs = logs
        self._name = name
        self._artifact = logs.find(name)
        self._schema: Schema | None = None
        self._budget = budget
        self._is_json: bool | None = None
        self._is_last = False
        self._tail = (
            Tail(lambda: self._find().paths, logs.shown)
            if changes is None
            else Followed(name, self._find, logs.shown, logs.work, changes)
        )
        self.title = self._artifact.title
        self.on_bad: Callable[[BadLine], None] = _refuse
        self.lines_read = self.lines_checked = 0

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        facts = {"log": self.title, "lines": self.lines_read, "checked": self.lines_checked}
        self._logs.evidence.observe("log", "ok" if error is None else "failed", **facts)

    def mark(self) -> Mark:
        return mark(self)

    def close(self) -> None:
        self._tail.close()

    @property
    def is_followed(self) -> bool:
        """Whether it is read as it is written; else only when it is asked."""
        return isinstance(self._tail, Followed) and self._tail.live

    @property
    def lost(self) -> list[str]:
        """What was cut off or overwritten since the last reading, so that nobody knows what was there."""
        return self._tail.lost

    def entries(self, *events: str) -> Iterator[Entry]:
        """The new lines that record one of these events; without events, all new lines."""
        phrase = Phrase(events, quoted=True)
        for block in self._blocks(events=True):
            for line in phrase.candidates(block) if events else block.lines():
                entry, _ = self._entry(line)
                if entry is not None and (not events or entry.event in events):
                    yield entry

    def holding(self, text: str) -> Iterator[Line]:
        """The new lines in which a text stands; in the one at the end even while it is being written."""
        phrase = Phrase([one_line(text)])
        unfinished = [] if self._is_last else self._tail.rests()
        for block in (*self._blocks(), *unfinished):
            for line in phrase.candidates(block, escaped=bool(self._is_json)):
                if phrase.is_in(line):
                    yield line

    def matching(self, pattern: str) -> Iterator[Line]:
        """The new lines in which a regular expression matches."""
        search = expression(pattern).search
        for block in self._blocks():
            yield from (line for line in block.lines() if search(line.text))

    def added(self) -> Iterator[Line]:
        """All new lines, whatever they hold, and what there is of the next one."""
        blocks = [self._tail.blocks(), iter(self._tail.rests())]
        for block in chain.from_iterable(blocks):
            self.lines_read += block.count
            yield from block.lines()

    def validate(self) -> None:
        """Check what is new, as far as the budget goes, and do no more."""
        for _ in self._blocks(events=True):
            pass

    def count(self) -> int:
        """How many lines there are, as `wc` counts them, and one more for an unfinished one at the end."""
        for _ in self._blocks():
            pass
        return self.lines_read

    def skip(self, *, everything: bool = False) -> int:
        """Leave out what is there already; how many lines that is.

        A line of JSON that is half written belongs to what comes, as it is recorded when it is whole; unless
        `everything` is left out.
        """

        def is_whole(rest: Block) -> bool:
            return everything or not _is_json(self._artifact, rest.data) or _parses(rest.data)

        return self._tail.skip(is_whole)

    def wait(self, look: Callable[[], T | None], limit: float) -> T | None:
        """What `look` finds in the new lines, within so many seconds."""
        found = until(look, limit)
        if found is None:
            self.end()
            found = look()
        return found

    def end(self) -> None:
        """Read the line at the end from now on, though it has no newline; give it time to get one first."""
        if self._is_torn():
            until(lambda: None if self._is_torn() else True, _PATIENCE)
        self._is_last = True

    def resume(self) -> None:
        """Leave the line at the end alone again until it is finished."""
        self._is_last = False

    def require(self, least: int = 1) -> None:
        """Fail where the log is not there, or has fewer lines than can be spoken of."""
        if self.lines_read >= max(least, 1):
            return
        artifact = self._logs.find(self._name)
        if not artifact.paths and not self.lines_read:
            raise artifact.absence()
        if self.lines_read < least:
            raise StepFailed(f"{self.title} is empty")

    def absence(self, event: str) -> StepFailed:
        """That an event is not there, and what is there instead."""
        self.require()
        with closing(Log(self._logs, self._name, 0)) as again:
            again.on_bad = lambda _: None
            names = Counter(entry.event for entry in islice(again.entries(), _NAMES) if entry.event)
        shown = [name if count == 1 else f"{name} ×{count}" for name, count in names.items()]
        more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        there = f"it records {', '.join(shown[:_SHOWN])}{more}" if shown else "no line of it names an event"
        message = f'{self.title} does not record "{event}".{did_you_mean(event, names)}'
        return StepFailed(message, notes=[there, *self.notes()])

    def notes(self) -> list[str]:
        """How much was read, and what could not be."""
        files = [*dict.fromkeys(part.name for part in self._tail.parts)]
        named = ", ".join(files[:4]) + (f" and {len(files) - 4} more" if len(files) > 4 else "")
        lines = f"{self.lines_read} line{'' if self.lines_read == 1 else 's'}"
        return [f"looked at {lines} in {named}", *(f"{lost}: lines may be missing" for lost in self.lost)]

    def ending(self) -> list[str]:
        """The last lines, as a note under a failure."""
        return [f"  | {line.strip()}" for line in self._tail.ending().splitlines()]

    def _find(self) -> Artifact:
        self._artifact = self._logs.find(self._name)
        if self._schema is None and self._artifact.schema is not None:
            self._schema = compiled(self._artifact.schema)
        return self._artifact

    def _blocks(self, *, events: bool = False) -> Iterator[Block]:
        """What is new, checked. For the sake of events a line must be JSON even where there is no schema."""
        blocks = self._tail.blocks()
        while (block := next(blocks, None)) is not None:
            yield self._taken(block, events)
        for rest in self._tail.rests() if self._is_last else ():
            yield self._taken(rest, events)

    def _taken(self, block: Block, events: bool) -> Block:
        self.lines_read += block.count
        if self._is_json is None:
            self._is_json = _is_json(self._artifact, next((line.raw for line in block.lines()), b""))
        if events and not self._is_json:
            raise StepFailed(
                f"{self.title} is plain text, so it records no events",
                notes=[f"  {line}" for line in islice(block.lines(), 1)]
                + [f'say what it holds: {self.title} contains "…"'],
            )
        if self._is_json and (events or self._schema is not None):
            self._check(block)
        return block

    def _check(self, block: Block) -> None:
        """Hold the lines that nobody has checked against JSON and the schema, as far as the budget goes."""
        done = self._logs.checked.get(block.source, 0)
        start = max(0, done - block.offset)
        if start >= len(block.data) or self._budget <= 0:
            return
        self._budget -= len(block.data) - start
        first = block.first + block.data.count(b"\n", 0, start)
        is_good = True
        accepts = self._schema.accepts if self._schema is not None else None
        for number, raw in suspects(block.data[start:], accepts):
            is_good = self._entry(Line(block.file, first + number, raw))[1] and is_good
        self.lines_checked += block.count - first + block.first
        if is_good and done >= block.offset and block.data.endswith(b"\n"):
            self._logs.checked[block.source] = block.offset + len(block.data)

    def _entry(self, line: Line) -> tuple[Entry | None, bool]:
        """The line parsed, and whether it is valid, if `on_bad` did not mind; it records its event anyway."""
        schema = self._schema
        try:
            entry = parse_line(line, self._artifact.event)
        except ValueError as error:
            self.on_bad(BadLine(f"{self.title} has a line that is no JSON: {error}", notes=[f"  {line}"]))
            return None, False
        if schema is not None and not schema.accepts(entry.value) and (why := schema.complaint(entry.value)):
            message = f"{self.title} has a line that its schema does not allow: {why}"
            self.on_bad(BadLine(message, notes=[f"  {line}"]))
            return entry, False
        return entry, True

    def _is_torn(self) -> bool:
        """Whether a line at the end is not finished: without a newline, and no JSON where it should be."""
        lines = self._tail.unfinished()
        return any(_is_json(self._artifact, line) and not _parses(line) for line in lines)


def _is_json(artifact: Artifact, line: bytes) -> bool:
    """By what the log's profile says, else by the names of its files, else by a line of it."""
    if artifact.format:
        return artifact.format in ("jsonl", "ndjson", "json")
    names = [path.name for path in artifact.paths]
    if artifact.schema is not None or (names and all(name.endswith(_SUFFIXES) for name in names)):
        return True
    return line.lstrip(b"\xef\xbb\xbf \t").startswith(b"{")


def _parses(data: bytes) -> bool:
    try:
        parse(data.decode())
    except ValueError:
        return False
    return True
