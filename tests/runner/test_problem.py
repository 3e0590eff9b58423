"""How a problem reads: place, marked line, message, hints."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.runner.goal import Place
from goalkeeper.runner.problem import GoalError, Problem, did_you_mean, nearest


def test_place_line_marker_message_and_hints() -> None:
    problem = Problem("unknown-step", Place(2, 9), "no step matches", span=4, hints=("try this", "or that"))
    assert problem.render("a.feature", ["Feature: x", "    But branch"]) == (
        "a.feature:2:9: unknown-step\n    But branch\n        ^^^^\nno step matches\ntry this\nor that"
    )


def test_without_a_span_the_rest_of_the_line_is_marked() -> None:
    assert _marked(Place(1, 3), "a bcd  ") == ("a bcd", "  ^^^")


def test_a_span_ends_with_the_line() -> None:
    assert _marked(Place(1, 3), "a bcd", span=99) == ("a bcd", "  ^^^")


def test_a_tab_indent_is_folded() -> None:
    assert _marked(Place(1, 3), "\t\tabc", span=1) == ("abc", "^")


def test_a_tab_inside_the_line_is_kept_in_front_of_the_marker() -> None:
    assert _marked(Place(1, 5), "\ta\tbcd", span=3) == ("a\tbcd", " \t ^^")


def test_a_column_in_the_indent_marks_from_the_start() -> None:
    assert _marked(Place(1, 1), "    abc", span=2) == ("abc", "^^")


def test_a_column_behind_the_line_still_gives_one_marker() -> None:
    assert _marked(Place(1, 6), "abc") == ("abc", "     ^")


def test_a_line_that_is_not_there_is_left_out() -> None:
    problem = Problem("empty-file", Place(1), "nothing here")
    assert problem.render("a.feature", []) == "a.feature:1:1: empty-file\nnothing here"


def test_an_empty_line_is_left_out() -> None:
    assert Problem("x", Place(1), "m").render("a.feature", ["  ", "b"]) == "a.feature:1:1: x\nm"


def test_what_a_terminal_would_obey_is_shown_instead() -> None:
    shown = Problem("x", Place(1, 3), "bad \x1b[0m key", span=2).render(
        "\udcff.feature", ["a\x1b[31m\x9bb\u202ec"]
    )
    first, line, marker, message = shown.splitlines()
    assert (first, line, marker) == ("?.feature:1:3: x", "    a␛[31m\ufffdb\ufffdc", "      ^^")
    assert message == "bad ␛[0m key"


@pytest.mark.parametrize("column", [1, 30, 500, 960, 1000])
def test_of_a_long_line_the_part_around_the_marker_is_shown(column: int) -> None:
    line = "".join(chr(0x4E00 + n) for n in range(1000))
    text, marker = _marked(Place(1, column), line, span=1)
    assert len(text) <= 242
    assert text[len(marker) - 1] == line[column - 1]


def test_an_error_tells_all_problems_in_the_order_of_the_file() -> None:
    problems = [
        Problem("c", Place(2, 1), "third"),
        Problem("b", Place(1, 4), "second"),
        Problem("a", Place(1, 2), "first"),
    ]
    error = GoalError(Path("x.feature"), problems, ["abcdef", "ghi"])
    blocks = str(error).split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == [
        "x.feature:1:2: a",
        "x.feature:1:4: b",
        "x.feature:2:1: c",
    ]
    assert error.exit_code == 2


def test_an_error_can_be_kept_in_a_set() -> None:
    error = GoalError(Path("x"), [])
    assert len({error, GoalError(Path("x"), [])}) == 2


def test_did_you_mean() -> None:
    assert did_you_mean("tilte", ["title", "tier"]) == ' Did you mean "title"?'
    assert did_you_mean("xyz", ["title", "tier"]) == ""


def test_nearest_gives_the_best_first_and_not_too_many() -> None:
    assert nearest("given", ["gives", "given", "giver", "givens", "when"], most=2) == ["given", "givens"]
    assert nearest("q", ["given"]) == []


def _marked(place: Place, line: str, span: int = 0) -> tuple[str, str]:
    """The shown line and its marker, without the four columns before both."""
    _, shown, marker, _ = Problem("r", place, "m", span=span).render("f", [line]).split("\n")
    assert shown.startswith("    ")
    assert marker.startswith("    ")
    return shown[4:], marker[4:]
