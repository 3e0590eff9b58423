"""A program that a first goal could be about, and how it is started from anywhere."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = "<root>"  # stands for the repository, wherever it lies
HELP, VERSION = ("--help",), ("--version",)
QUICK, COMPILED = 10.0, 60.0
INTERPRETERS = ("bash", "bun", "deno", "node", "perl", "php", "python", "python3", "ruby", "sh")
# Tools that work on the directory they are called in, and the words that name another one.
BUILD_TOOLS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("make",): ("make", "--no-print-directory", "-C", ROOT),
    ("npm",): ("npm", "--prefix", ROOT),
    ("cargo", "run"): ("cargo", "run", "--quiet", "--manifest-path", f"{ROOT}/Cargo.toml"),
    ("go", "run"): ("go", "run", "-C", ROOT),
}
LANGUAGES = {
    "cargo": "rust",
    "go": "go",
    "node": "node",
    "npm": "node",
    "python": "python",
    "python3": "python",
}


@dataclass(frozen=True)
class Program:
    """`start` is how this repository starts it; empty where it is on the PATH by its name.

    `asks` are the arguments to try, the first that work are taken. `safe` says that it is known to take them:
    a script that ignores its arguments would do its work instead.
    """

    name: str
    start: tuple[str, ...] = ()
    language: str = ""
    asks: tuple[tuple[str, ...], ...] = (HELP, VERSION)
    limit: float = QUICK
    safe: bool = True

    def __post_init__(self) -> None:
        """One of this repository gets a name that a system can have."""
        if self.start:
            fit = re.sub(r"[^A-Za-z0-9_.-]+", "-", self.name).lstrip(".-")
            object.__setattr__(self, "name", fit or "program")

    def line(self, arguments: tuple[str, ...]) -> str:
        """The command as a goal writes it."""
        return shlex.join([self.name, *arguments])

    def command(self, arguments: tuple[str, ...], root: Path) -> str:
        """The command that the line comes to on this machine."""
        words = self.start or (self.name,)
        return shlex.join([*(word.replace(ROOT, str(root)) for word in words), *arguments])


def found(name: str) -> Path | None:
    """A program on the PATH that scenarios have: this Python's own directory comes first."""
    where = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    path = shutil.which(name, path=where)
    return None if path is None else Path(path)


def named(line: str, root: Path, project: str, known: Iterable[Program] = ()) -> Program:
    """The program of a command line as somebody would type it at the root of the repository.

    A name that is not on the PATH may be that of a program which is known to be in the repository.
    Raises ValueError where the line can't be split.
    """
    words = shlex.split(line)
    if not words:
        raise ValueError("there is no command in it")
    language = LANGUAGES.get(words[0], "")
    for tool, start in BUILD_TOOLS.items():
        if tuple(words[: len(tool)]) == tool:
            rest = tuple(words[len(tool) :])
            return Program(f"{project}-{tool[0]}", start, language, (rest,), COMPILED)
    if words[0] in ("python", "python3") and words[1:2] == ["-m"] and len(words) > 2:
        base = _base(root, words[2].partition(".")[0])
        if base is not None:
            return module(words[2], base, (tuple(words[3:]),))
    at = 1 + _script(words[1:], root) if words[0] in INTERPRETERS else 0
    if (
        at < len(words)
        and (inside := _inside(words[at], root))
        and (at or "/" in words[0] or not found(words[0]))
    ):
        start = (*words[:at], f"{ROOT}/{inside}")
        return Program(Path(inside).stem, start, language, (tuple(words[at + 1 :]),))
    asks = (tuple(words[1:]),)
    own = next((program for program in known if program.name == words[0] and not found(words[0])), None)
    return Program(words[0], (), language, asks) if own is None else replace(own, asks=asks)


def module(name: str, base: str, asks: tuple[tuple[str, ...], ...] = (HELP, VERSION)) -> Program:
    """A Python package with a `__main__`, run from the sources below `base`."""
    return Program(name, (*python_path(base), "python3", "-m", name), "python", asks)


def python_path(base: str) -> tuple[str, ...]:
    return "env", f"PYTHONPATH={ROOT}/{base}".rstrip("/")


def _base(root: Path, package: str) -> str | None:
    """Where the sources of a Python package are: in `src`, at the root, or not here."""
    places = (base for base in ("src", "") if (root / base / package).is_dir())
    return next(places, None)


def _script(words: list[str], root: Path) -> int:
    """The position of the script among an interpreter's arguments; behind them all if it is none of ours."""
    first = next((number for number, word in enumerate(words) if not word.startswith("-")), len(words))
    return first if first < len(words) and _inside(words[first], root) else len(words)


def _inside(word: str, root: Path) -> str:
    """A file of the repository, as seen from its root; or nothing."""
    path = Path(os.path.normpath(root / word))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) and path.is_file() else ""
