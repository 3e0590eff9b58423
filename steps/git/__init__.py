"""Git repositories: made from fixtures, changed, looked at, and watched for what must never happen.

Steps speak of the repository that was made or named last. A branch, tag or commit of another one is written
with its directory or its remote before a colon: `branch "other:main" never moves`. A commit may be given as
anything that git knows, or as a name under which a tip was noted.

Commits that these steps make are by Goalkeeper <goalkeeper@sandbox.invalid> and dated from 2000-01-01 on, a
minute apart, so that their hashes are the same on every machine. Neither these steps nor commands that a
scenario runs read the user's or the system's git configuration.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from ...runner.define import given, step, then, when
from ...runner.evidence import Evidence, shorten
from ...runner.failure import StepFailed
from ...runner.sandbox import Sandbox
from ...runner.values import regular
from .history import commit_file, commit_on_branch, commit_paths, inside
from .judge import (
    author_of,
    below,
    branch_at,
    commit_count,
    content_at,
    is_merged,
    last_commit,
    message_of,
    nothing_changed,
    same_commit,
)
from .refs import short
from .repository import names
from .scenario import Repositories
from .settings import isolation
from .template import EMPTY, Templates

if TYPE_CHECKING:
    from git import Commit


class Commands(Protocol):
    """What is asked of the commands of the scenario: the variables that each of them gets."""

    environment: dict[str, str]


@pytest.fixture(scope="session")
def repository_templates(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Templates:
    """The fixture repositories, each made when first asked for, then copied."""
    # Under `-p no:cacheprovider` there is no such attribute; a directory may be read-only.
    kept: pytest.Cache | None = getattr(pytestconfig, "cache", None)
    cache: Path | None = None
    if kept is not None:
        with suppress(OSError):
            cache = kept.mkdir("goalkeeper-git")
    return Templates(tmp_path_factory.mktemp("goalkeeper-git"), cache)


@pytest.fixture
def repositories(
    sandbox: Sandbox,
    commands: Commands,
    repository_templates: Templates,
    request: pytest.FixtureRequest,
) -> Repositories:
    """The repositories of the scenario; its commands get git's settings from the sandbox alone."""
    projects = (request.node.path.parent, request.config.rootpath)
    made = Repositories(sandbox, repository_templates, projects)
    for name, value in isolation(made.git.config).items():
        commands.environment.setdefault(name, value)
    return made


@given('a "{fixture}" repository on branch "{branch}"')
def make_repository(repositories: Repositories, evidence: Evidence, fixture: str, branch: str) -> None:
    """Make a repository in the working directory, with this branch checked out.

    `toy` is a small project; its `doctor.sh` passes, and fails with ORCH_CANARY=1. `conflict` is the same
    with branches `left` and `right` that change one line of notes/release-notes.txt in two ways. `large` is
    generated: 2000 files, 300 commits. Any other name is a directory beside the goal file or in the project's
    root, whose files become the first commit.
    """
    _make(repositories, evidence, fixture, branch)


@given('a "{fixture}" repository on branch "{branch}" in "{directory}"')
def make_repository_in(
    repositories: Repositories, evidence: Evidence, fixture: str, branch: str, directory: str
) -> None:
    """The same in a directory below the working directory; steps may call it by that name."""
    _make(repositories, evidence, fixture, branch, directory)


@given('an empty repository on branch "{branch}"')
def make_empty(repositories: Repositories, evidence: Evidence, branch: str) -> None:
    """Make a repository without a commit in the working directory."""
    _make(repositories, evidence, EMPTY, branch)


@given('an empty repository on branch "{branch}" in "{directory}"')
def make_empty_in(repositories: Repositories, evidence: Evidence, branch: str, directory: str) -> None:
    """Make a repository without a commit in a directory below the working directory."""
    _make(repositories, evidence, EMPTY, branch, directory)


@given('a remote "{name}"')
def make_remote(repositories: Repositories, name: str) -> None:
    """Make a bare repository with all branches and tags beside the working directory, and fetch from it."""
    repositories.add_remote(name)


@step('I look at repository "{name}"')
def use_repository(repositories: Repositories, name: str) -> None:
    """Later steps speak of the repository in this directory, or of this remote.

    Negative steps are armed before the first When: they mean the repository that was last before that.
    """
    repositories.use(name)


@given('a branch "{branch}"')
@when('I create branch "{branch}"')
def create_branch(repositories: Repositories, branch: str) -> None:
    """Make a branch at the commit that is checked out, and leave that checked out."""
    create_branch_at(repositories, branch, "HEAD")


@given('a branch "{branch}" at "{commit}"')
@when('I create branch "{branch}" at "{commit}"')
def create_branch_at(repositories: Repositories, branch: str, commit: str) -> None:
    """Make a branch at a commit."""
    repository, name = repositories.find(branch)
    found = repository.commit(commit) if commit == "HEAD" else repositories.commit(commit)
    repository.run("branch", "--no-track", name, found)


@given('I check out "{commit}"')
@when('I check out "{commit}"')
def check_out(repositories: Repositories, commit: str) -> None:
    """Check out a branch, or a commit with HEAD detached."""
    repository, name = repositories.find(commit)
    is_branch = f"refs/heads/{name}" in repository.refs()
    repository.run("checkout", "-q", name if is_branch else repositories.commit(commit), "--")


@given('I commit file "{path}" containing "{text}"')
@when('I commit file "{path}" containing "{text}"')
def commit_text(repositories: Repositories, path: str, text: str) -> None:
    """Write one line to a file and commit it to the branch that is checked out."""
    commit_file(repositories.current, path, f"{text}\n", f"Change {path}", repositories.number())


@given('I commit file "{path}" containing "{text}" on branch "{branch}"')
@when('I commit file "{path}" containing "{text}" on branch "{branch}"')
def commit_text_on(repositories: Repositories, path: str, text: str, branch: str) -> None:
    """The same on any branch; the working tree stays as it is, unless that branch is checked out."""
    repository, name = repositories.find(branch)
    commit_on_branch(repository, name, path, f"{text}\n", f"Change {path}", repositories.number())


@given('I commit file "{path}" with message "{message}"')
@when('I commit file "{path}" with message "{message}"')
def commit_with_message(repositories: Repositories, path: str, message: str) -> None:
    """Commit one file as it is in the working tree, or its removal, and nothing else."""
    commit_paths(repositories.current, message, repositories.number(), path)


@given('I commit all changes with message "{message}"')
@when('I commit all changes with message "{message}"')
def commit_all(repositories: Repositories, message: str) -> None:
    """Commit all that differs from the last commit, new files included."""
    commit_paths(repositories.current, message, repositories.number())


@given('I merge branch "{branch}"')
@when('I merge branch "{branch}"')
def merge(repositories: Repositories, branch: str) -> None:
    """Merge into what is checked out, with a merge commit. A conflict is left for a Then to judge."""
    repository = repositories.current
    tip = repositories.commit(branch)
    arguments = ("merge", "-q", "--no-ff", "--no-edit", "-m", f'Merge branch "{branch}"', tip)
    answer = repository.ask(*arguments, number=repositories.number())
    if answer.code and not repository.conflicts():
        notes = [f"  {line}" for line in (answer.stderr or answer.stdout).splitlines()]
        raise StepFailed(f'branch "{branch}" can\'t be merged', notes=notes)


@given('a tag "{tag}" at "{commit}"')
@when('I tag "{commit}" as "{tag}"')
def create_tag(repositories: Repositories, tag: str, commit: str) -> None:
    """Make a tag without a message."""
    repository, name = repositories.find(tag)
    repository.run("tag", name, repositories.commit(commit))


@given('a worktree "{path}" of branch "{branch}"')
def create_worktree(repositories: Repositories, sandbox: Sandbox, path: str, branch: str) -> None:
    """Check out a branch in a directory of its own, below the working directory."""
    repository, name = repositories.find(branch)
    repository.branch(name)
    repository.run("worktree", "add", "-q", str(sandbox.path(path)), name)


@given('uncommitted changes to file "{path}"')
def change_file(repositories: Repositories, path: str) -> None:
    """Add a line to a file of the working tree, which it makes if need be, and do not commit it."""
    try:
        with inside(repositories.current, path).open("a", encoding="utf-8") as file:
            file.write("This line is not committed.\n")
    except OSError as error:
        raise StepFailed(f'file "{path}" can\'t be changed: {error.strerror}') from error


@given('a stale git lock "{name}"')
def create_lock(repositories: Repositories, name: str) -> None:
    """Leave a lock file as a killed git would: `index.lock`, `HEAD.lock`, `refs/heads/main.lock`."""
    path = repositories.current.common / name
    if not name.endswith(".lock") or ".." in path.parts:
        raise StepFailed(f'git has no lock "{name}": its locks end in .lock, as index.lock does')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


@given('I note the tip of branch "{branch}"')
@when('I note the tip of branch "{branch}"')
def note_tip(repositories: Repositories, branch: str) -> None:
    """Keep in mind where a branch is, for `is where it was` and `has moved`."""
    note_tip_as(repositories, branch, branch)


@given('I note the tip of branch "{branch}" as "{name}"')
@when('I note the tip of branch "{branch}" as "{name}"')
def note_tip_as(repositories: Repositories, branch: str, name: str) -> None:
    """The same under a name of its own, which later steps may use for the commit."""
    repository, wanted = repositories.find(branch)
    repositories.note(name, repository.branch(wanted))


@then('branch "{branch}" exists')
def branch_exists(repositories: Repositories, branch: str) -> None:
    """There is such a branch, of the repository itself or known of a remote (`origin/main`)."""
    repository, name = repositories.find(branch)
    repository.branch(name)


@then('branch "{branch}" does not exist')
def branch_is_missing(repositories: Repositories, branch: str) -> None:
    """There is no such branch. A name with `*` stands for any number of branches."""
    repository, name = repositories.find(branch)
    present = repository.matching(f"refs/heads/{name}") | repository.matching(f"refs/remotes/{name}")
    if present:
        notes = [f"  {short(commit)} {found}" for found, commit in present.items()]
        raise StepFailed(f'branch "{branch}" exists', notes=notes)


@then('branch "{branch}" is checked out')
def branch_is_checked_out(repositories: Repositories, branch: str) -> None:
    """HEAD of the working tree stands on this branch."""
    repository, name = repositories.find(branch)
    head = repository.head()
    if head != name:
        raise StepFailed(
            "another branch is checked out",
            expected=name,
            actual=head or f"none, but {repository.commit('HEAD')}",
        )


@then('branch "{branch}" is where it was')
def branch_has_stayed(repositories: Repositories, branch: str) -> None:
    """The branch is at the commit at which its tip was noted. What happened in between does not count."""
    branch_at(repositories, branch, repositories.noted(branch))


@then('branch "{branch}" has moved')
def branch_has_moved(repositories: Repositories, branch: str) -> None:
    """The branch exists, and is at another commit than when its tip was noted."""
    repository, name = repositories.find(branch)
    tip = repository.branch(name)
    if tip == repositories.noted(branch):
        raise StepFailed(f'branch "{branch}" has not moved: it still is at {repository.describe(tip)}')


@then('branch "{branch}" is at commit "{commit}"')
def branch_is_at(repositories: Repositories, branch: str, commit: str) -> None:
    """The tip of the branch is this commit: a noted name, a branch, a tag, or (the beginning of) a hash."""
    branch_at(repositories, branch, repositories.commit(commit))


@then('branch "{branch}" has {number:int} commits')
@then('branch "{branch}" has {number:int} commit')
def branch_has_commits(repositories: Repositories, branch: str, number: int) -> None:
    """So many commits lead to the tip, itself included."""
    repository, name = repositories.find(branch)
    commit_count(repository, f'branch "{branch}"', number, repository.branch(name))


@then('branch "{branch}" is {number:int} commits ahead of "{other}"')
@then('branch "{branch}" is {number:int} commit ahead of "{other}"')
def branch_is_ahead(repositories: Repositories, branch: str, number: int, other: str) -> None:
    """So many commits of the branch are not in the other one, which may be a noted name."""
    repository, name = repositories.find(branch)
    excluded = f"^{repositories.commit(other)}"
    commit_count(
        repository, f'branch "{branch}" ahead of "{other}"', number, repository.branch(name), excluded
    )


@then('branch "{branch}" is merged into "{other}"')
def branch_is_merged(repositories: Repositories, branch: str, other: str) -> None:
    """The tip of the branch, or the commit of that noted name, is in the history of the other."""
    if not is_merged(repositories, branch, other):
        raise StepFailed(f'branch "{branch}" is not merged into "{other}"')


@then('branch "{branch}" is not merged into "{other}"')
def branch_is_not_merged(repositories: Repositories, branch: str, other: str) -> None:
    """The tip of the branch is not in the history of the other."""
    if is_merged(repositories, branch, other):
        raise StepFailed(f'branch "{branch}" is merged into "{other}"')


@then('the last commit on branch "{branch}" is a merge')
def last_commit_is_merge(repositories: Repositories, branch: str) -> None:
    """The tip of the branch has more than one parent."""
    last_commit(repositories, branch, lambda commit: len(commit.parents) > 1, "is no merge")


@then('the last commit on branch "{branch}" is not a merge')
def last_commit_is_no_merge(repositories: Repositories, branch: str) -> None:
    """The tip of the branch has one parent, or none."""
    last_commit(repositories, branch, lambda commit: len(commit.parents) < 2, "is a merge")


@then('the last commit on branch "{branch}" has message "{message}"')
def last_message_is(repositories: Repositories, branch: str, message: str) -> None:
    """Its whole message, or the first line of it, is this text."""

    def same(commit: Commit) -> bool:
        return message in (message_of(commit).strip(), message_of(commit).partition("\n")[0])

    last_commit(repositories, branch, same, f'has another message than "{message}"')


@then('the last commit on branch "{branch}" has a message that matches "{pattern}"')
def last_message_matches(repositories: Repositories, branch: str, pattern: str) -> None:
    """The regular expression matches somewhere in its message; ^ and $ match at lines."""
    expression = regular(pattern)
    last_commit(
        repositories,
        branch,
        lambda commit: expression.search(message_of(commit)) is not None,
        f"has a message that does not match {pattern}",
    )


@then('the last commit on branch "{branch}" is by "{author}"')
def last_author_is(repositories: Repositories, branch: str, author: str) -> None:
    """Its author has this name, this address, or both as `Name <address>`."""

    def same(commit: Commit) -> bool:
        return author in (commit.author.name, commit.author.email, author_of(commit))

    last_commit(repositories, branch, same, f"is not by {author}")


@then('file "{path}" at "{commit}" exists')
def file_exists_at(repositories: Repositories, path: str, commit: str) -> None:
    """The branch, tag or commit has a file of that name."""
    content_at(repositories, path, commit)


@then('file "{path}" at "{commit}" does not exist')
def file_is_missing_at(repositories: Repositories, path: str, commit: str) -> None:
    """The branch, tag or commit has no file of that name."""
    repository = repositories.find(commit)[0]
    if repository.file(path, repositories.commit(commit)) is not None:
        raise StepFailed(f'file "{path}" exists at "{commit}"')


@then('file "{path}" at "{commit}" contains "{text}"')
def file_contains_at(repositories: Repositories, path: str, commit: str, text: str) -> None:
    """The text occurs somewhere in the file as the branch, tag or commit has it."""
    content = content_at(repositories, path, commit)
    if text not in content:
        lines = [f"  | {line}" for line in shorten(content, 10).splitlines()] or ["  it is empty"]
        raise StepFailed(f'file "{path}" at "{commit}" does not contain "{text}"', notes=lines)


@then('file "{path}" at "{commit}" is')
def file_is_at(repositories: Repositories, path: str, commit: str, docstring: str) -> None:
    """The file as the branch, tag or commit has it equals the doc string; a newline at its end aside."""
    content = content_at(repositories, path, commit)
    if content.removesuffix("\n") != docstring.removesuffix("\n"):
        raise StepFailed(f'file "{path}" at "{commit}" differs', expected=docstring, actual=content)


@then('there is a merge conflict in file "{path}"')
def file_has_conflict(repositories: Repositories, path: str) -> None:
    """A merge, rebase or the like stopped at this file, and nobody has resolved it."""
    conflicts = repositories.current.conflicts()
    if path not in conflicts:
        notes = [f"there is one in: {', '.join(conflicts)}"] if conflicts else ["there is no conflict at all"]
        raise StepFailed(f'there is no merge conflict in file "{path}"', notes=notes)


@then("no merge is in progress")
def no_merge_in_progress(repositories: Repositories) -> None:
    """No merge, rebase, cherry-pick or revert was begun and not ended."""
    begun = repositories.current.in_progress()
    if begun:
        files = [f"  in conflict: {path}" for path in repositories.current.conflicts()]
        raise StepFailed(f"a {begun[0]} is in progress", notes=files)


@then('tag "{tag}" exists')
def tag_exists(repositories: Repositories, tag: str) -> None:
    """There is such a tag."""
    repository, name = repositories.find(tag)
    repository.tag(name)


@then('tag "{tag}" does not exist')
def tag_is_missing(repositories: Repositories, tag: str) -> None:
    """There is no such tag. A name with `*` stands for any number of tags."""
    repository, name = repositories.find(tag)
    present = names(repository.matching(f"refs/tags/{name}"), "refs/tags/")
    if present:
        raise StepFailed(f'tag "{tag}" exists', notes=[f"  {found}" for found in present if found != name])


@then('tag "{tag}" is at commit "{commit}"')
def tag_is_at(repositories: Repositories, tag: str, commit: str) -> None:
    """The tag, with or without a message of its own, stands for this commit."""
    repository, name = repositories.find(tag)
    same_commit(repository, f'tag "{tag}"', repository.tag(name), repositories.commit(commit))


@then('worktree "{path}" exists')
def worktree_exists(repositories: Repositories, sandbox: Sandbox, path: str) -> None:
    """Git knows a linked worktree in this directory, and the directory is there."""
    linked = repositories.current.worktrees()
    if sandbox.path(path).resolve() not in linked:
        notes = [f"  {below(sandbox, found)}" for found in linked] or ["  there is none"]
        raise StepFailed(f'there is no worktree "{path}"', notes=notes)
    if not sandbox.path(path).is_dir():
        raise StepFailed(f'the directory of worktree "{path}" is gone')


@then('worktree "{path}" does not exist')
def worktree_is_gone(repositories: Repositories, sandbox: Sandbox, path: str) -> None:
    """Git knows no linked worktree in this directory, and the directory is not there."""
    if sandbox.path(path).resolve() in repositories.current.worktrees():
        raise StepFailed(f'git still knows a worktree "{path}"')
    if sandbox.path(path).exists():
        raise StepFailed(f'git knows no worktree "{path}", but its directory is still there')


@then("no worktree is left")
def no_worktree(repositories: Repositories, sandbox: Sandbox) -> None:
    """Git knows no linked worktree, not even one whose directory is gone."""
    linked = repositories.current.worktrees()
    if linked:
        raise StepFailed("a worktree is left", notes=[f"  {below(sandbox, path)}" for path in linked])


@then("the working tree is clean")
def tree_is_clean(repositories: Repositories) -> None:
    """Nothing differs from the last commit, and there is no file that git neither knows nor ignores."""
    nothing_changed(repositories.current.status(), "the working tree is not clean")


@then("no tracked file has changed")
def tree_is_unchanged(repositories: Repositories) -> None:
    """Nothing differs from the last commit; files that git does not know may be there."""
    nothing_changed(repositories.current.status(untracked=False), "tracked files have changed")


@then('file "{path}" has uncommitted changes')
def file_is_dirty(repositories: Repositories, path: str) -> None:
    """The file in the working tree, or as it was added, differs from the last commit; new files count."""
    changed = repositories.current.status()
    if path not in [line[3:].strip('"') for line in changed]:
        notes = [f"  {line}" for line in changed[:10]] or ["  the working tree is clean"]
        raise StepFailed(f'file "{path}" has no uncommitted changes', notes=notes)


@then("no stale lock is left")
def no_lock(repositories: Repositories) -> None:
    """No lock file is in the repository: of the index, of HEAD, of a branch, of a linked worktree."""
    locks = repositories.current.locks()
    if locks:
        raise StepFailed("a lock is left", notes=[f"  .git/{name}" for name in locks])


@then("the repository is sound")
def repository_is_sound(repositories: Repositories) -> None:
    """`git fsck --full --strict` finds nothing wrong. Commits that nothing leads to are no error."""
    answer = repositories.current.ask("fsck", "--full", "--strict", "--no-dangling", "--no-progress")
    if answer.code:
        said = (answer.stdout + answer.stderr).splitlines()
        raise StepFailed("the repository is damaged", notes=[f"  {line}" for line in said[:10]])


def _make(
    repositories: Repositories, evidence: Evidence, fixture: str, branch: str, directory: str = "."
) -> None:
    repositories.make(fixture, branch, directory)
    evidence.observe("git.repository", "ok", fixture=fixture, branch=branch, directory=directory)
