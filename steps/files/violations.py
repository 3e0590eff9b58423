"""Does what the negative steps of this library forbid, by plain means that are none of theirs.

Files need not be put back: Goalkeeper does that after each violation.
"""

from __future__ import annotations

import os
import re
import secrets

from ...runner.never import Witness
from ...runner.sandbox import Sandbox


def make_file(sandbox: Sandbox, path: str) -> Witness:
    """A file of that name, with something in it."""
    target = _at(sandbox, path)
    before = os.path.lexists(target)
    _folder_of(target)
    with open(target, "x", encoding="utf-8") as file:
        file.write(_noise())
    return Witness.of(f"ls {path}", before, os.path.lexists(target), path)


def make_and_remove_file(sandbox: Sandbox, path: str) -> Witness:
    """An empty file of that name, gone before anybody looks.

    In a directory that is made for it, it stays: what comes and goes there at once is beyond our sight.
    """
    target = _at(sandbox, path)
    before = os.path.lexists(target)
    was_there = _folder_of(target)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL))
    made = os.path.lexists(target)
    if was_there:
        os.unlink(target)
    return Witness.of(f"ls {path}", before, made, path)


def remove_file(sandbox: Sandbox, path: str) -> Witness:
    """The file is deleted."""
    target = _at(sandbox, path)
    before = os.path.lexists(target)
    _folder_of(target)
    os.unlink(target)
    return Witness.of(f"ls {path}", before, os.path.lexists(target), path)


def move_file_and_back(sandbox: Sandbox, path: str) -> Witness:
    """The very same file, gone for a moment."""
    target, away = _at(sandbox, path), f"{sandbox.root}/{secrets.token_hex(8)}"
    before = os.path.lexists(target)
    _folder_of(target)
    os.rename(target, away)
    meanwhile = os.path.lexists(target)
    os.rename(away, target)
    return Witness.of(f"ls {path}", before, meanwhile, path)


def overwrite_file(sandbox: Sandbox, path: str) -> Witness:
    """Something else in the place of all that it held."""
    target = _at(sandbox, path)
    before = _read(target)
    _may_write(target)
    with open(target, "w", encoding="utf-8") as file:
        file.write(_noise())
    return Witness.of(f"cat {path}", before, _read(target), path)


def add_byte_and_take_it_away(sandbox: Sandbox, path: str) -> Witness:
    """One byte more at its end, for a moment."""
    target = _at(sandbox, path)
    size = os.path.getsize(target)
    _may_write(target)
    with open(target, "ab", buffering=0) as file:
        file.write(b"\n")
        meanwhile = os.path.getsize(target)
        file.truncate(size)
    return Witness.of(f"wc -c {path}", size, meanwhile, path)


def write_text(sandbox: Sandbox, path: str, text: str) -> Witness:
    """A line more that begins with the text, after what the file held."""
    noise = _noise()
    return _append(_at(sandbox, path), ["\n", f"{text}{noise}\n"], text, noise)


def write_text_in_two_parts(sandbox: Sandbox, path: str, text: str) -> Witness:
    """The text in the middle of a line, of which a first part is written, and then the rest."""
    half, noise = len(text) // 2, _noise()
    return _append(_at(sandbox, path), [f"{noise}{text[:half]}", f"{text[half:]}{_noise()}"], text, noise)


def make_file_in_directory(sandbox: Sandbox, path: str) -> Witness:
    """A file more in the directory."""
    target = f"{_at(sandbox, path)}/{secrets.token_hex(8)}"
    with open(_ready(target), "x", encoding="utf-8") as file:
        file.write(_noise())
    return Witness(f"ls {target}", os.path.exists(target), os.path.basename(target))


def make_and_remove_in_directory(sandbox: Sandbox, path: str) -> Witness:
    """An empty file as deep in the directory as it goes, gone at once."""
    deepest = max((folder for folder, _, _ in os.walk(_at(sandbox, path))), key=lambda one: one.count("/"))
    target = _ready(f"{deepest}/{secrets.token_hex(8)}")
    os.close(os.open(target, os.O_CREAT | os.O_EXCL))
    made = os.path.exists(target)
    os.unlink(target)
    return Witness(f"ls {target}", made, os.path.basename(target))


def make_file_like(sandbox: Sandbox, path: str, pattern: str) -> Witness:
    """A file with such a name."""
    name = _name_like(pattern)
    target = f"{_at(sandbox, path)}/{name}"
    _folder_of(target)
    before = os.path.lexists(target)
    with open(target, "x", encoding="utf-8") as file:
        file.write(_noise())
    return Witness.of(f"ls {path}/{name}", before, os.path.lexists(target), name)


def name_file_so_for_a_moment(sandbox: Sandbox, path: str, pattern: str) -> Witness:
    """An empty file that has such a name until it gets another one.

    In a directory that is made for it, it keeps the name: what comes and goes there at once is not seen.
    """
    name = _name_like(pattern)
    target, away = f"{_at(sandbox, path)}/{name}", f"{sandbox.root}/{secrets.token_hex(8)}"
    was_there = _folder_of(target)
    before = os.path.lexists(target)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL))
    made = os.path.lexists(target)
    if was_there:
        os.rename(target, away)
        os.unlink(away)
    return Witness.of(f"ls {path}/{name}", before, made, name)


def write_beside_directory(sandbox: Sandbox, path: str) -> Witness:
    """A file next to the directory, or in the home directory where that is the working directory."""
    allowed = _at(sandbox, path)
    beside = f"{sandbox.root}/home" if allowed == f"{sandbox.work}" else os.path.dirname(allowed)
    target = f"{beside}/{secrets.token_hex(8)}"
    with open(_ready(target), "x", encoding="utf-8") as file:
        file.write(_noise())
    return Witness(f"ls {target}", os.path.exists(target), os.path.basename(target))


def touch_elsewhere(sandbox: Sandbox, path: str) -> Witness:
    """An empty file among the temporary ones, gone at once."""
    target = os.path.join(sandbox.root, "tmp", secrets.token_hex(8))
    os.close(os.open(target, os.O_CREAT | os.O_EXCL))
    made = os.path.exists(target)
    os.unlink(target)
    return Witness(f"ls {target}, which is not in {path}", made, os.path.basename(target))


def _append(target: str, parts: list[str], text: str, trace: str) -> Witness:
    _folder_of(target)
    before = _read(target).count(text.encode()) if os.path.exists(target) else 0
    if os.path.exists(target):
        _may_write(target)
    for part in parts:
        with open(target, "a", encoding="utf-8", newline="") as file:
            file.write(part)
    found = _read(target).count(text.encode())
    return Witness.of(f'grep -c "{text}" {os.path.basename(target)}', before, found, trace)


def _at(sandbox: Sandbox, path: str) -> str:
    return os.path.normpath(f"{sandbox.work}/" + path.replace("\\", "/"))


def _ready(target: str) -> str:
    _folder_of(target)
    return target


def _folder_of(target: str) -> bool:
    """Make the directory of a file, and let it be written in; whether it was there."""
    folder = os.path.dirname(target)
    was_there = os.path.isdir(folder)
    os.makedirs(folder, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        os.chmod(folder, 0o700)
    return was_there


def _may_write(target: str) -> None:
    if not os.access(target, os.W_OK):
        os.chmod(target, 0o600)


def _read(target: str) -> bytes:
    with open(target, "rb") as file:
        return file.read()


def _noise() -> str:
    """Characters that nobody has given a meaning to, so that no text of a goal is among them."""
    return "".join(chr(0xE000 + number) for number in secrets.token_bytes(12))


def _name_like(pattern: str) -> str:
    """A name that a pattern of the shell is meant for: `*` is a word, `?` a letter, `[ab]` the first."""
    word = secrets.token_hex(6)
    name = re.sub(r"\[(?:\]|[^!\]])[^]]*\]", lambda match: match[0][1], pattern)
    name = re.sub(r"\[![^]]+\]", "0", name)
    return name.replace("*", word).replace("?", "q")
