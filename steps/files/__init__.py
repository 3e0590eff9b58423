"""Files and directories in the sandbox of a scenario. Paths are relative to its working directory.

`a\\b` and `a/b` are the same path. No step reaches out of the sandbox, also not through a link; what a step
takes from the project (fixtures, schemas, expected files) is looked for beside the goal file, then from the
root of the project.

`within 5 s` looks again until the step holds. Negative steps are told of each change by the kernel (inotify),
so that a file which is made and removed while one step runs is seen as well. What can be missed: what happens
in a directory in the moment after it was made, before it is watched, and what is written through a memory
map. Contents are read as soon as the kernel tells; where one was replaced before it could be read, `-v` shows
`unread versions`. Where the kernel has no inotify queue left, negative steps look after each step only, and
`-v` shows `isolated moments` or `isolated versions`.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ...runner import documents
from ...runner.changes import Changes
from ...runner.deadline import holds
from ...runner.define import given, then, when
from ...runner.failure import StepFailed
from ...runner.notes import Notes
from ...runner.project import project_path
from ...runner.sandbox import Sandbox
from ...runner.values import Rows, regular
from . import tree
from .place import anything, content, existing, existing_directory, inside, shown, text, told, write


@pytest.fixture
def changes(sandbox: Sandbox) -> Iterator[Changes]:
    """Changes of files as they happen, for negative steps of any library."""
    following = Changes(sandbox.work.parent)
    yield following
    following.close()


@pytest.fixture
def notes() -> Notes:
    """What `I note …` has taken note of, for steps of any library."""
    return Notes()


@given('a file "{path}" with')
@when('I write file "{path}" with')
def write_file(sandbox: Sandbox, path: str, docstring: str) -> None:
    """Create or replace a file; its content is the doc string, ended by a newline."""
    write(sandbox, path, f"{docstring}\n".encode())


@given('a file "{path}" containing "{text}"')
@when('I write file "{path}" containing "{text}"')
def write_line(sandbox: Sandbox, path: str, text: str) -> None:
    """Create or replace a file that holds one line."""
    write(sandbox, path, f"{text}\n".encode())


@given('an empty file "{path}"')
def write_empty(sandbox: Sandbox, path: str) -> None:
    """Create or replace a file of no bytes."""
    write(sandbox, path, b"")


@given('a directory "{path}"')
def make_directory(sandbox: Sandbox, path: str) -> None:
    """Create a directory and those above it."""
    with told(f'directory "{path}" can\'t be made'):
        inside(sandbox, path).mkdir(parents=True, exist_ok=True)


@given('a link "{path}" to "{target}"')
def make_link(sandbox: Sandbox, path: str, target: str) -> None:
    """Create a symbolic link. The target is a path of the sandbox too, and need not be there."""
    link, lead = inside(sandbox, path), inside(sandbox, target)
    with told(f'link "{path}" can\'t be made'):
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(lead, link.parent))


@given('the files of "{folder}"')
def lay_files(request: pytest.FixtureRequest, sandbox: Sandbox, folder: str) -> None:
    """Copy what lies in a folder of the project into the working directory, with modes and links.

    The folder itself is never touched. A link that leads out of it is refused.
    """
    lay_files_in(request, sandbox, folder, ".")


@given('the files of "{folder}" in "{path}"')
def lay_files_in(request: pytest.FixtureRequest, sandbox: Sandbox, folder: str, path: str) -> None:
    """Copy what lies in a folder of the project into a directory of the sandbox."""
    source = project_path(request, folder)
    if not source.is_dir():
        raise StepFailed(f'"{folder}" is a file: this step takes a folder')
    with told(f'the files of "{folder}" can\'t be copied'):
        tree.copy(source, inside(sandbox, path))


@given('I replace "{old}" with "{new}" in file "{path}"')
@when('I replace "{old}" with "{new}" in file "{path}"')
def replace_text(sandbox: Sandbox, old: str, new: str, path: str) -> None:
    """Replace a text wherever it stands in a file; it must stand there."""
    before = content(sandbox, path)
    if not old or old.encode() not in before:
        raise StepFailed(f'file "{path}" has no "{old}" to replace', notes=shown(text(sandbox, path)))
    write(sandbox, path, before.replace(old.encode(), new.encode()))


@given('I append "{line}" to file "{path}"')
@when('I append "{line}" to file "{path}"')
def append_line(sandbox: Sandbox, line: str, path: str) -> None:
    """Add a line at the end of a file that is there; a last line without a newline gets one first."""
    before = content(sandbox, path)
    newline = b"" if not before or before.endswith(b"\n") else b"\n"
    with told(f'file "{path}" can\'t be written'), existing(sandbox, path).open("ab") as file:
        file.write(newline + f"{line}\n".encode())


@given('I copy "{source}" to "{target}"')
@when('I copy "{source}" to "{target}"')
def copy(sandbox: Sandbox, source: str, target: str) -> None:
    """Copy a file or a directory with all that is in it; the target is the name of the copy."""
    path, new = anything(sandbox, source), _name_for(sandbox, source, target)
    with told(f'"{source}" can\'t be copied to "{target}"'):
        tree.copy(path, new)


@given('I move "{source}" to "{target}"')
@when('I move "{source}" to "{target}"')
def move(sandbox: Sandbox, source: str, target: str) -> None:
    """Rename a file or directory, all at once; a file by that name is replaced."""
    path, new = anything(sandbox, source), _name_for(sandbox, source, target)
    with told(f'"{source}" can\'t be moved to "{target}"'):
        new.parent.mkdir(parents=True, exist_ok=True)
        path.replace(new)


@given('I delete file "{path}"')
@when('I delete file "{path}"')
def delete_file(sandbox: Sandbox, path: str) -> None:
    """Delete a file that is there."""
    with told(f'file "{path}" can\'t be deleted'):
        existing(sandbox, path).unlink()


@given('I delete directory "{path}"')
@when('I delete directory "{path}"')
def delete_directory(sandbox: Sandbox, path: str) -> None:
    """Delete a directory that is there, with all that is in it."""
    existing_directory(sandbox, path)
    with told(f'directory "{path}" can\'t be deleted'):
        shutil.rmtree(anything(sandbox, path))


@given('I set the mode of "{path}" to {mode}')
@when('I set the mode of "{path}" to {mode}')
def set_mode(sandbox: Sandbox, path: str, mode: str) -> None:
    """Give a file or directory permissions, in octal: 600, 755."""
    bits = _mode(mode)
    with told(f'the mode of "{path}" can\'t be set'):
        anything(sandbox, path).chmod(bits)


@given('I note file "{path}"')
@when('I note file "{path}"')
def note_file(sandbox: Sandbox, notes: Notes, path: str) -> None:
    """Keep what the file is like now, for `is unchanged` and `has changed`."""
    notes.take(f'file "{path}"', tree.picture(existing(sandbox, path)))


@given('I note directory "{path}"')
@when('I note directory "{path}"')
def note_directory(sandbox: Sandbox, notes: Notes, path: str) -> None:
    """Keep what the directory and all below it are like now, for `is unchanged` and `has changed`."""
    notes.take(f'directory "{path}"', tree.picture(existing_directory(sandbox, path)))


@then('file "{path}" exists')
@then('file "{path}" exists within {limit:duration}')
def file_exists(sandbox: Sandbox, path: str, limit: float = 0.0) -> None:
    """There is a regular file of that name."""
    _holds(sandbox, path, lambda: existing(sandbox, path), limit)


@then('file "{path}" does not exist')
@then('file "{path}" does not exist within {limit:duration}')
def file_does_not_exist(sandbox: Sandbox, path: str, limit: float = 0.0) -> None:
    """There is nothing of that name, file, directory or link; with a deadline, it is gone by then."""
    _gone(sandbox, path, "file", limit)


@then('directory "{path}" exists')
@then('directory "{path}" exists within {limit:duration}')
def directory_exists(sandbox: Sandbox, path: str, limit: float = 0.0) -> None:
    """There is a directory of that name."""
    _holds(sandbox, path, lambda: existing_directory(sandbox, path), limit)


@then('directory "{path}" does not exist')
@then('directory "{path}" does not exist within {limit:duration}')
def directory_does_not_exist(sandbox: Sandbox, path: str, limit: float = 0.0) -> None:
    """There is nothing of that name, file, directory or link; with a deadline, it is gone by then."""
    _gone(sandbox, path, "directory", limit)


@then('file "{path}" contains "{text}"')
@then('file "{path}" contains "{text}" within {limit:duration}')
def file_contains(sandbox: Sandbox, path: str, text: str, limit: float = 0.0) -> None:
    """The text occurs somewhere in the file."""
    _judge(sandbox, path, limit, lambda found: "" if text in found else f'does not contain "{text}"')


@then('file "{path}" does not contain "{text}"')
@then('file "{path}" does not contain "{text}" within {limit:duration}')
def file_does_not_contain(sandbox: Sandbox, path: str, text: str, limit: float = 0.0) -> None:
    """The file is there, and the text is nowhere in it."""
    _judge(sandbox, path, limit, lambda found: f'contains "{text}"' if text in found else "")


@then('file "{path}" matches "{pattern}"')
@then('file "{path}" matches "{pattern}" within {limit:duration}')
def file_matches(sandbox: Sandbox, path: str, pattern: str, limit: float = 0.0) -> None:
    """The regular expression (Python's) matches somewhere in the file; ^ and $ match at lines."""
    regex = regular(pattern)
    _judge(sandbox, path, limit, lambda found: "" if regex.search(found) else f"does not match {pattern}")


@then('file "{path}" has {count:int} lines')
@then('file "{path}" has {count:int} line')
@then('file "{path}" has {count:int} lines within {limit:duration}')
def file_has_lines(sandbox: Sandbox, path: str, count: int, limit: float = 0.0) -> None:
    """So many lines, whether or not the last one is ended by a newline."""

    def wrong(found: str) -> str:
        lines = found.count("\n") + (not found.endswith("\n") and found != "")
        return f"has {lines} line{'' if lines == 1 else 's'}, not {count}" if lines != count else ""

    _judge(sandbox, path, limit, wrong)


@then('file "{path}" is')
def file_is(sandbox: Sandbox, path: str, docstring: str) -> None:
    """The file holds exactly the doc string; a newline at its end makes no difference."""
    found = text(sandbox, path)
    if found.removesuffix("\n") != docstring.removesuffix("\n"):
        raise StepFailed(f'file "{path}" differs', expected=docstring, actual=found)


@then('file "{path}" is empty')
def file_is_empty(sandbox: Sandbox, path: str) -> None:
    """The file is there and has no bytes."""
    _judge(sandbox, path, 0, lambda found: "is not empty" if found else "")


@then('file "{path}" equals file "{other}"')
def file_equals(sandbox: Sandbox, path: str, other: str) -> None:
    """The two files of the sandbox have the same bytes."""
    _same(f'file "{path}" differs from "{other}"', content(sandbox, other), content(sandbox, path))


@then('file "{path}" equals project file "{other}"')
def file_equals_project_file(request: pytest.FixtureRequest, sandbox: Sandbox, path: str, other: str) -> None:
    """The file has the same bytes as one that lies beside the goal or in the project."""
    with told(f'"{other}" can\'t be read'):
        expected = project_path(request, other).read_bytes()
    _same(f'file "{path}" differs from "{other}" of the project', expected, content(sandbox, path))


@then('file "{path}" matches schema "{schema}"')
@then('file "{path}" matches schema "{schema}" within {limit:duration}')
def file_matches_schema(
    request: pytest.FixtureRequest, sandbox: Sandbox, path: str, schema: str, limit: float = 0.0
) -> None:
    """The file is JSON, YAML or TOML and satisfies a JSON Schema, which lies in the project."""
    demanded = documents.load_schema(project_path(request, schema))

    def look() -> None:
        try:
            document = documents.parse(content(sandbox, path), documents.format_of(Path(path)))
        except documents.Unreadable as error:
            raise StepFailed(f'file "{path}" is no document: {error}') from error
        if wrong := documents.violations(document, demanded):
            raise StepFailed(f'file "{path}" does not match schema "{schema}"', notes=wrong)

    _holds(sandbox, path, look, limit)


@then('file "{path}" has mode {mode}')
def file_has_mode(sandbox: Sandbox, path: str, mode: str) -> None:
    """The permissions of the file, in octal, are exactly these: 600, 755."""
    found = stat.S_IMODE(existing(sandbox, path).stat().st_mode)
    if found != _mode(mode):
        raise StepFailed(f'file "{path}" has another mode', expected=mode, actual=f"{found:o}")


@then('file "{path}" is executable')
def file_is_executable(sandbox: Sandbox, path: str) -> None:
    """Its owner may execute it."""
    mode = existing(sandbox, path).stat().st_mode
    if not mode & stat.S_IXUSR:
        raise StepFailed(f'file "{path}" is not executable: its mode is {stat.S_IMODE(mode):o}')


@then('file "{path}" is not executable')
def file_is_not_executable(sandbox: Sandbox, path: str) -> None:
    """Nobody may execute it."""
    mode = existing(sandbox, path).stat().st_mode
    if mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH):
        raise StepFailed(f'file "{path}" is executable: its mode is {stat.S_IMODE(mode):o}')


@then('file "{path}" is newer than file "{other}"')
def file_is_newer(sandbox: Sandbox, path: str, other: str) -> None:
    """It was written later, as its time of modification tells; at the same time is not later."""
    if existing(sandbox, path).stat().st_mtime_ns <= existing(sandbox, other).stat().st_mtime_ns:
        raise StepFailed(f'file "{path}" is not newer than "{other}"')


@then('file "{path}" is unchanged')
def file_is_unchanged(sandbox: Sandbox, notes: Notes, path: str) -> None:
    """Content and permissions are what they were when a step said `I note file`."""
    noted = notes.of(f'file "{path}"')
    if tree.unlike(noted, tree.picture(existing(sandbox, path))):
        raise StepFailed(f'file "{path}" has changed', notes=shown(text(sandbox, path)))


@then('file "{path}" has changed')
@then('file "{path}" has changed within {limit:duration}')
def file_has_changed(sandbox: Sandbox, notes: Notes, path: str, limit: float = 0.0) -> None:
    """Content or permissions are other than when a step said `I note file`."""
    noted = notes.of(f'file "{path}"')

    def look() -> None:
        if not tree.unlike(noted, tree.picture(existing(sandbox, path))):
            raise StepFailed(f'file "{path}" is unchanged')

    _holds(sandbox, path, look, limit)


@then('directory "{path}" is unchanged')
def directory_is_unchanged(sandbox: Sandbox, notes: Notes, path: str) -> None:
    """All below it, contents, permissions and links, is what it was when a step said `I note directory`."""
    noted = notes.of(f'directory "{path}"')
    if wrong := tree.unlike(noted, tree.picture(existing_directory(sandbox, path))):
        raise StepFailed(f'directory "{path}" has changed', notes=wrong[:20])


@then('directory "{path}" is empty')
@then('directory "{path}" is empty within {limit:duration}')
def directory_is_empty(sandbox: Sandbox, path: str, limit: float = 0.0) -> None:
    """The directory is there and nothing is in it, hidden or not."""

    def look() -> None:
        if found := tree.files_below(existing_directory(sandbox, path)):
            raise StepFailed(f'directory "{path}" is not empty', notes=[f"  {name}" for name in found[:20]])

    _holds(sandbox, path, look, limit)


@then('directory "{path}" has {count:int} files')
@then('directory "{path}" has {count:int} file')
@then('directory "{path}" has {count:int} files within {limit:duration}')
def directory_has_files(sandbox: Sandbox, path: str, count: int, limit: float = 0.0) -> None:
    """So many files, in it and in the directories below it, hidden ones and links included."""

    def look() -> None:
        found = [name for name in tree.files_below(existing_directory(sandbox, path)) if name[-1] != "/"]
        if len(found) != count:
            names = [f"  {name}" for name in found[:20]]
            raise StepFailed(f'directory "{path}" has {len(found)} files, not {count}', notes=names)

    _holds(sandbox, path, look, limit)


@then('directory "{path}" contains exactly')
def directory_contains(sandbox: Sandbox, path: str, datatable: Rows) -> None:
    """One row for each file in it and below it (`a/b.txt`); an empty directory is written `c/`."""
    if wide := [row for row in datatable if len(row) != 1]:
        raise StepFailed(f"this table needs one column, a name: | {' | '.join(wide[0])} |")
    found, expected = tree.files_below(existing_directory(sandbox, path)), {row[0] for row in datatable}
    missing = [f"  missing: {name}" for name in sorted(expected - {*found})]
    extra = [f"  not expected: {name}" for name in found if name not in expected]
    if missing or extra:
        raise StepFailed(f'directory "{path}" contains something else', notes=[*missing, *extra][:20])


def _holds(sandbox: Sandbox, name: str, look: Callable[[], object], limit: float) -> None:
    inside(sandbox, name)  # a path outside can't be mended by waiting
    holds(look, limit)


def _gone(sandbox: Sandbox, name: str, kind: str, limit: float) -> None:
    path = inside(sandbox, name)

    def look() -> None:
        if os.path.lexists(path):
            raise StepFailed(f'{kind} "{name}" exists')

    _holds(sandbox, name, look, limit)


def _name_for(sandbox: Sandbox, source: str, target: str) -> Path:
    """Where a copy is to be; a directory in that place is a mistake, not a place to put it."""
    new = inside(sandbox, target)
    if new.is_dir():
        name = f"{target.rstrip('/')}/{Path(source).name}"
        raise StepFailed(f'"{target}" is a directory: say what it is to be called, as "{name}"')
    return new


def _mode(text: str) -> int:
    try:
        mode = int(text, 8)
    except ValueError:
        mode = -1
    if not 0 <= mode <= 0o7777:
        raise StepFailed(f"{text} is no mode: write it in octal, as 600 or 755")
    return mode


def _judge(sandbox: Sandbox, name: str, limit: float, wrong: Callable[[str], str]) -> None:
    """Say what is wrong with the text of a file, again and again where there is a deadline."""

    def look() -> None:
        found = text(sandbox, name)
        if problem := wrong(found):
            raise StepFailed(f'file "{name}" {problem}', notes=shown(found))

    _holds(sandbox, name, look, limit)


def _same(problem: str, expected: bytes, found: bytes) -> None:
    if expected != found:
        texts = [one.decode("utf-8", errors="replace") for one in (expected, found)]
        raise StepFailed(problem, expected=texts[0], actual=texts[1])
