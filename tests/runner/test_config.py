"""`goalkeeper.toml`: which one holds, what it says, and what is said where it can't be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.config import (
    NAME,
    Configuration,
    ConfigurationError,
    SystemSettings,
    configuration,
)


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_text(text)
    return path


def test_everything_it_can_say(tmp_path: Path) -> None:
    write(
        tmp_path,
        """
        goals = ["a", "b/c.feature"]
        reports = "out"
        keep = 3
        [sandbox]
        pass = ["ONE", "TWO"]
        [systems.one]
        command = "one --flag 'a b'"
        [systems.two]
        command = ["two", "a b"]
        profile = "systems/two.yaml"
        environment = { A = "1" }
        """,
    )
    assert configuration(tmp_path) == Configuration(
        tmp_path,
        ("a", "b/c.feature"),
        "out",
        3,
        ("ONE", "TWO"),
        (
            SystemSettings("one", ("one", "--flag", "a b")),
            SystemSettings("two", ("two", "a b"), tmp_path / "systems/two.yaml", {"A": "1"}),
        ),
    )
    assert configuration(tmp_path).goal_paths() == [tmp_path / "a", tmp_path / "b/c.feature"]


def test_what_holds_where_it_says_nothing(tmp_path: Path) -> None:
    write(tmp_path, "")
    found = configuration(tmp_path)
    assert found == Configuration(tmp_path, (), ".goalkeeper", 50, (), ())
    assert found.goal_paths() == [tmp_path]
    (tmp_path / "scenarios").mkdir()
    assert found.goal_paths() == [tmp_path / "scenarios"]


def test_the_nearest_one_holds(tmp_path: Path) -> None:
    write(tmp_path, "keep = 1")
    write(tmp_path / "a", "keep = 2")
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    assert configuration(tmp_path / "a" / "b" / "c").keep == 2
    assert configuration(tmp_path / "a" / "b" / "c").root == tmp_path / "a"
    assert configuration(tmp_path).keep == 1


@pytest.mark.parametrize("name", ["pytest.ini", "pyproject.toml", ".git"])
def test_where_a_project_seems_to_begin(tmp_path: Path, name: str) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "a" / name).touch()
    assert configuration(below) == Configuration(tmp_path / "a")


def test_one_above_goes_before_a_beginning_below(tmp_path: Path) -> None:
    write(tmp_path, "keep = 1")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "pytest.ini").touch()
    assert configuration(tmp_path / "a").root == tmp_path


def test_a_directory_that_can_not_be_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "keep = 1")
    (tmp_path / "a").mkdir()
    exists = Path.exists

    def refused(path: Path) -> bool:
        if path.parent == tmp_path / "a":
            raise PermissionError(13, "Permission denied")
        return exists(path)

    monkeypatch.setattr(Path, "exists", refused)
    assert configuration(tmp_path / "a").root == tmp_path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("goals = [\n", "this is not TOML: "),
        ("keep = 0\n", "keep must be a whole number from 1 on, not 0"),
        ("keep = -1\n", "keep must be a whole number from 1 on, not -1"),
        ("keep = 1.5\n", "keep must be a whole number from 1 on, not 1.5"),
        ('[systems.a]\ncommand = "a \'b"\n', "the command of a can't be split: No closing quotation"),
    ],
)
def test_a_file_that_can_not_be_used(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        configuration(tmp_path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "place"),
    [("gaols = []\n", "1:1"), ("[sandbox]\npass = ['A=B']\n", "2:1"), ("goals = []\n", "1:1")],
)
def test_a_file_that_does_not_fit_the_schema(tmp_path: Path, text: str, place: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        configuration(tmp_path)
    assert str(caught.value).startswith(f"{path}:{place}: ")


def test_no_text_at_all(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="this is not TOML"):
        configuration(tmp_path)


def test_a_file_that_can_not_be_read(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(ConfigurationError, match=r"goalkeeper\.toml: can't be read: Is a directory"):
        configuration(tmp_path)
