"""Where the records of runs lie: `runs/<id>/record.jsonl` below the reports directory."""

from __future__ import annotations

from pathlib import Path

from .run import RECORD, RUNS

_IGNORE = ".gitignore"


def prepare(reports: Path) -> None:
    """Make the reports directory, and tell git to overlook it.

    Among the files of others (`--goal-reports docs`) that goes for the runs alone.
    """
    runs = reports / RUNS
    reports.mkdir(parents=True, exist_ok=True)
    ours = reports if not any(reports.iterdir()) else runs
    runs.mkdir(exist_ok=True)
    if not any((place / _IGNORE).exists() for place in (reports, runs)):
        (ours / _IGNORE).write_text("# Made by Goalkeeper: the records of its runs.\n*\n", encoding="utf-8")


def newest(reports: Path) -> Path | None:
    """The record of the newest run, whether or not that run came as far as to write one.

    An older record would tell of an older state, so it does not stand in. Of runs that began within one
    second, the one that was written to last is taken.
    """
    try:
        runs = [path for path in (reports / RUNS).iterdir() if path.is_dir()]
    except FileNotFoundError:
        return None
    return max(runs, key=_age) / RECORD if runs else None


def _age(run: Path) -> tuple[str, int]:
    record = run / RECORD
    return run.name.partition("-")[0], (record if record.exists() else run).stat().st_mtime_ns
