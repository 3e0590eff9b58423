"""One line of a log: what it says, which event it records, and when."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ...runner.evidence import shorten
from ...runner.problem import printable
from ...runner.values import find

# The first of these that a line has, as text, names its event, unless the log's profile names the field.
EVENT_FIELDS = ("event", "type", "kind", "msg", "message", "name")
TIME_FIELDS = ("ts", "timestamp", "time", "@timestamp", "datetime", "date", "at", "created_at")
_PER_SECOND = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (float("inf"), 1e9))


def _not_json(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_not_json)


@dataclass(frozen=True, slots=True)
class Line:
    """Where a line stands and its bytes, without the end of the line."""

    file: str
    number: int
    raw: bytes

    @property
    def text(self) -> str:
        return self.raw.decode("utf-8", errors="replace")

    @property
    def place(self) -> str:
        return f"{self.file}:{self.number}"

    def __str__(self) -> str:
        """For people; a terminal can't be harmed by it."""
        return f"{self.place}: {shorten(printable(self.text.strip()))}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that was parsed. `event` is empty where the line names none."""

    line: Line
    value: Any
    event: str


def parse(text: str) -> Any:
    """The JSON value of one line; ValueError says why there is none."""
    text = text.strip(" \t\r\n\ufeff")
    try:
        value, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg[0].lower()}{error.msg[1:]} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if end != len(text):
        raise ValueError(f"there is more after the value, from column {end + 1} on")
    return value


def parse_line(line: Line, event_field: str = "") -> Entry:
    try:
        value = parse(line.raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not UTF-8") from None
    return Entry(line, value, event_of(value, event_field))


def suspects(data: bytes, accepts: Callable[[Any], bool] | None) -> Iterator[tuple[int, bytes]]:
    """The lines that are not JSON at first sight, or not accepted, numbered from 0; blank ones aside.

    This looks at every line of a log, so it does what `parse_line` does with as little as possible; a line
    that it lets pass is valid, and one that it does not may still be.
    """
    try:
        texts = data.decode("utf-8").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError:
        yield from ((number, raw) for number, raw in enumerate(data.split(b"\n")) if raw.strip())
        return
    decode = _DECODER.raw_decode
    for number, text in enumerate(texts):
        try:
            value, end = decode(text)
            if end == len(text) and (accepts is None or accepts(value)):
                continue
        except (ValueError, RecursionError):
            if not text or text.isspace():
                continue
        yield number, text.encode()


def event_of(value: Any, field: str = "") -> str:
    """The name of the event that a line records."""
    if field:
        found = field_of(value, field)
        return found if isinstance(found, str) else ""
    if isinstance(value, dict):
        for name in EVENT_FIELDS:
            if isinstance(found := value.get(name), str):
                return found
    return ""


def field_of(value: Any, path: str) -> Any:
    """What a line has under a name or a dotted path; None where it has nothing."""
    if isinstance(value, dict) and path in value:
        return value[path]
    try:
        return find(value, path)
    except LookupError:
        return None


def moment(value: Any) -> float | None:
    """When a line was written, in seconds since 1970, from the first of the usual fields that tells."""
    if not isinstance(value, dict):
        return None
    found = (_seconds(value[name]) for name in TIME_FIELDS if name in value)
    return next((time for time in found if time is not None), None)


def _seconds(stamp: Any) -> float | None:
    """ISO 8601, UTC where it names no zone; or a number of s, ms, µs or ns, told apart by its size."""
    if isinstance(stamp, str):
        try:
            stamp = float(stamp)
        except ValueError:
            try:
                time = datetime.fromisoformat(stamp)
            except ValueError:
                return None
            return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    if isinstance(stamp, bool) or not isinstance(stamp, int | float):
        return None
    return next(stamp / unit for bound, unit in _PER_SECOND if abs(stamp) < bound) if stamp == stamp else None


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value, the names of fields included."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, list):
            waiting += found
        elif isinstance(found, dict):
            waiting += [*found, *found.values()]
