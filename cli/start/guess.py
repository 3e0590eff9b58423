"""Guesses which program a repository is about, from what lies in it. Nothing is run here."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from .program import BUILD_TOOLS, COMPILED, LANGUAGES, ROOT, Program, found, module, python_path

_ENTRY = re.compile(r"(?P<module>[\w.]+)\s*:\s*(?P<function>[\w.]+)")
_TAKES_ARGUMENTS = re.compile(
    r"--help|--version|\bargparse\b|\bimport click\b|\btyper\b|\bcommander\b|\byargs\b|\bOptionParser\b"
)
_HELP_TARGET = re.compile(r"^help\s*:(?!=)", re.MULTILINE)
_SCRIPT_FOLDERS = (".", "bin", "scripts", "script", "tools")
_WRAPPERS = frozenset({"configure", "gradlew", "mvnw"})  # these fetch or build; they are not the program
_NOT_NAMES = re.compile(r"[^a-z0-9_-]+")
_MOST = 65536


def programs(root: Path) -> Iterator[Program]:
    """What could be tried, the most likely first; one name once."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for program in chain.from_iterable(look(root) for look in _LOOKS):
        key = (program.name, program.start)
        if key not in seen and re.fullmatch(r"[\w.-]+", program.name):
            seen.add(key)
            yield program


def project_name(root: Path) -> str:
    """What the repository calls itself, fit for a folder; else the name of its directory."""
    data = _toml(root / "pyproject.toml")
    module_name = _go_module(root)
    names = (
        _at(data, "project", "name"),
        _at(data, "tool", "poetry", "name"),
        _at(_json(root / "package.json"), "name"),
        _at(_toml(root / "Cargo.toml"), "package", "name"),
        module_name,
        root.name,
    )
    tidy = (_NOT_NAMES.sub("-", str(n).rpartition("/")[2].lower()).strip("-_") for n in names if n)
    return next(filter(None, tidy), "project")


def _python(root: Path) -> Iterator[Program]:
    data = _toml(root / "pyproject.toml")
    scripts = {**_table(data, "tool", "poetry", "scripts"), **_table(data, "project", "scripts")}
    for name in scripts:
        if (Path(sys.executable).parent / name).is_file():
            yield Program(name, (), "python")
    for name, entry in scripts.items():
        match = _ENTRY.match(str(entry))
        base = None if match is None else _sources(root, match["module"])
        if match is not None and base is not None:
            code = (
                f"import sys; sys.argv[0] = {name!r}; import {match['module']}; "
                f"sys.exit({match['module']}.{match['function']}())"
            )
            yield Program(name, (*python_path(base), "python3", "-c", code), "python")
    for name in scripts:
        if found(name) is not None:
            yield Program(name, (), "python")
    for base in ("src", ""):
        for main in sorted((root / base).glob("*/__main__.py")):
            yield module(main.parent.name, base)


def _node(root: Path) -> Iterator[Program]:
    data = _json(root / "package.json")
    declared = data.get("bin")
    if isinstance(declared, str):
        declared = {str(data.get("name", "")).rpartition("/")[2]: declared}
    for name, file in declared.items() if isinstance(declared, dict) else ():
        path = os.path.normpath(str(file))
        if found("node") is not None and (root / path).is_file():
            yield Program(name, ("node", f"{ROOT}/{path}"), "node")


def _npm(root: Path) -> Iterator[Program]:
    """Which scripts there are: running one could do anything."""
    if _table(_json(root / "package.json"), "scripts") and found("npm") is not None:
        yield Program(f"{project_name(root)}-npm", BUILD_TOOLS["npm",], "node", (("run",),))


def _rust(root: Path) -> Iterator[Program]:
    data = _toml(root / "Cargo.toml")
    declared = data.get("bin")
    named = [str(b["name"]) for b in declared if isinstance(b, dict) and "name" in b] if declared else []
    own = _at(data, "package", "name")
    names = named or ([str(own)] if own and (root / "src" / "main.rs").is_file() else [])
    for name in names:
        if found("cargo") is not None:
            which = ("--bin", name) if named else ()
            yield Program(name, (*BUILD_TOOLS["cargo", "run"], *which, "--"), "rust", limit=COMPILED)
        for place in ("release", "debug"):
            if os.access(root / "target" / place / name, os.X_OK):
                yield Program(name, (f"{ROOT}/target/{place}/{name}",), "rust")


def _go(root: Path) -> Iterator[Program]:
    name = _go_module(root)
    if name and (root / "main.go").is_file() and found("go") is not None:
        yield Program(name, (*BUILD_TOOLS["go", "run"], "."), "go", limit=COMPILED)


def _scripts(root: Path) -> Iterator[Program]:
    for folder in _SCRIPT_FOLDERS:
        for path in sorted((root / folder).glob("*")):
            text = _script_text(path)
            if text is None or path.name in _WRAPPERS:
                continue
            words = re.split(r"[\s/]+", text.partition("\n")[0].removeprefix("#!").strip())
            is_executable = os.access(path, os.X_OK)
            file = f"{ROOT}/{path.relative_to(root).as_posix()}"
            language = next((LANGUAGES[word] for word in words if word in LANGUAGES), "shell")
            safe = _TAKES_ARGUMENTS.search(text) is not None
            yield Program(path.stem, (file,) if is_executable else ("sh", file), language, safe=safe)


def _make(root: Path) -> Iterator[Program]:
    """What make would do; with a target for help, what that says."""
    for name in ("GNUmakefile", "makefile", "Makefile"):
        text = _text(root / name)
        if text and found("make") is not None:
            ask = ("help",) if _HELP_TARGET.search(text) else ("--dry-run",)
            yield Program(f"{project_name(root)}-make", BUILD_TOOLS["make",], "", (ask,))
            return


_LOOKS: tuple[Callable[[Path], Iterator[Program]], ...] = (_python, _node, _rust, _go, _scripts, _make, _npm)


def _sources(root: Path, name: str) -> str | None:
    """The directory that has to be on Python's path to import a module."""
    inner = Path(*name.split("."))
    for base in ("src", ""):
        path = root / base / inner
        if path.with_suffix(".py").is_file() or path.is_dir():
            return base
    return None


def _go_module(root: Path) -> str:
    match = re.search(r"^module\s+(\S+)", _text(root / "go.mod"), re.MULTILINE)
    return "" if match is None else re.sub(r"/v\d+$", "", match[1]).rpartition("/")[2]


def _script_text(path: Path) -> str | None:
    """The text of a script: a file with a `#!` line that may be run, or that ends in .sh."""
    if not path.is_file() or not (os.access(path, os.X_OK) or path.suffix == ".sh"):
        return None
    text = _text(path)
    return text if text.startswith("#!") or (text and path.suffix == ".sh") else None


def _text(path: Path) -> str:
    """The beginning of a file, or nothing where it can't be read: a guess must not fail."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return ""


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _at(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _table(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    found_there = _at(data, *keys)
    return found_there if isinstance(found_there, dict) else {}
