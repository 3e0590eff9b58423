"""steps/files/tree.py: what is in a tree, and how it is copied."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.steps.files.tree import copy, files_below, picture, unlike


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "bin").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "bin" / "run").write_text("#!/bin/sh\n")
    (root / "bin" / "run").chmod(0o755)
    (root / ".hidden").write_bytes(b"\xff\r\n")
    (root / "latest").symlink_to("bin/run")
    (root / "dir").symlink_to("bin")
    (root / "later").symlink_to("not-there-yet")
    return root


def test_what_is_below(tree: Path) -> None:
    assert files_below(tree) == [".hidden", "bin/run", "dir", "empty/", "later", "latest"]
    assert files_below(tree / "empty") == []


def test_a_copy_is_like_its_source(tree: Path, tmp_path: Path) -> None:
    copy(tree, tmp_path / "deep" / "copy")
    assert picture(tmp_path / "deep" / "copy") == picture(tree)
    assert (tmp_path / "deep" / "copy" / "latest").readlink() == Path("bin/run")
    copy(tree / "bin" / "run", tmp_path / "one" / "file")
    assert picture(tmp_path / "one" / "file") == picture(tree / "bin" / "run")


def test_a_tree_is_laid_into_another(tree: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    (target / "bin").mkdir(parents=True)
    (target / "bin" / "run").write_text("old")
    (target / "kept").touch()
    copy(tree, target)
    assert (target / "bin" / "run").read_text() == "#!/bin/sh\n"
    assert files_below(target) == sorted([*files_below(tree), "kept"])


@pytest.mark.parametrize("lead", ["/etc/passwd", "../outside", "dir/../../outside", "bin/up/up"])
def test_a_link_that_leads_out_is_refused(tree: Path, tmp_path: Path, lead: str) -> None:
    (tree / "bin" / "up").symlink_to("..")
    if lead == "bin/up/up":
        (tree / "bin" / "up").unlink()
        (tree / "bin" / "up").symlink_to("../..")
    (tree / "escape").symlink_to(lead)
    with pytest.raises(StepFailed, match=r"the link (escape|bin/up) leads out of tree, to "):
        copy(tree, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_an_absolute_link_into_the_tree_would_lead_back_to_the_source(tree: Path, tmp_path: Path) -> None:
    (tree / "absolute").symlink_to(tree / "bin")
    with pytest.raises(StepFailed, match="the link absolute leads out of tree"):
        copy(tree, tmp_path / "copy")


def test_what_is_no_file_is_refused(tree: Path, tmp_path: Path) -> None:
    os.mkfifo(tree / "pipe")
    with pytest.raises(StepFailed, match="pipe is neither a file nor a directory nor a link"):
        copy(tree, tmp_path / "copy")


def test_a_link_in_the_way_is_not_followed(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "bin").symlink_to(tmp_path / "outside")
    with pytest.raises(StepFailed, match="bin is in the way"):
        copy(tree, tmp_path / "copy")
    assert [*(tmp_path / "outside").iterdir()] == []


def test_a_file_in_the_way_of_a_directory(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "bin").touch()
    with pytest.raises(StepFailed, match="bin is in the way"):
        copy(tree, tmp_path / "copy")


def test_not_into_itself(tree: Path) -> None:
    with pytest.raises(StepFailed, match="tree can't be copied into itself"):
        copy(tree, tree / "bin" / "copy")


def test_what_has_changed(tree: Path) -> None:
    before = picture(tree)
    assert unlike(before, picture(tree)) == []
    (tree / "bin" / "run").chmod(0o700)
    (tree / "latest").unlink()
    (tree / "latest").symlink_to("bin")
    (tree / "empty").rmdir()
    (tree / "new").touch()
    (tree / ".hidden").write_text("x")
    assert unlike(before, picture(tree)) == [
        "  changed: .hidden",
        "  changed: bin/run",
        "  changed: latest",
        "  gone: empty",
        "  new: new",
    ]
