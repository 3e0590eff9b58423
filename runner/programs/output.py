"""What programs print: files that may still grow, read on from where one stopped, and watched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from ..evidence import shorten
from ..failure import StepFailed
from ..never import Breach, Watch
from ..never.marks import Mark, mark
from ..values import regular

Stream = Literal["stdout", "stderr"]
STREAMS: tuple[Stream, Stream] = ("stdout", "stderr")


@dataclass(frozen=True)
class Output:
    """The two streams of a program, on disk. `title` is how a message calls the program."""

    title: str
    stdout: Path
    stderr: Path

    def path(self, stream: Stream) -> Path:
        return self.stdout if stream == "stdout" else self.stderr

    def size(self, stream: Stream) -> int:
        """Bytes printed until now."""
        try:
            return self.path(stream).stat().st_size
        except OSError as error:
            raise self._unreadable(error) from error

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(self.size(stream) for stream in STREAMS)

    def read(self, stream: Stream, start: int = 0, stop: int | None = None) -> bytes:
        try:
            with self.path(stream).open("rb") as file:
                file.seek(start)
                return file.read() if stop is None else file.read(stop - start)
        except OSError as error:
            raise self._unreadable(error) from error

    def text(self, stream: Stream) -> str:
        """All of it, carriage returns included; what is no UTF-8 becomes a sign that says so."""
        return self.read(stream).decode("utf-8", errors="replace")

    def shown(self, most: int = 30) -> str:
        """The end of both streams, labelled, as a failure shows them."""
        texts = [(stream, self.text(stream)) for stream in STREAMS]
        parts = [f"{stream}:\n{shorten(text, most).rstrip()}" for stream, text in texts if text]
        return "\n".join(parts) or "it printed nothing"

    def notes(self, most: int = 10) -> list[str]:
        """The end of both streams, as notes under a failure."""
        return [f"  {line}" for line in self.shown(most).split("\n")]

    def _unreadable(self, error: OSError) -> StepFailed:
        return StepFailed(f"what {self.title} printed can't be read: {error.strerror}")


@dataclass(frozen=True)
class Printed:
    """What a program printed between two looks. It begins with a whole line, where one was begun before."""

    title: str
    stream: Stream
    line: int
    text: str
    more: int

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


class Reader:
    """Reads a stream on from a byte; `back` whole lines that were read before come with what is new."""

    def __init__(self, output: Output, stream: Stream, start: int = 0, back: int = 0) -> None:
        self._output, self._stream, self._back = output, stream, back
        self._from = self._to = start
        self._line = 1 + (output.read(stream, 0, start).count(b"\n") if start else 0)
        self._counted = 0

    def mark(self) -> Mark:
        return mark(self)

    def more(self) -> Printed | None:
        size = self._output.size(self._stream)
        if size == self._to:
            return None
        if size < self._to:  # it was emptied, as `> /dev/stdout` does
            self._from, self._line, self._counted = 0, 1, 0
        data = self._output.read(self._stream, self._from)
        text = data.decode("utf-8", errors="replace")
        count = len(text.splitlines())
        printed = Printed(self._output.title, self._stream, self._line, text, count - self._counted)
        self._to = self._from + len(data)
        again = _last_lines(data, self._back)
        self._counted = len(data[again:].decode("utf-8", errors="replace").splitlines())
        self._from += again
        self._line += data[:again].count(b"\n")
        return printed


def _last_lines(data: bytes, back: int) -> int:
    """Where the last line begins, be it empty, or the one so many lines before it."""
    begin = len(data) + 1
    for _ in range(back + 1):
        begin = data.rfind(b"\n", 0, max(0, begin - 1)) + 1
        if begin == 0:
            break
    return begin


class Search:
    """Looks for a text in what a program prints from some bytes on, on either stream."""

    def __init__(self, output: Output, text: str, start: Sequence[int] = (0, 0)) -> None:
        self._text = text
        back = text.count("\n")
        self._readers = [Reader(output, *at, back) for at in zip(STREAMS, start, strict=True)]

    def look(self) -> bool:
        """Whether the text was printed since the last look."""
        new = [reader.more() for reader in self._readers]
        return any(self._text in printed.text for printed in new if printed is not None)


class Source(Protocol):
    """A program as far as a watch needs to know it."""

    @property
    def output(self) -> Output: ...

    @property
    def is_running(self) -> bool: ...


class OutputWatch(Watch[Printed]):
    """All that the programs print while it is armed, also those that run by then already.

    A program that had ended counts as looked at once it prints more, by a child that it left behind.
    """

    def __init__(
        self, subject: str, unit: str, sources: Callable[[], Iterable[Source]], back: int = 0
    ) -> None:
        super().__init__(subject)
        self._unit, self._sources, self._back = unit, sources, back
        self._readers: dict[Output, list[Reader]] = {}
        self._counted: set[Output] = set()
        for source in sources():
            self._follow(source.output, source.output.sizes)
            if source.is_running:
                self._count(source.output)

    def look(self) -> None:
        for source in self._sources():
            output = source.output
            if output not in self._readers:
                self._follow(output, (0, 0))
                self._count(output)
            for reader in self._readers[output]:
                printed = reader.more()
                if printed is not None:
                    self._count(output)
                    self.count("line", printed.more)
                    self.record(printed)

    def _follow(self, output: Output, start: Sequence[int]) -> None:
        self._readers[output] = [Reader(output, *at, self._back) for at in zip(STREAMS, start, strict=True)]

    def _count(self, output: Output) -> None:
        if output not in self._counted:
            self._counted.add(output)
            self.count(self._unit)
            self.count("line", 0)


def text_printed(text: str, entries: Iterable[Printed]) -> list[Breach]:
    """A breach for each stream in which the text stands, with the lines where it stands first."""
    found: dict[tuple[str, str], Breach] = {}
    for entry in entries:
        before, is_there, _ = entry.text.partition(text) if text else ("", entry.text, "")
        key = (entry.title, entry.stream)
        if is_there and key not in found:
            first = before.count("\n")
            lines = entry.lines[first : first + text.count("\n") + 1]
            numbered = (f"line {entry.line + first + n}: {line}" for n, line in enumerate(lines))
            message = f'{entry.title} printed "{text}" to {entry.stream}'
            found[key] = Breach(message, evidence="\n".join(numbered))
    return [*found.values()]


def line_printed(pattern: str, entries: Iterable[Printed]) -> list[Breach]:
    """A breach for each stream in which a line matches, with the first one that does."""
    matches = re.compile(pattern).search
    found: dict[tuple[str, str], Breach] = {}
    for entry in entries:
        key = (entry.title, entry.stream)
        for number, line in enumerate(entry.lines, entry.line):
            if key not in found and matches(line.removesuffix("\r")):
                message = f"{entry.title} printed a line that matches {pattern} to {entry.stream}"
                found[key] = Breach(message, evidence=f"line {number}: {line}")
    return [*found.values()]


def anything_printed(entries: Iterable[Printed]) -> list[Breach]:
    """A breach for each stream in which there is anything, with the first of it."""
    found: dict[tuple[str, str], Breach] = {}
    for entry in entries:
        if entry.text:
            told = Breach(f"{entry.title} printed to {entry.stream}", evidence=shorten(entry.text, 5))
            found.setdefault((entry.title, entry.stream), told)
    return [*found.values()]


def pattern(text: str) -> str:
    """A regular expression as it was written, once it is known to be one."""
    return regular(text).pattern


def contains(name: str, actual: str, text: str) -> None:
    """It is a failure if the text is not in what is called by this name."""
    if text not in actual:
        raise StepFailed(f'the {name} does not contain "{text}"', notes=_shown(name, actual))


def matches(name: str, actual: str, expression: str) -> None:
    """It is a failure if the regular expression matches nowhere; ^ and $ match at lines."""
    if re.search(pattern(expression), actual, re.MULTILINE) is None:
        raise StepFailed(f"the {name} does not match {expression}", notes=_shown(name, actual))


def _shown(name: str, actual: str) -> list[str]:
    """What was there instead, as a note under a failure."""
    if not actual:
        return [f"  the {name} is empty"]
    return [f"  the {name} is", *(f"  | {line}" for line in shorten(actual, 10).splitlines())]
