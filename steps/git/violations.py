"""Does what the negative steps of this library forbid: with plain git, or by hand in its files.

Files need not be put back: Goalkeeper does that after each violation, the repository's own among them.
"""

from __future__ import annotations

import os
import re
import shutil

from ...runner.never import Witness
from ...runner.sandbox import Sandbox
from .plain import Plain, word
from .scenario import Repositories

_SHORT = 10


def _find(sandbox: Sandbox, repositories: Repositories, text: str) -> tuple[Plain, str]:
    """The repository and the name in it."""
    name, _, rest = text.rpartition(":")
    return Plain(sandbox, repositories, name), rest


def _branch(sandbox: Sandbox, repositories: Repositories, branch: str) -> tuple[Plain, str]:
    plain, name = _find(sandbox, repositories, branch)
    return plain, plain.ref(name)


def _moved(plain: Plain, ref: str, commit: str) -> Witness:
    """Move a ref as git does; that it has moved is for git to tell."""
    before = plain.tip(ref)
    plain.git("update-ref", ref, commit)
    return Witness.of(ref, before, plain.git("rev-parse", ref), commit[:_SHORT])


def commit_on_branch(sandbox: Sandbox, repositories: Repositories, branch: str) -> Witness:
    """A commit on the branch. It has the files of the one before, so that a working tree stays clean."""
    plain, ref = _branch(sandbox, repositories, branch)
    return _moved(plain, ref, plain.commit(plain.tip(ref)))


def move_and_move_back(sandbox: Sandbox, repositories: Repositories, branch: str) -> Witness:
    """An empty commit on the branch, taken back at once. The reflog tells of it."""
    plain, ref = _branch(sandbox, repositories, branch)
    tip = plain.tip(ref)
    commit = plain.commit(tip)
    moves = (f"start\nupdate {ref} {new} {old}\ncommit\n" for new, old in ((commit, tip), (tip, commit)))
    plain.git("update-ref", "--stdin", stdin="".join(moves))
    with open(f"{plain.folder}/logs/{ref}") as file:
        was_there = f"{tip} {commit}" in file.read()
    return Witness(f"{ref} was at {commit} by its reflog: {was_there}", was_there, tip[:_SHORT])


def write_and_write_back(sandbox: Sandbox, repositories: Repositories, branch: str) -> Witness:
    """The same by hand, so that no reflog tells."""
    plain, ref = _branch(sandbox, repositories, branch)
    before, between = plain.write_briefly(ref, plain.commit(plain.tip(ref)))
    return Witness.of(ref, before, between, before[:_SHORT])


def move_tag(sandbox: Sandbox, repositories: Repositories, tag: str) -> Witness:
    """The tag at a new commit, which follows the one it had: nothing is lost by that."""
    plain, name = _find(sandbox, repositories, tag)
    ref = f"refs/tags/{name}"
    return _moved(plain, ref, plain.commit(f"{plain.tip(ref)}^{{commit}}"))


def delete_tag_and_make_it_again(sandbox: Sandbox, repositories: Repositories, tag: str) -> Witness:
    """The tag is gone, and then where it was."""
    plain, name = _find(sandbox, repositories, tag)
    ref = f"refs/tags/{name}"
    before = plain.tip(ref)
    plain.git("update-ref", "-d", ref)
    between = plain.tip(ref)
    plain.write(ref, before)
    return Witness.of(ref, before, between or "gone", before[:_SHORT])


def _like(pattern: str) -> str:
    """A name that a pattern means; as new as it can be."""
    name = re.sub(r"\[([^]!])[^]]*\]|\?", lambda match: match[1] or "x", pattern)
    return name.replace("*", word(), 1).replace("*", "x")


def make_branch(sandbox: Sandbox, repositories: Repositories, branch: str) -> Witness:
    """A branch with a commit of its own."""
    plain, pattern = _find(sandbox, repositories, branch)
    name = _like(pattern)
    before = plain.tip(f"refs/heads/{name}")
    plain.git("branch", name, plain.orphan())
    return Witness.of(name, before, plain.git("rev-parse", f"refs/heads/{name}"), name)


def make_and_delete_branch(sandbox: Sandbox, repositories: Repositories, branch: str) -> Witness:
    """A branch at a commit that is there already, by hand, gone before anybody looks."""
    plain, pattern = _find(sandbox, repositories, branch)
    name = _like(pattern)
    commit = plain.tip(plain.some_branch()) or plain.orphan()
    before, between = plain.write_briefly(f"refs/heads/{name}", commit)
    folder = os.path.dirname(name)
    if folder and not os.listdir(f"{plain.folder}/refs/heads/{folder}"):
        os.rmdir(f"{plain.folder}/refs/heads/{folder}")
    return Witness.of(name, before, between, folder if "*" in os.path.dirname(pattern) else name)


def replace_history(sandbox: Sandbox, repositories: Repositories, branch: str) -> Witness:
    """The branch begins anew, with the files that it had and no history."""
    plain, ref = _branch(sandbox, repositories, branch)
    return _moved(plain, ref, plain.orphan(plain.tip(ref)))


def delete_every_ref(sandbox: Sandbox, repositories: Repositories, name: str = "") -> Witness:
    """All branches and tags are gone, and HEAD stands on none: nothing leads to any commit."""
    plain = Plain(sandbox, repositories, name)
    [commit, *others] = plain.git("for-each-ref", "--format=%(objectname)").split()
    for folder, _, files in os.walk(f"{plain.folder}/refs"):
        for file in files:
            os.unlink(f"{folder}/{file}")
    if os.path.exists(f"{plain.folder}/packed-refs"):
        os.unlink(f"{plain.folder}/packed-refs")
    shutil.rmtree(f"{plain.folder}/worktrees", ignore_errors=True)
    with open(f"{plain.folder}/HEAD", "w") as head:
        head.write(f"ref: refs/heads/{word()}\n")
    after = plain.git("for-each-ref", "--format=%(objectname)").split()
    return Witness.of("the number of refs", 1 + len(others), len(after), commit[:_SHORT])


def lose_an_empty_commit(sandbox: Sandbox, repositories: Repositories, name: str = "") -> Witness:
    """An empty commit that a branch has for a moment, and of which no reflog tells."""
    plain = Plain(sandbox, repositories, name)
    ref = plain.some_branch()
    tip = plain.tip(ref)
    commit = plain.commit(tip) if tip else plain.orphan()
    before, between = plain.write_briefly(ref, commit)
    return Witness.of(ref, before, between, commit[:_SHORT])


def _commit(plain: Plain, repositories: Repositories, sandbox: Sandbox, text: str) -> str:
    """The commit that a step means: under a noted name, else as git has it."""
    noted = repositories.noted_as(text)
    if noted:
        return noted
    other, name = _find(sandbox, repositories, text)
    return (other if ":" in text else plain).git("rev-parse", "--verify", f"{name}^{{commit}}")


def merge_commit(sandbox: Sandbox, repositories: Repositories, branch: str, commit: str) -> Witness:
    """The commit is merged into the branch."""
    plain, ref = _branch(sandbox, repositories, branch)
    meant, tip = _commit(plain, repositories, sandbox, commit), plain.tip(ref)
    plain.git("update-ref", ref, plain.commit(tip, meant) if tip else meant)
    after = meant in plain.git("rev-list", ref).split()
    return Witness(f"{meant} in {ref}: {after}", after, meant[:_SHORT])


def go_to_commit_and_back(sandbox: Sandbox, repositories: Repositories, branch: str, commit: str) -> Witness:
    """The branch is at the commit for a moment, by hand."""
    plain, ref = _branch(sandbox, repositories, branch)
    meant = _commit(plain, repositories, sandbox, commit)
    before, between = plain.write_briefly(ref, meant)
    return Witness.of(ref, before, between, meant[:_SHORT])


def _with_subject(plain: Plain, ref: str, subject: str) -> str:
    tip = plain.tip(ref)
    return plain.commit(*([tip] if tip else []), subject=subject.replace("*", word()))


def commit_subject(sandbox: Sandbox, repositories: Repositories, branch: str, subject: str) -> Witness:
    """A commit of that subject on the branch."""
    plain, ref = _branch(sandbox, repositories, branch)
    return _moved(plain, ref, _with_subject(plain, ref, subject))


def commit_subject_and_go_back(
    sandbox: Sandbox, repositories: Repositories, branch: str, subject: str
) -> Witness:
    """The same with an empty commit that the branch has for a moment, by hand."""
    plain, ref = _branch(sandbox, repositories, branch)
    commit = _with_subject(plain, ref, subject)
    before, between = plain.write_briefly(ref, commit)
    return Witness.of(ref, before, between, commit[:_SHORT])


def _has(plain: Plain, commit: str, path: str) -> Witness:
    listed = plain.git("ls-tree", "-r", "--name-only", commit).splitlines()
    return Witness(f"git ls-tree {commit} has {path}: {path in listed}", path in listed, commit[:_SHORT])


def commit_a_file(sandbox: Sandbox, repositories: Repositories, branch: str, path: str) -> Witness:
    """A commit on the branch with that file."""
    plain, ref = _branch(sandbox, repositories, branch)
    [commit] = plain.commit_files(ref, {path: f"{word()}\n"})
    return _has(plain, commit, path)


def commit_a_file_and_its_removal(
    sandbox: Sandbox, repositories: Repositories, branch: str, path: str
) -> Witness:
    """Two commits at once: one with that file, empty, and one without."""
    plain, ref = _branch(sandbox, repositories, branch)
    [commit, _] = plain.commit_files(ref, {path: ""}, {path: None})
    return _has(plain, commit, path)


def _merge_of(plain: Plain, ref: str) -> str:
    """A merge of what a branch has with one commit more."""
    tip = plain.tip(ref) or plain.orphan()
    return plain.commit(tip, plain.commit(tip))


def _parents(plain: Plain, commit: str) -> Witness:
    parents = plain.git("rev-list", "--parents", "-1", commit).split()[1:]
    return Witness(f"{commit} has {len(parents)} parents", len(parents) > 1, commit[:_SHORT])


def merge(sandbox: Sandbox, repositories: Repositories) -> Witness:
    """A merge on a branch."""
    plain = Plain(sandbox, repositories)
    return _merge(plain, plain.some_branch())


def merge_on_branch(sandbox: Sandbox, repositories: Repositories, branch: str) -> Witness:
    """The same on this branch."""
    return _merge(*_branch(sandbox, repositories, branch))


def _merge(plain: Plain, ref: str) -> Witness:
    commit = _merge_of(plain, ref)
    plain.git("update-ref", ref, commit)
    return _parents(plain, commit)


def merge_and_go_back(sandbox: Sandbox, repositories: Repositories) -> Witness:
    """A merge without a change that a branch has for a moment, by hand."""
    plain = Plain(sandbox, repositories)
    return _merge_briefly(plain, plain.some_branch())


def merge_on_branch_and_go_back(sandbox: Sandbox, repositories: Repositories, branch: str) -> Witness:
    """The same on this branch."""
    return _merge_briefly(*_branch(sandbox, repositories, branch))


def _merge_briefly(plain: Plain, ref: str) -> Witness:
    commit = _merge_of(plain, ref)
    plain.write_briefly(ref, commit)
    return _parents(plain, commit)


def _conflict() -> str:
    mark = word()
    return f"<<<<<<< HEAD\nours\n||||||| {mark}\n=======\ntheirs\n>>>>>>> {mark}\n"


def commit_a_conflict(sandbox: Sandbox, repositories: Repositories) -> Witness:
    """A file with an unresolved conflict on a branch."""
    plain, path = Plain(sandbox, repositories), f"{word()}.txt"
    [commit] = plain.commit_files(plain.some_branch(), {path: _conflict()})
    return _has(plain, commit, path)


def commit_a_marker_and_its_removal(sandbox: Sandbox, repositories: Repositories) -> Witness:
    """Two commits at once: one with the last line of a conflict, and one without."""
    plain, path = Plain(sandbox, repositories), f"{word()}.txt"
    [commit, _] = plain.commit_files(plain.some_branch(), {path: f"text\n>>>>>>> {word()}\n"}, {path: None})
    return _has(plain, commit, path)


def write_a_conflict(sandbox: Sandbox, repositories: Repositories, path: str) -> Witness:
    """The file has an unresolved conflict at its end."""
    return _append(sandbox, repositories, path, _conflict())


def write_a_marker(sandbox: Sandbox, repositories: Repositories, path: str) -> Witness:
    """The file has the last line of a conflict, and no more of it."""
    return _append(sandbox, repositories, path, f">>>>>>> {word()}\n")


def _append(sandbox: Sandbox, repositories: Repositories, path: str, text: str) -> Witness:
    target = f"{Plain(sandbox, repositories).path}/{path}"
    os.makedirs(os.path.dirname(target), exist_ok=True)
    before = os.path.getsize(target) if os.path.exists(target) else 0
    with open(target, "a+") as file:
        # What stands there may lack its last newline, and a marker begins a line.
        file.write(f"\n{text}")
    return Witness.of(f"the size of {path}", before, os.path.getsize(target), text.splitlines()[0])


def soil_the_worktree(sandbox: Sandbox, repositories: Repositories) -> Witness:
    """A line more in a file that git knows, and a file that it does not know."""
    plain, name = Plain(sandbox, repositories), word()
    known = _some_file(plain)
    with open(f"{plain.path}/{known}" if known else f"{plain.path}/{name}.txt", "a") as file:
        file.write(f"{word()}\n")
    with open(f"{plain.path}/{name}", "x") as file:
        file.write("text\n")
    after = plain.git("status", "--porcelain")
    return Witness(f"git status tells:\n{after}", known in after and name in after, name)


def make_and_remove_a_file(sandbox: Sandbox, repositories: Repositories) -> Witness:
    """An empty file that git does not know, gone before anybody looks."""
    plain, name = Plain(sandbox, repositories), word()
    os.close(os.open(f"{plain.path}/{name}", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    between = plain.git("status", "--porcelain")
    os.unlink(f"{plain.path}/{name}")
    return Witness(f"git status told: {between}", name in between, name)


def empty_a_file_and_put_it_back(sandbox: Sandbox, repositories: Repositories) -> Witness:
    """A file that git knows is empty for a moment; without one, as above."""
    plain = Plain(sandbox, repositories)
    known = _some_file(plain)
    if not known:
        return make_and_remove_a_file(sandbox, repositories)
    with open(f"{plain.path}/{known}", "r+b") as file:
        text = file.read()
        file.truncate(0)
        between = plain.git("status", "--porcelain")
        file.seek(0)
        file.write(text)
    return Witness(f"git status told: {between}", known in between, known)


def _some_file(plain: Plain) -> str:
    """The first that git knows and that has something in it; empty where there is none."""
    listed = plain.git("ls-files", "-z").split("\0")
    paths = ((name, f"{plain.path}/{name}") for name in listed if name)
    return next((n for n, path in paths if os.path.isfile(path) and os.path.getsize(path)), "")


def leave_a_branch(sandbox: Sandbox, repositories: Repositories, pattern: str = "*") -> Witness:
    """A branch with a commit of its own."""
    return make_branch(sandbox, repositories, pattern)


def leave_a_name(sandbox: Sandbox, repositories: Repositories, pattern: str = "*") -> Witness:
    """A line in packed-refs, no more: a branch at a commit that is there already."""
    plain, wanted = _find(sandbox, repositories, pattern)
    name = _like(wanted)
    commit = plain.tip(plain.some_branch()) or plain.orphan()
    listed = f"{plain.folder}/packed-refs"
    lines = []
    if os.path.exists(listed):
        with open(listed) as file:
            lines = [line for line in file.read().splitlines() if not line.startswith("#")]
    # Without the head that says so, git does not take the lines for sorted.
    with open(listed, "w") as file:
        file.write("\n".join([*lines, f"{commit} refs/heads/{name}", ""]))
    after = plain.git("rev-parse", "--verify", f"refs/heads/{name}")
    return Witness(f"{name} is at {after}", after == commit, name)


def lock_the_index(sandbox: Sandbox, repositories: Repositories) -> Witness:
    """The index stays locked, as a killed git leaves it."""
    return _lock(Plain(sandbox, repositories), "index.lock", word())


def leave_an_empty_lock(sandbox: Sandbox, repositories: Repositories) -> Witness:
    """An empty lock of a branch that is not there."""
    return _lock(Plain(sandbox, repositories), f"refs/heads/{word()}.lock", "")


def _lock(plain: Plain, name: str, text: str) -> Witness:
    before = os.path.exists(f"{plain.folder}/{name}")
    with open(f"{plain.folder}/{name}", "x") as file:
        file.write(text)
    return Witness.of(f"ls {name}", before, os.path.exists(f"{plain.folder}/{name}"), name)
