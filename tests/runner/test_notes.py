"""Notes: what was noted is what is compared with, and what was not is told."""

from __future__ import annotations

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.notes import Notes


def test_the_last_note_counts_however_its_path_is_written() -> None:
    notes = Notes()
    notes.take('file "a/b"', 1)
    notes.take('file "a\\b"', 2)
    assert notes.of('file "a/b"') == notes.of('file "a\\b"') == 2


def test_what_nobody_noted() -> None:
    notes = Notes()
    notes.take('file "report.txt"', None)
    assert notes.of('file "report.txt"') is None
    with pytest.raises(StepFailed) as caught:
        notes.of('file "rport.txt"')
    assert str(caught.value).splitlines() == [
        'nobody has taken note of file "rport.txt": there is nothing to compare it with',
        'there is a note of file "report.txt"',
        'write before it: I note file "rport.txt"',
    ]
    with pytest.raises(StepFailed) as caught:
        notes.of('state "x"')
    assert "there is a note" not in str(caught.value)
