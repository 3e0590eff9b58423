"""Texts that a regular expression matches, for violations of "never matches"."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable
from functools import cache
from random import Random

_ATTEMPTS = 200
_LONGEST = 10_000
_MORE = 3  # how often something is repeated beyond the least, where a few times more may help
_FIRST = string.ascii_lowercase + string.digits + string.ascii_uppercase + " " + string.punctuation
_REPEAT = re.compile(r"\{(\d+)\}|\{(\d*),(\d*)\}")
_CODE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]+)\})")
_OCTAL = re.compile(r"\\(0[0-7]{0,2}|[0-3][0-7]{2})")
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


def matching(pattern: str) -> str | None:
    """A text in which the regular expression (Python's) matches, as short and plain as is easily found.

    The same for the same pattern. None where none is found: what stands in a lookaround, or comes back by
    reference, is only tried. Where ^ and $ must be the ends of lines for it to match, they are taken so.
    """
    try:
        strict, by_line = re.compile(pattern), re.compile(pattern, re.MULTILINE)
        draw = _Reader(pattern, bool(strict.flags & re.VERBOSE)).whole()
    except (re.error, RecursionError):
        return None
    spare: str | None = None
    for attempt in range(_ATTEMPTS):
        text = draw(_Draft(attempt))
        if strict.search(text):
            return text
        if spare is None and by_line.search(text):
            spare = text
    return spare


class _Draft:
    """One attempt: the first takes the least of everything, later ones choose at random, but the same."""

    def __init__(self, attempt: int) -> None:
        self._random = Random(attempt) if attempt else None  # noqa: S311
        self.groups: dict[str, str] = {}

    def choose(self, number: int) -> int:
        """One of so many."""
        return self._random.randrange(number) if self._random is not None else 0


_Draw = Callable[[_Draft], str]


class _Reader:
    """Reads a pattern that is known to be valid, and makes of each part a function that draws a text."""

    def __init__(self, pattern: str, verbose: bool) -> None:
        self._pattern = pattern
        self._verbose = verbose
        self._at = 0
        self._groups = 0

    def whole(self) -> _Draw:
        return self._alternatives()

    def _alternatives(self) -> _Draw:
        branches = [self._sequence()]
        while self._skip("|"):
            branches.append(self._sequence())
        return lambda draft: branches[draft.choose(len(branches))](draft)

    def _sequence(self) -> _Draw:
        parts: list[_Draw] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            if not self._is_blank():
                parts.append(self._repeated(self._atom()))
        return lambda draft: "".join([part(draft) for part in parts])

    def _is_blank(self) -> bool:
        """Pass over blanks and comments where the pattern has them for readers only."""
        if not self._verbose:
            return False
        match = re.compile(r"\s+|#[^\n]*").match(self._pattern, self._at)
        self._at = match.end() if match else self._at
        return match is not None

    def _repeated(self, draw: _Draw) -> _Draw:
        while self._is_blank():
            pass
        least, most = 1, 1
        if self._skip("*"):
            least, most = 0, _MORE
        elif self._skip("+"):
            least, most = 1, _MORE
        elif self._skip("?"):
            least, most = 0, 1
        elif (match := _REPEAT.match(self._pattern, self._at)) and match[0] != "{,}":
            self._at = match.end()
            least = int(match[1] or match[2] or 0)
            most = least if match[1] else min(int(match[3] or least + _MORE), least + _MORE)
        else:
            return draw
        self._skip("?") or self._skip("+")
        return lambda draft: _times(draw, draft, least + draft.choose(most - least + 1))

    def _atom(self) -> _Draw:
        sign = self._pattern[self._at]
        if sign == "(":
            return self._group()
        if sign == "[":
            return self._one_of(self._set())
        if sign == "\\":
            return self._escape()
        self._at += 1
        if sign in "^$":
            return _nothing
        return self._one_of(".") if sign == "." else lambda _: sign

    def _set(self) -> str:
        """From a bracket to the one that closes it."""
        start = self._at
        self._at += 1
        self._skip("^")
        self._skip("]")
        while self._pattern[self._at] != "]":
            self._at += 2 if self._pattern[self._at] == "\\" else 1
        self._at += 1
        return self._pattern[start : self._at]

    def _escape(self) -> _Draw:
        sign = self._pattern[self._at + 1]
        if match := _CODE.match(self._pattern, self._at):
            number = match[1] or match[2] or match[3]
            char = chr(int(number, 16)) if number else unicodedata.lookup(match[4])
        elif match := _OCTAL.match(self._pattern, self._at):
            char = chr(int(match[1], 8))
        elif match := re.compile(r"\\(\d+)").match(self._pattern, self._at):
            self._at, name = match.end(), match[1]
            return lambda draft: draft.groups.get(name, "")
        else:
            self._at += 2
            if sign in "AbBZz":
                return _nothing
            return self._one_of(f"\\{sign}") if sign in "dDwWsS" else lambda _: _SIGNS.get(sign, sign)
        self._at = match.end()
        return lambda _: char

    def _one_of(self, chars: str) -> _Draw:
        known = _chars(chars)
        return lambda draft: known[draft.choose(len(known))]

    def _group(self) -> _Draw:
        self._at += 1
        if not self._skip("?"):
            self._groups += 1
            return self._named(str(self._groups))
        if match := re.compile(r"P<(\w+)>").match(self._pattern, self._at):
            self._at = match.end()
            self._groups += 1
            return self._named(str(self._groups), match[1])
        if match := re.compile(r"P=(\w+)\)").match(self._pattern, self._at):
            self._at, name = match.end(), match[1]
            return lambda draft: draft.groups.get(name, "")
        if match := re.compile(r"#[^)]*\)").match(self._pattern, self._at):
            self._at = match.end()
            return _nothing
        if match := re.compile(r"\((\w+)\)").match(self._pattern, self._at):
            self._at = match.end()
            return self._conditional(match[1])
        if match := re.compile(r"<?[=!]").match(self._pattern, self._at):
            self._at = match.end()
            inner = self._inner()
            # What must be there is written down, which helps at the end and the beginning of a pattern.
            return _nothing if "!" in match[0] else lambda draft: "" if draft.choose(2) else inner(draft)
        return self._flagged()

    def _named(self, *names: str) -> _Draw:
        inner = self._inner()

        def draw(draft: _Draft) -> str:
            text = inner(draft)
            draft.groups.update(dict.fromkeys(names, text))
            return text

        return draw

    def _conditional(self, name: str) -> _Draw:
        yes = self._sequence()
        no = self._sequence() if self._skip("|") else _nothing
        self._skip(")")
        return lambda draft: yes(draft) if name in draft.groups else no(draft)

    def _flagged(self) -> _Draw:
        """`(?:…)`, `(?>…)`, `(?x-i:…)`, and flags for all, which `re` has told of already."""
        match = re.compile(r">|([a-zA-Z]*)(?:-([a-z]+))?([:)])").match(self._pattern, self._at)
        assert match is not None
        self._at = match.end()
        if match[3] == ")":
            return _nothing
        before = self._verbose
        self._verbose = (before or "x" in (match[1] or "")) and "x" not in (match[2] or "")
        inner = self._inner()
        self._verbose = before
        return inner

    def _inner(self) -> _Draw:
        inner = self._alternatives()
        self._skip(")")
        return inner

    def _skip(self, sign: str) -> bool:
        found = self._pattern.startswith(sign, self._at)
        self._at += len(sign) if found else 0
        return found


def _times(draw: _Draw, draft: _Draft, number: int) -> str:
    """A text drawn so many times; no pattern is worth one without end."""
    text = ""
    for _ in range(number):
        text += draw(draft)
        if len(text) > _LONGEST:
            break
    return text


def _nothing(_: _Draft) -> str:
    return ""


@cache
def _chars(one: str) -> str:
    """The usual characters that a part of a pattern stands for, else the first of all there are."""
    fits = re.compile(one)
    usual = "".join(char for char in _FIRST if fits.fullmatch(char))
    found = usual or fits.search(_all())
    if not found:
        raise re.error(f"nothing is like {one}")
    return found if isinstance(found, str) else found[0]


@cache
def _all() -> str:
    return "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
