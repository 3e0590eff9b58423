"""Output that grows: what a reader gets at each look, and what a watch makes of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.never import Breach
from goalkeeper.runner.programs.output import (
    Output,
    OutputWatch,
    Printed,
    Reader,
    Search,
    contains,
    line_printed,
    matches,
    pattern,
    text_printed,
)


@pytest.fixture
def output(tmp_path: Path) -> Output:
    paths = tmp_path / "out", tmp_path / "err"
    for path in paths:
        path.touch()
    return Output("it", *paths)


def prints(output: Output, text: str | bytes, *, to_stderr: bool = False) -> None:
    with (output.stderr if to_stderr else output.stdout).open("ab") as file:
        file.write(text.encode() if isinstance(text, str) else text)


@dataclass
class Source:
    output: Output
    is_running: bool = True


def test_a_reader_begins_with_the_line_where_it_stopped(output: Output) -> None:
    reader = Reader(output, "stdout")
    assert reader.more() is None
    prints(output, "one\ntw")
    assert reader.more() == Printed("it", "stdout", 1, "one\ntw", 2)
    assert reader.more() is None
    prints(output, "o\nthree\n")
    assert reader.more() == Printed("it", "stdout", 2, "two\nthree\n", 1)
    prints(output, "four\n")
    assert reader.more() == Printed("it", "stdout", 4, "four\n", 1)


def test_a_reader_that_begins_later(output: Output) -> None:
    prints(output, "one\ntw")
    reader = Reader(output, "stdout", start=6)
    assert reader.more() is None
    prints(output, "o\n")
    assert reader.more() == Printed("it", "stdout", 2, "o\n", 1)


@pytest.mark.parametrize(("back", "text", "line"), [(0, "d\n", 4), (1, "c\nd\n", 3), (9, "a\nb\nc\nd\n", 1)])
def test_a_reader_that_goes_back(output: Output, back: int, text: str, line: int) -> None:
    reader = Reader(output, "stdout", back=back)
    prints(output, "a\nb\nc\n")
    reader.more()
    prints(output, "d\n")
    assert reader.more() == Printed("it", "stdout", line, text, 1)


def test_a_character_that_arrives_in_two_parts(output: Output) -> None:
    reader = Reader(output, "stdout")
    euro = "€".encode()
    prints(output, b"a " + euro[:1])
    reader.more()
    prints(output, euro[1:])
    found = reader.more()
    assert found is not None
    assert found.text == "a €"


def test_a_stream_that_was_emptied_is_read_anew(output: Output) -> None:
    reader = Reader(output, "stdout")
    prints(output, "a long line\n")
    reader.more()
    os.truncate(output.stdout, 0)
    prints(output, "new\n")
    assert reader.more() == Printed("it", "stdout", 1, "new\n", 1)


def test_searching_for_a_text_that_comes_in_pieces(output: Output) -> None:
    search = Search(output, "b\nc")
    prints(output, "ab\n")
    assert not search.look()
    prints(output, "cd", to_stderr=True)
    assert not search.look()
    prints(output, "cd")
    assert search.look()


def test_searching_from_some_bytes_on(output: Output) -> None:
    prints(output, "ready\n")
    search = Search(output, "ready", output.sizes)
    assert not search.look()
    prints(output, "ready\n", to_stderr=True)
    assert search.look()


def test_a_watch_reads_what_runs_already_from_now_on(output: Output) -> None:
    prints(output, "SECRET\n")
    watch = OutputWatch("SECRET", "program", lambda: [Source(output)])
    watch.look()
    assert (watch.entries, watch.inspected) == ([], {"program": 1, "line": 0})
    prints(output, "more\nSECRET\n")
    watch.look()
    assert text_printed("SECRET", watch.entries) == [
        Breach('it printed "SECRET" to stdout', "line 3: SECRET")
    ]
    assert watch.inspected == {"program": 1, "line": 2}


def test_a_watch_of_a_program_that_had_ended_saw_nothing_until_it_prints_more(output: Output) -> None:
    watch = OutputWatch("x", "program", lambda: [Source(output, is_running=False)])
    watch.look()
    assert watch.journal().is_empty
    prints(output, "late\n", to_stderr=True)
    watch.look()
    assert watch.inspected == {"program": 1, "line": 1}


def test_a_text_is_told_once_for_each_stream() -> None:
    entries = [
        Printed("it", "stdout", 1, "a x\n", 1),
        Printed("it", "stderr", 4, "y\nx b\n", 2),
        Printed("it", "stdout", 2, "x\n", 1),
        Printed("other", "stdout", 1, "x", 1),
    ]
    assert text_printed("x", entries) == [
        Breach('it printed "x" to stdout', "line 1: a x"),
        Breach('it printed "x" to stderr', "line 5: x b"),
        Breach('other printed "x" to stdout', "line 1: x"),
    ]
    assert text_printed("z", entries) == []


def test_no_text_means_anything() -> None:
    assert text_printed("", [Printed("it", "stdout", 1, "a\nb\n", 2)]) == [
        Breach('it printed "" to stdout', "line 1: a")
    ]


def test_a_line_that_matches() -> None:
    entries = [Printed("it", "stdout", 1, "an Error\r\nError: b\r\n", 2)]
    assert line_printed("^Error: .$", entries) == [
        Breach("it printed a line that matches ^Error: .$ to stdout", "line 2: Error: b\r")
    ]
    assert line_printed("^rror", entries) == []


def test_what_is_no_regular_expression() -> None:
    assert pattern("a+") == "a+"
    with pytest.raises(StepFailed) as caught:
        pattern("(")
    assert str(caught.value).startswith("this is not a regular expression: missing ), ")


def test_text_that_is_or_is_not_there() -> None:
    contains("output", "abc", "b")
    matches("output", "a\nbc\n", "^b")
    with pytest.raises(StepFailed) as caught:
        contains("output of it", "abc\n", "x")
    assert str(caught.value) == 'the output of it does not contain "x"\n  the output of it is\n  | abc'
    with pytest.raises(StepFailed) as caught:
        matches("output", "", "^x")
    assert str(caught.value) == "the output does not match ^x\n  the output is empty"


def test_what_a_failure_shows(output: Output) -> None:
    assert output.notes() == ["  it printed nothing"]
    prints(output, "a\nb\nc\n")
    prints(output, "d", to_stderr=True)
    assert output.shown() == "stdout:\na\nb\nc\nstderr:\nd"
    assert output.notes(1) == ["  stdout:", "  … 2 lines before this", "  c", "  stderr:", "  d"]


def test_output_that_is_gone(output: Output) -> None:
    reader = Reader(output, "stdout")
    output.stdout.unlink()
    for look in (reader.more, lambda: output.text("stdout"), lambda: output.sizes):
        with pytest.raises(StepFailed) as caught:
            look()
        assert str(caught.value) == "what it printed can't be read: No such file or directory"
