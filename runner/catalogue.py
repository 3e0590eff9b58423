"""The steps of all installed libraries, as a reader of goals looks them up."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from .binding import DOCSTRING, TABLE
from .library import Definition, Library, definitions_in, libraries


@dataclass(frozen=True)
class Entry:
    """One function of a library under one wording. `kinds` says where it may stand; never is a Then.

    `violations` are the ways in which a negative step is shown to be able to fail: `gross commit_on_branch`.
    """

    library: str
    wording: str
    kinds: tuple[str, ...]
    takes: tuple[str, ...]
    documentation: str
    violations: tuple[str, ...] = ()

    @property
    def proof(self) -> str:
        """How a negative step is shown to be able to fail; nothing for other steps."""
        if self.kinds != ("never",):
            return ""
        if not self.violations:
            return "no violation: its goals are unproven"
        return f"violations: {', '.join(self.violations)}"

    @property
    def summary(self) -> str:
        return self.documentation.split("\n\n", 1)[0]

    def data(self) -> dict[str, Any]:
        return asdict(self)


def catalogue() -> list[Entry]:
    """Every step of every library, in the order in which its author wrote them."""
    return [entry for library in libraries() for entry in entries_of(library)]


def entries_of(library: Library) -> list[Entry]:
    definitions = [d for module in library.parts() for d in definitions_in(module, library.name)]
    definitions.reverse()  # a function's decorators run from the last to the first
    steps: dict[tuple[tuple[str, int], str], list[Definition]] = {}
    for definition in sorted(definitions, key=lambda d: d.location):
        steps.setdefault((definition.location, definition.wording), []).append(definition)
    return [_entry(library.name, wording, same) for (_, wording), same in steps.items()]


def search(entries: Iterable[Entry], words: Sequence[str]) -> list[Entry]:
    """The entries that have all words, in their library's name, wording or documentation, case aside.

    A first word that names a library means that library.
    """
    entries = list(entries)
    if words and any(entry.library == words[0] for entry in entries):
        entries = [entry for entry in entries if entry.library == words[0]]
    wanted = [word.lower() for word in words]

    def has(entry: Entry) -> bool:
        text = f"{entry.library} {' '.join(entry.kinds)} {entry.wording} {entry.documentation}".lower()
        return all(word in text for word in wanted)

    return [entry for entry in entries if has(entry)]


def _entry(library: str, wording: str, definitions: list[Definition]) -> Entry:
    first = definitions[0]
    order = ("given", "when", "then")
    kinds = sorted({d.kind or "step" for d in definitions}, key=lambda k: order.index(k) if k in order else 3)
    takes = [
        called for name, called in ((TABLE, "table"), (DOCSTRING, "docstring")) if name in first.parameters
    ]
    negative = first.negative
    return Entry(
        library=library,
        wording=wording,
        kinds=("never",) if negative is not None else tuple(kinds),
        takes=tuple(takes),
        documentation=inspect.getdoc(inspect.unwrap(first.function)) or "",
        violations=tuple(f"{one.strength} {one.name}" for one in negative.violations) if negative else (),
    )


def markdown(entries: Iterable[Entry]) -> str:
    """The steps under the name and the docstring of their library: also the README of a library's folder."""
    modules = {library.name: library for library in libraries()}
    parts: list[str] = []
    for name, steps in groupby(entries, key=lambda entry: entry.library):
        parts += [f"# steps/{name}", inspect.getdoc(modules[name].load()) or ""]
        for entry in steps:
            kinds = ", ".join(kind.capitalize() for kind in entry.kinds)
            takes = "".join(f" + {called}" for called in entry.takes)
            parts += [f"**{kinds}** `{entry.wording}`{takes}", entry.documentation]
            parts += [f"*{entry.proof}*"] if entry.proof else []
    return "\n\n".join(parts) + "\n"
