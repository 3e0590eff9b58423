"""What `trace` and `gate` share: which record they read, and the verdict over it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from ..runner.config import Configuration
from ..runner.listing import listing
from ..runner.record.place import newest
from ..runner.record.run import RECORD
from ..traceability.record import UnusableRecordError, load
from ..traceability.verdict import Source, Verdict, verdict
from .common import chosen_or_none, shown_path

record_option = click.option(
    "--record",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The run record to read, its directory, or a reports directory (default: that of the newest run).",
)


def judged(paths: Sequence[Path], record: Path | None, settings: Configuration) -> Verdict:
    """The goals of the project, or those at `paths`, as a run left them."""
    goals = listing(chosen_or_none(paths, settings), settings)
    named = [os.path.relpath(path, settings.root) for path in paths or settings.goal_paths()]
    return verdict(goals, _source(record, settings), shlex.join(["pytest", *named]))


def place_note(settings: Configuration) -> str:
    """Said where paths in the output are not those that one would type."""
    root = os.path.relpath(settings.root)
    return "" if root == "." else f"paths are seen from {root}"


def _source(named: Path | None, settings: Configuration) -> Source:
    path = named.absolute() if named is not None else settings.root / settings.reports
    try:
        found = _record_in(path) if path.is_dir() or named is None else path
        if found is None:
            return Source("", UnusableRecordError("no-record", "there is none"))
        shown = shown_path(Path(os.path.normpath(found)), settings)
        try:
            return Source(shown, load(found))
        except UnusableRecordError as error:
            return Source(shown, error)
    except OSError as error:
        wrong = UnusableRecordError("unreadable-record", f"it can't be read: {error.strerror}")
        return Source(shown_path(path, settings), wrong)


def _record_in(directory: Path) -> Path | None:
    own = directory / RECORD
    return own if own.exists() else newest(directory)
