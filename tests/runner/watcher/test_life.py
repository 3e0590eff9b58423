"""What the watcher makes of what it was told."""

from __future__ import annotations

import pytest

from goalkeeper.runner.watcher.life import guarded


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ("", []),
        ("\0", []),
        ("\0+/tmp/a\0", ["/tmp/a"]),
        ("\0+/tmp/a\0-/tmp/a\0", []),
        ("\0+/tmp/a\0+/tmp/b\0", ["/tmp/b", "/tmp/a"]),
        ("\0+/tmp/a\0+/tmp/b\0-/tmp/a\0", ["/tmp/b"]),
        ("\0+/tmp/a\0-/tmp/a\0+/tmp/a\0", ["/tmp/a"]),
        ("\0-/tmp/a\0", []),
        ("\0+/tmp/a\0.\0", ["/tmp/a"]),
        ("\0+/tmp/line\nbreak -\0", ["/tmp/line\nbreak -"]),
        ("\0+/tmp/a\0-/tmp/", ["/tmp/a"]),
        ("\0+/tmp/a\0+/tm", ["/tmp/a"]),
    ],
)
def test_sandboxes_that_were_not_taken_back(told: str, left: list[str]) -> None:
    """The newest first; a message that was cut off counts as nothing."""
    assert guarded(told) == left
