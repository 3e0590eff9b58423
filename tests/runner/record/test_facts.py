"""What a record says of the circumstances: versions, hashes, the repository and what became of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.record import facts

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Run git in a repository with one commit of `file`, and nothing of the user's configuration."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {
        **kept,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }

    def run(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    run("init", "-b", "main")
    for name in ("file", "other"):
        (tmp_path / name).write_text(f"{name}\n" * 20)
    run("add", ".")
    run("commit", "-m", "first")
    return run


def state(path: Path) -> dict[str, Any]:
    found = facts.repository(path)
    assert found is not None
    return found


def test_versions() -> None:
    assert {"python", "goalkeeper", "pytest", "pytest-bdd"} <= facts.versions().keys()


def test_one_hash_for_several_texts_tells_where_each_ends() -> None:
    assert facts.digest("ab", "c") != facts.digest("a", "bc")
    assert facts.digest("ab") == facts.digest(b"ab")
    assert len(facts.digest("\ud800")) == 64


def test_the_hash_of_step_code(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    step, helper, own = library / "__init__.py", library / "helper.py", tmp_path / "conftest.py"
    for path in (step, helper, own):
        path.write_text(f"# {path.name}")

    def now() -> str:
        facts._file_digest.cache_clear()
        return facts.code_digest([(str(step), True), (str(own), False)])

    first = now()
    assert first == facts.code_digest([(str(own), False), (str(step), True), (str(step), True)])
    helper.write_text("# changed")
    second = now()
    assert second != first
    (tmp_path / "unrelated.py").write_text("x")
    assert now() == second
    own.write_text("# changed")
    assert now() not in (first, second)
    own.unlink()
    assert len(now()) == 64


def test_the_hash_of_a_file_or_a_directory(tmp_path: Path) -> None:
    system = tmp_path / "system"
    (system / "__pycache__").mkdir(parents=True)
    (system / "main.py").write_text("x")
    first = facts.tree_digest(system)
    (system / "__pycache__" / "main.pyc").write_text("x")
    assert facts.tree_digest(system) == first
    (system / "main.py").rename(system / "renamed.py")
    assert facts.tree_digest(system) != first
    assert facts.tree_digest(system / "renamed.py") not in ("", first)


def test_without_a_repository(tmp_path: Path) -> None:
    assert facts.repository(tmp_path) is None


@pytest.mark.usefixtures("git")
def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert facts.repository(tmp_path) is None


def test_a_repository_that_git_does_not_accept(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert facts.repository(tmp_path) is None


def test_commit_branch_and_changes(tmp_path: Path, git: Git) -> None:
    (tmp_path / "new file").write_text("x")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.pyc").write_text("x")
    found = state(tmp_path)
    assert (found["commit"], found["branch"]) == (git("rev-parse", "HEAD"), "main")
    assert found["changes"] == ["? new file"]
    (tmp_path / "below").mkdir()
    assert state(tmp_path / "below") == found


@pytest.mark.usefixtures("git")
def test_variables_that_point_git_elsewhere_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a hook, where git sets them."""
    expected = state(tmp_path)
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
    assert state(tmp_path) == expected


def test_before_the_first_commit(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", tmp_path], check=True)
    assert state(tmp_path) == {"commit": "(initial)", "branch": "main", "changes": []}


@pytest.mark.usefixtures("git")
def test_looking_changes_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    index = (tmp_path / ".git" / "index").read_bytes()
    state(tmp_path)
    assert (tmp_path / ".git" / "index").read_bytes() == index


CHANGES: dict[str, tuple[Callable[[Path, Git], object], list[str]]] = {
    "nothing": (lambda _path, _git: None, []),
    "touched": (lambda path, _git: (path / "file").touch(), []),
    "new": (lambda path, _git: (path / "a b").write_text("x"), ["new: a b"]),
    "changed": (lambda path, _git: (path / "file").write_text("x"), ["changed: file"]),
    "removed": (lambda path, _git: (path / "file").unlink(), ["changed: file"]),
    "renamed": (lambda _path, git: git("mv", "file", "a b"), ["changed: a b"]),
    "staged": (lambda _path, git: git("add", "dirty"), ["changed: dirty"]),
    "restored": (lambda _path, git: git("checkout", "dirty"), ["no longer changed: dirty"]),
    "swept": (lambda _path, git: git("clean", "-f"), ["no longer new: untracked"]),
    "switched": (lambda _path, git: git("switch", "-c", "side"), ["branch was main, is side"]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_no_longer_as_it_was(tmp_path: Path, git: Git, name: str) -> None:
    (tmp_path / "dirty").write_text("x")
    git("add", "dirty")
    git("commit", "-m", "dirty")
    (tmp_path / "dirty").write_text("y")
    (tmp_path / "untracked").write_text("x")
    before = state(tmp_path)
    change, expected = CHANGES[name]
    change(tmp_path, git)
    assert facts.changed(before, state(tmp_path)) == expected


def test_a_commit(tmp_path: Path, git: Git) -> None:
    before = state(tmp_path)
    git("commit", "--allow-empty", "-m", "second")
    after = state(tmp_path)
    assert facts.changed(before, after) == [f"commit was {before['commit']}, is {after['commit']}"]


@pytest.mark.usefixtures("git")
def test_where_there_was_or_is_no_repository_nothing_is_said(
    tmp_path: Path,
) -> None:
    found = state(tmp_path)
    assert facts.changed(None, found) == facts.changed(found, None) == []


@pytest.mark.parametrize("text", [None, "", "no json\n", '{"event": "run", "repository": null}\n'])
def test_a_record_that_does_not_say(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "record").write_text(text)
    assert facts.repository_before(tmp_path / "record") is None


def test_a_record_that_says(tmp_path: Path) -> None:
    (tmp_path / "record").write_text('{"repository": {"commit": "a"}}\n{"repository": {"commit": "b"}}\n')
    assert facts.repository_before(tmp_path / "record") == {"commit": "a"}
