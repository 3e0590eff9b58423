"""gherkin-official's parser, kept for all files of a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from gherkin.parser import Parser
from gherkin.token_matcher import TokenMatcher

_STATE = "match_token_at_"


class QuickParser(Parser):
    """The parser with its table of states made once, and not for each line of each file.

    That, and a token matcher for all files, is a quarter of the time it takes to read a goal.
    """

    def __init__(self) -> None:
        super().__init__()
        names = [name for name in dir(self) if name.startswith(_STATE)]
        self._states: dict[int, Callable[..., int]] = {
            int(name.removeprefix(_STATE)): getattr(self, name) for name in names
        }

    def match_token(self, state: int, token: Any, context: Any) -> int:
        return self._states[state](token, context)


@cache
def _tools() -> tuple[QuickParser, TokenMatcher]:
    return QuickParser(), TokenMatcher()


def parse_document(text: str) -> Any:
    """The document as gherkin-official gives it; its exceptions are the caller's to explain."""
    parser, matcher = _tools()
    return parser.parse(text, matcher)
