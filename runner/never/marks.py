"""How a watch stands at one moment, to be put back after a violation was tried on it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

Mark = Callable[[], None]
_CONTAINERS = (list, dict, set, Counter, deque)
_PLAIN = (int, float, str, bytes, bool, tuple, frozenset, type(None))


@runtime_checkable
class Marked(Protocol):
    """Something that can put itself back."""

    def mark(self) -> Mark: ...


def mark(thing: object) -> Mark:
    """Remember the attributes of a thing; what is returned puts them back, in the very containers they had.

    Plain values and containers are remembered, and what a container holds if it can put itself back. Another
    object is left alone unless it can.
    """
    undo: list[Mark] = []
    for name, value in vars(thing).items():
        if isinstance(value, _PLAIN):
            undo.append(_attribute(thing, name, value))
        elif isinstance(value, _CONTAINERS):
            undo += [_attribute(thing, name, value), _content(value)]
            undo += [one.mark() for one in _held(value) if isinstance(one, Marked)]
        elif isinstance(value, Marked):
            undo.append(value.mark())

    def put_back() -> None:
        for one in undo:
            one()

    return put_back


def _held(container: Any) -> list[Any]:
    """What a container holds, also in lists inside."""
    held = container.values() if isinstance(container, dict) else container
    return [one for item in held for one in (item if isinstance(item, list) else [item])]


def _attribute(thing: object, name: str, value: object) -> Mark:
    return lambda: setattr(thing, name, value)


def _content(container: Any) -> Mark:
    known = container.copy()

    def put_back() -> None:
        container.clear()
        container.extend(known) if isinstance(container, list | deque) else container.update(known)

    return put_back
