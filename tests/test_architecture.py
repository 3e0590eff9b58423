"""Where things are, and which way they may depend on each other."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("cli", "reports", "runner", "schemas", "steps", "traceability")
MODULES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

# What each folder may import besides itself. The command line is the one place that may use every room.
FLOW = {
    "schemas": set[str](),
    "runner": {"schemas"},
    "steps": {"runner"},
    "traceability": {"schemas", "runner"},
    "reports": {"schemas", "runner", "traceability"},
    "cli": {*FOLDERS},
}
PYTEST_BDD = {"runner/bdd.py", "runner/mirror.py", "runner/define.py", "runner/library.py"}
STEP_LIBRARIES = sorted(path.parent.name for path in (ROOT / "steps").glob("*/__init__.py"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported(path: Path) -> Iterator[str]:
    """The full names of everything a module imports, wherever the statement stands."""
    package = ["goalkeeper", *path.relative_to(ROOT).parent.parts]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *([node.module] if node.module else [])]
            yield from (".".join([*module, alias.name]) for alias in node.names)


def private_names(path: Path) -> Iterator[str]:
    """Names with a leading underscore that a module reaches for and does not define itself."""
    nodes = [*ast.walk(tree(path))]
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    for node in nodes:
        if isinstance(node, ast.Attribute):
            is_own = node.attr in own or (
                isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            )
            if _is_private(node.attr) and not is_own:
                yield node.attr
        elif isinstance(node, ast.Call) and len(node.args) > 1 and isinstance(node.func, ast.Name):
            name = node.args[1].value if isinstance(node.args[1], ast.Constant) else ""
            if node.func.id in ("getattr", "setattr", "hasattr", "delattr") and _is_private(str(name)):
                yield str(name)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def parts(name: str) -> list[str]:
    return name.split(".")


def test_the_packages_in_pyproject_are_the_folders_with_modules() -> None:
    found = {".".join(["goalkeeper", *path.relative_to(ROOT).parent.parts]) for path in MODULES}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == found | {"goalkeeper"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_folder_is_linked_into_the_package(folder: str) -> None:
    link = ROOT / "src" / "goalkeeper" / folder
    assert link.is_symlink()
    assert link.readlink() == Path("..", "..", folder)
    assert PROJECT["tool"]["setuptools"]["package-dir"][f"goalkeeper.{folder}"] == folder


def test_nothing_else_lies_in_the_package() -> None:
    found = {path.name for path in (ROOT / "src" / "goalkeeper").iterdir()} - {"__pycache__"}
    assert found == {"__init__.py", "py.typed", *FOLDERS}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_imports_only_what_lies_before_it(folder: str) -> None:
    wrong = [
        f"{relative(path)} imports {name}"
        for path in MODULES
        if path.is_relative_to(ROOT / folder)
        for name in imported(path)
        if parts(name)[0] == "goalkeeper"
        and parts(name)[1] in FOLDERS
        and parts(name)[1] not in FLOW[folder] | {folder}
    ]
    assert wrong == []


def test_the_package_itself_needs_nothing_at_import() -> None:
    """`import goalkeeper` is what the command line pays for before it knows what is asked of it."""
    top = tree(ROOT / "src" / "goalkeeper" / "__init__.py").body
    names = [node.module or "" for node in top if isinstance(node, ast.ImportFrom)]
    assert [name for name in names if name not in ("__future__", "importlib", "typing")] == []


def test_pytest_bdd_is_met_in_four_modules() -> None:
    meeting = {
        relative(path) for path in MODULES if any(parts(name)[0] == "pytest_bdd" for name in imported(path))
    }
    assert meeting == PYTEST_BDD


def test_one_module_touches_what_others_keep_to_themselves() -> None:
    """The way this is found has to find it in that one module."""
    touching: dict[str, set[str]] = {}
    for path in MODULES:
        names = {*private_names(path)}
        names |= {
            n for n in imported(path) if parts(n)[0] != "goalkeeper" and any(map(_is_private, parts(n)))
        }
        if names:
            touching[relative(path)] = names
    assert set(touching) == {"runner/bdd.py"}, touching
    assert "_bddcucumberjson" in touching["runner/bdd.py"]


READ = """
import sys
from pathlib import Path
from goalkeeper.runner import files, goal, rules

for name in sys.argv[1:]:
    read = files.read(Path(name)).unwrap()
    assert isinstance(read, goal.Goal)
    assert rules.check(read) == []
loaded = {name.partition(".")[0] for name in sys.modules}
print(*sorted(loaded & {"pytest", "_pytest", "pytest_bdd", "docker", "git", "click"}))
"""
GHERKIN = "@G1.1\nFeature: x\n  Scenario: y\n    When z\n"
YAML = "goal: G1.2\ntitle: x\nscenarios:\n  - name: y\n    steps:\n      - when: z\n"


def test_reading_and_checking_a_goal_needs_none_of_the_heavy_packages(tmp_path: Path) -> None:
    """From another directory, so that the folders here are not importable by their own names."""
    (tmp_path / "a.feature").write_text(GHERKIN, encoding="utf-8")
    (tmp_path / "b.goal.yaml").write_text(YAML, encoding="utf-8")
    command = [sys.executable, "-c", READ, "a.feature", "b.goal.yaml"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.stderr, ran.stdout.split()) == ("", [])


def test_there_are_step_libraries() -> None:
    assert {"cli", "files"} <= set(STEP_LIBRARIES)


@pytest.mark.parametrize("name", STEP_LIBRARIES)
def test_a_step_library_is_complete(name: str) -> None:
    entry_points = PROJECT["project"]["entry-points"]["goalkeeper.steps"]
    assert entry_points.get(name) == f"goalkeeper.steps.{name}"
    assert "README.md" in PROJECT["tool"]["setuptools"]["package-data"][f"goalkeeper.steps.{name}"]
    assert (ROOT / "steps" / name / "README.md").is_file()
    assert (ROOT / "tests" / "steps" / f"test_{name}.py").is_file()
    spellings = [ROOT / "tests" / "steps" / f"{name}{suffix}" for suffix in (".feature", ".goal.yaml")]
    assert any(path.is_file() for path in spellings), "an acceptance goal of its own is missing"


def test_no_entry_point_without_its_library() -> None:
    assert sorted(PROJECT["project"]["entry-points"]["goalkeeper.steps"]) == STEP_LIBRARIES
