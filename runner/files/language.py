"""The languages that Gherkin knows."""

from __future__ import annotations

from typing import Any

from ..goal import Place
from ..problem import Problem, nearest


def unknown_language(name: str, place: Place) -> Problem | None:
    """A problem where Gherkin has no such language; `french`, `fr_FR` and `fr` all mean the last."""
    from gherkin.dialect import DIALECTS

    dialects: dict[str, Any] = {**DIALECTS}
    if name in dialects:
        return None
    called = {dialect[key].lower(): code for code, dialect in dialects.items() for key in ("name", "native")}
    base = name.replace("_", "-").partition("-")[0].lower()
    close = called.get(name.lower()) or (base if base in dialects else "")
    close = close or next(iter(nearest(name, dialects, most=1)), "")
    message = f'Gherkin does not know the language "{name}".' + (f' Did you mean "{close}"?' if close else "")
    hints = () if close else ("a language is named by its code, such as en, de, fr or pt",)
    return Problem("unknown-language", place, message, span=len(name), hints=hints)
