"""Secrets that a scenario makes up, and the forms in which one may turn up."""

from __future__ import annotations

import base64
import json
import re
import secrets
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote

from ...runner.failure import StepFailed
from ...runner.names import Names
from ...runner.problem import did_you_mean
from ...runner.record.mask import MASKED

_PLAIN = string.ascii_letters + string.digits
_AROUND = 96  # bytes about the middle part in which the rest of the secret stands, however it is escaped
_LONGEST = 1000  # of a line that is shown
_WRAPS = b"\r\n"
_SPACING = b"\r\n :%-"
_ESCAPE = re.compile(r"\\(?:u00([0-9a-fA-F]{2})|(.))")


@dataclass(frozen=True)
class Hit:
    """Where a secret stands in a text, and in which form."""

    form: str
    line: int
    text: str


@dataclass(frozen=True)
class Secret:
    """A value made up for one run: `core` is a part of it that no escaping touches.

    It is letters and digits, and long enough to be found nowhere by chance. So whoever writes the secret with
    its other characters escaped in any way still writes the core as it is.
    """

    name: str
    value: str
    core: str

    @classmethod
    def new(cls, name: str) -> Secret:
        first, second, core, third = (_word(length) for length in (6, 3, 20, 4))
        return cls(name, f"{first}+{second}/{core}={third}", core)

    @property
    def title(self) -> str:
        return f'secret "{self.name}"'

    def find(self, data: bytes) -> Hit | None:
        """The first form in which it stands in there; the line is shown where it has all of the secret."""
        found = self._found(data)
        if found is None:
            return None
        form, number = found
        line = data.split(b"\n", number)[number - 1].decode("utf-8", "replace").strip()
        shown = self.conceal(line) if len(line) <= _LONGEST else MASKED
        return Hit(form, number, MASKED if shown == line else shown)

    def conceal(self, text: str) -> str:
        """A text to be shown, with nothing left of the secret in it, or of the word that it stands in."""
        hidden = self._word.sub(MASKED, text)
        return MASKED if self._found(hidden.encode("utf-8", "replace")) else hidden

    def spellings(self) -> Iterator[str]:
        """The whole of it in its usual forms, for records to leave out."""
        raw = self.value.encode()
        yield from (self.value, quote(self.value, safe=""), quote(self.value, safe="").lower(), raw.hex())
        yield json.dumps(self.value)[1:-1].replace("/", "\\/")
        yield from (form(raw).decode().rstrip("=") for form in (base64.b64encode, base64.urlsafe_b64encode))

    @cached_property
    def _core(self) -> bytes:
        return self.core.encode()

    @cached_property
    def _hex(self) -> bytes:
        return self._core.hex().encode()

    @cached_property
    def _base64(self) -> tuple[bytes, ...]:
        """What is the same in base64 whatever stands before and after: it may begin at any of three bytes."""
        found: list[bytes] = []
        for skipped in range(3):
            data = bytes(skipped) + self._core
            whole = len(data) * 8 // 6
            encoded = base64.b64encode(data)[-(-skipped * 8 // 6) : whole]
            found += [encoded, encoded.translate(bytes.maketrans(b"+/", b"-_"))]
        return tuple(dict.fromkeys(found))

    @cached_property
    def _word(self) -> re.Pattern[str]:
        parts = [re.escape(part.decode()) for part in (self._core, *self._base64)]
        return re.compile(rf"\S*(?:{'|'.join(parts)}|(?i:{self._hex.decode()}))\S*")

    def _found(self, data: bytes) -> tuple[str, int] | None:
        """In which form it stands there, and in which line."""
        at = data.find(self._core)
        if at >= 0:
            near = data[max(0, at - _AROUND) : at + len(self._core) + _AROUND].decode("utf-8", "replace")
            return self._form(near), data.count(b"\n", 0, at) + 1
        bare = data.translate(None, _WRAPS)
        for needle in self._base64:
            if (at := bare.find(needle)) >= 0:
                return "in base64", _line(data, at, _WRAPS)
        lowered = data.lower()
        if (at := lowered.translate(None, _SPACING).find(self._hex)) >= 0:
            return "in hexadecimal", _line(lowered, at, _SPACING)
        # A document in base64 that stands in JSON has its ends of lines written out.
        return self._found(data.replace(b"\\n", b"")) if b"\\n" in data else None

    def _form(self, near: str) -> str:
        if self.value in near:
            return "as it is"
        if self.value in unquote(near):
            return "URL-encoded"
        unescaped = _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], near)
        return "JSON-escaped" if self.value in unescaped else "in part, or escaped"


class Secrets:
    """The secrets of one scenario, and the files that were given one on purpose.

    `hide` is told each spelling that no record may show.
    """

    def __init__(self, names: Names, hide: Callable[[str], None]) -> None:
        self._names = names
        self._hide = hide
        self._made: dict[str, Secret] = {}
        self.planted: dict[Path, bytes] = {}

    def make(self, name: str) -> Secret:
        """A secret by this name, made up if there is none yet, and remembered."""
        if name not in self._made:
            made = self._made[name] = Secret.new(name)
            for spelling in made.spellings():
                self._hide(spelling)
            self._names.remember(name, made.value)
        return self._made[name]

    def find(self, name: str) -> Secret:
        if name not in self._made:
            hint = f'make one first: Given a secret "{name}"'
            raise StepFailed(f'there is no secret "{name}".{did_you_mean(name, self._made)}', notes=[hint])
        return self._made[name]


def _word(length: int) -> str:
    """Letters and digits at random, beginning with a letter: so it is neither a number nor an option."""
    rest = (secrets.choice(_PLAIN) for _ in range(length - 1))
    return secrets.choice(string.ascii_letters) + "".join(rest)


def _line(data: bytes, at: int, removed: bytes) -> int:
    """The number of the line in which a place lies that was counted without some characters."""
    for number, line in enumerate(data.split(b"\n"), 1):
        at -= len(line.translate(None, removed))
        if at < 0:
            return number
    return 1
