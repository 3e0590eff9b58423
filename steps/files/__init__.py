"""Files and directories in the sandbox of a scenario. Paths are relative to its working directory."""

from __future__ import annotations

from pathlib import Path

from ...runner.define import given, never, then, when
from ...runner.evidence import shorten
from ...runner.failure import StepFailed
from ...runner.never import Breach, Journal, Watch
from ...runner.problem import nearest
from ...runner.sandbox import Sandbox


@given('a file "{path}" with')
@when('I write file "{path}" with')
def write_file(sandbox: Sandbox, path: str, docstring: str) -> None:
    """Create or replace a file; its content is the doc string, ended by a newline."""
    _write(sandbox, path, f"{docstring}\n")


@given('a file "{path}" containing "{text}"')
@when('I write file "{path}" containing "{text}"')
def write_line(sandbox: Sandbox, path: str, text: str) -> None:
    """Create or replace a file that holds one line."""
    _write(sandbox, path, f"{text}\n")


@given('an empty file "{path}"')
def write_empty(sandbox: Sandbox, path: str) -> None:
    """Create or replace a file of no bytes."""
    _write(sandbox, path, "")


@given('a directory "{path}"')
def make_directory(sandbox: Sandbox, path: str) -> None:
    """Create a directory and those above it."""
    try:
        sandbox.path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StepFailed(f'directory "{path}" can\'t be made: {error.strerror}') from error


@then('file "{path}" exists')
def file_exists(sandbox: Sandbox, path: str) -> None:
    """There is a regular file of that name."""
    _existing(sandbox, path)


@then('directory "{path}" exists')
def directory_exists(sandbox: Sandbox, path: str) -> None:
    """There is a directory of that name."""
    found = sandbox.path(path)
    if not found.is_dir():
        problem = "is a file" if found.exists() else "does not exist"
        raise StepFailed(f'directory "{path}" {problem}', notes=_instead(sandbox, path))


@then('file "{path}" contains "{text}"')
def file_contains(sandbox: Sandbox, path: str, text: str) -> None:
    """The text occurs somewhere in the file."""
    content = _content(sandbox, path)
    if text not in content:
        lines = [f"  | {line}" for line in shorten(content, 10).splitlines()] or ["  it is empty"]
        raise StepFailed(f'file "{path}" does not contain "{text}"', notes=lines)


@then('file "{path}" is')
def file_is(sandbox: Sandbox, path: str, docstring: str) -> None:
    """The file holds exactly the doc string; a newline at its end makes no difference."""
    content = _content(sandbox, path)
    if content.removesuffix("\n") != docstring.removesuffix("\n"):
        raise StepFailed(f'file "{path}" differs', expected=docstring, actual=content)


class FileWatch(Watch[str]):
    """Looks for one path at arming, after every step and at the end."""

    def __init__(self, sandbox: Sandbox, name: str) -> None:
        super().__init__(f'file "{name}"')
        self._path = sandbox.path(name)
        self._when = "when the scenario began"
        self.look()
        self._when = "after a step"

    def look(self) -> None:
        self.count("moment")
        if self._path.is_symlink() or self._path.exists():
            self.record(self._when)


@never('file "{path}" never exists')
def file_appears(sandbox: Sandbox, path: str) -> FileWatch:
    """Nothing of that name, file, directory or link, is there at the start, after any step, or at the end."""
    return FileWatch(sandbox, path)


@file_appears.check
def no_file(journal: Journal[str]) -> list[Breach]:
    return [Breach(f"{journal.subject} was there {when}") for when in dict.fromkeys(journal.entries)]


def _write(sandbox: Sandbox, name: str, text: str) -> None:
    path = sandbox.path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StepFailed(f'file "{name}" can\'t be written: {error.strerror}') from error


def _content(sandbox: Sandbox, name: str) -> str:
    """As it is on disk, carriage returns included."""
    return _existing(sandbox, name).read_bytes().decode("utf-8", errors="replace")


def _existing(sandbox: Sandbox, name: str) -> Path:
    path = sandbox.path(name)
    if not path.is_file():
        problem = "is a directory" if path.is_dir() else "does not exist"
        raise StepFailed(f'file "{name}" {problem}', notes=_instead(sandbox, name))
    return path


def _instead(sandbox: Sandbox, name: str) -> list[str]:
    """What is there instead: near names first, else the whole (small) tree."""
    present = sorted(str(p.relative_to(sandbox.work)) for p in sandbox.work.rglob("*"))
    close = nearest(name, present)
    if close:
        return [f"there is: {', '.join(close)}"]
    if not present:
        return ["the working directory is empty"]
    more = f" and {len(present) - 8} more" if len(present) > 8 else ""
    return [f"there is: {', '.join(present[:8])}{more}"]
