"""steps/state: every violation of its negative steps is noticed, and by those alone that it concerns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.never import Negative
from goalkeeper.runner.values import find, is_there
from goalkeeper.steps.state import never, plain, watch

Prove = Callable[..., list[dict[str, Any]]]
WriteGoal = Callable[..., Path]

GOAL = """
    Scenario Outline: all of them together, in <name>
      Given state "<name>" is
        \"\"\"
        <text>
        \"\"\"
      When I run "sh -c 'cp <name> new; sed s/running/done/ new > newer; mv newer <name>'"
      Then value "s" of state "<name>" is "done"
      But state "other.json" never exists
      And state "sub/deep.yaml" never exists
      And state "<name>" never disappears
      And state "<name>" is never half-written
      And state "<name>" is never unreadable
      And state "<name>" never has
        | s             | done |
        | n             | 7    |
        | $.t[*].id     | x    |
      And value "s" of state "<name>" is never "merged"
      And value "$.t[*].id" of state "<name>" is never "0"
      And value "n" of state "<name>" is never "7"
      And value "e.message" of state "<name>" never exists
      And value "$.t[?@.s == 'merged' && @.n > 3].id" of state "<name>" never exists
      And value "$.t[?@.failed]" of state "<name>" never exists
      And value "n" of state "<name>" never changes
      And value "$.t[*].id" of state "<name>" never changes
      And value "ok" of state "<name>" never changes
      And value "n" of state "<name>" never decreases

      Examples:
        | name   | text                                                                                 |
        | a.json | {"s": "running", "n": 1, "ok": true, "t": [{"id": "a"}, {"id": "b"}]}                |
        | a.yml  | {s: running, n: 1, ok: true, on: 2024-05-06, t: [{id: a}, {id: b}]}                  |
        | a.toml | s = "running"\\nn = 1\\nok = true\\non = 2024-05-06\\nt = [{id = "a"}, {id = "b"}]   |
        | plain  | {"s": "running", "n": 1, "ok": true, "t": [{"id": "a"}, {"id": "b"}]}                |

    Scenario: a state that stays, and files
      Given state "a.json" is
        \"\"\"
        {"n": 1}
        \"\"\"
      And state "b.json" is
        \"\"\"
        {"n": 1}
        \"\"\"
      When I run "touch done"
      Then file "done" exists
      But state "a.json" never changes
      And file "a.json" never changes
      And state "b.json" never disappears
      And value "x" of state "b.json" never exists
      And file "b.json" never contains "x"
      And file "lock" never exists
      And directory "." never has a file like "*.tmp"
"""


def test_every_violation_is_noticed(prove: Prove) -> None:
    told = prove(GOAL, passed=5)
    assert {
        (proof["outcome"], proof.get("detail")) for proof in told if proof["outcome"] != "proven"
    } == set()
    steps = [step for step in vars(never).values() if isinstance(step, Negative)]
    assert {proof["violation"] for proof in told} >= {v.name for step in steps for v in step.violations}


def test_one_that_changes_a_value_breaks_nothing_of_another_state(prove: Prove) -> None:
    told = prove(
        """
        Scenario: two states
          Given state "a.json" is
            \"\"\"
            {"n": 1}
            \"\"\"
          And state "b.json" is
            \"\"\"
            {"n": 1}
            \"\"\"
          When I run "touch done"
          Then file "done" exists
          But value "n" of state "a.json" never decreases
          And state "b.json" is never half-written
          And state "c.json" never exists
        """,
        passed=1,
    )
    assert [proof["outcome"] for proof in told] == ["proven"] * 6


def test_a_sensor_that_sees_nothing_is_found_out(prove: Prove, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first version is read, and no other."""
    told = watch.StateWatch._told

    def once(self: Any, version: Any) -> None:
        if not self.entries:
            told(self, version)

    monkeypatch.setattr(watch.StateWatch, "_told", once)
    steps = [
        'state "a.json" never disappears',
        'state "a.json" is never half-written',
        'state "a.json" is never unreadable',
        'state "a.json" never changes',
        'value "n" of state "a.json" is never "2"',
        'value "x" of state "a.json" never exists',
        'value "n" of state "a.json" never changes',
        'value "n" of state "a.json" never decreases',
    ]
    goal = f"""
        Scenario: blind
          Given a file "a.json" containing "{{\\"n\\": 1}}"
          When I run "touch done"
          Then file "done" exists
          But {steps[0]}
    """
    goal += "".join(f"      And {step}\n    " for step in steps[1:])
    outcomes = [(proof["text"], proof["outcome"]) for proof in prove(goal, passed=0)]
    assert {outcome for _, outcome in outcomes} == {"vacuous"}
    assert {text for text, _ in outcomes} == {*steps}


@pytest.mark.parametrize(
    "path",
    [
        "a", "a.b.c", "t.0", "t.2.x", "$", "$.a", "$.a.b", "$['a b'].c", '$["a"]', "$.t[0]", "$.t[-1].x",
        "$.t[5]", "$.t[*]", "$.t[*].x", "$.*", "$..x", "$.t[1:].x", "$.t[?@.w]",
        "$.t[?@.x == 'y']", "$.t[?@.x == 1].z",
        "$.t[?@.x > 1 && @.y.z != 'a'].w", "$.t[?(@.x <= 2 || @.y)]", "$.new[?@.x >= 1.5].y", "$.new[*].a",
    ],
)  # fmt: skip
@pytest.mark.parametrize("document", [{}, {"t": [{"x": "q"}, {"x": "r"}]}, []])
def test_a_place_is_made_for_any_path(path: str, document: Any) -> None:
    """Held against what the steps themselves find."""
    before = repr(document)
    made = plain.changed(document, path, lambda _: "marker")
    assert repr(document) == before
    assert is_there(made, path)
    ends_in_filter = path.endswith("]") and "?" in path and not is_there(document, path)
    if not ends_in_filter:
        found = find(made, path)
        assert found == "marker" or "marker" in found


def test_a_path_for_which_nothing_can_be_made_up() -> None:
    with pytest.raises(ValueError, match="no element can be made up"):
        plain.changed({}, "$.t[?length(@.x) > 2]", lambda _: 1)


@pytest.mark.parametrize("name", ["a.json", "a.yaml", "a.toml", "a"])
def test_what_is_written_is_read_again(name: str) -> None:
    document = {"a": [1, 2.5, True, 'é"\n'], "b": {"c d": "x"}, "e": []}
    assert plain.read(plain.dumped(document, name), name) == document


def test_yaml_is_that_of_version_1_2() -> None:
    text = b"{a: yes, b: 2024-05-06, c: 010, d: ~, e: 1e3, f: true, g: }"
    assert plain.read(text, "a.yaml") == {
        "a": "yes", "b": "2024-05-06", "c": 10, "d": None, "e": 1000.0, "f": True, "g": None,
    }  # fmt: skip
