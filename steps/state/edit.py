"""Sets and removes values in a document."""

from __future__ import annotations

from typing import Any

from ...runner.failure import StepFailed
from ...runner.values import find, is_query, kind_of, places, shown


def put(document: Any, path: str, new: Any) -> None:
    """Set what a path finds; a dotted path makes the mappings on its way, and adds to the end of a list."""
    if is_query(path):
        for holder, key in _places(document, path):
            holder[key] = new
        return
    *way, last = path.split(".")
    holder = document
    for index, part in enumerate(way):
        if isinstance(holder, dict) and part not in holder:
            holder[part] = {}
        elif isinstance(holder, list) and part == str(len(holder)):
            holder.append({})
        holder = _inside(holder, part, ".".join(way[: index + 1]))
    if isinstance(holder, list) and last == str(len(holder)):
        holder.append(new)
    elif isinstance(holder, dict):
        holder[last] = new
    else:
        _inside(holder, last, path)
        holder[int(last)] = new


def drop(document: Any, path: str) -> None:
    """Remove what a path finds."""
    if is_query(path):
        # From the last on, so that the entries of a list keep their numbers until it is their turn.
        for holder, key in reversed(_places(document, path)):
            del holder[key]
        return
    above, _, last = path.rpartition(".")
    holder = _inside(document, above, above) if above else document
    _inside(holder, last, path)
    del holder[int(last) if isinstance(holder, list) else last]


def _places(document: Any, path: str) -> list[tuple[Any, str | int]]:
    found = places(document, path)
    if not found:
        raise StepFailed(f"there is nothing at {path} to change")
    return found


def _inside(holder: Any, path: str, shown_path: str) -> Any:
    if not isinstance(holder, dict | list):
        raise StepFailed(f"{shown_path} can't be: what holds it is {kind_of(holder)}, {shown(holder)}")
    try:
        return find(holder, path)
    except LookupError as error:
        raise StepFailed(f"there is nothing at {shown_path}: {error}") from error
