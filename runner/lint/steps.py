"""The steps that a goal file may use, found without importing any of them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points
from pathlib import Path

from ..binding import Binder, Scope
from .definitions import ReadModule, ReadStep, read_module
from .profiles import ProfileReader

LIBRARIES, PLUGINS = "goalkeeper.steps", "pytest11"
_DEFINES_STEPS = (b"pytest_bdd", b"goalkeeper")
Modules = list[tuple[str, ReadModule]]


class StepReader:
    """Reads each `conftest.py` and each installed library once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.profiles = ProfileReader(root)
        self._modules: dict[Path, ReadModule] = {}
        self._known: dict[Path, tuple[Binder[ReadStep], list[str]]] = {}
        self._scopes: dict[Path, Scope[ReadStep]] = {}
        self._global: dict[frozenset[str], tuple[Scope[ReadStep], list[str]]] = {}

    def binder(self, directory: Path) -> Binder[ReadStep]:
        """What decides which definition a step in this directory means."""
        return self._of(directory)[0]

    def unread(self, directory: Path) -> list[str]:
        """Where definitions are that only running the code could tell; then no step can be called unknown."""
        return self._of(directory)[1]

    def _of(self, directory: Path) -> tuple[Binder[ReadStep], list[str]]:
        if directory not in self._known:
            above = (place / "conftest.py" for place in self._above(directory))
            conftests = [path for path in above if path.is_file()]
            named = frozenset(name for path in conftests for name in self._module(path).plugins)
            widest, unread = self._installed(named)
            places = [
                f"{self._shown(path)}:{line}" for path in conftests for line in self._module(path).unread
            ]
            scopes = [self._scope(path) for path in conftests]
            binder = Binder([*scopes, widest], self._root, self.profiles.phrases)
            self._known[directory] = (binder, [*places, *unread, *map(str, self.profiles.unread)])
        return self._known[directory]

    def _above(self, directory: Path) -> Iterator[Path]:
        """The directory and those above it, as far as the project goes."""
        inside = directory.is_relative_to(self._root)
        for place in (directory, *directory.parents):
            yield place
            if inside and place == self._root:
                return

    def _scope(self, conftest: Path) -> Scope[ReadStep]:
        if conftest not in self._scopes:
            self._scopes[conftest] = Scope(self._module(conftest).steps)
        return self._scopes[conftest]

    def _module(self, path: Path, name: str = "", library: str = "") -> ReadModule:
        if path not in self._modules:
            self._modules[path] = read_module(path, name, library)
        return self._modules[path]

    def _installed(self, named: frozenset[str]) -> tuple[Scope[ReadStep], list[str]]:
        """The steps of all installed libraries and plugins, and of the plugins that a conftest.py names."""
        if named not in self._global:
            modules = [*self._libraries(), *self._plugins(), *self._named(named)]
            steps = [step for _, module in modules for step in module.steps]
            unread = [f"{name}:{line}" for name, module in modules for line in module.unread]
            self._global[named] = (Scope(steps), [*dict.fromkeys(unread)])
        return self._global[named]

    def _libraries(self) -> Iterator[tuple[str, ReadModule]]:
        found = {(entry.name, entry.module) for entry in entry_points(group=LIBRARIES)}
        for name, module in sorted(found):
            path = find_module(module)
            yield module, ReadModule(unread=[1]) if path is None else self._module(path, module, name)
            apart = None if path is None else path.with_name("never.py")
            if apart is not None and path is not None and path.name == "__init__.py" and apart.is_file():
                yield f"{module}.never", self._module(apart, f"{module}.never", name)

    def _plugins(self) -> Iterator[tuple[str, ReadModule]]:
        """The installed plugins that could define steps; most have nothing to do with them."""
        for module in sorted({entry.module for entry in entry_points(group=PLUGINS)}):
            path = find_module(module, self._root)
            if path is not None and _may_define(path):
                yield module, self._module(path, module)

    def _named(self, names: Iterable[str]) -> Modules:
        """The plugins that `pytest_plugins` names, and those that they name; pytest's own define no steps."""
        found: dict[str, ReadModule] = {}
        waiting = sorted(names, reverse=True)
        while waiting:
            name = waiting.pop()
            if name in found or find_module(f"_pytest.{name}") is not None:
                continue
            path = find_module(name, self._root)
            found[name] = ReadModule(unread=[1]) if path is None else self._module(path, name)
            waiting += found[name].plugins
        return [*found.items()]

    def _shown(self, path: Path) -> Path:
        return path.relative_to(self._root) if path.is_relative_to(self._root) else path


def _may_define(path: Path) -> bool:
    try:
        text = path.read_bytes()
    except OSError:
        return False
    return any(word in text for word in _DEFINES_STEPS)


def find_module(name: str, root: Path | None = None) -> Path | None:
    """The file of a module, in the project or installed, without importing it or the packages it lies in."""
    first, *rest = name.split(".")
    places = [] if root is None else [root, root / "src"]
    found = (_in_folder(place / first, rest) for place in places)
    local = next((path for path in found if path is not None), None)
    return local or _installed(first, rest)


def _installed(first: str, rest: list[str]) -> Path | None:
    try:
        spec = importlib.util.find_spec(first)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if not rest and spec.origin is not None:
        return Path(spec.origin)
    found = (_in_folder(Path(place), rest) for place in spec.submodule_search_locations or ())
    return next((path for path in found if path is not None), None)


def _in_folder(base: Path, rest: list[str]) -> Path | None:
    inner = base.joinpath(*rest)
    files = (inner / "__init__.py", inner.parent / f"{inner.name}.py")
    return next((path for path in files if path.is_file()), None)
