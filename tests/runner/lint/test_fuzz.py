"""Whatever bytes a goal file holds: lint answers with problems that can be shown, and never raises."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goalkeeper.runner.lint import Linter, goal_files

EXAMPLES = Path(__file__).parents[2] / "examples" / "good"
GOALS = [path.read_bytes() for path in goal_files([EXAMPLES])]
NAMES = ("x.feature", "x.goal.yaml")
SIGNS = [
    b"\t", b"\r", b"\x00", b"\x0c", b"\x85", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xff", b"<", b">", b"|",
    b'"', b'"""', b"```", b"@", b"#", b": ", b" #", b"&a ", b"*a", b"!!int ", b"- ", b"{", b"[", b"\\",
    b"Rule:", b"Example:", b"Examples:", b"Background:", b"# language: fr", b"9" * 30, b"---\n",
]  # fmt: skip
BOUNDED = settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

Edit = Callable[[list[bytes], int, int], list[bytes]]


def delete(parts: list[bytes], a: int, _b: int) -> list[bytes]:
    return [*parts[:a], *parts[a + 1 :]]


def duplicate(parts: list[bytes], a: int, _b: int) -> list[bytes]:
    return [*parts[: a + 1], *parts[a : a + 1], *parts[a + 1 :]]


def swap(parts: list[bytes], a: int, b: int) -> list[bytes]:
    parts = [*parts]
    parts[a], parts[b] = parts[b], parts[a]
    return parts


def insert(parts: list[bytes], a: int, b: int) -> list[bytes]:
    return [*parts[:a], SIGNS[b % len(SIGNS)], *parts[a:]]


def cut(parts: list[bytes], a: int, _b: int) -> list[bytes]:
    return parts[:a]


NUMBER = st.integers(0, 100_000)
EDITS = st.tuples(st.sampled_from([delete, duplicate, swap, insert, cut]), st.booleans(), NUMBER, NUMBER)


def mutated(goal: bytes, edits: list[tuple[Edit, bool, int, int]]) -> bytes:
    """The goal with lines or characters deleted, doubled, swapped, inserted or cut off."""
    for edit, by_line, a, b in edits:
        parts = goal.splitlines(keepends=True) if by_line else [bytes([byte]) for byte in goal]
        if parts:
            goal = b"".join(edit(parts, a % len(parts), b % len(parts)))
    return goal


@pytest.fixture(scope="module")
def linter() -> Linter:
    """Reads steps from the examples, so that the goals are bound as they would be there."""
    return Linter(EXAMPLES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def check(linter: Linter, folder: Path, name: str, data: bytes) -> None:
    path = folder / name
    path.write_bytes(data)
    report = linter.check(path)
    for problem, text in zip(report.problems, report.render(), strict=True):
        assert 1 <= problem.place.line <= max(1, len(report.lines))
        assert problem.place.column >= 1
        assert text.startswith(f"{path}:{problem.place.line}:{problem.place.column}: {problem.rule}\n")
        assert not {"\x00", "\x1b", "\r"} & {*text}
        text.encode("utf-8")


@pytest.mark.parametrize("name", NAMES)
@BOUNDED
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_random_bytes(linter: Linter, folder: Path, name: str, data: bytes) -> None:
    check(linter, folder, name, data)


@pytest.mark.parametrize("name", NAMES)
@BOUNDED
@given(goal=st.sampled_from(GOALS), edits=st.lists(EDITS, min_size=1, max_size=6))
def test_mutated_goals(
    linter: Linter, folder: Path, name: str, goal: bytes, edits: list[tuple[Edit, bool, int, int]]
) -> None:
    check(linter, folder, name, mutated(goal, edits))


@pytest.mark.parametrize("name", NAMES)
@BOUNDED
@given(data=st.lists(st.sampled_from([*SIGNS, b"\n", b"  ", b"a", *GOALS]), max_size=12).map(b"".join))
def test_goals_and_signs_in_any_order(linter: Linter, folder: Path, name: str, data: bytes) -> None:
    check(linter, folder, name, data)
