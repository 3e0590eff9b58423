"""Finds lines by what they hold, without parsing those that can't hold it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from ...runner.failure import StepFailed
from ...runner.values import regular
from .line import Line, parse, strings
from .tail import Block


def one_line(text: str) -> str:
    """A text that can stand in a line."""
    if "\n" in text or not text:
        raise StepFailed("a log is searched line by line: look for a text of one line")
    return text


def expression(pattern: str) -> re.Pattern[str]:
    """A regular expression for one line at a time, which ends where the line does."""
    return regular(pattern, re.NOFLAG)


class Phrase:
    """Words that lines are searched for, in plain text and, inside JSON, in every spelling that JSON knows.

    JSON may write any character as `\\u0041`, and some in other ways. A line that has no character of the
    words written so, and not the words themselves, does not hold them; all others are candidates.
    `quoted` words are a whole text of the JSON, not a part of one.
    """

    def __init__(self, words: Iterable[str], *, quoted: bool = False) -> None:
        self._words = tuple(words)
        spelled = [json.dumps(word, ensure_ascii=False)[1:-1] for word in self._words]
        if quoted:
            spelled = [f'"{word}"' for word in spelled]
        else:
            spelled += self._words
        self._needles = [word.encode("utf-8", "surrogatepass") for word in dict.fromkeys(spelled)]
        self._escaped = _escapes("".join(self._words))

    def candidates(self, block: Block, *, escaped: bool = True) -> Iterator[Line]:
        """The lines of a block that may hold one of the words."""
        data = block.data
        starts = {start for needle in self._needles for start in _starts(data, needle)}
        if escaped and b"\\" in data:
            starts |= {data.rfind(b"\n", 0, match.start()) + 1 for match in self._escaped.finditer(data)}
        return block.lines_at(sorted(starts))

    def is_in(self, line: Line) -> bool:
        """Whether one of the words stands in the line as it is written, or in a text of its JSON value."""
        text = line.text
        if any(word in text for word in self._words):
            return True
        try:
            value = parse(text)
        except ValueError:
            return False
        return any(word in found for found in strings(value) for word in self._words)


def _starts(data: bytes, needle: bytes) -> Iterator[int]:
    """Where the lines begin that hold the needle."""
    at = data.find(needle)
    while at >= 0:
        yield data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        at = data.find(needle, end + 1) if end >= 0 else -1


def _escapes(text: str) -> re.Pattern[bytes]:
    """Matches an escape that stands for any of these characters."""
    units = {f"{ord(unit):04x}" for char in set(text) for unit in _utf16(char)}
    codes = "|".join(sorted(units)) or "(?!)"
    return re.compile(rf"\\(?:u(?i:{codes}){'|/' if '/' in text else ''})".encode())


def _utf16(char: str) -> str:
    """The one or two `\\u` escapes of a character."""
    code = ord(char) - 0x10000
    return char if code < 0 else chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))
