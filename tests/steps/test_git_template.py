"""Fixture repositories: the same on every machine, made once, and nobody's settings but ours."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from goalkeeper.runner.failure import StepFailed
from goalkeeper.steps.git.fixtures import Large
from goalkeeper.steps.git.template import Templates, once

TIPS = {
    "toy": {"main": "0caeefcc625ec2f67422080c144a851647457884"},
    "conflict": {
        "left": "96e7b997eb950ce916efc22b706b04dbdec856c4",
        "main": "0caeefcc625ec2f67422080c144a851647457884",
        "right": "f6136574fe7b3cda0f46ce1992c493fe5806bfdd",
    },
    "large": {
        "main": "49417b2a24ce37c7573d9623ad01c9a3adc1b6dc",
        "v1": "1937e821f72543fcbaf402f74b41e7295cb4549e",
    },
}
SMALL = Large(files=30, commits=120, changes=2)


def git(directory: Path, *arguments: str) -> str:
    """Plain git, with no more configuration than what is in the repository."""
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": "/nonexistent/gitconfig",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    ran = subprocess.run(
        ["git", *arguments], cwd=directory, env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


@pytest.fixture
def templates(tmp_path: Path) -> Templates:
    (tmp_path / "session").mkdir()
    return Templates(tmp_path / "session", None, SMALL)


def tips(directory: Path) -> dict[str, str]:
    lines = git(directory, "for-each-ref", "--format=%(refname:short) %(objectname)").splitlines()
    return {name: commit for name, _, commit in (line.partition(" ") for line in lines)}


@pytest.mark.parametrize("fixture", TIPS)
def test_hashes_are_the_same_on_every_machine(templates: Templates, tmp_path: Path, fixture: str) -> None:
    templates.place(fixture, "main", tmp_path / "r")
    assert tips(tmp_path / "r") == TIPS[fixture]
    assert git(tmp_path / "r", "status", "--porcelain") == ""
    assert git(tmp_path / "r", "symbolic-ref", "--short", "HEAD") == "main"
    git(tmp_path / "r", "fsck", "--full", "--strict")


def test_nothing_of_the_users_own_settings_counts(
    templates: Templates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As from inside of a git hook, with a global configuration that signs, hooks, and renames branches."""
    hooks, home = tmp_path / "hooks", tmp_path / "home"
    (home / "template" / "hooks").mkdir(parents=True)
    (home / "template" / "hooks" / "post-checkout").touch()
    hooks.mkdir()
    (hooks / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    (home / ".gitconfig").write_text(
        "[user]\nname = Somebody\nemail = some@body\n[commit]\ngpgSign = true\n"
        f"[core]\nhooksPath = {hooks}\nautocrlf = true\n[init]\ntemplateDir = {home / 'template'}\n"
        "defaultBranch = trunk\n"
    )
    for name, value in {
        "HOME": str(home),
        "GIT_DIR": str(tmp_path / "outer"),
        "GIT_INDEX_FILE": str(tmp_path / "outer" / "index"),
        "GIT_WORK_TREE": str(tmp_path),
        "GIT_AUTHOR_NAME": "Nobody",
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_EDITOR": "false",
        "TZ": "Pacific/Auckland",
    }.items():
        monkeypatch.setenv(name, value)
    templates.place("conflict", "main", tmp_path / "r")
    assert tips(tmp_path / "r") == TIPS["conflict"]
    assert not (tmp_path / "r" / ".git" / "hooks").exists()


def test_the_doctor_of_the_toy_passes_and_can_fail(templates: Templates, tmp_path: Path) -> None:
    templates.place("toy", "main", tmp_path / "r")
    doctor = str(tmp_path / "r" / "doctor.sh")

    def runs(**more: str) -> tuple[int, str]:
        ran = subprocess.run(
            [doctor], cwd="/", env={**os.environ, **more}, capture_output=True, text=True, check=False
        )
        return ran.returncode, ran.stdout + ran.stderr

    assert runs() == (0, "doctor: all is well\n")
    assert runs(ORCH_CANARY="1") == (1, "doctor: the canary is set\n")
    (tmp_path / "r" / "src" / "greet.sh").write_text("echo Hi\n")
    assert runs() == (1, "doctor: src/greet.sh greets wrongly\n")


def test_plumbing_sees_no_change_in_a_copy(templates: Templates, tmp_path: Path) -> None:
    """The index of a copied repository knows files by times and inodes that are no longer theirs."""
    for number, fixture in enumerate(("toy", "conflict", "large")):
        templates.place(fixture, "main", tmp_path / str(number))
        assert git(tmp_path / str(number), "diff-index", "HEAD") == ""
        assert git(tmp_path / str(number), "diff-files") == ""


def test_copies_share_nothing(templates: Templates, tmp_path: Path) -> None:
    for name in ("a", "b"):
        templates.place("large", "main", tmp_path / name)
    for path in (tmp_path / "a").rglob("*"):
        if path.is_file():
            assert path.stat().st_nlink == 1
            path.chmod(0o644)
            path.write_bytes(b"")
    git(tmp_path / "b", "fsck", "--full")
    templates.place("large", "main", tmp_path / "c")
    git(tmp_path / "c", "fsck", "--full")


@pytest.mark.parametrize("fixture", ["toy", "conflict", "large", "empty"])
def test_the_branch_may_have_any_name(templates: Templates, tmp_path: Path, fixture: str) -> None:
    templates.place(fixture, "release/1.0", tmp_path / "r")
    assert git(tmp_path / "r", "symbolic-ref", "--short", "HEAD") == "release/1.0"
    commits = {"toy": "1", "conflict": "1", "large": "120"}
    if fixture in commits:
        assert git(tmp_path / "r", "rev-list", "--count", "release/1.0") == commits[fixture]


def test_an_empty_repository(templates: Templates, tmp_path: Path) -> None:
    templates.place("empty", "main", tmp_path / "r")
    assert tips(tmp_path / "r") == {}
    assert [path.name for path in (tmp_path / "r").iterdir()] == [".git"]


def test_the_two_sides_conflict(templates: Templates, tmp_path: Path) -> None:
    templates.place("conflict", "main", tmp_path / "r")
    git(tmp_path / "r", "merge", "-q", "left")
    with pytest.raises(subprocess.CalledProcessError) as caught:
        git(tmp_path / "r", "merge", "-q", "right")
    assert "CONFLICT (content): Merge conflict in notes/release-notes.txt" in caught.value.stdout


def test_another_seed_is_another_repository(tmp_path: Path) -> None:
    found: list[str] = []
    for seed in (1, 1, 2):
        folder = tmp_path / str(len(found))
        folder.mkdir()
        Templates(folder, None, Large(seed, 20, 5, 2)).place("large", "main", folder / "r")
        found.append(tips(folder / "r")["main"])
    assert found[0] == found[1] != found[2]


def test_the_large_one_has_thousands_of_files_and_hundreds_of_commits() -> None:
    assert Large().files >= 2000
    assert Large().commits >= 300


def test_a_directory_is_built_once_whoever_asks(tmp_path: Path) -> None:
    built: list[Path] = []

    def build(folder: Path) -> None:
        folder.mkdir()
        built.append(folder)

    with ThreadPoolExecutor(8) as pool:
        found = [*pool.map(lambda _: once(tmp_path / "x", build), range(8))]
    assert found == [tmp_path / "x"] * 8
    assert len(built) == 1


def test_what_could_not_be_built_is_not_kept(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        folder.mkdir()
        (folder / "half").touch()
        raise StepFailed("the disk is full")

    def build(folder: Path) -> None:
        folder.mkdir()
        (folder / "whole").touch()

    with pytest.raises(StepFailed):
        once(tmp_path / "x", fail)
    assert not (tmp_path / "x").exists()
    assert [path.name for path in once(tmp_path / "x", build).iterdir()] == ["whole"]


def test_the_cache_is_shared_between_processes_and_runs(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("one", "two", "cache")]
    for place in places:
        place.mkdir()
    Templates(places[0], places[2], SMALL).place("large", "main", tmp_path / "a")
    [kept] = [path for path in places[2].iterdir() if path.is_dir()]
    before = kept.stat().st_mtime_ns, kept.stat().st_ino
    Templates(places[1], places[2], SMALL).place("large", "main", tmp_path / "b")
    assert (kept.stat().st_mtime_ns, kept.stat().st_ino) == before
    assert [path.name for path in places[1].iterdir()] == ["gitconfig"]
    assert tips(tmp_path / "a") == tips(tmp_path / "b")


def test_a_directory_of_the_project(templates: Templates, tmp_path: Path) -> None:
    own = tmp_path / "fixtures" / "shop"
    (own / "bin").mkdir(parents=True)
    (own / "bin" / "run").write_text("#!/bin/sh\n")
    (own / "bin" / "run").chmod(0o755)
    (own / "crlf.txt").write_bytes(b"a\r\nb\r\n")
    (own / "ä ö.txt").write_text("é")
    (own / "link").symlink_to("crlf.txt")
    (own / ".gitignore").write_text("*.log\n")
    (own / "x.log").write_text("")
    templates.place("fixtures/shop", "main", tmp_path / "r", (tmp_path / "elsewhere", tmp_path))
    listed = git(tmp_path / "r", "-c", "core.quotePath=false", "ls-tree", "-r", "main").splitlines()
    assert [(line.split()[0], line.split("\t")[1]) for line in listed] == [
        ("100644", ".gitignore"),
        ("100755", "bin/run"),
        ("100644", "crlf.txt"),
        ("120000", "link"),
        ("100644", "ä ö.txt"),
    ]
    assert git(tmp_path / "r", "status", "--porcelain") == ""
    assert (tmp_path / "r" / "crlf.txt").read_bytes() == b"a\r\nb\r\n"


def failure(templates: Templates, fixture: str, branch: str, target: Path, *projects: Path) -> str:
    with pytest.raises(StepFailed) as caught:
        templates.place(fixture, branch, target, projects)
    return str(caught.value)


def test_what_can_not_be_made(templates: Templates, tmp_path: Path) -> None:
    target = tmp_path / "r"
    assert failure(templates, "tyo", "main", target, tmp_path) == (
        'there is no repository "tyo". Did you mean "toy"?\n'
        "known: toy, conflict, large, or a directory beside the goal file\n"
        f"  {tmp_path}/tyo is no directory"
    )
    assert failure(templates, "toy", "a..b", target) == '"a..b" can\'t be the name of a branch'
    assert failure(templates, "empty", "", target) == '"" can\'t be the name of a branch'
    assert failure(templates, "conflict", "left", target) == (
        'the conflict repository has a branch "left" of its own: name another'
    )
    templates.place("toy", "main", tmp_path / "own")
    assert failure(templates, "own", "main", target, tmp_path) == (
        '"own" is a repository itself: name a directory of plain files'
    )
    assert failure(templates, "toy", "main", tmp_path / "own") == (
        "a repository is there already: make the repository first, or in a directory"
    )
    (tmp_path / "busy").mkdir()
    (tmp_path / "busy" / "README.md").touch()
    assert failure(templates, "toy", "main", tmp_path / "busy") == (
        '"README.md" is there already: make the repository first, or in a directory'
    )
    (tmp_path / "file").touch()
    assert "can't be made" in failure(templates, "toy", "main", tmp_path / "file" / "below")
    assert not target.exists()
