"""The languages that Gherkin knows."""

from __future__ import annotations

from ..goal import Place
from ..problem import Problem, nearest


def unknown_language(name: str, place: Place) -> Problem | None:
    """A problem where Gherkin has no such language; `french`, `fr_FR` and `fr` all mean the last."""
    from gherkin.dialect import DIALECTS

    if name in DIALECTS:
        return None
    called = {str(dialect["name"]).lower(): code for code, dialect in DIALECTS.items()}
    called |= {str(dialect["native"]).lower(): code for code, dialect in DIALECTS.items()}
    base = name.replace("_", "-").partition("-")[0].lower()
    close = called.get(name.lower()) or (base if base in DIALECTS else "")
    close = close or next(iter(nearest(name, DIALECTS, most=1)), "")
    message = f'Gherkin does not know the language "{name}".' + (f' Did you mean "{close}"?' if close else "")
    hints = () if close else ("a language is named by its code, such as en, de, fr or pt",)
    return Problem("unknown-language", place, message, span=len(name), hints=hints)
