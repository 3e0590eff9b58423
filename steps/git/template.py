"""Repositories made once, then copied as files into each sandbox: copying is quicker than running git."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ...runner.failure import StepFailed
from ...runner.problem import did_you_mean
from .fixtures import CONFLICT_FILE, EXECUTABLE, SIDES, TOY, Large, large
from .program import Git
from .settings import CONFIG, EMAIL, NAME

EMPTY = "empty"
LARGE = "large"
_USUAL = 0o644
NAMES = ("toy", "conflict", LARGE)
_LOCAL = {"user.name": NAME, "user.email": EMAIL, "commit.gpgSign": "false", "tag.gpgSign": "false"}


class Templates:
    """The templates of one pytest process. What takes long to make lies in `cache`, which others share."""

    def __init__(self, folder: Path, cache: Path | None, size: Large | None = None) -> None:
        self._folder = folder
        self._cache = cache or folder
        self._size = size or Large()
        config = folder / "gitconfig"
        config.write_text(CONFIG, encoding="utf-8")
        self._git = Git(config)
        self._number = 0
        self._made: dict[tuple[str, str], Path] = {}

    def place(self, fixture: str, branch: str, target: Path, projects: Sequence[Path] = ()) -> None:
        """Put a repository into a directory. A fixture of no known name is a directory of `projects`."""
        source = self._template(fixture, branch, projects)
        taken = sorted(path.name for path in source.iterdir() if (target / path.name).exists())
        if taken:
            what = "a repository" if ".git" in taken else f'"{taken[0]}"'
            raise StepFailed(f"{what} is there already: make the repository first, or in a directory")
        try:
            _copy(source, target)
        except OSError as error:
            raise StepFailed(f"the repository can't be made: {error}") from error
        if fixture != EMPTY:
            # The index knows files by inode and time; without this, `git diff-index` would call all changed.
            self._git.run(target, "update-index", "-q", "--refresh")

    def _template(self, fixture: str, branch: str, projects: Sequence[Path]) -> Path:
        if fixture not in (*NAMES, EMPTY):
            fixture = str(_project(fixture, projects))
        if (fixture, branch) not in self._made:
            self._check(branch)
            self._made[fixture, branch] = self._make(fixture, branch)
        return self._made[fixture, branch]

    def _check(self, branch: str) -> None:
        if self._git.ask(self._folder, "check-ref-format", "--branch", branch).code:
            raise StepFailed(f'"{branch}" can\'t be the name of a branch')

    def _make(self, fixture: str, branch: str) -> Path:
        if fixture == LARGE:
            return self._large(branch)
        self._number += 1
        folder = self._folder / str(self._number)
        self._init(folder, branch)
        if fixture == EMPTY:
            return folder
        if fixture in NAMES:
            _write(folder, TOY)
        else:
            _copy(Path(fixture), folder)
        self._commit(folder, 0, "The project as it begins")
        if fixture == "conflict":
            self._sides(folder, branch)
        self._git.run(folder, "repack", "-adnq")
        return folder

    def _init(self, folder: Path, branch: str) -> None:
        folder.mkdir()
        options = ("-q", "--template=", "--object-format=sha1", f"--initial-branch={branch}")
        self._git.run(folder, "init", *options)
        for name, value in _LOCAL.items():
            self._git.run(folder, "config", name, value)

    def _commit(self, folder: Path, number: int, message: str) -> None:
        self._git.run(folder, "add", "--all")
        self._git.run(folder, "commit", "-q", "--allow-empty", "-m", message, number=number)

    def _sides(self, folder: Path, branch: str) -> None:
        if branch in SIDES:
            raise StepFailed(f'the conflict repository has a branch "{branch}" of its own: name another')
        for number, (side, text) in enumerate(SIDES.items(), 1):
            self._git.run(folder, "checkout", "-q", "-b", side, branch)
            _write(folder, {CONFLICT_FILE: text})
            self._commit(folder, number, f"Tell it from the {side}")
        self._git.run(folder, "checkout", "-q", branch)

    def _large(self, branch: str) -> Path:
        """From the cache, where the first of all processes that want it makes it."""
        name = hashlib.sha256(branch.encode()).hexdigest()[:12]

        def build(folder: Path) -> None:
            self._init(folder, branch)
            stream = b"".join(large(self._size, branch))
            self._git.run(folder, "fast-import", "--quiet", stdin=stream)
            self._git.run(folder, "repack", "-adnq")
            self._git.run(folder, "reset", "-q", "--hard")

        return once(self._cache / f"{self._size.key}-{name}", build)


def once(folder: Path, build: Callable[[Path], None]) -> Path:
    """A directory that is built whole or not at all, by one process, however many ask for it."""
    if folder.is_dir():
        return folder
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            unfinished = folder.with_suffix(".new")
            shutil.rmtree(unfinished, ignore_errors=True)
            build(unfinished)
            unfinished.rename(folder)
    return folder


def _project(name: str, projects: Sequence[Path]) -> Path:
    """The directory of a project's own files."""
    found = next((path for path in (base / name for base in projects) if path.is_dir()), None)
    if found is None:
        looked = [f"  {base / name} is no directory" for base in dict.fromkeys(projects)]
        known = f"known: {', '.join(NAMES)}, or a directory beside the goal file"
        raise StepFailed(
            f'there is no repository "{name}".{did_you_mean(name, NAMES)}', notes=[known, *looked]
        )
    if (found / ".git").exists():
        raise StepFailed(f'"{name}" is a repository itself: name a directory of plain files')
    return Path(os.path.realpath(found))


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755 if name in EXECUTABLE else 0o644)


def _copy(source: Path, target: Path) -> None:
    """Files, modes and links, but no times: `shutil.copytree` takes three times as long."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in os.scandir(source):
        place = target / entry.name
        if entry.is_symlink():
            place.symlink_to(Path(entry.path).readlink())
        elif entry.is_dir():
            _copy(Path(entry.path), place)
        else:
            place.write_bytes(Path(entry.path).read_bytes())
            mode = stat.S_IMODE(entry.stat().st_mode)
            if mode != _USUAL:
                place.chmod(mode)
