"""What is wrong with one value, in words that follow `value "…" of state "…"`; nothing where it is right."""

from __future__ import annotations

import re
from typing import Any

from ...runner.values import alike, is_kind, kind_of, same, shown, value


def differs(found: Any, text: str) -> str:
    wanted = value(text)
    if same(found, wanted):
        return ""
    if kind_of(found) == kind_of(wanted):
        return f"is {shown(found)}, not {shown(wanted)}"
    hint = ': write the text as \\"' + text + '\\"' if found == text else ""
    return f"is {shown(found)} ({kind_of(found)}), not {shown(wanted)} ({kind_of(wanted)}){hint}"


def is_the_same(found: Any, text: str) -> str:
    return f"is {shown(found)}" if alike(found, text) else ""


def differs_somewhere(found: Any, text: str) -> str:
    if not isinstance(found, list):
        return f"is no list, but {_kind(found)}"
    if not found:
        return "finds nothing, so that nothing can be said of every value"
    wrong = [shown(one) for one in found if not same(one, value(text))]
    return (
        f"has {len(wrong)} of {len(found)} that are not {shown(value(text))}: {_some(wrong)}" if wrong else ""
    )


def is_less(found: Any, least: float) -> str:
    if kind_of(found) != "number":
        return f"is no number, but {_kind(found)}"
    return "" if found >= least else f"is {shown(found)}, less than {least:g}"


def is_more(found: Any, most: float) -> str:
    if kind_of(found) != "number":
        return f"is no number, but {_kind(found)}"
    return "" if found <= most else f"is {shown(found)}, more than {most:g}"


def is_other_kind(found: Any, kind: str) -> str:
    return "" if is_kind(found, kind) else f"is not of the kind {kind}, but {_kind(found)}"


def does_not_match(found: Any, pattern: re.Pattern[str]) -> str:
    if not isinstance(found, str):
        return f"is no text, but {_kind(found)}"
    return "" if pattern.search(found) else f"does not match {pattern.pattern}: {shown(found)}"


def has_other_size(found: Any, count: int) -> str:
    if not isinstance(found, list | dict):
        return f"has no entries: it is {_kind(found)}"
    return "" if len(found) == count else f"has not {count} entries, but {len(found)}: {shown(found)}"


def lacks(found: Any, part: str) -> str:
    inside = any(same(one, value(part)) for one in found) if isinstance(found, list) else _holds(found, part)
    return "" if inside else f"does not contain {part}: {shown(found)}"


def includes(found: Any, part: str) -> str:
    inside = any(alike(one, part) for one in found) if isinstance(found, list) else _holds(found, part)
    return f"contains {part}: {shown(found)}" if inside else ""


def _holds(found: Any, part: str) -> bool:
    """A text holds texts and a mapping keys; other values hold nothing."""
    return isinstance(found, str | dict) and part in found


def _kind(found: Any) -> str:
    return f"{kind_of(found)}: {shown(found)}"


def _some(texts: list[str]) -> str:
    return ", ".join(texts[:8]) + (f" and {len(texts) - 8} more" if len(texts) > 8 else "")
