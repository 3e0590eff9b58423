"""The steps of steps/git: what each accepts, and what it says where it does not."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps import cli, git
from goalkeeper.steps.cli.command import Commands
from goalkeeper.steps.git.scenario import Repositories
from goalkeeper.steps.git.settings import environment

Step = Callable[..., None]


def shell(sandbox: Sandbox, script: str) -> str:
    """Plain git as Goalkeeper's own commands never run it, with an identity of its own."""
    variables = environment(sandbox.work.parent / "gitconfig")
    ran = subprocess.run(
        ["sh", "-ec", script], cwd=sandbox.work, env=variables, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def failure(step: Step, *arguments: object) -> str:
    with pytest.raises(StepFailed) as caught:
        step(*arguments)
    return str(caught.value)


@pytest.fixture
def toy(repositories: Repositories, evidence: Evidence) -> Repositories:
    git.make_repository(repositories, evidence, "toy", "main")
    return repositories


@pytest.fixture
def conflict(repositories: Repositories, evidence: Evidence) -> Repositories:
    git.make_repository(repositories, evidence, "conflict", "main")
    return repositories


def test_repositories_in_directories(
    repositories: Repositories, evidence: Evidence, sandbox: Sandbox
) -> None:
    git.make_repository_in(repositories, evidence, "toy", "main", "one")
    git.make_empty_in(repositories, evidence, "trunk", "deep/two")
    assert failure(git.branch_exists, repositories, "main") == (
        'there is no branch "main" in repository "deep/two".\nit has no branch'
    )
    git.branch_exists(repositories, "one:main")
    git.use_repository(repositories, "one")
    git.branch_exists(repositories, "main")
    git.create_branch(repositories, "work")
    git.branch_is_missing(repositories, "deep/two:work")
    assert failure(git.use_repository, repositories, "on") == (
        'there is no repository "on". Did you mean "one"?\nthere is: deep/two, one'
    )
    assert failure(git.branch_exists, repositories, "../x:main").endswith("name a path inside it")
    shell(sandbox, "git clone -q one three")
    git.branch_exists(repositories, "three:main")
    git.branch_exists(repositories, "three:origin/work")


def test_a_step_before_any_repository(repositories: Repositories, sandbox: Sandbox) -> None:
    assert failure(git.branch_exists, repositories, "main") == (
        "there is no repository in the working directory\n"
        'begin with: Given a "toy" repository on branch "main"'
    )
    shell(sandbox, "git init -q; git commit -q --allow-empty -m x")
    git.branch_exists(repositories, "main")


def test_an_empty_repository(repositories: Repositories, evidence: Evidence) -> None:
    git.make_empty(repositories, evidence, "main")
    git.branch_is_checked_out(repositories, "main")
    git.tree_is_clean(repositories)
    git.repository_is_sound(repositories)
    git.no_lock(repositories)
    git.commit_text(repositories, "a", "x")
    git.branch_has_commits(repositories, "main", 1)


def test_what_was_made_is_on_record(repositories: Repositories) -> None:
    seen: list[object] = []
    evidence = Evidence(sink=lambda *observed: seen.append(observed))
    git.make_repository_in(repositories, evidence, "toy", "main", "repo")
    assert seen == [("git.repository", "ok", {"fixture": "toy", "branch": "main", "directory": "repo"})]


def test_our_commits_have_fixed_hashes(toy: Repositories, sandbox: Sandbox) -> None:
    git.commit_text(toy, "a.txt", "x")
    git.create_branch(toy, "work")
    git.commit_text_on(toy, 'b/ä "c".txt', "y", "work")
    (sandbox.work / "a.txt").write_text("changed\n")
    git.commit_with_message(toy, "a.txt", "Change it\n\nBecause.")
    git.merge(toy, "work")
    found = shell(sandbox, "git log --all --topo-order --format='%h %an <%ae> %cd %s' --date=iso")
    ours = "Goalkeeper <goalkeeper@sandbox.invalid> 2000-01-01"
    assert found.splitlines() == [
        f'dcf26dc {ours} 16:44:00 +0000 Merge branch "work"',
        f'bed5c5e {ours} 16:42:00 +0000 Change b/ä "c".txt',
        f"564f94b {ours} 16:43:00 +0000 Change it",
        f"82936ad {ours} 16:41:00 +0000 Change a.txt",
        f"0caeefc {ours} 00:00:00 +0000 The project as it begins",
    ]
    git.tree_is_clean(toy)
    git.repository_is_sound(toy)


def test_branches_are_made_and_checked_out(toy: Repositories, sandbox: Sandbox) -> None:
    git.commit_text(toy, "a", "x")
    git.create_branch(toy, "work")
    git.create_branch_at(toy, "old", "main~1")
    git.branch_is_checked_out(toy, "main")
    git.branch_is_ahead(toy, "work", 1, "old")
    git.check_out(toy, "old")
    git.branch_is_checked_out(toy, "old")
    assert not (sandbox.work / "a").exists()
    git.check_out(toy, "main~1")
    assert failure(git.branch_is_checked_out, toy, "main") == (
        "another branch is checked out\n  expected: main\n"
        "  actual:   none, but 0caeefcc625ec2f67422080c144a851647457884"
    )
    assert failure(git.create_branch, toy, "work") == (
        "git branch failed\n  fatal: a branch named 'work' already exists"
    )
    assert failure(git.check_out, toy, "wrok") == (
        'there is no commit "wrok" in the repository. Did you mean "work"?'
    )


def test_a_commit_on_a_branch_that_is_not_checked_out(toy: Repositories, sandbox: Sandbox) -> None:
    git.create_branch(toy, "work")
    git.commit_text_on(toy, "a", "x", "work")
    git.tree_is_clean(toy)
    assert not (sandbox.work / "a").exists()
    git.file_contains_at(toy, "a", "work", "x")
    git.file_exists_at(toy, "README.md", "work")
    git.commit_text_on(toy, "doctor.sh", "true", "work")
    assert shell(sandbox, "git ls-tree work doctor.sh a").split()[::4] == ["100644", "100755"]
    git.commit_text_on(toy, "a", "y", "main")
    assert (sandbox.work / "a").read_text() == "y\n"
    git.tree_is_clean(toy)
    assert failure(git.commit_text_on, toy, "a", "x", "wrok").startswith('there is no branch "wrok"')
    assert failure(git.commit_text_on, toy, "../a", "x", "work") == '"../a" is no file of the repository'
    assert failure(git.commit_text, toy, ".git/config", "x") == '".git/config" is no file of the repository'


def test_commits_of_what_is_there(toy: Repositories, sandbox: Sandbox) -> None:
    (sandbox.work / "a").write_text("1")
    (sandbox.work / "b").write_text("1")
    git.commit_with_message(toy, "a", "Add a")
    git.file_is_missing_at(toy, "b", "main")
    (sandbox.work / "a").unlink()
    git.commit_all(toy, "All")
    git.file_exists_at(toy, "b", "main")
    git.file_is_missing_at(toy, "a", "main")
    assert failure(git.commit_all, toy, "None").startswith("nothing was committed")
    assert failure(git.commit_with_message, toy, "nowhere", "x").startswith(
        "git add failed\n  fatal: pathspec"
    )


def test_hooks_of_the_repository_do_not_run_for_our_commits(toy: Repositories, sandbox: Sandbox) -> None:
    (sandbox.work / ".git" / "hooks").mkdir()
    for name in ("pre-commit", "commit-msg", "reference-transaction", "post-commit"):
        hook = sandbox.work / ".git" / "hooks" / name
        hook.write_text("#!/bin/sh\ntouch ran\nexit 1\n")
        hook.chmod(0o755)
    git.commit_text(toy, "a", "x")
    git.create_branch(toy, "work")
    git.commit_text_on(toy, "b", "x", "work")
    git.merge(toy, "work")
    assert not (sandbox.work / "ran").exists()


def test_branches_that_are_there_or_not(toy: Repositories) -> None:
    git.create_branch(toy, "agent/1")
    git.branch_exists(toy, "agent/1")
    git.branch_is_missing(toy, "agent/2")
    git.branch_is_missing(toy, "task/*")
    assert failure(git.branch_exists, toy, "mian") == (
        'there is no branch "mian" in the repository. Did you mean "main"?\nthere is: agent/1, main'
    )
    assert failure(git.branch_is_missing, toy, "agent/*") == (
        'branch "agent/*" exists\n  0caeefcc62 refs/heads/agent/1'
    )


def test_tips_compared_with_noted_ones(toy: Repositories) -> None:
    git.note_tip(toy, "main")
    git.note_tip_as(toy, "main", "start")
    git.branch_has_stayed(toy, "main")
    assert failure(git.branch_has_moved, toy, "main") == (
        'branch "main" has not moved: it still is at 0caeefcc62 The project as it begins'
    )
    git.commit_text(toy, "a", "x")
    git.branch_has_moved(toy, "main")
    git.branch_is_ahead(toy, "main", 1, "start")
    git.create_branch_at(toy, "old", "start")
    git.branch_is_at(toy, "old", "start")
    git.branch_is_at(toy, "old", "0caeefc")
    git.branch_is_at(toy, "old", "main~1")
    assert failure(git.branch_has_stayed, toy, "main").startswith(
        'branch "main" is at another commit\n  expected: 0caeefcc62 The project as it begins\n  actual:   '
    )
    assert failure(git.branch_has_stayed, toy, "old") == (
        'the tip of branch "old" was not noted.\nwrite before: Given I note the tip of branch "old"'
    )
    assert failure(git.branch_is_at, toy, "main", "stat") == 'there is no commit "stat" in the repository.'
    assert failure(git.note_tip, toy, "nowhere").startswith('there is no branch "nowhere"')


def test_numbers_of_commits(toy: Repositories) -> None:
    git.create_branch(toy, "work")
    for number in range(2):
        git.commit_text_on(toy, "a", str(number), "work")
    git.branch_has_commits(toy, "work", 3)
    git.branch_is_ahead(toy, "work", 2, "main")
    git.branch_is_ahead(toy, "main", 0, "work")
    text = failure(git.branch_is_ahead, toy, "work", 3, "main").splitlines()
    assert text[:3] == [
        'branch "work" ahead of "main" has another number of commits',
        "  expected: 3",
        "  actual:   2",
    ]
    assert [line.split()[1:] for line in text[3:]] == [["Change", "a"]] * 2
    assert "actual:   3" in failure(git.branch_has_commits, toy, "work", 1)


def test_merges(conflict: Repositories) -> None:
    git.branch_is_not_merged(conflict, "left", "main")
    assert (
        failure(git.branch_is_merged, conflict, "left", "main") == 'branch "left" is not merged into "main"'
    )
    assert failure(git.last_commit_is_merge, conflict, "main") == (
        'the last commit on branch "main" is no merge\n'
        "  0caeefcc62 by Goalkeeper <goalkeeper@sandbox.invalid>\n  | The project as it begins"
    )
    git.merge(conflict, "left")
    git.branch_is_merged(conflict, "left", "main")
    git.last_commit_is_merge(conflict, "main")
    git.last_commit_is_no_merge(conflict, "left")
    git.no_merge_in_progress(conflict)
    assert (
        failure(git.branch_is_not_merged, conflict, "left", "main") == 'branch "left" is merged into "main"'
    )
    assert "is a merge" in failure(git.last_commit_is_no_merge, conflict, "main")
    assert failure(git.file_has_conflict, conflict, "README.md") == (
        'there is no merge conflict in file "README.md"\nthere is no conflict at all'
    )
    git.merge(conflict, "right")
    git.file_has_conflict(conflict, "notes/release-notes.txt")
    assert failure(git.file_has_conflict, conflict, "README.md").endswith(
        "there is one in: notes/release-notes.txt"
    )
    assert failure(git.no_merge_in_progress, conflict) == (
        "a merge is in progress\n  in conflict: notes/release-notes.txt"
    )
    git.branch_is_not_merged(conflict, "right", "main")


def test_a_merge_that_can_not_begin(conflict: Repositories, sandbox: Sandbox) -> None:
    (sandbox.work / "notes" / "release-notes.txt").write_text("mine")
    assert failure(git.merge, conflict, "left").startswith(
        'branch "left" can\'t be merged\n  error: Your local'
    )
    assert failure(git.merge, conflict, "lift").startswith('there is no commit "lift"')


def test_a_rebase_that_stopped(conflict: Repositories, sandbox: Sandbox) -> None:
    shell(sandbox, "git checkout -q left; git rebase -q right || :")
    assert failure(git.no_merge_in_progress, conflict).startswith("a rebase is in progress")
    git.file_has_conflict(conflict, "notes/release-notes.txt")


def test_the_last_commit(toy: Repositories, sandbox: Sandbox) -> None:
    shell(
        sandbox,
        "git -c user.name='Ädä L' -c user.email=ada@x.invalid commit -q --allow-empty -F - <<'E'\n"
        "[FEAT] 001 note\n\nTask: 001\nE",
    )
    for message in ("[FEAT] 001 note", "[FEAT] 001 note\n\nTask: 001"):
        git.last_message_is(toy, "main", message)
    for pattern in (r"^Task: \d+$", r"\A\[FEAT\]"):
        git.last_message_matches(toy, "main", pattern)
    for author in ("Ädä L", "ada@x.invalid", "Ädä L <ada@x.invalid>"):
        git.last_author_is(toy, "main", author)
    shown = ["  | [FEAT] 001 note", "  | ", "  | Task: 001"]
    text = failure(git.last_message_is, toy, "main", "Task: 001").splitlines()
    assert text[0] == 'the last commit on branch "main" has another message than "Task: 001"'
    assert text[1].endswith(" by Ädä L <ada@x.invalid>")
    assert text[2:] == shown
    assert failure(git.last_message_matches, toy, "main", "^002").splitlines()[0] == (
        'the last commit on branch "main" has a message that does not match ^002'
    )
    assert failure(git.last_message_matches, toy, "main", "(").startswith("this is not a regular expression")
    assert failure(git.last_author_is, toy, "main", "Ada").splitlines()[0] == (
        'the last commit on branch "main" is not by Ada'
    )


def test_files_at_a_commit(toy: Repositories, sandbox: Sandbox) -> None:
    (sandbox.work / "README.md").unlink()
    (sandbox.work / "crlf").write_bytes(b"a\r\n\xff")
    git.commit_with_message(toy, "crlf", "Odd")
    git.create_tag(toy, "v1", "main~1")
    for commit in ("main", "v1", "HEAD~1", "0caeefcc62"):
        git.file_exists_at(toy, "README.md", commit)
    git.file_contains_at(toy, "crlf", "main", "a\r\n")
    git.file_is_at(toy, "notes/release-notes.txt", "v1", "0.1 The first release.")
    git.file_is_missing_at(toy, "crlf", "v1")
    git.file_is_missing_at(toy, "notes", "main")
    git.file_is_missing_at(toy, "", "main")
    assert failure(git.file_exists_at, toy, "README", "main") == (
        'file "README" does not exist at "main"\nthere is: README.md'
    )
    assert failure(git.file_exists_at, toy, "zzz", "v1") == (
        'file "zzz" does not exist at "v1"\n'
        "there is: README.md, doctor.sh, notes/release-notes.txt, src/greet.sh"
    )
    assert failure(git.file_is_missing_at, toy, "crlf", "main") == 'file "crlf" exists at "main"'
    assert failure(git.file_contains_at, toy, "src/greet.sh", "main", "Bye") == (
        'file "src/greet.sh" at "main" does not contain "Bye"\n  | #!/bin/sh\n  | echo "Hello, ${1:-world}!"'
    )
    assert failure(git.file_is_at, toy, "notes/release-notes.txt", "main", "0.2") == (
        'file "notes/release-notes.txt" at "main" differs\n  --- expected\n  +++ actual\n  @@ -1 +1 @@\n'
        "  -0.2\n  +0.1 The first release."
    )
    assert failure(git.file_exists_at, toy, "a", "v2") == 'there is no commit "v2" in the repository.'


def test_tags(toy: Repositories, sandbox: Sandbox) -> None:
    git.create_tag(toy, "v1", "main")
    shell(sandbox, "git tag -a -m note v2 main")
    git.commit_text(toy, "a", "x")
    for tag in ("v1", "v2"):
        git.tag_exists(toy, tag)
        git.tag_is_at(toy, tag, "main~1")
    git.tag_is_missing(toy, "v3")
    assert (
        failure(git.tag_exists, toy, "v")
        == 'there is no tag "v" in the repository. Did you mean "v2"?\nthere is: v1, v2'
    )
    assert failure(git.tag_is_missing, toy, "v1") == 'tag "v1" exists'
    assert failure(git.tag_is_missing, toy, "v*") == 'tag "v*" exists\n  v1\n  v2'
    assert failure(git.tag_is_at, toy, "v2", "main").startswith('tag "v2" is at another commit\n  expected: ')


def test_worktrees(conflict: Repositories, sandbox: Sandbox) -> None:
    git.no_worktree(conflict, sandbox)
    assert failure(git.worktree_exists, conflict, sandbox, "w") == 'there is no worktree "w"\n  there is none'
    git.create_worktree(conflict, sandbox, "w/left", "left")
    git.worktree_exists(conflict, sandbox, "w/left")
    assert failure(git.worktree_exists, conflict, sandbox, "w") == 'there is no worktree "w"\n  w/left'
    assert failure(git.no_worktree, conflict, sandbox) == "a worktree is left\n  w/left"
    assert failure(git.worktree_is_gone, conflict, sandbox, "w/left") == 'git still knows a worktree "w/left"'
    shell(sandbox, "rm -r w")
    assert failure(git.worktree_exists, conflict, sandbox, "w/left") == (
        'the directory of worktree "w/left" is gone'
    )
    shell(sandbox, "git worktree prune; mkdir -p w/left")
    assert failure(git.worktree_is_gone, conflict, sandbox, "w/left") == (
        'git knows no worktree "w/left", but its directory is still there'
    )
    shell(sandbox, "rm -r w")
    git.worktree_is_gone(conflict, sandbox, "w/left")
    assert failure(git.create_worktree, conflict, sandbox, "w", "lift").startswith(
        'there is no branch "lift"'
    )
    assert failure(git.create_worktree, conflict, sandbox, "../w", "left").endswith("name a path inside it")


def test_the_working_tree(toy: Repositories, sandbox: Sandbox) -> None:
    git.tree_is_clean(toy)
    (sandbox.work / "new.txt").touch()
    git.tree_is_unchanged(toy)
    git.file_is_dirty(toy, "new.txt")
    assert failure(git.tree_is_clean, toy) == "the working tree is not clean\n  ?? new.txt"
    git.change_file(toy, "README.md")
    git.file_is_dirty(toy, "README.md")
    assert failure(git.tree_is_unchanged, toy) == "tracked files have changed\n   M README.md"
    assert failure(git.file_is_dirty, toy, "doctor.sh") == (
        'file "doctor.sh" has no uncommitted changes\n   M README.md\n  ?? new.txt'
    )
    for number in range(12):
        (sandbox.work / f"x{number}").touch()
    assert failure(git.tree_is_clean, toy).endswith("\n  and 4 more")
    assert failure(git.change_file, toy, "src") == 'file "src" can\'t be changed: Is a directory'


def test_looking_takes_no_lock(toy: Repositories, sandbox: Sandbox) -> None:
    """A lock of ours would make a command of the system under test fail."""
    os.utime(sandbox.work / "README.md")
    index = sandbox.work / ".git" / "index"
    before = index.stat().st_mtime_ns, index.stat().st_ino
    git.tree_is_clean(toy)
    assert (index.stat().st_mtime_ns, index.stat().st_ino) == before


@pytest.mark.parametrize(
    "name", ["index.lock", "refs/heads/main.lock", "packed-refs.lock", "refs/heads/a/b.lock"]
)
def test_stale_locks(toy: Repositories, sandbox: Sandbox, name: str) -> None:
    git.no_lock(toy)
    git.create_lock(toy, name)
    assert failure(git.no_lock, toy) == f"a lock is left\n  .git/{name}"
    (sandbox.work / ".git" / name).unlink()
    git.no_lock(toy)


def test_what_is_no_lock(toy: Repositories) -> None:
    for name in ("index", "../x.lock"):
        assert failure(git.create_lock, toy, name) == (
            f'git has no lock "{name}": its locks end in .lock, as index.lock does'
        )


def test_a_lock_stops_git(toy: Repositories, commands: Commands) -> None:
    git.create_lock(toy, "index.lock")
    cli.run(commands, "git add .")
    assert "index.lock': File exists" in commands.last.stderr


def test_a_sound_repository_and_a_damaged_one(toy: Repositories, sandbox: Sandbox) -> None:
    git.commit_text(toy, "a", "x")
    shell(sandbox, "git reset -q --hard HEAD~1")
    git.repository_is_sound(toy)
    [pack] = (sandbox.work / ".git" / "objects" / "pack").glob("*.pack")
    pack.chmod(0o644)
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 0xFF
    pack.write_bytes(content)
    assert failure(git.repository_is_sound, toy).startswith("the repository is damaged\n  ")


def test_a_remote(toy: Repositories, commands: Commands) -> None:
    git.create_branch(toy, "work")
    git.make_remote(toy, "origin")
    git.branch_exists(toy, "origin:work")
    git.branch_exists(toy, "origin/work")
    git.commit_text(toy, "a", "x")
    assert failure(git.branch_is_at, toy, "origin:main", "main").startswith(
        'branch "origin:main" is at another'
    )
    cli.run(commands, "git push -q origin main")
    assert commands.last.stderr == ""
    git.branch_is_at(toy, "origin:main", "main")
    git.commit_text_on(toy, "a", "theirs", "origin:main")
    git.branch_is_ahead(toy, "origin:main", 1, "origin:main~1")
    git.tree_is_clean(toy)
    assert failure(git.make_remote, toy, "origin") == 'there is a remote "origin" already'
    assert failure(git.make_remote, toy, "a/b") == 'a remote can\'t be called "a/b"'


def test_a_remote_of_an_empty_repository(repositories: Repositories, evidence: Evidence) -> None:
    git.make_empty(repositories, evidence, "main")
    git.make_remote(repositories, "origin")
    git.branch_is_missing(repositories, "origin:main")


def test_commands_read_no_configuration_but_the_sandboxes(
    toy: Repositories, commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitconfig").write_text("[user]\nname = Somebody\n[core]\nhooksPath = /nowhere\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    cli.run(commands, "git config --list --show-scope")
    assert "Somebody" not in commands.last.stdout
    assert "hookspath" not in commands.last.stdout
    cli.run(commands, "git init -q elsewhere")
    cli.run_in(commands, "git commit -q --allow-empty -m x", "elsewhere")
    assert commands.last.exit_code == 0
    git.last_author_is(toy, "elsewhere:main", "Goalkeeper <goalkeeper@sandbox.invalid>")
    cli.run(commands, "git config --global user.name Changed")
    cli.run(commands, "git config --global user.name")
    assert commands.last.stdout == "Changed\n"
    assert "Changed" not in (tmp_path / ".gitconfig").read_text()


def test_an_authors_own_variables_come_first(commands: Commands, request: pytest.FixtureRequest) -> None:
    cli.set_variable(commands, "GIT_CONFIG_GLOBAL", "/mine")
    request.getfixturevalue("repositories")
    assert commands.environment["GIT_CONFIG_GLOBAL"] == "/mine"
    assert commands.environment["GIT_CONFIG_NOSYSTEM"] == "1"


def children() -> set[str]:
    return {*Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}


def test_no_process_is_left_behind(toy: Repositories, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitPython keeps `git cat-file --batch` running for as long as a repository is open."""
    before = children()
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_WORK_TREE", "/nowhere")
    git.file_exists_at(toy, "README.md", "main")
    git.last_author_is(toy, "main", "Goalkeeper")
    failure(git.last_author_is, toy, "main", "Nobody")
    failure(git.file_exists_at, toy, "nowhere", "main")
    assert children() == before
    assert os.environ["GIT_DIR"] == os.environ["GIT_WORK_TREE"] == "/nowhere"


def test_a_repository_of_somebody_else(toy: Repositories, sandbox: Sandbox, commands: Commands) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    for path in (sandbox.work, *sandbox.work.rglob("*")):
        os.chown(path, 12345, 12345)
    git.last_author_is(toy, "main", "Goalkeeper")
    git.tree_is_clean(toy)
    cli.run(commands, "git log --oneline")
    assert commands.last.exit_code == 0


def test_names_of_sha256(repositories: Repositories, sandbox: Sandbox) -> None:
    shell(sandbox, "git init -q --object-format=sha256; git commit -q --allow-empty -m x")
    git.branch_has_commits(repositories, "main", 1)
    assert failure(git.last_author_is, repositories, "main", "x") == (
        "the repository has SHA-256 names, which this step can't read"
    )


def test_git_that_is_not_installed(
    toy: Repositories, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert failure(git.tree_is_clean, toy) == ('there is no program "git": is it installed, and on the PATH?')


def test_a_repository_that_is_gone(toy: Repositories, sandbox: Sandbox) -> None:
    shell(sandbox, "rm -rf .git")
    for step in (git.no_lock, git.tree_is_clean, git.repository_is_sound):
        assert "not" in failure(step, toy)
