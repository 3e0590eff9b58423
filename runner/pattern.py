"""The wording of a step, with parameters in braces.

`"{name}"` takes quoted text and never swallows a quote, so `I run "{command}"` can't match
`I run "git status" in "repo"`; a quote inside the text is written `\\"`, and any other backslash stands for
itself.
Without quotes, `{name}` takes one word, `{n:int}` a whole number, `{x:number}` a decimal one, and
`{t:duration}` a time such as `5 s`, which arrives in seconds; a remembered value may stand there as `${it}`.
`"{x:name}"` is a name under which the step remembers something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property

_PARAMETER = re.compile(r"\{(?P<name>[A-Za-z_]\w*)(?::(?P<type>\w+))?\}")
# What `re` takes for the same letter, case aside, though it has another lower case or one that is longer.
_SAME = {"İ": "i", "ı": "i", "ſ": "s"}
_PARSE_LITERAL = re.compile(r"[^{}\x80-\U0010ffff]*")
_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0}


def seconds(text: str) -> float:
    """A duration such as `200 ms`, `5 s`, `2 min` or `1 h` in seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(ms|s|min|h)", text.strip())
    if match is None:
        raise ValueError(f'"{text}" is not a duration: write it as 200 ms, 5 s, 2 min or 1 h')
    return float(match[1]) * _UNITS[match[2]]


_REMEMBERED = r"\$\{\w+\}"
_INTRODUCED = re.compile(r"\{(\w+):name\}")
_QUOTED = r'(?:[^"\\]|\\.)*'


class _Late:
    """Converts text, unless a remembered value has to be put in first."""

    def __init__(self, expression: str, convert: Callable[[str], object]) -> None:
        self._fits = re.compile(expression).fullmatch
        self._convert = convert

    def __call__(self, text: str) -> object:
        return text if text.startswith("${") else self.now(text)

    def now(self, text: str) -> object:
        if self._fits(text) is None:
            raise ValueError(f'"{text}" can\'t stand here')
        return self._convert(text)


def _late(expression: str, convert: Callable[[str], object]) -> tuple[str, Callable[[str], object]]:
    return f"(?:{expression}|{_REMEMBERED})", _Late(expression, convert)


_TYPES: dict[str | None, tuple[str, Callable[[str], object]]] = {
    None: (r"\S+", str),
    "int": _late(r"[-+]?\d{1,1000}", int),  # beyond some thousand digits Python refuses to convert
    "number": _late(r"[-+]?\d+(?:\.\d+)?", float),
    "duration": _late(r"\d+(?:\.\d+)? ?(?:ms|s|min|h)", seconds),
    "name": (r"[A-Za-z_]\w*", str),
}


def introduced(wording: str, arguments: Mapping[str, object]) -> set[str]:
    """The names under which a step remembers something."""
    return {str(arguments[name]) for name in _INTRODUCED.findall(wording) if name in arguments}


def _unquote(text: str) -> str:
    return text.replace('\\"', '"')


class Pattern:
    """One wording. `prefix` is the literal text before the first parameter.

    Only what follows the prefix becomes a regular expression, so that wordings which end alike share one.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        pieces: list[str] = []
        converters: dict[str, Callable[[str], object]] = {}
        first = _PARAMETER.search(text)
        end = start = len(text) if first is None else first.start()
        for match in _PARAMETER.finditer(text):
            name, kind = match["name"], match["type"]
            if name in converters:
                raise ValueError(f"{{{name}}} stands twice in: {text}")
            quoted = text[: match.start()].endswith('"') and text[match.end() :].startswith('"')
            if kind is None and quoted:
                expression, converters[name] = _QUOTED, _unquote
            elif kind in _TYPES:
                expression, converters[name] = _TYPES[kind]
            else:
                known = ", ".join(str(k) for k in _TYPES if k)
                raise ValueError(f"{{{name}:{kind}}} has an unknown type, known are {known}: {text}")
            pieces += [re.escape(text[end : match.start()]), f"(?P<{name}>{expression})"]
            end = match.end()
        pieces.append(re.escape(text[end:]))
        self._converters = converters
        self._expression = "".join(pieces)
        self.prefix = text[:start]

    @cached_property
    def _match(self) -> Callable[[str, int], re.Match[str] | None]:
        """Made when first needed: of hundreds of wordings a run uses a few."""
        return re.compile(self._expression).fullmatch

    def match(self, text: str) -> dict[str, object] | None:
        """The arguments that this wording finds in a step's text, converted; None where it does not match."""
        if not text.startswith(self.prefix):
            return None
        match = self._match(text, len(self.prefix))
        if match is None:
            return None
        converters = self._converters
        return {name: converters[name](value) for name, value in match.groupdict().items()}

    def texts(self, text: str) -> dict[str, str] | None:
        """The arguments as they are written, `5 s` and not 5.0; only quotes are no longer escaped."""
        match = self._match(text, len(self.prefix)) if text.startswith(self.prefix) else None
        if match is None:
            return None
        unquoted = (name for name, convert in self._converters.items() if convert is _unquote)
        found = match.groupdict()
        return {**found, **{name: _unquote(found[name]) for name in unquoted}}

    def convert(self, name: str, text: str) -> object:
        """The value of a parameter whose text became known only now; ValueError where it does not fit."""
        converter = self._converters[name]
        return converter.now(text) if isinstance(converter, _Late) else text

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        return tuple(self._converters)

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"


def skeleton(text: str) -> str:
    """A sentence or wording with its values and parameters blanked out, for telling how near two are."""
    return re.sub(r'"[^"]*"', '""', _PARAMETER.sub("", text))


def fold(text: str) -> str:
    """Text in lower case, letter by letter, so that what one text begins with stays its beginning."""
    if text.isascii():
        return text.lower()
    return "".join(_SAME.get(c) or (c if len(c.lower()) > 1 else c.lower()) for c in text)


def literal_prefix(regex: re.Pattern[str]) -> str:
    """The literal text that every match of a regular expression begins with, or less; never more."""
    pattern = regex.pattern
    if "|" in pattern or regex.flags & (re.VERBOSE | re.IGNORECASE):
        return ""
    literal = re.match(r"[^\\.^$*+?{}\[\]()|]*", pattern)
    prefix = literal.group() if literal is not None else ""
    return prefix[:-1] if pattern[len(prefix) : len(prefix) + 1] in ("*", "?", "{", "+") else prefix


def parse_prefix(text: str) -> str:
    """The literal text that every match of a `parse` format begins with, or less; never more."""
    literal = _PARSE_LITERAL.match(text)
    return literal.group() if literal is not None else ""
