"""Systems: commands that mean the same everywhere, replacements, and the programs on the sandbox's PATH."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from goalkeeper.runner.config import Configuration, ConfigurationError, SystemSettings, configuration
from goalkeeper.runner.systems.profile import ArtifactRule, Profile
from goalkeeper.runner.systems.system import System, Systems, load


@pytest.fixture
def project(tmp_path: Path) -> Path:
    program = tmp_path / "bin" / "tool"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "tool <$1> <$MODE>"\n')
    program.chmod(0o755)
    (tmp_path / "data.txt").write_text("")
    return tmp_path


def one(root: Path, *words: str, replaced: tuple[str, ...] = (), start: Path | None = None) -> System:
    settings = SystemSettings("tool", words)
    (system,) = load(Configuration(root, systems=(settings,)), replaced, start)
    return system


def run(system: System, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "shim"
    script.write_text(system.script())
    script.chmod(0o755)
    return subprocess.run([script, *arguments], cwd="/", capture_output=True, text=True, check=False)


def test_what_names_a_file_of_the_project_is_named_in_full(project: Path) -> None:
    system = one(project, "./bin/tool", "data.txt", "./data.txt", "no/such", "/")
    assert system.command == (f"{project}/bin/tool", "data.txt", f"{project}/data.txt", "no/such", "/")
    assert system.files == [project / "bin/tool", project / "data.txt", Path("/")]


def test_a_link_stays_a_link(project: Path) -> None:
    """The Python of a virtual environment is one, and finds its packages by that name."""
    (project / "python").symlink_to(sys.executable)
    assert one(project, "./python").command == (f"{project}/python",)


def test_a_program_is_found_beside_python_and_then_on_the_path(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{project}/bin")
    assert one(project, "tool").command == (f"{project}/bin/tool",)
    assert one(project, "goalkeeper").command == (str(Path(sys.executable).with_name("goalkeeper")),)
    assert one(project, "no-such-tool").command == ("no-such-tool",)


@pytest.mark.parametrize("word", ["echo a/b; " * 100, "/" + "x" * 5000])
def test_a_word_longer_than_a_files_name(project: Path, word: str) -> None:
    system = one(project, "sh", "-c", word)
    assert system.command[1:] == ("-c", word)
    assert system.files == [Path(system.command[0])]


def test_the_script_passes_arguments_and_variables_on(project: Path) -> None:
    system = System("tool", (f"{project}/bin/tool",), {"MODE": "it's"})
    assert run(system, project, "a b").stdout == "tool <a b> <it's>\n"


def test_a_variable_that_a_scenario_sets_stays(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = System("tool", (f"{project}/bin/tool",), {"MODE": "system"})
    monkeypatch.setenv("MODE", "")
    assert run(system, project, "a").stdout == "tool <a> <>\n"
    (project / "shim").write_text(system.script(given={"MODE"}))
    ran = subprocess.run([project / "shim", "a"], capture_output=True, text=True, check=False)
    assert ran.stdout == "tool <a> <system>\n"


def test_the_script_for_a_program_that_is_not_there(project: Path) -> None:
    ran = run(one(project, "no-such-tool"), project)
    assert ran.returncode == 127
    assert ran.stderr == "there is no program no-such-tool: is it installed, and on the PATH?\n"


def test_a_replacement_is_seen_from_where_it_was_given(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = project / "bin"
    assert one(project, "x", replaced=("tool=./tool 'a b'",), start=there).command == (
        f"{there}/tool",
        "a b",
    )
    monkeypatch.setenv("GOALKEEPER_SYSTEM_TOOL", "./bin/tool from env")
    assert one(project, "x").command == (f"{project}/bin/tool", "from", "env")
    assert one(project, "x", replaced=("tool=./bin/tool --a=b",)).command == (f"{project}/bin/tool", "--a=b")
    monkeypatch.setenv("GOALKEEPER_SYSTEM_TOOL", "")
    assert one(project, "./bin/tool").command == (f"{project}/bin/tool",)


def test_the_variable_of_a_name_with_signs(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOALKEEPER_SYSTEM_MY_TOOL_2", "/bin/true")
    (system,) = load(Configuration(project, systems=(SystemSettings("my-tool.2", ("x",)),)))
    assert system.command == ("/bin/true",)


@pytest.mark.parametrize(
    ("replaced", "message"),
    [
        ("tool", "--system tool: write it as NAME=COMMAND"),
        ("tool= ", "--system tool= : write it as NAME=COMMAND"),
        ("tol=x", 'there is no system "tol". Did you mean "tool"? Known: tool'),
        ("tool=it's", "the command for tool can't be split: No closing quotation"),
    ],
)
def test_replacements_that_are_wrong(project: Path, replaced: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        one(project, "x", replaced=(replaced,))
    assert str(caught.value) == message


def test_a_replacement_where_there_are_no_systems(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r'^there is no system "a"\. goalkeeper.toml names none$'):
        load(Configuration(tmp_path), ["a=b"])


def test_nothing_is_no_command(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="the command for tool is empty"):
        one(project)
    monkeypatch.setenv("GOALKEEPER_SYSTEM_TOOL", " ")
    with pytest.raises(ConfigurationError, match="the command for tool is empty"):
        one(project, "x")


@pytest.mark.parametrize("name", ["a/b", "..", ".", "", "a b", "-x", "ä"])
def test_a_name_that_can_be_no_programs(tmp_path: Path, name: str) -> None:
    (tmp_path / "goalkeeper.toml").write_text(f'[systems."{name}"]\ncommand = "true"\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match="is no name for a system"):
        configuration(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[systems.a]\nprofile = "x"\n', 'lacks "command"'),
        ('[systems.a]\ncommand = "it\'s"\n', "the command of a can't be split: No closing quotation"),
        ("[systems.a]\ncommand = []\n", "command"),
        ("[systems.a]\ncommand = 5\n", "command"),
        ('[systems.a]\ncommand = "x"\nenvironment = {A = 5}\n', "environment"),
        ('[systems.a]\ncommand = "x"\nenvironment = {A-B = "5"}\n', '"A-B" is no name for a variable'),
        ('[systems.a]\ncommand = "x"\nprofil = "x"\n', 'Did you mean "profile"'),
    ],
)
def test_settings_that_are_wrong(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "goalkeeper.toml").write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        configuration(tmp_path)
    assert str(tmp_path / "goalkeeper.toml") in str(caught.value)
    assert message in str(caught.value)


def test_settings_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "goalkeeper.toml").write_text(
        '[systems.a]\ncommand = "x \'y z\'"\nprofile = "p/a.yaml"\nenvironment = {A = "1"}\n'
        '[systems.b]\ncommand = ["x", "y z"]\n'
    )
    a, b = configuration(tmp_path).systems
    assert a == SystemSettings("a", ("x", "y z"), tmp_path / "p" / "a.yaml", {"A": "1"})
    assert b == SystemSettings("b", ("x", "y z"))


def test_the_configuration_has_the_last_word_on_variables(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("environment: {A: profile, B: profile}\n")
    settings = SystemSettings("a", ("true",), tmp_path / "a.yaml", {"A": "settings"})
    (system,) = load(Configuration(tmp_path, systems=(settings,)))
    assert system.environment == {"A": "settings", "B": "profile"}


def test_handles_of_several_systems() -> None:
    def system(name: str, *rules: tuple[str, str]) -> System:
        artifacts = tuple(ArtifactRule(name, kind, handle, f"{name}.json") for kind, handle in rules)
        return System(name, ("/bin/true",), profile=Profile(artifacts=artifacts))

    systems = Systems(
        [system("a", ("state", "run"), ("log", "run")), system("b", ("state", "run"), ("state", "c.d"))]
    )
    assert [rule.system for rule in systems.artifacts("state", "run")] == ["a", "b"]
    assert [rule.path for rule in systems.artifacts("state", "b.run")] == ["b.json"]
    assert [rule.name for rule in systems.artifacts("state", "c.d")] == ["c.d"]
    assert systems.artifacts("log", "b.run") == []
    assert systems.handles("state") == ["run", "run", "c.d"]
    assert systems.scripts().keys() == {"a", "b"}


def test_a_system_with_the_name_of_a_program_is_that_program(tmp_path: Path) -> None:
    (system,) = load(Configuration(tmp_path, systems=(SystemSettings("git", ("git",)),)))
    assert Path(system.command[0]).is_absolute()
    ran = run(system, tmp_path, "--version")
    assert ran.stdout.startswith("git version")
    assert os.access(system.command[0], os.X_OK)
