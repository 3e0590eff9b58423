"""What became of a ref, judged from two values and what was seen in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalkeeper.steps.git.refs import Change, Move, Ref, Signs, added, common_directory, compare, read, reflog

A, B = "a" * 40, "b" * 40
LOOSE, PACKED, OTHER = Ref(A, True), Ref(A, False), Ref(B, True)


@pytest.mark.parametrize(
    ("old", "new", "signs", "how"),
    [
        (LOOSE, LOOSE, Signs(), None),
        (LOOSE, OTHER, Signs(written=1), "moved"),
        (LOOSE, OTHER, Signs(), "moved"),
        (None, LOOSE, Signs(written=1), "appeared"),
        (LOOSE, None, Signs(removed=1), "deleted"),
        (LOOSE, LOOSE, Signs(written=2), "undone"),
        (LOOSE, LOOSE, Signs(written=1), None),
        (LOOSE, PACKED, Signs(removed=1, packed=True), None),
        (PACKED, PACKED, Signs(packed=True), None),
        (LOOSE, LOOSE, Signs(written=1, removed=1), "recreated"),
        (PACKED, LOOSE, Signs(written=1, packed=True), "recreated"),
        (PACKED, LOOSE, Signs(written=1), None),
        (LOOSE, LOOSE, Signs(written=1, packed=True), None),
        (None, None, Signs(written=1, removed=1), "came and went"),
        (None, None, Signs(), None),
        (None, None, Signs(blind=True), "unseen"),
        (LOOSE, LOOSE, Signs(blind=True), "unseen"),
        (None, LOOSE, Signs(blind=True), "appeared"),
        (PACKED, PACKED, Signs(packed=True, by_hand=1), None),
        (PACKED, PACKED, Signs(packed=True, by_hand=2), "rewritten"),
        (None, None, Signs(packed=True, by_hand=2), "rewritten"),
        (LOOSE, LOOSE, Signs(packed=True, by_hand=2), None),
    ],
)
def test_what_became_of_a_ref(old: Ref | None, new: Ref | None, signs: Signs, how: str | None) -> None:
    change = compare("refs/heads/main", old, new, signs, ())
    assert (change.how if change else None) == how


@pytest.mark.parametrize(
    ("old", "new", "signs", "log", "seen", "hidden"),
    [
        (LOOSE, OTHER, Signs(written=1), 0, (), False),
        (LOOSE, OTHER, Signs(written=2), 0, (), True),
        (LOOSE, OTHER, Signs(written=2), 2, (), False),
        (LOOSE, OTHER, Signs(written=2), 0, ("c" * 40, B), False),
        (LOOSE, OTHER, Signs(written=3), 1, ("c" * 40, B), True),
        (LOOSE, LOOSE, Signs(written=2), 0, (), True),
        (LOOSE, LOOSE, Signs(written=2), 0, (A,), True),
        (LOOSE, LOOSE, Signs(written=2), 0, (B, A), False),
        (LOOSE, LOOSE, Signs(written=1, removed=1), 0, (), False),
        (LOOSE, None, Signs(removed=1), 0, (), False),
        (LOOSE, None, Signs(written=1, removed=1), 0, (), True),
        (LOOSE, None, Signs(written=1, removed=1), 0, (B,), False),
        (None, None, Signs(written=1, removed=1), 0, (), True),
        (None, None, Signs(written=1, removed=1), 0, (B,), False),
        (None, LOOSE, Signs(blind=True), 1, (A,), True),
        (PACKED, OTHER, Signs(packed=True, by_hand=2), 1, (), True),
    ],
)
def test_whether_it_had_a_value_that_nothing_tells_of(
    old: Ref | None, new: Ref | None, signs: Signs, log: int, seen: tuple[str, ...], hidden: bool
) -> None:
    change = compare("refs/heads/main", old, new, signs, (Move(A, B, "x"),) * log, seen)
    assert change is not None
    assert change.hidden is hidden
    assert {*seen} <= {*change.values}


def test_the_reflog_tells_of_a_move_that_left_no_other_sign() -> None:
    log = (Move(A, B, "commit: x"), Move(B, A, "reset"))
    change = compare("refs/heads/main", LOOSE, LOOSE, Signs(), log)
    assert change is not None
    assert str(change) == 'branch "main" moved away from aaaaaaaaaa and back'
    assert change.evidence == (
        "reflog:\n  aaaaaaaaaa -> bbbbbbbbbb  commit: x\n  bbbbbbbbbb -> aaaaaaaaaa  reset"
    )
    assert compare("refs/heads/main", LOOSE, LOOSE, Signs(), (Move(A, A, "reset: moving to HEAD"),)) is None


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (Change("refs/heads/m", "moved", A, B), 'branch "m" moved from aaaaaaaaaa to bbbbbbbbbb'),
        (Change("refs/tags/v1", "appeared", None, B), 'tag "v1" appeared, at bbbbbbbbbb'),
        (Change("refs/remotes/o/m", "deleted", A, None), 'branch "o/m" was deleted; it was at aaaaaaaaaa'),
        (Change("refs/x", "recreated", A, A), "refs/x was deleted and made again, at aaaaaaaaaa"),
        (Change("refs/heads/a/", "unseen", None, None), "something may have come and gone in refs/heads/a/"),
        (Change("refs/heads/m", "came and went", None, None), 'branch "m" appeared and was deleted again'),
        (
            Change("refs/heads/m", "rewritten", A, A),
            'branch "m" may have moved: packed-refs was rewritten by hand',
        ),
    ],
)
def test_a_change_in_words(change: Change, text: str) -> None:
    assert str(change) == text
    assert change.evidence == ""


def test_refs_are_read_from_files(tmp_path: Path) -> None:
    (tmp_path / "packed-refs").write_text(
        f"# pack-refs with: peeled fully-peeled sorted \n{A} refs/heads/both\n{A} refs/heads/packed\n"
        f"{A} refs/tags/v1\n^{B}\n\nbroken\n"
    )
    heads = tmp_path / "refs" / "heads"
    (heads / "deep" / ".goalkeeper").mkdir(parents=True)
    for name, text in {
        "both": B,
        "deep/ä": A,
        "main.lock": B,
        "sym": "ref: refs/heads/both",
        "empty": "",
    }.items():
        (heads / name).write_text(f"{text}\n")
    found = read(tmp_path)
    found.pop("", None)
    assert found == {
        "refs/heads/both": Ref(B, True),
        "refs/heads/packed": Ref(A, False),
        "refs/tags/v1": Ref(A, False),
        "refs/heads/deep/ä": Ref(A, True),
        "refs/heads/sym": Ref(B, True),
    }
    assert read(tmp_path / "nowhere") == {}


def test_what_a_reflog_has_more(tmp_path: Path) -> None:
    zero = "0" * 40
    lines = [
        f"{zero} {A} G <g@x> 946684800 +0000\tcommit (initial): one",
        f"{A} {B} G <g@x> 946684860 +0000\tcommit: two",
    ]
    (tmp_path / "logs").mkdir()
    assert reflog(tmp_path, "main") == ()
    (tmp_path / "logs" / "main").write_text("\n".join(lines) + "\n")
    now = reflog(tmp_path, "main")
    assert added((), now) == (Move(None, A, "commit (initial): one"), Move(A, B, "commit: two"))
    assert added(now[:1], now) == (Move(A, B, "commit: two"),)
    assert added(now, now) == ()
    assert added(now, now[1:]) == ()
    assert added(now, ()) == ()
    assert added(now[:1], ("half",)) == (Move("half", "", ""),)


def test_where_refs_are(tmp_path: Path) -> None:
    assert common_directory(tmp_path) is None
    assert common_directory(tmp_path / "nowhere") is None
    git = tmp_path / "r" / ".git"
    (git / "objects").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    assert common_directory(tmp_path / "r") == git
    assert common_directory(git) == git
    linked = git / "worktrees" / "w"
    linked.mkdir(parents=True)
    (linked / "HEAD").write_text("ref: refs/heads/w\n")
    (linked / "commondir").write_text("../..\n")
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / ".git").write_text(f"gitdir: {linked}\n")
    found = common_directory(tmp_path / "w")
    assert found is not None
    assert found.resolve() == git.resolve()
