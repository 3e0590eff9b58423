"""Commits of ours: as a stream for `git fast-import`, or made in a working tree."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from pathlib import Path

from ...runner.failure import StepFailed
from .repository import Repository
from .settings import EMAIL, NAME, identity


def commit_stream(
    branch: str,
    number: int,
    message: str,
    files: Mapping[str, str],
    *,
    executable: Container[str] = (),
    parent: str = "",
) -> Iterator[bytes]:
    """One commit. Without a parent it follows the branch's last one in the same stream."""
    date = identity(number)["GIT_COMMITTER_DATE"]
    yield f"commit refs/heads/{branch}\ncommitter {NAME} <{EMAIL}> {date}\n{_data(message)}".encode()
    if parent:
        yield f"from {parent}\n".encode()
    for name, text in files.items():
        mode = "100755" if name in executable else "100644"
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        yield f'M {mode} inline "{quoted}"\n{_data(text)}'.encode()
    yield b"\n"


def commit_file(repository: Repository, path: str, text: str, message: str, number: int) -> None:
    """Write a file into the working tree and commit it, and nothing else."""
    target = inside(repository, path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StepFailed(f'file "{path}" can\'t be written: {error.strerror}') from error
    commit_paths(repository, message, number, path)


def commit_paths(repository: Repository, message: str, number: int, *paths: str) -> None:
    """Commit files as they are in the working tree; without paths, all that has changed."""
    repository.run("add", "--all", "--", *(paths or (".",)))
    only = ("--only", "--", *paths) if paths else ()
    answer = repository.git.ask(
        repository.path,
        "commit",
        "-q",
        "--cleanup=verbatim",
        "-m",
        message,
        *only,
        variables=identity(number),
    )
    if answer.code:
        said = (answer.stderr or answer.stdout).strip().splitlines()
        raise StepFailed("nothing was committed", notes=[f"  {line}" for line in said[-5:]])


def commit_on_branch(
    repository: Repository, branch: str, path: str, text: str, message: str, number: int
) -> None:
    """The same on any branch: where it is not checked out, the working tree is left alone."""
    tip = repository.branch(branch)
    if not repository.is_bare and repository.head() == branch:
        commit_file(repository, path, text, message, number)
        return
    inside(repository, path)
    is_executable = repository.run("ls-tree", tip, "--", path).startswith("100755")
    stream = commit_stream(
        branch, number, message, {path: text}, executable=[path] if is_executable else [], parent=tip
    )
    repository.run("fast-import", "--quiet", stdin=b"".join(stream))


def inside(repository: Repository, path: str) -> Path:
    """The place of a file in the working tree."""
    target = Path(repository.path, path)
    if ".." in Path(path).parts or Path(path).is_absolute() or ".git" in Path(path).parts or not path:
        raise StepFailed(f'"{path}" is no file of {repository.title}')
    return target


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"
