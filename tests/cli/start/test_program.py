"""What a command line means that was typed at the root of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.cli.start.program import ROOT, Program, found, named


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("greet.sh", "bin/cli.js", "src/pkg/__main__.py", "flat/__main__.py", "test/x", "data.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


@pytest.mark.parametrize(
    ("line", "name", "start", "arguments"),
    [
        ("echo hello 'big world'", "echo", (), ("hello", "big world")),
        ("./greet.sh --help", "greet", (f"{ROOT}/greet.sh",), ("--help",)),
        ("greet.sh", "greet", (f"{ROOT}/greet.sh",), ()),
        ("sh -eu greet.sh a", "greet", ("sh", "-eu", f"{ROOT}/greet.sh"), ("a",)),
        ("node bin/cli.js --version", "cli", ("node", f"{ROOT}/bin/cli.js"), ("--version",)),
        ("node nowhere.js", "node", (), ("nowhere.js",)),
        ("sh -c 'echo hi'", "sh", (), ("-c", "echo hi")),
        ("cat data.txt", "cat", (), ("data.txt",)),
        ("python -m pkg x", "pkg", ("env", f"PYTHONPATH={ROOT}/src", "python3", "-m", "pkg"), ("x",)),
        ("python3 -m flat", "flat", ("env", f"PYTHONPATH={ROOT}", "python3", "-m", "flat"), ()),
        ("python3 -m json.tool", "python3", (), ("-m", "json.tool")),
        ("npm test", "p-npm", ("npm", "--prefix", ROOT), ("test",)),
        ("make test", "p-make", ("make", "--no-print-directory", "-C", ROOT), ("test",)),
        ("cargo --version", "cargo", (), ("--version",)),
        ("../outside.sh", "../outside.sh", (), ()),
    ],
)
def test_a_command_line(
    line: str, name: str, start: tuple[str, ...], arguments: tuple[str, ...], root: Path
) -> None:
    program = named(line, root, "p")
    assert (program.name, program.start, program.asks) == (name, start, (arguments,))


def test_an_absolute_path_into_the_repository(root: Path) -> None:
    assert named(f"{root}/greet.sh", root, "p").start == (f"{ROOT}/greet.sh",)


@pytest.mark.parametrize("line", ["", "  ", "echo 'open"])
def test_what_is_no_command_line(line: str, root: Path) -> None:
    with pytest.raises(ValueError, match=r"no command|quotation"):
        named(line, root, "p")


def test_a_name_that_is_known_to_be_in_the_repository(root: Path) -> None:
    own = [Program("cli", ("node", f"{ROOT}/bin/cli.js"), "node"), Program("echo", ("never",))]
    program = named("cli --loud", root, "p", own)
    assert (program.start, program.asks) == (own[0].start, (("--loud",),))
    assert named("echo x", root, "p", own).start == (), "what is on the PATH is meant by its name"


def test_the_command_on_this_machine() -> None:
    program = Program("cli", ("node", f"{ROOT}/bin/cli.js"))
    assert program.line(("a b",)) == "cli 'a b'"
    assert program.command(("a b",), Path("/my repo")) == "node '/my repo/bin/cli.js' 'a b'"
    assert Program("echo").command(("x",), Path("/r")) == "echo x"


def test_programs_beside_this_python_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert found("pytest") is not None
    assert found("no-such-program") is None
