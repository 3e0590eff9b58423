"""What a failed step says."""

from __future__ import annotations

from goalkeeper.runner.failure import StepFailed


def test_a_message_alone() -> None:
    assert str(StepFailed("no such branch")) == "no such branch"


def test_two_values_of_one_line() -> None:
    failure = StepFailed("wrong code", expected="0", actual="17")
    assert str(failure) == "wrong code\n  expected: 0\n  actual:   17"


def test_an_empty_value_is_a_value() -> None:
    assert str(StepFailed("m", expected="", actual="x")) == "m\n  expected: \n  actual:   x"


def test_one_value_alone_is_not_shown() -> None:
    assert str(StepFailed("m", expected="x")) == "m"


def test_several_lines_are_shown_as_a_diff() -> None:
    text = str(StepFailed("differs", expected="a\nb\n", actual="a\nc\n"))
    assert text.splitlines()[:3] == ["differs", "  --- expected", "  +++ actual"]
    assert text.splitlines()[-3:] == ["   a", "  -b", "  +c"]


def test_a_difference_in_the_last_line_end_is_visible() -> None:
    assert (
        str(StepFailed("differs", expected="a\n", actual="a"))
        == "differs\n  expected: 'a\\n'\n  actual:   'a'"
    )


def test_notes_come_last() -> None:
    failure = StepFailed("m", expected="1", actual="2", notes=["exit code 3", "see log"])
    assert str(failure).splitlines()[-2:] == ["exit code 3", "see log"]


def test_it_is_an_assertion_and_can_be_kept_in_a_set() -> None:
    failure = StepFailed("m")
    assert isinstance(failure, AssertionError)
    assert len({failure, StepFailed("m")}) == 2
