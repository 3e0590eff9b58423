"""The negative steps of this library."""

from __future__ import annotations

from ...runner.changes import Changes
from ...runner.define import never
from . import left, markers, tips, tree, violations, watch
from .history import inside
from .left import LeftWatch
from .markers import MarkerWatch
from .refs import full_name
from .repository import Repository
from .scenario import Repositories
from .tips import AllTipsWatch, TipWatch
from .tree import TreeWatch
from .watch import AppearanceWatch, CommitWatch, HistoryWatch, NameWatch

# A repository is files, and a branch can be called in two ways: `main` and `repo:main`.
_FILES = ("files.directory_changes", "files.directory_comes_to_have", "files.written_outside")
# A file of the working tree may be a state, a log or a database.
_CONTENT = (*_FILES, "files.file_changes", "files.file_comes_to_contain", "state.*", "logs.*", "sqlite.*")
_REF = (*_FILES, "files.file_changes", "files.file_appears", "files.file_disappears")
_MOVED = (*_REF, "branch_moves")
_LOST = ("commit_is_lost", "commit_is_lost_in")
_BACK = (*_MOVED, *_LOST, "branch_is_rewound")
# Where nothing tells at which commit a branch was, it may have been at any.
_UNTOLD = (*_BACK, "branch_gets_commit", "branch_gets_subject", "branch_gets_file", "merge_is_made_on")
_MERGED = ("merge_is_made", "merge_is_made_on")
_ALL_GONE = (*_BACK, "tag_moves", "worktree_is_dirty")
_APPEARS = (*_REF, "branch_appears", "branch_is_left", "branch_like_is_left")


@never('branch "{branch}" never moves')
def branch_moves(repositories: Repositories, branch: str) -> NameWatch:
    """The branch is never at another commit and never deleted, not even between two steps.

    The files of the ref are watched, not its reflog: a move that was undone, a branch that was deleted and
    made again, and moves whose reflog was expired are all seen; `git gc` is no move. A program that writes
    the same value twice without need (git does not) is taken for one that moved the branch and back, and so
    is one that writes `packed-refs` twice in another way than git's. Not seen is a ref that is written to and
    back without its file being closed in between, or what comes from another machine through a network file
    system.
    """
    repository, name = repositories.arm(branch)
    return NameWatch(repository, repository.branch_name(name))


branch_moves.check(watch.no_change)
branch_moves.violation("gross", implies=_MOVED)(violations.commit_on_branch)
branch_moves.violation("minimal", implies=_BACK)(violations.move_and_move_back)
branch_moves.violation("minimal", implies=_UNTOLD)(violations.write_and_write_back)


@never('tag "{tag}" never moves')
def tag_moves(repositories: Repositories, tag: str) -> NameWatch:
    """The tag never stands for anything else and is never deleted; watched as a branch is."""
    repository, name = repositories.arm(tag)
    return NameWatch(repository, repository.tag_name(name))


tag_moves.check(watch.no_change)
tag_moves.violation("gross", implies=(*_REF, "tag_moves"))(violations.move_tag)
tag_moves.violation("minimal", implies=(*_REF, "tag_moves"))(violations.delete_tag_and_make_it_again)


@never('branch "{branch}" never appears')
def branch_appears(repositories: Repositories, branch: str) -> AppearanceWatch:
    """There is no such branch at any moment, even if it is deleted again. A name may have `*` in it.

    With a `*`, a directory of branches that comes and goes within one step counts, since what was in it
    can't be told.
    """
    repository, name = repositories.arm(branch)
    return AppearanceWatch(repository, f"refs/heads/{name}", repository.matching(f"refs/heads/{name}"))


branch_appears.check(watch.no_change)
branch_appears.violation("gross", implies=_APPEARS)(violations.make_branch)
branch_appears.violation("minimal", implies=(*_REF, "branch_appears"))(violations.make_and_delete_branch)


@never('branch "{branch}" is never rewound')
def branch_is_rewound(repositories: Repositories, changes: Changes, branch: str) -> HistoryWatch:
    """The branch only ever moves forward: each commit that it has had stays in its history.

    Moves are watched as for `never moves`. Of several moves within one step each is judged by the reflog, and
    by what could be read in between. Where both tell too little, a commit that was made meanwhile and that
    nothing leads to counts as one that the branch had; if there is none, the whole way is judged as one.
    """
    repository, name = repositories.arm(branch)
    return HistoryWatch(repository, changes, repository.branch_name(name))


branch_is_rewound.check(watch.no_rewind)
branch_is_rewound.violation("gross", implies=_BACK)(violations.replace_history)
branch_is_rewound.violation("minimal", implies=_BACK)(violations.move_and_move_back)


@never("the repository never loses a commit")
def commit_is_lost(repositories: Repositories, changes: Changes) -> CommitWatch:
    """Every commit that a branch or tag has had since arming can be reached from one, after each step.

    Of several commits that a branch has within one step, those are known that its reflog names at the end of
    the step, and those that could be read in between. Where both tell too little, every commit counts that
    was made meanwhile and that nothing leads to. Else a commit that only a detached HEAD ever had does not
    count.
    """
    return CommitWatch(repositories.arm()[0], changes)


@never('repository "{name}" never loses a commit')
def commit_is_lost_in(repositories: Repositories, changes: Changes, name: str) -> CommitWatch:
    """The same for a repository by its directory, or for a remote."""
    return CommitWatch(repositories.named(name), changes)


commit_is_lost.check(watch.no_loss)
commit_is_lost.violation("gross", implies=_ALL_GONE)(violations.delete_every_ref)
commit_is_lost.violation("minimal", implies=_UNTOLD)(violations.lose_an_empty_commit)
commit_is_lost_in.check(watch.no_loss)
commit_is_lost_in.violation("gross", implies=_ALL_GONE)(violations.delete_every_ref)
commit_is_lost_in.violation("minimal", implies=_UNTOLD)(violations.lose_an_empty_commit)


@never('branch "{branch}" never contains commit "{commit}"')
def branch_gets_commit(repositories: Repositories, changes: Changes, branch: str, commit: str) -> TipWatch:
    """At no moment is the commit in the branch's history, be it that the branch is only there for a moment.

    The commit is a noted name, a branch, a tag, or (the beginning of) a hash, and is meant as it stands
    before the first When. The branch may come to be late; one that is never there is red. Where neither the
    reflog nor what could be read in between tells where the branch was, it counts as having been there.
    """
    repository, name = repositories.arm(branch)
    made = _tips(repository, changes, name, tips.by_name(repositories.commit(commit)))
    made.judge(made.history())
    return made


branch_gets_commit.check(tips.no_such_commit)
branch_gets_commit.violation(
    "gross", implies=(*_MOVED, *_MERGED, "branch_gets_commit", "branch_gets_subject", "branch_gets_file")
)(violations.merge_commit)
branch_gets_commit.violation("minimal", implies=_UNTOLD)(violations.go_to_commit_and_back)


@never('branch "{branch}" never contains a commit with subject "{subject}"')
def branch_gets_subject(repositories: Repositories, changes: Changes, branch: str, subject: str) -> TipWatch:
    """At no moment does a commit in the branch's history have this first line, in which `*` is any text.

    What the branch has before the first When counts too. Where nothing tells at which commit the branch was
    for a moment, every such commit that is stored counts; one that was pruned by then is not seen.
    """
    repository, name = repositories.arm(branch)
    made = _tips(repository, changes, name, tips.by_subject(subject))
    made.judge(made.history())
    return made


branch_gets_subject.check(tips.no_such_commit)
branch_gets_subject.violation("gross", implies=(*_MOVED, "branch_gets_subject"))(violations.commit_subject)
branch_gets_subject.violation("minimal", implies=_UNTOLD)(violations.commit_subject_and_go_back)


@never('branch "{branch}" never contains file "{path}"')
def branch_gets_file(repositories: Repositories, changes: Changes, branch: str, path: str) -> TipWatch:
    """At no commit that the branch has from the first When on is there anything of that name.

    The tip that it has by then counts, and every commit that comes to its history later, also one whose file
    the next one removes; older ones do not. Where nothing tells at which commit the branch was for a moment,
    every commit with the file counts that is stored and not in its history.
    """
    repository, name = repositories.arm(branch)
    inside(repository, path)
    made = _tips(repository, changes, name, tips.by_file(path))
    made.judge(made.history()[:1])
    return made


branch_gets_file.check(tips.no_such_commit)
branch_gets_file.violation("gross", implies=(*_MOVED, "branch_gets_file", "worktree_is_dirty"))(
    violations.commit_a_file
)
branch_gets_file.violation("minimal", implies=(*_MOVED, "branch_gets_file"))(
    violations.commit_a_file_and_its_removal
)


@never("no merge is ever made")
def merge_is_made(repositories: Repositories, changes: Changes) -> AllTipsWatch:
    """No branch has a commit with more than one parent, be it for a moment, that was on none before.

    A fast-forward makes no commit; a merge that stops at a conflict, or on a detached HEAD, has not come to a
    branch yet. A remote's branches do not count. Where nothing tells at which commit a branch was, a merge
    that was made meanwhile counts, even if nothing leads to it; one that was pruned by then is not seen.
    """
    return AllTipsWatch(repositories.arm()[0], changes, tips.merges)


@never('no merge is ever made on branch "{branch}"')
def merge_is_made_on(repositories: Repositories, changes: Changes, branch: str) -> TipWatch:
    """The branch gets no commit with more than one parent, also not by moving to one that is made elsewhere.

    Where nothing tells at which commit the branch was for a moment, every merge that is stored and not in its
    history counts.
    """
    repository, name = repositories.arm(branch)
    return _tips(repository, changes, name, tips.merges)


merge_is_made.check(tips.no_such_commit)
merge_is_made.violation("gross", implies=(*_MOVED, *_MERGED))(violations.merge)
merge_is_made.violation("minimal", implies=(*_UNTOLD, *_MERGED))(violations.merge_and_go_back)
merge_is_made_on.check(tips.no_such_commit)
merge_is_made_on.violation("gross", implies=(*_MOVED, *_MERGED))(violations.merge_on_branch)
merge_is_made_on.violation("minimal", implies=(*_UNTOLD, *_MERGED))(violations.merge_on_branch_and_go_back)


@never("no conflict marker is ever committed")
def marker_is_committed(repositories: Repositories, changes: Changes) -> AllTipsWatch:
    """No commit that comes to a branch adds a line that begins with <<<<<<<, >>>>>>> or |||||||.

    Each commit is held against the one before it, a merge against all its parents; that a later one takes the
    line out again makes no difference. Markers of another length (`conflict-marker-size`) are not seen.
    """
    return AllTipsWatch(repositories.arm()[0], changes, tips.markers)


marker_is_committed.check(tips.no_such_commit)
marker_is_committed.violation("gross", implies=(*_MOVED, "worktree_is_dirty"))(violations.commit_a_conflict)
marker_is_committed.violation("minimal", implies=_MOVED)(violations.commit_a_marker_and_its_removal)


@never('file "{path}" never has a conflict marker')
def file_gets_marker(repositories: Repositories, changes: Changes, path: str) -> MarkerWatch:
    """No version of the file in the working tree has a line that begins with <<<<<<<, >>>>>>> or |||||||.

    The file may come to be late; one that is never there is red. A version that is replaced within a
    millisecond or so may go unread, which is shown as `unread versions`.
    """
    return MarkerWatch(changes, inside(repositories.arm()[0], path), f'file "{path}"')


file_gets_marker.check(markers.no_marker)
file_gets_marker.violation("gross", implies=(*_CONTENT, "worktree_is_dirty"))(violations.write_a_conflict)
file_gets_marker.violation("minimal", implies=(*_CONTENT, "worktree_is_dirty"))(violations.write_a_marker)


@never("the worktree is never dirty")
def worktree_is_dirty(repositories: Repositories, changes: Changes) -> TreeWatch:
    """Nothing in the working tree differs from the last commit, and no file is there that git does not know.

    Files that git ignores do not count. Git is asked whenever something has stirred; a file that was written,
    or made, and is as it was after the step counts too. But a step in which HEAD or a branch moves may have
    had git write the files: then those count that are dirty after it. Not seen is what was added to the index
    alone and taken back within one step, or a link or directory that came and went.
    """
    return TreeWatch(repositories.arm()[0], changes)


worktree_is_dirty.check(tree.never_dirty)
worktree_is_dirty.violation("gross", implies=_CONTENT)(violations.soil_the_worktree)
worktree_is_dirty.violation("minimal", implies=_FILES)(violations.make_and_remove_a_file)
worktree_is_dirty.violation("minimal", implies=_CONTENT)(violations.empty_a_file_and_put_it_back)


@never("no branch is left behind")
def branch_is_left(repositories: Repositories) -> LeftWatch:
    """At the end there is no branch that was not there before the first When."""
    return left.branches(repositories.arm()[0])


@never('no branch like "{pattern}" is left behind')
def branch_like_is_left(repositories: Repositories, pattern: str) -> LeftWatch:
    """The same for branches with such a name (`agent/*`)."""
    repository, name = repositories.arm(pattern)
    return left.branches(repository, name)


branch_is_left.check(left.nothing_left)
branch_is_left.violation("gross", implies=_APPEARS)(violations.leave_a_branch)
branch_is_left.violation("minimal", implies=_APPEARS)(violations.leave_a_name)
branch_like_is_left.check(left.nothing_left)
branch_like_is_left.violation("gross", implies=_APPEARS)(violations.leave_a_branch)
branch_like_is_left.violation("minimal", implies=_APPEARS)(violations.leave_a_name)


@never("no lock is left behind")
def lock_is_left(repositories: Repositories) -> LeftWatch:
    """At the end no file `*.lock` is among git's own, be it that it was there before the first When.

    Locks of the index, of HEAD, of refs, of packs and of linked worktrees are all seen.
    """
    return left.locks(repositories.arm()[0])


lock_is_left.check(left.nothing_left)
lock_is_left.violation("gross", implies=(*_FILES, "files.file_appears"))(violations.lock_the_index)
lock_is_left.violation("minimal", implies=_FILES)(violations.leave_an_empty_lock)


def _tips(repository: Repository, changes: Changes, name: str, find: tips.Find) -> TipWatch:
    return TipWatch(repository, changes, full_name(name, repository.refs()), find)
