"""Values of a database in the cells of a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from goalkeeper.runner.failure import StepFailed
from goalkeeper.steps.sqlite.cell import Result, Value, check_same, expected, value, written


@pytest.mark.parametrize(
    ("text", "means", "back"),
    [
        ("1", 1, "1"),
        ("-2.5", -2.5, "-2.5"),
        ("1e3", 1000.0, "1000.0"),
        ("007", "007", "007"),
        ('"1"', "1", '"1"'),
        ("ok", "ok", "ok"),
        ("two words", "two words", "two words"),
        ('"ok"', "ok", "ok"),
        ("NULL", None, "NULL"),
        ("null", None, "NULL"),
        ('"NULL"', "NULL", '"NULL"'),
        ("Null", "Null", "Null"),
        ("true", "true", "true"),
        ("", "", '""'),
        ('""', "", '""'),
        ("x'00ff'", b"\0\xff", "x'00ff'"),
        ("X''", b"", "x''"),
        ("x'0'", "x'0'", "x'0'"),
        ('"a\\nb"', "a\nb", '"a\\nb"'),
        ('"half', '"half', '"\\"half"'),
        ('"a" and "b"', '"a" and "b"', '"\\"a\\" and \\"b\\""'),
        ('{"a": 1}', '{"a": 1}', '{"a": 1}'),
        ('" x"', " x", '" x"'),
        ("ü", "ü", "ü"),
    ],
)
def test_what_a_cell_means(text: str, means: Value, back: str) -> None:
    assert value(text) == means
    assert type(value(text)) is type(means)
    assert written(means) == back


@given(
    some.none()
    | some.integers()
    | some.floats(allow_nan=False, allow_infinity=False)
    | some.text()
    | some.binary(max_size=32)
)
def test_every_value_can_be_written(found: Value) -> None:
    assert value(written(found)) == found
    assert type(value(written(found))) is type(found)
    assert "\n" not in written(found)


def test_a_long_blob_is_cut() -> None:
    assert written(b"\1" * 40) == "x'" + "01" * 32 + "' and 8 bytes more"


@pytest.mark.parametrize(
    ("cell", "found"), [("1", 1), ("1", 1.0), ("1.0", 1), ("NULL", None), ('"1"', "1"), ("x'31'", b"1")]
)
def test_the_same(cell: str, found: Value) -> None:
    check_same(expected([["a"], [cell]]), Result(("a",), ((found,),)))


@pytest.mark.parametrize(
    ("cell", "found", "shown"),
    [
        ("1", "1", '"1"'),
        ('"1"', 1, "1"),
        ("NULL", "NULL", '"NULL"'),
        ("", None, "NULL"),
        ("1", None, "NULL"),
        ('"1"', b"1", "x'31'"),
        ("a", "A", "A"),
    ],
)
def test_what_is_not_the_same(cell: str, found: Value, shown: str) -> None:
    with pytest.raises(StepFailed) as caught:
        check_same(expected([["a"], [cell]]), Result(("a",), ((found,),)))
    assert caught.value.message == "the query gives other rows"
    assert caught.value.actual == f"| a |\n| {shown} |"
    assert caught.value.expected == f"| a |\n| {written(value(cell))} |"


def test_other_columns_and_no_table_at_all() -> None:
    with pytest.raises(StepFailed) as caught:
        check_same(expected([["a", "b"]]), Result(("b", "a"), ()))
    assert str(caught.value) == "the query gives other columns\n  expected: a, b\n  actual:   b, a"
    with pytest.raises(StepFailed, match="the first row of this table names the columns"):
        expected([])
