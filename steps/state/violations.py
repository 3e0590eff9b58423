"""Does what the negative steps of this library forbid, by plain means that are none of theirs.

What is written is moved into place, as a program would that does it well, unless it is the way of writing
that is forbidden. Files need not be put back: Goalkeeper does that after each violation.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

from ...runner.never import Witness
from ...runner.never.whereabouts import Whereabouts
from ...runner.sandbox import Sandbox
from .plain import changed, dumped, read

Rows = list[list[str]]


def make_state(whereabouts: Whereabouts, name: str) -> Witness:
    """A whole document where there was none."""
    target = whereabouts.file("state", name)
    before = os.path.lexists(target)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    _write(target, dumped({secrets.token_hex(8): 1}, target))
    return Witness.of(f"ls {target}", before, os.path.lexists(target), f'state "{name}"')


def make_and_remove_state(whereabouts: Whereabouts, name: str) -> Witness:
    """An empty file, gone at once; in a directory that is made for it, it stays, as it would not be seen."""
    target = whereabouts.file("state", name)
    before, was_there = os.path.lexists(target), os.path.isdir(os.path.dirname(target))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL))
    made = os.path.lexists(target)
    if was_there:
        os.unlink(target)
    return Witness.of(f"ls {target}", before, made, f'state "{name}"')


def remove_state(whereabouts: Whereabouts, name: str) -> Witness:
    """The file is deleted."""
    target = whereabouts.file("state", name)
    before = os.path.lexists(target)
    os.unlink(target)
    return Witness.of(f"ls {target}", before, os.path.lexists(target), f'state "{name}"')


def move_state_and_back(sandbox: Sandbox, whereabouts: Whereabouts, name: str) -> Witness:
    """The very same file, gone for a moment."""
    target, away = whereabouts.file("state", name), f"{sandbox.root}/{secrets.token_hex(8)}"
    before = os.path.lexists(target)
    os.rename(target, away)
    meanwhile = os.path.lexists(target)
    os.rename(away, target)
    return Witness.of(f"ls {target}", before, meanwhile, f'state "{name}"')


def leave_half_of_it(whereabouts: Whereabouts, name: str) -> Witness:
    """The writer stops in the middle of a character: no format can be read like that."""
    target = whereabouts.file("state", name)
    before = _read(target)
    _write(target, before[: len(before) // 2] + "é".encode()[:1])
    return Witness.of(f"wc -c {target}", len(before), len(_read(target)), f'state "{name}"')


def write_in_place(whereabouts: Whereabouts, name: str) -> Witness:
    """The same document once more, under its own name: for a moment there is nothing in it."""
    target = whereabouts.file("state", name)
    before = _read(target)
    with open(target, "wb", buffering=0) as file:
        meanwhile = os.path.getsize(target)
        file.write(before)
    return Witness.of(f"wc -c {target}", len(before), meanwhile, f'state "{name}"')


def replace_document(sandbox: Sandbox, whereabouts: Whereabouts, name: str) -> Witness:
    """Another document altogether."""
    word = secrets.token_hex(8)
    return _replaced(sandbox, whereabouts, name, lambda _: {word: 1}, trace=word)


def add_one_key(sandbox: Sandbox, whereabouts: Whereabouts, name: str) -> Witness:
    """One key or entry more; all else is what it was."""
    word = secrets.token_hex(8)

    def more(document: Any) -> Any:
        return [*document, word] if isinstance(document, list) else {**_mapping(document), word: False}

    return _replaced(sandbox, whereabouts, name, more, trace=word)


def have_these_values(sandbox: Sandbox, whereabouts: Whereabouts, name: str, datatable: Rows) -> Witness:
    """All the values of the table at once."""
    return _have(sandbox, whereabouts, name, [(path, _value(text)) for path, text in datatable])


def have_them_as_text(sandbox: Sandbox, whereabouts: Whereabouts, name: str, datatable: Rows) -> Witness:
    """The same, where one that is no text is written as one, and of many places the last has it."""
    return _have(sandbox, whereabouts, name, [(path, _as_text(text)) for path, text in datatable], last=True)


def _have(
    sandbox: Sandbox,
    whereabouts: Whereabouts,
    name: str,
    values: list[tuple[str, Any]],
    *,
    last: bool = False,
) -> Witness:
    def change(document: Any) -> Any:
        for path, value in values:
            document = changed(document, path, partial(_always, value), last=last)
        return document

    return _replaced(sandbox, whereabouts, name, change, trace=f"{values[0][0]}: ")


def become(sandbox: Sandbox, whereabouts: Whereabouts, path: str, name: str, expected: str) -> Witness:
    """The value is this one, wherever the path leads."""
    return _valued(sandbox, whereabouts, path, name, lambda _: _value(expected))


def become_as_text(
    sandbox: Sandbox, whereabouts: Whereabouts, path: str, name: str, expected: str
) -> Witness:
    """The value is this one, written as text; of many, the last is."""
    return _valued(sandbox, whereabouts, path, name, lambda _: _as_text(expected), last=True)


def appear(sandbox: Sandbox, whereabouts: Whereabouts, path: str, name: str) -> Witness:
    """There is a value."""
    word = secrets.token_hex(8)
    return _valued(sandbox, whereabouts, path, name, lambda _: word)


def appear_as_null(sandbox: Sandbox, whereabouts: Whereabouts, path: str, name: str) -> Witness:
    """There is null, or where the format does not know it, an empty text."""
    nothing = "" if whereabouts.file("state", name).endswith(".toml") else None
    return _valued(sandbox, whereabouts, path, name, lambda _: nothing)


def change_value(sandbox: Sandbox, whereabouts: Whereabouts, path: str, name: str) -> Witness:
    """The value is another one, of another kind maybe."""
    word = secrets.token_hex(8)
    return _valued(sandbox, whereabouts, path, name, lambda _: word)


def change_value_by_a_little(sandbox: Sandbox, whereabouts: Whereabouts, path: str, name: str) -> Witness:
    """One more, one letter or entry more, or the other of two; of many, the last."""
    return _valued(sandbox, whereabouts, path, name, _nearly, last=True)


def set_far_back(sandbox: Sandbox, whereabouts: Whereabouts, path: str, name: str) -> Witness:
    """The number is a million less."""
    return _valued(sandbox, whereabouts, path, name, lambda number: number - 1_000_000)


def set_back_by_one(sandbox: Sandbox, whereabouts: Whereabouts, path: str, name: str) -> Witness:
    """The number is one less."""
    return _valued(sandbox, whereabouts, path, name, lambda number: number - 1)


def _valued(
    sandbox: Sandbox,
    whereabouts: Whereabouts,
    path: str,
    name: str,
    new: Callable[[Any], Any],
    *,
    last: bool = False,
) -> Witness:
    trace = f'value "{path}" of state "{name}"'
    return _replaced(sandbox, whereabouts, name, lambda old: changed(old, path, new, last=last), trace)


def _replaced(
    sandbox: Sandbox, whereabouts: Whereabouts, name: str, change: Callable[[Any], Any], trace: str
) -> Witness:
    """A changed document, written elsewhere and moved into place; one that is not there is made."""
    target = whereabouts.file("state", name)
    before = _read(target) if os.path.exists(target) else b""
    document = read(before, target) if before else {}
    made = f"{sandbox.root}/{secrets.token_hex(8)}"
    _write(made, dumped(change(document), target, before))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if before:
        os.chmod(made, os.stat(target).st_mode & 0o7777)
    os.replace(made, os.path.realpath(target))
    after = _read(target)
    return Witness(f"{target} is now {after.decode()[:200]}", read(after, target) != document, trace)


def _always(value: Any, _: Any) -> Any:
    return value


def _mapping(document: Any) -> dict[str, Any]:
    return document if isinstance(document, dict) else {}


def _nearly(value: Any) -> Any:
    """The least that makes another value."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, str):
        return f"{value} "
    if isinstance(value, list):
        return [*value, None]
    return {**value, "": 0} if isinstance(value, dict) else value + 1


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _as_text(text: str) -> str:
    value = _value(text)
    return value if isinstance(value, str) else text


def _read(target: str) -> bytes:
    with open(target, "rb") as file:
        return file.read()


def _write(target: str, content: bytes) -> None:
    with open(target, "wb") as file:
        file.write(content)
