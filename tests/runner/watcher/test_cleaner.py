"""Removing a sandbox: whatever its programs did to their directories, and nothing outside of it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from goalkeeper.runner.watcher import cleaner

NOBODY = 65534


def can_mount() -> bool:
    with tempfile.TemporaryDirectory() as place:
        tried = subprocess.run(["mount", "-t", "tmpfs", "none", place], check=False, capture_output=True)
        if tried.returncode == 0:
            subprocess.run(["umount", place], check=True)
    return tried.returncode == 0


@pytest.fixture
def mounting() -> None:
    if not can_mount():
        pytest.skip("nothing can be mounted here: run as root, in a container with --cap-add SYS_ADMIN")


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory of an ordinary user, who the test is until its end: to root no permission matters."""
    made = Path(tempfile.mkdtemp())
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(made, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    yield made
    if is_root:
        os.seteuid(0)
    subprocess.run(["chmod", "-R", "u+rwx", made], check=True)
    shutil.rmtree(made)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("permissions", [0o000, 0o400, 0o500, 0o300])
def test_directories_without_permission(place: Path, permissions: int) -> None:
    root = place / "gk"
    inner = root / "a" / "b" / "c"
    inner.mkdir(parents=True)
    for folder in (inner, *[*inner.parents][:2]):
        (folder / "file").write_text("x")
    for folder in (inner, *[*inner.parents][:2]):
        folder.chmod(permissions)
    cleaned = cleaner.clean(str(root), inhabited=False)
    assert cleaned.left == ()
    assert not root.exists()


def test_what_can_not_be_removed_is_told_and_the_directory_above_is_left_alone(place: Path) -> None:
    root = place / "gk"
    root.mkdir()
    place.chmod(0o555)
    cleaned = cleaner.clean(str(root), inhabited=False)
    assert cleaned.left == (f"{root} could not be removed",)
    assert mode(place) == 0o555


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    (outside / "file").write_text("kept")
    root = tmp_path / "gk"
    (root / "locked").mkdir(parents=True)
    (root / "link").symlink_to(outside)
    (root / "locked" / "link").symlink_to(outside)
    (root / "locked" / "dangling").symlink_to("nothing")
    (root / "locked").chmod(0o500)
    assert cleaner.clean(str(root)).left == ()
    assert not root.exists()
    assert (outside / "file").read_text() == "kept"
    assert mode(outside) == 0o500


def test_a_link_in_place_of_the_sandbox_is_told(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    (tmp_path / "gk").symlink_to(outside)
    assert cleaner.clean(str(tmp_path / "gk")).left == (f"{tmp_path / 'gk'} could not be removed",)
    assert mode(outside) == 0o500


def test_a_sandbox_that_is_gone_already(tmp_path: Path) -> None:
    cleaned = cleaner.clean(str(tmp_path / "gk"))
    assert (cleaned.killed, cleaned.left) == (0, ())


def test_sockets_pipes_and_odd_names(tmp_path: Path) -> None:
    root = tmp_path / "gk"
    root.mkdir()
    os.mkfifo(root / "pipe")
    (root / "a\nb \\040 ü").mkdir()
    (root / os.fsdecode(b"\xff")).write_text("x")
    assert cleaner.clean(str(root)).left == ()
    assert not root.exists()


@pytest.mark.usefixtures("mounting")
def test_mounts_are_undone_before_anything_is_deleted(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("kept")
    root = tmp_path / "gk"
    bound = root / "a b\tü\\040"
    bound.mkdir(parents=True)
    (root / "ram").mkdir()
    for arguments in (["-t", "tmpfs", "none", root / "ram"], ["--bind", outside, bound]):
        subprocess.run(["mount", *map(str, arguments)], check=True)
    (root / "ram" / "inner").mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "none", root / "ram" / "inner"], check=True)
    found = cleaner.mounts(str(root))
    assert {*found} == {str(bound), str(root / "ram" / "inner"), str(root / "ram")}
    assert found[-1] == str(root / "ram")
    assert cleaner.clean(str(root)).left == ()
    assert not root.exists()
    assert cleaner.mounts(str(root)) == []
    assert (outside / "file").read_text() == "kept"


@pytest.mark.usefixtures("mounting")
@pytest.mark.parametrize("inhabited", [True, False])
def test_while_something_is_mounted_nothing_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inhabited: bool
) -> None:
    """A directory of the user's, mounted in the sandbox, would be emptied."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("kept")
    root = tmp_path / "gk"
    (root / "bound").mkdir(parents=True)
    subprocess.run(["mount", "--bind", outside, root / "bound"], check=True)
    try:
        with monkeypatch.context() as without:
            without.setenv("PATH", str(tmp_path))
            cleaned = cleaner.clean(str(root), inhabited)
        assert cleaned.left == (f"{root / 'bound'} is still mounted", f"{root} could not be removed")
        assert (outside / "file").read_text() == "kept"
    finally:
        subprocess.run(["umount", root / "bound"], check=True)
    assert cleaner.clean(str(root)).left == ()


@pytest.mark.usefixtures("mounting")
def test_a_sandbox_that_is_busy_does_not_open_the_directory_it_lies_in(tmp_path: Path) -> None:
    root = tmp_path / "gk"
    root.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "none", root], check=True)
    tmp_path.chmod(0o1755)
    try:
        assert cleaner.clean(str(root)).left == (f"{root} could not be removed",)
        assert mode(tmp_path) == 0o1755
    finally:
        subprocess.run(["umount", root], check=True)
