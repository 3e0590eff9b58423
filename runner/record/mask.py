"""Keeps secrets out of what is written down."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from typing import Any

MASKED = "***"
_NAMES = re.compile(
    r"(?i)token|secret|passw(?:or)?d|passphrase|credential|(?:api|access|private|secret|session|signing)_?key"
    r"|(?:^|_)(?:auth|pat|cookie)(?:_|$)|_pwd(?:_|$)|^pwd_"  # PWD alone is the working directory
)
# A value that is written down beside such a name: API_TOKEN=x, or "API_TOKEN" is "x".
_SAID = re.compile(
    r"(?i)(\w*(?:token|secret|passw(?:or)?d|passphrase|api_?key|credential)s?"
    r"\\?\"?(?: is |[=:] ?)\\?\"?)[^\s\"\\]{4,}"
)
_WORDS = ("token", "secret", "passw", "passphrase", "apikey", "api_key", "credential")
_PLACES = re.compile(r"(?i)_(?:sock|file|path|dir|url|host|port|id|name)$")
_SHORTEST = 4
_HARMLESS = {"true", "false", "none", "null"}


class Mask:
    """Replaces the values of variables that look like secrets, wherever they turn up."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._values: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self._planted: set[str] = set()
        self._planted_by = ""
        self._hidden: re.Pattern[str] | None = None
        for name, value in variables.items():
            self.learn(name, value)

    def learn(self, name: str, value: str) -> None:
        """Take note of a variable; one that does not look like a secret makes no difference."""
        if not looks_secret(name):
            return
        found = {value, *value.splitlines()}
        self._values |= {text for text in found if len(text) >= _SHORTEST and text.lower() not in _HARMLESS}
        written = {
            form for text in self._values for form in (text, json.dumps(text, ensure_ascii=False)[1:-1])
        }
        if written:
            self._pattern = re.compile("|".join(map(re.escape, sorted(written, key=len, reverse=True))))

    def plant(self, scenario: str, value: str) -> None:
        """Take note of a secret that a scenario has made up; those of one before it are no more."""
        if scenario != self._planted_by:
            self._planted_by = scenario
            self._planted.clear()
        self._planted.add(value)
        self._hidden = re.compile("|".join(map(re.escape, sorted(self._planted, key=len, reverse=True))))

    def __call__(self, text: str) -> str:
        return self.hide(text if self._pattern is None else self._pattern.sub(MASKED, text))

    def hide(self, text: str) -> str:
        """Without the secrets that the scenario itself has made up, for people to read."""
        return text if self._hidden is None else self._hidden.sub(MASKED, text)

    def spoken(self, text: str) -> str:
        """The same for text that people wrote, where a secret may stand beside its name."""
        return self(_SAID.sub(rf"\1{MASKED}", text)) if self.concerns(text) else text

    def concerns(self, text: str) -> bool:
        """Whether anything in a text may have to be masked: quick to say of the many in which nothing has."""
        lowered = text.lower()
        if any(word in lowered for word in _WORDS):
            return True
        known = (self._pattern, self._hidden)
        return any(pattern is not None and pattern.search(text) is not None for pattern in known)

    def within(self, value: Any, harmless: Container[str] = ()) -> Any:
        """A JSON value with its texts masked, but for those under harmless names.

        Numbers are let through: a port that happens to hold the digits of a password is none.
        """
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping):
            return {
                key: item if key in harmless else self.within(item, harmless) for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.within(item, harmless) for item in value]
        return self.spoken(str(value))

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to mask."""
        return self._pattern is None and self._hidden is None


def looks_secret(name: str) -> bool:
    return _NAMES.search(name) is not None and _PLACES.search(name) is None
