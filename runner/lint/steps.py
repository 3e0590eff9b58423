"""The steps that a goal file may use, found without importing any of them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

from ..binding import Binder, Scope
from .definitions import ReadModule, ReadStep, read_module

LIBRARIES, PLUGINS = "goalkeeper.steps", "pytest11"


class StepReader:
    """Reads each `conftest.py` and each installed library once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._modules: dict[Path, ReadModule] = {}
        self._scopes: dict[Path, Scope[ReadStep] | None] = {}
        self._binders: dict[Path, Binder[ReadStep]] = {}
        self._unread: dict[Path, list[str]] = {}
        self._global: tuple[Scope[ReadStep], list[str]] | None = None

    def binder(self, directory: Path) -> Binder[ReadStep]:
        """What decides which definition a step in this directory means."""
        if directory not in self._binders:
            near = (self._scope(place) for place in self._above(directory))
            scopes = [scope for scope in near if scope is not None]
            self._binders[directory] = Binder([*scopes, self._installed()[0]], self._root)
        return self._binders[directory]

    def unread(self, directory: Path) -> list[str]:
        """Where definitions are that only running the code could tell; then no step can be called unknown."""
        if directory not in self._unread:
            places = [
                f"{self._shown(conftest)}:{line}"
                for place in self._above(directory)
                if (conftest := place / "conftest.py") in self._modules
                for line in self._modules[conftest].unread
            ]
            self._unread[directory] = [*places, *self._installed()[1]]
        return self._unread[directory]

    def _above(self, directory: Path) -> Iterator[Path]:
        """The directory and those above it, as far as the project goes."""
        yield directory
        if directory != self._root and directory.is_relative_to(self._root):
            yield from self._above(directory.parent)

    def _scope(self, directory: Path) -> Scope[ReadStep] | None:
        if directory not in self._scopes:
            conftest = directory / "conftest.py"
            self._scopes[directory] = Scope(self._module(conftest).steps) if conftest.is_file() else None
        return self._scopes[directory]

    def _module(self, path: Path, name: str = "", library: str = "") -> ReadModule:
        if path not in self._modules:
            self._modules[path] = read_module(path, name, library)
        return self._modules[path]

    def _installed(self) -> tuple[Scope[ReadStep], list[str]]:
        """The steps of all installed libraries and plugins, and of the plugins that a conftest.py names."""
        if self._global is None:
            modules = [*self._libraries(), *self._plugins()]
            steps = [step for _, module in modules for step in module.steps]
            unread = [f"{name}:{line}" for name, module in modules for line in module.unread]
            self._global = (Scope(steps), unread)
        return self._global

    def _libraries(self) -> Iterator[tuple[str, ReadModule]]:
        found = {(entry.name, entry.module) for entry in entry_points(group=LIBRARIES)}
        for name, module in sorted(found):
            path = find_module(module)
            yield module, ReadModule(unread=[1]) if path is None else self._module(path, module, name)

    def _plugins(self) -> Iterator[tuple[str, ReadModule]]:
        """pytest's plugins, installed or named; most have nothing to do with steps and stay unread."""
        conftest = self._root / "conftest.py"
        named = self._module(conftest).plugins if conftest.is_file() else []
        for module in sorted({entry.module for entry in entry_points(group=PLUGINS)} | set(named)):
            path = find_module(module, self._root)
            if path is None:
                yield module, ReadModule(unread=[1] if module in named else [])
            elif module in named or b"pytest_bdd" in path.read_bytes():
                yield module, self._module(path, module)

    def _shown(self, path: Path) -> Path:
        return path.relative_to(self._root) if path.is_relative_to(self._root) else path


def find_module(name: str, root: Path | None = None) -> Path | None:
    """The file of a module, without importing it or the packages it lies in."""
    first, *rest = name.split(".")
    places = [] if root is None else [root]
    try:
        spec = importlib.util.find_spec(first)
    except (ImportError, ValueError):
        spec = None
    if spec is not None and not rest and spec.origin is not None:
        return Path(spec.origin)
    bases = [place / first for place in places]
    bases += [Path(place) for place in (spec.submodule_search_locations or ()) if spec] if spec else []
    for base in bases:
        inner = base.joinpath(*rest)
        for path in (inner / "__init__.py", inner.with_name(f"{inner.name}.py")):
            if path.is_file():
                return path
    return None
