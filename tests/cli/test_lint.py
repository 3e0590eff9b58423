"""`goalkeeper lint`: what it prints and where it ends, whatever it is given."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from goalkeeper.cli import main
from goalkeeper.runner.lint.explain import rule_ids

GOOD = """\
@G1.1 @scope:greet
Feature: t
  Expect: it greets.
  Hook: none

  Scenario: a
    When I run "echo"
    Then file "a" exists
    But file "core" never exists
"""
BAD = GOOD.replace("G1.1", "G1.2").replace("I run", "I runn")
RUN = [sys.executable, "-m", "goalkeeper.cli", "lint"]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "goalkeeper.toml").touch()
    (tmp_path / "scenarios").mkdir()
    return tmp_path


def write(name: str, content: str | bytes) -> None:
    path = Path("scenarios", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def lint(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["lint", *arguments])
    assert "Traceback" not in result.output
    return result


def test_a_clean_tree() -> None:
    write("a.feature", GOOD)
    result = lint()
    assert (result.exit_code, result.output) == (0, "1 goal file, no problem\n")


def test_a_problem_as_a_person_reads_it() -> None:
    write("a.feature", GOOD)
    write("b.feature", BAD)
    result = lint()
    assert result.exit_code == 1
    assert result.output == (
        "scenarios/b.feature:7:10: unknown-step\n"
        '    When I runn "echo"\n'
        "         ^^^^^^^^^^^^^\n"
        "no step matches this line. Did you mean\n"
        '    I run "{command}"                     steps/cli\n'
        '    I run "{command}" in "{directory}"    steps/cli\n'
        '    I run "{command}" with                steps/cli\n'
        "see all steps: goalkeeper steps cli\n"
        "\n"
        "1 problem in 1 of 2 goal files\n"
        "learn more: goalkeeper lint --explain unknown-step\n"
    )


def test_all_problems_of_all_files_come_in_one_run() -> None:
    write("a.feature", BAD.replace("  Hook: none\n", ""))
    write("b.goal.yaml", "goal: G1.3\nhook: x\nhook: y\n")
    write("c.feature", b"\xff")
    result = lint()
    headings = [line for line in result.output.splitlines() if line.startswith("scenarios/")]
    assert headings == [
        "scenarios/a.feature:2:1: no-hook",
        "scenarios/a.feature:6:10: unknown-step",
        "scenarios/b.goal.yaml:1:1: missing-key",
        "scenarios/b.goal.yaml:3:1: duplicate-key",
        "scenarios/c.feature:1:1: not-utf8",
    ]
    assert "5 problems in 3 of 3 goal files" in result.output


def test_json() -> None:
    write("a.feature", BAD)
    write("conftest.py", "")
    result = lint("--format", "json")
    assert result.exit_code == 1
    data = json.loads(result.output)
    assert (data["files"], data["left_to_pytest"]) == (1, [])
    (problem,) = data["problems"]
    assert {key: problem[key] for key in ("file", "line", "column", "rule")} == {
        "file": "scenarios/a.feature",
        "line": 7,
        "column": 10,
        "rule": "unknown-step",
    }
    assert problem["message"] == "no step matches this line. Did you mean"
    assert problem["hints"][-1] == "see all steps: goalkeeper steps cli"


def test_json_of_a_clean_tree() -> None:
    write("a.feature", GOOD)
    result = lint("--format", "json")
    assert (result.exit_code, json.loads(result.output)) == (
        0,
        {"files": 1, "problems": [], "left_to_pytest": []},
    )


def test_annotations_for_github() -> None:
    write("a,b:c%.feature", BAD)
    result = lint("--format", "github")
    assert result.exit_code == 1
    assert result.output.startswith(
        "::error file=scenarios/a%2Cb%3Ac%25.feature,line=7,col=10,title=unknown-step::"
        "no step matches this line. Did you mean%0A"
    )
    assert result.output.count("\n") == 1
    write("a,b:c%.feature", GOOD)
    assert (lint("--format", "github").output, lint("--format", "github").exit_code) == ("", 0)


def test_what_is_left_to_pytest_is_said() -> None:
    write("a.feature", BAD)
    write("conftest.py", "from goalkeeper import when\nwhen(f'x')(print)\n")
    result = lint()
    assert result.exit_code == 0
    note = "scenarios/conftest.py:2: steps defined here can't be read; unknown steps are left to pytest"
    assert result.output.splitlines() == [note, "1 goal file, no problem"]
    assert json.loads(lint("--format", "json").output)["left_to_pytest"] == ["scenarios/conftest.py:2"]


@pytest.mark.parametrize(
    ("content", "rule", "code"),
    [
        (b"", "empty-file", 1),
        (b"\xef\xbb\xbf", "empty-file", 1),
        (b"\xff\xfe@\x00", "not-utf8", 2),
        (b"goal: G1.1\ntitle: t\ntitle: u\n", "duplicate-key", 1),
        (b"goal: G1.1\ntitle: t\n\thook: x\n", "syntax", 1),
        (b"a: &a [x]\n" + b"".join(b"k%d: &k%d [*a, *a]\n" % (n, n) for n in range(99)), "alias", 1),
        (b"[" * 100_000, "too-deep", 1),
        (b"\x00" * 100, "syntax", 1),
    ],
)
def test_bad_input_has_a_message_and_an_exit_code(content: bytes, rule: str, code: int) -> None:
    write("a.goal.yaml", content)
    result = lint()
    assert f": {rule}\n" in result.output
    assert result.exit_code == code
    assert "\x00" not in result.output


def test_a_byte_order_mark_and_tabs_in_gherkin_are_fine() -> None:
    write("a.feature", b"\xef\xbb\xbf" + GOOD.replace("  ", "\t").replace("\n", "\r\n").encode())
    assert lint().exit_code == 0


def test_no_goal_file() -> None:
    result = lint()
    assert (result.exit_code, result.output) == (2, "Error: there is no goal file in scenarios\n")


def test_a_path_that_is_not_there() -> None:
    result = lint("nowhere")
    assert result.exit_code == 2
    assert "'nowhere' does not exist" in result.output


def test_a_file_that_is_no_goal_file() -> None:
    result = lint("goalkeeper.toml")
    assert result.exit_code == 2
    assert result.output.startswith("Error: goalkeeper.toml is no goal file: those end in .feature")


def test_a_configuration_that_is_none() -> None:
    Path("goalkeeper.toml").write_text("goals = 5\n")
    result = lint()
    assert (result.exit_code, result.output.startswith("Error: ")) == (2, True)


def test_goals_that_the_configuration_names_and_that_are_not_there() -> None:
    Path("goalkeeper.toml").write_text('goals = ["nowhere"]\n')
    result = lint()
    assert result.exit_code == 2
    assert "nowhere does not exist" in result.output


def test_a_file_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.feature", GOOD)

    real = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path.suffix == ".feature":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    result = lint()
    assert result.exit_code == 2
    assert result.output.startswith(
        "scenarios/a.feature:1:1: unreadable\nthis file can't be read: Permission denied\n"
    )


def test_a_directory_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    def scandir(_path: Path) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", scandir)
    result = lint()
    assert result.exit_code == 2
    assert result.output.startswith(
        "scenarios:1:1: unreadable\nthis directory can't be entered: Permission denied\n"
    )


def test_a_file_in_a_directory_that_is_reached_from_below(monkeypatch: pytest.MonkeyPatch) -> None:
    """Named as `../scenarios`, a file has the same name and the same conftest.py files above it."""
    write("a.feature", BAD)
    Path("sub").mkdir()
    Path("sub", "conftest.py").write_text(
        "from goalkeeper import when\n@when('I runn \"{x}\"')\ndef x(x): ...\n"
    )
    monkeypatch.chdir("sub")
    result = lint("../scenarios")
    assert result.output.startswith("scenarios/a.feature:7:10: unknown-step\n")


def test_a_project_that_is_reached_by_a_link(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    write("sub/a.feature", BAD)
    write("conftest.py", "from goalkeeper import when\n@when('I runn \"{x}\"')\ndef x(x): ...\n")
    link = tmp_path_factory.mktemp("link") / "project"
    link.symlink_to(project)
    assert lint(str(link / "scenarios" / "sub")).output == "1 goal file, no problem\n"


def test_characters_that_a_terminal_would_obey_are_shown() -> None:
    write("a.feature", BAD.replace("echo", "\x1b[2J\x07\u202eecho"))
    output = lint().output
    assert 'I runn "␛[2J␇\ufffdecho"' in output
    assert "\x1b" not in output


def test_a_name_that_is_no_utf8(project: Path) -> None:
    Path(os.fsdecode(os.fsencode(project / "scenarios") + b"/\xff.feature")).write_text(BAD)
    assert lint().output.startswith("scenarios/?.feature:7:10: unknown-step\n")
    assert json.loads(lint("--format", "json").output)["problems"][0]["file"] == "scenarios/?.feature"
    assert lint("--format", "github").output.startswith("::error file=scenarios/?.feature,")


@pytest.mark.parametrize("rule", ["no-negative", "syntax"])
def test_explain(rule: str) -> None:
    result = lint("--explain", rule)
    assert result.exit_code == 0
    assert result.output.startswith(f"{rule}\n\n")
    assert "Wrong:" in result.output
    assert "Right:" in result.output


def test_explain_what_is_no_rule() -> None:
    result = lint("--explain", "no-negatve")
    assert result.exit_code == 2
    first, second = result.output.splitlines()
    assert first == 'Error: there is no rule "no-negatve". Did you mean "no-negative"?'
    assert second == f"Known: {', '.join(rule_ids())}"


def test_an_unknown_format() -> None:
    assert lint("--format", "xml").exit_code == 2


def in_a_terminal(**environment: str) -> str:
    """What lint prints where a person would see it."""
    outer, inner = pty.openpty()
    keep = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(RUN, stdout=inner, env={**keep, "TERM": "xterm-256color", **environment})
    os.close(inner)
    chunks: list[bytes] = []
    try:
        while chunk := os.read(outer, 4096):
            chunks.append(chunk)
    except OSError:
        pass  # Linux says "no more" with an error
    os.close(outer)
    assert process.wait() == 1
    return b"".join(chunks).decode()


def test_colours_only_for_a_person_and_not_with_no_color() -> None:
    write("a.feature", BAD)
    assert "\x1b[" in in_a_terminal()
    assert "\x1b[3" not in in_a_terminal(NO_COLOR="1")
    piped = subprocess.run(RUN, capture_output=True, text=True, check=False)
    assert (piped.returncode, "\x1b" in piped.stdout, piped.stderr) == (1, False, "")


def test_neither_pytest_nor_anything_of_the_user_is_imported() -> None:
    write("a.feature", BAD)
    write("conftest.py", "import pathlib\npathlib.Path('ran').touch()\nraise SystemExit(7)\n")
    code = (
        "import sys; from goalkeeper.cli import main\n"
        "try: main(['lint'], standalone_mode=False)\n"
        "except SystemExit as end: print('end', end.code)\n"
        "print(sorted({n.partition('.')[0] for n in sys.modules}\n"
        "    & {'pytest', '_pytest', 'pytest_bdd', 'docker', 'git', 'jinja2', 'conftest'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["end 1", "[]"]
    assert not Path("ran").exists()


def test_an_error_of_ours_has_an_exit_code_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.feature", GOOD)
    monkeypatch.setattr("goalkeeper.runner.lint.Linter.check", lambda *_: 1 / 0)
    result = CliRunner().invoke(main, ["lint"])
    assert result.exit_code == 3
    assert "an error of Goalkeeper itself" in result.output
