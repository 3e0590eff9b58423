"""Reading goal files from disk: whatever is wrong with one is a problem with a place, never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.files import GoalFileText, is_goal_file, read
from goalkeeper.runner.files.source import GoalTags, Parsed, read_text, split_description
from goalkeeper.runner.goal import Place, Tag
from goalkeeper.runner.problem import GoalError

FEATURE = "@G1.1\nFeature: t\n  Scenario: a\n    When x\n"
YAML = "goal: G1.1\ntitle: t\nscenarios:\n  - name: a\n    steps:\n      - when: x\n"


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "text"), [("x.feature", FEATURE), ("x.goal.yaml", YAML), ("x.goal.yml", YAML)]
)
def test_the_name_decides_the_spelling(tmp_path: Path, name: str, text: str) -> None:
    goal = read(write(tmp_path, name, text.encode())).unwrap()
    assert (goal.id, goal.path) == ("G1.1", tmp_path / name)
    assert [s.text for s in goal.all_steps()] == ["x"]


def test_goal_files_by_name() -> None:
    names = ["a.feature", "a.goal.yaml", "a.goal.yml", "a.yaml", "feature", "a.feature.bak"]
    assert [is_goal_file(Path(name)) for name in names] == [True, True, True, False, False, False]


@pytest.mark.parametrize(("name", "text"), [("x.feature", FEATURE), ("x.goal.yaml", YAML)])
def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path, name: str, text: str) -> None:
    result = read(write(tmp_path, name, b"\xef\xbb\xbf" + text.encode()))
    assert result.unwrap() == read(write(tmp_path, f"without-{name}", text.encode())).unwrap()
    assert result.source.text == text


@pytest.mark.parametrize(
    ("data", "place", "byte"),
    [
        (b"a\n\xc3\xa4b\xff\n", Place(2, 3), "0xff"),
        (b"\xff\xfea", Place(1, 1), "0xff"),
        (b"\xef\xbb\xbfab\xe4c", Place(1, 3), "0xe4"),
        (b"\xef\xbb\xbf\n\n x\xe4", Place(3, 3), "0xe4"),
        (b"ab\xc3", Place(1, 3), "0xc3"),
    ],
)
def test_not_utf8(tmp_path: Path, data: bytes, place: Place, byte: str) -> None:
    result = read(write(tmp_path, "x.feature", data))
    (problem,) = result.problems
    assert result.goal is None
    assert (problem.rule, problem.place) == ("not-utf8", place)
    assert problem.message == f"byte {byte} is not UTF-8: save the file as UTF-8"


def test_the_line_that_is_not_utf8_is_shown(tmp_path: Path) -> None:
    source = read_text(write(tmp_path, "x.feature", b"a\n  b\xffc\n"))
    shown = source.problems[0].render("x.feature", source.lines).splitlines()
    assert shown[:3] == ["x.feature:2:4: not-utf8", "    b\ufffdc", "     ^^"]


@pytest.mark.parametrize("name", ["x.feature", "x.goal.yaml"])
def test_an_empty_file(tmp_path: Path, name: str) -> None:
    (problem,) = read(write(tmp_path, name, b"")).problems
    assert (problem.rule, problem.place) == ("empty-file", Place(1))


def test_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "none.feature"
    with pytest.raises(GoalError) as caught:
        read(path).unwrap()
    assert str(caught.value) == f"{path}:1:1: unreadable\nthis file can't be read: No such file or directory"


def test_a_directory(tmp_path: Path) -> None:
    (tmp_path / "dir.feature").mkdir()
    (problem,) = read(tmp_path / "dir.feature").problems
    assert (problem.rule, problem.message) == ("unreadable", "this file can't be read: Is a directory")


def test_lines_are_counted_as_the_spelling_counts_them() -> None:
    text = "a\x0cb\r\nc\u2028d\n"
    assert GoalFileText(Path("x.feature"), text).lines == ["a\x0cb", "c\u2028d"]
    assert GoalFileText(Path("x.goal.yaml"), "a\r\nb\u2028c\n").lines == ["a", "b", "c"]
    assert GoalFileText(Path("x.feature"), "").lines == []


def test_unwrap_refuses_a_goal_with_problems(tmp_path: Path) -> None:
    result = read(write(tmp_path, "x.feature", FEATURE.replace("@G1.1", "@G1.1 @tier0").encode()))
    assert result.goal is not None
    with pytest.raises(GoalError, match="tier-mismatch"):
        result.unwrap()


def test_unwrap_without_a_goal_is_an_error_even_without_problems() -> None:
    with pytest.raises(GoalError):
        Parsed(None, GoalFileText(Path("x.feature"), "")).unwrap()


def test_tags_are_sorted_into_fields() -> None:
    tags = GoalTags.sort(
        [Tag(n) for n in ("G2.1", "tier2", "scope:a:b", "owner:o", "ci:c", "scope", "x:y")], Place(1)
    )
    assert (tags.id, tags.tier, tags.scope, tags.owner, tags.ci) == ("G2.1", 2, ["a:b"], "o", ["c"])
    assert [tag.name for tag in tags.rest] == ["scope", "x:y"]
    assert tags.problems == []


def test_a_field_runs_to_the_next_field_or_blank_line() -> None:
    text = "  Intro\n  Expect: one\n    two\n  Hook:\n    three\n\n  End\n"
    assert split_description(text) == ("one two", "three", "Intro\n\nEnd")
