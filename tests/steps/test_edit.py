"""steps/state/edit.py: values that are set and removed."""

from __future__ import annotations

from typing import Any

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.steps.state.edit import drop, put


def document() -> dict[str, Any]:
    return {"a": {"b": 1}, "l": [{"x": 1}, {"x": 2}, {"x": 1}]}


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("a.b", {"a": {"b": 9}}),
        ("a.new.deep", {"a": {"b": 1, "new": {"deep": 9}}}),
        ("top", {"top": 9}),
        ("l.1", {"l": [{"x": 1}, 9, {"x": 1}]}),
        ("l.3", {"l": [{"x": 1}, {"x": 2}, {"x": 1}, 9]}),
        ("l.3.y", {"l": [{"x": 1}, {"x": 2}, {"x": 1}, {"y": 9}]}),
        ("$.l[?@.x == 1].x", {"l": [{"x": 9}, {"x": 2}, {"x": 9}]}),
        ("$.a['b']", {"a": {"b": 9}}),
    ],
)
def test_setting(path: str, changed: dict[str, Any]) -> None:
    made = document()
    put(made, path, 9)
    assert made == {**document(), **changed}


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("a.b", {"a": {}, "l": document()["l"]}),
        ("a", {"l": document()["l"]}),
        ("l.0", {"a": {"b": 1}, "l": [{"x": 2}, {"x": 1}]}),
        ("$.l[?@.x == 1]", {"a": {"b": 1}, "l": [{"x": 2}]}),
    ],
)
def test_removing(path: str, left: dict[str, Any]) -> None:
    made = document()
    drop(made, path)
    assert made == left


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("l.7", "there is nothing at l.7: there is no 7."),
        ("l.7.x", "there is nothing at l.7: there is no 7."),
        ("l.first", "there is nothing at l.first: there is no first."),
        ("a.b.c", "a.b.c can't be: what holds it is number, 1"),
        ("$.zzz", "there is nothing at $.zzz to change"),
        ("$", "there is nothing at $ to change"),
    ],
)
def test_what_can_not_be_set(path: str, message: str) -> None:
    made = document()
    with pytest.raises(StepFailed) as caught:
        put(made, path, 9)
    assert str(caught.value) == message
    assert made == document()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a.c", "there is nothing at a.c: there is no c."),
        ("zz.c", "there is nothing at zz: there is no zz."),
        ("$.l[?@.x == 7]", "there is nothing at $.l[?@.x == 7] to change"),
    ],
)
def test_what_can_not_be_removed(path: str, message: str) -> None:
    with pytest.raises(StepFailed) as caught:
        drop(document(), path)
    assert str(caught.value) == message


def test_what_holds_no_values() -> None:
    with pytest.raises(StepFailed, match=r"a can't be: what holds it is number, 1"):
        put(1, "a", 2)
