"""Which program a repository is about, in the languages that are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.cli.start.guess import programs, project_name
from goalkeeper.cli.start.program import ROOT, Program

Write = Callable[..., None]
TOOLS = ("cargo", "go", "make", "node", "npm", "on-the-path")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository on a machine that has every tool."""
    tools = tmp_path / "tools-of-the-machine"
    tools.mkdir()
    for name in TOOLS:
        (tools / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tools))
    root = tmp_path / "My Project"
    root.mkdir()
    return root


@pytest.fixture
def write(root: Path) -> Write:
    def write(name: str, text: str = "", mode: int = 0o644) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    return write


def guesses(root: Path) -> list[tuple[str, tuple[str, ...]]]:
    return [(program.name, program.start) for program in programs(root)]


def only(root: Path) -> Program:
    [program] = programs(root)
    return program


def test_nothing_is_there(root: Path) -> None:
    assert guesses(root) == []
    assert guesses(root / "nowhere") == []


def test_a_python_script_that_is_installed(root: Path, write: Write) -> None:
    write("pyproject.toml", "[project]\nname = 'x'\n[project.scripts]\npytest = 'nowhere:main'\n")
    assert guesses(root) == [("pytest", ())]


def test_a_python_script_from_its_sources(root: Path, write: Write) -> None:
    write("pyproject.toml", "[project.scripts]\nmine = 'pkg.cli:app.run'\n")
    write("src/pkg/cli.py")
    code = "import sys; sys.argv[0] = 'mine'; import pkg.cli; sys.exit(pkg.cli.app.run())"
    assert guesses(root) == [("mine", ("env", f"PYTHONPATH={ROOT}/src", "python3", "-c", code))]


def test_a_python_script_on_the_path_of_poetry(root: Path, write: Write) -> None:
    write("pyproject.toml", "[tool.poetry.scripts]\non-the-path = 'nowhere:main'\nabsent = 'nowhere:main'\n")
    assert guesses(root) == [("on-the-path", ())]


def test_a_python_package_with_a_main(root: Path, write: Write) -> None:
    write("pkg/__main__.py")
    assert guesses(root) == [("pkg", ("env", f"PYTHONPATH={ROOT}", "python3", "-m", "pkg"))]


@pytest.mark.parametrize("declared", ['{"mine": "./bin/cli.js"}', '"bin/cli.js"'])
def test_node(declared: str, root: Path, write: Write) -> None:
    write("package.json", f'{{"name": "@scope/mine", "bin": {declared}}}')
    assert guesses(root) == [], "what has not been built can't be run"
    write("bin/cli.js")
    assert guesses(root) == [("mine", ("node", f"{ROOT}/bin/cli.js"))]


def test_npm_scripts_are_only_listed(root: Path, write: Write) -> None:
    write("package.json", '{"name": "mine", "scripts": {"start": "rm -rf /"}}')
    program = only(root)
    assert (program.line(program.asks[0]), len(program.asks)) == ("mine-npm run", 1)


def test_rust(root: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("Cargo.toml", "[package]\nname = 'mine'\n")
    assert guesses(root) == [], "a library has no program"
    write("src/main.rs")
    program = only(root)
    assert program.start == ("cargo", "run", "--quiet", "--manifest-path", f"{ROOT}/Cargo.toml", "--")
    assert program.limit > 30
    write("target/debug/mine", mode=0o755)
    monkeypatch.setenv("PATH", "")
    assert guesses(root) == [("mine", (f"{ROOT}/target/debug/mine",))]


def test_rust_with_a_named_binary(root: Path, write: Write) -> None:
    write("Cargo.toml", "[package]\nname = 'mine'\n[[bin]]\nname = 'other'\n")
    assert only(root).start[-3:] == ("--bin", "other", "--")


def test_go(root: Path, write: Write) -> None:
    write("go.mod", "module example.org/me/mine/v2\n\ngo 1.22\n")
    write("main.go", "package main")
    assert guesses(root) == [("mine", ("go", "run", "-C", ROOT, "."))]


@pytest.mark.parametrize(("text", "ask"), [("all:\n", "--dry-run"), ("all:\nhelp: all\n", "help")])
def test_make(text: str, ask: str, root: Path, write: Write) -> None:
    write("Makefile", text)
    assert (only(root).name, only(root).asks) == ("my-project-make", ((ask,),))


@pytest.mark.parametrize(
    ("text", "language", "safe"),
    [
        ("#!/bin/sh\nrm -rf build\n", "shell", False),
        ('#!/usr/bin/env bash\n[ "$1" = --help ] && usage\n', "shell", True),
        ("#!/usr/bin/env python3\nimport argparse\n", "python", True),
        ("#!/usr/bin/env node\nprocess.exit(0)\n", "node", False),
    ],
)
def test_a_script_is_safe_only_if_it_takes_arguments(
    text: str, language: str, safe: bool, root: Path, write: Write
) -> None:
    write("bin/mine.x", text, 0o755)
    program = only(root)
    assert (program.name, program.start) == ("mine", (f"{ROOT}/bin/mine.x",))
    assert (program.language, program.safe) == (language, safe)


def test_which_files_are_scripts(root: Path, write: Write) -> None:
    write("gradlew", "#!/bin/sh\n", 0o755)
    write("data.bin", "\x7fELF", 0o755)
    write("README.md", "#!/bin/sh\n")
    write("plain.sh", "echo\n")
    assert guesses(root) == [("plain", ("sh", f"{ROOT}/plain.sh"))]


def test_a_dockerfile_is_not_enough(root: Path, write: Write) -> None:
    write("Dockerfile", 'FROM scratch\nENTRYPOINT ["/mine"]\n')
    assert guesses(root) == []


def test_no_file_that_is_broken_breaks_the_guess(root: Path, write: Write) -> None:
    for name in ("pyproject.toml", "package.json", "Cargo.toml"):
        write(name, "{[")
    write("go.mod", "\x00")
    (root / "Makefile").mkdir()
    assert guesses(root) == []
    write("package.json", "[]")
    write("pyproject.toml", "project = 1\n[tool]\npoetry = 2\n")
    assert guesses(root) == []
    write("package.json", '{"bin": 3, "scripts": []}')
    assert guesses(root) == []


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("pyproject.toml", "[project]\nname = 'My.Tool'\n", "my-tool"),
        ("package.json", '{"name": "@scope/tool"}', "tool"),
        ("Cargo.toml", "[package]\nname = 'my_tool'\n", "my_tool"),
        ("go.mod", "module example.org/me/tool\n", "tool"),
        ("README.md", "", "my-project"),
    ],
)
def test_the_name_of_the_project(file: str, text: str, name: str, root: Path, write: Write) -> None:
    write(file, text)
    assert project_name(root) == name


def test_a_directory_whose_name_is_no_name() -> None:
    assert project_name(Path("/")) == "project"
    assert project_name(Path("/nowhere/日本")) == "project"
