"""What the Thens hold against each other, and the words for what is not as it should be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...runner.evidence import shorten
from ...runner.failure import StepFailed
from ...runner.problem import nearest
from ...runner.sandbox import Sandbox
from .refs import short
from .repository import Repository
from .scenario import Repositories

if TYPE_CHECKING:
    from git import Commit


def branch_at(repositories: Repositories, branch: str, commit: str) -> None:
    repository, name = repositories.find(branch)
    same_commit(repository, f'branch "{branch}"', repository.branch(name), commit)


def same_commit(repository: Repository, title: str, actual: str, expected: str) -> None:
    if actual != expected:
        raise StepFailed(
            f"{title} is at another commit",
            expected=repository.describe(expected),
            actual=repository.describe(actual),
        )


def commit_count(repository: Repository, title: str, number: int, *revisions: str) -> None:
    actual = repository.count(*revisions)
    if actual != number:
        log = repository.run("log", "--oneline", "--no-decorate", "-10", *revisions).splitlines()
        raise StepFailed(
            f"{title} has another number of commits",
            expected=str(number),
            actual=str(actual),
            notes=[f"  {line}" for line in log],
        )


def is_merged(repositories: Repositories, branch: str, other: str) -> bool:
    repository = repositories.find(other)[0]
    return repository.is_ancestor(repositories.commit(branch), repositories.commit(other))


def last_commit(repositories: Repositories, branch: str, holds: Callable[[Commit], bool], wrong: str) -> None:
    repository, name = repositories.find(branch)
    with repository.read(repository.branch(name)) as commit:
        if holds(commit):
            return
        message = [f"  | {line}" for line in shorten(message_of(commit).rstrip(), 10).splitlines()]
        head = f"  {short(commit.hexsha)} by {author_of(commit)}"
        raise StepFailed(f'the last commit on branch "{branch}" {wrong}', notes=[head, *message])


def message_of(commit: Commit) -> str:
    return commit.message if isinstance(commit.message, str) else commit.message.decode(errors="replace")


def author_of(commit: Commit) -> str:
    return f"{commit.author.name} <{commit.author.email}>"


def content_at(repositories: Repositories, path: str, commit: str) -> str:
    repository, found = repositories.find(commit)[0], repositories.commit(commit)
    content = repository.file(path, found)
    if content is None:
        present = repository.files(found)
        near = nearest(path, present) or present[:8]
        raise StepFailed(
            f'file "{path}" does not exist at "{commit}"', notes=[f"there is: {', '.join(near)}"]
        )
    return content.decode("utf-8", errors="replace")


def nothing_changed(changed: list[str], message: str) -> None:
    if changed:
        more = [f"  and {len(changed) - 10} more"] if len(changed) > 10 else []
        raise StepFailed(message, notes=[*(f"  {line}" for line in changed[:10]), *more])


def below(sandbox: Sandbox, path: Path) -> str:
    work = sandbox.work.resolve()
    return path.relative_to(work).as_posix() if path.is_relative_to(work) else str(path)
