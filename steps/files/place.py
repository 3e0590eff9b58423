"""Files of the sandbox, by the names that steps call them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...runner.evidence import shorten
from ...runner.failure import StepFailed
from ...runner.problem import nearest
from ...runner.sandbox import Sandbox


def inside(sandbox: Sandbox, name: str) -> Path:
    """A path in the sandbox; `a\\b` is the same as `a/b`."""
    return sandbox.path(name.replace("\\", "/"))


def existing(sandbox: Sandbox, name: str) -> Path:
    path = inside(sandbox, name)
    if not path.is_file():
        problem = "is a directory" if path.is_dir() else "does not exist"
        raise StepFailed(f'file "{name}" {problem}', notes=_instead(sandbox, name))
    return path


def existing_directory(sandbox: Sandbox, name: str) -> Path:
    path = inside(sandbox, name)
    if not path.is_dir():
        problem = "is a file" if path.exists() else "does not exist"
        raise StepFailed(f'directory "{name}" {problem}', notes=_instead(sandbox, name))
    return path


def anything(sandbox: Sandbox, name: str) -> Path:
    """A file or directory that may be moved or deleted: not the working directory itself."""
    path = inside(sandbox, name)
    if path == sandbox.work:
        raise StepFailed(f'"{name}" is the working directory of the scenario, which stays where it is')
    if not path.exists():
        raise StepFailed(f'"{name}" does not exist', notes=_instead(sandbox, name))
    return path


def content(sandbox: Sandbox, name: str) -> bytes:
    with told(f'file "{name}" can\'t be read'):
        return existing(sandbox, name).read_bytes()


def text(sandbox: Sandbox, name: str) -> str:
    """As it is on disk, carriage returns included."""
    return content(sandbox, name).decode("utf-8", errors="replace")


def write(sandbox: Sandbox, name: str, new: bytes) -> None:
    path = inside(sandbox, name)
    with told(f'file "{name}" can\'t be written'):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(new)


@contextmanager
def told(problem: str) -> Iterator[None]:
    """What the operating system has against it, as a failure of the step."""
    try:
        yield
    except OSError as error:
        raise StepFailed(f"{problem}: {error.strerror}") from error


def shown(found: str) -> list[str]:
    """What is in a file, as notes under a failure."""
    return [f"  | {line}" for line in shorten(found, 10).splitlines()] or ["  it is empty"]


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
