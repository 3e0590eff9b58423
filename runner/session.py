"""What one pytest process keeps for all its scenarios: the record, the sandboxes, the configuration."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .config import Configuration, configuration
from .evidence import Evidence
from .names import Names
from .record import facts
from .record.mask import Mask
from .record.run import Run
from .record.writer import Event, Record, ScenarioRecord
from .sandbox import Sandbox, Sandboxes
from .sandbox.environment import environment
from .systems.preflight import Preflight
from .systems.system import load
from .watcher import cleaner

if TYPE_CHECKING:
    from .collect import GoalFile, ScenarioItem

SESSION = pytest.StashKey["GoalSession"]()
SCENARIO = pytest.StashKey[ScenarioRecord]()
EVIDENCE = pytest.StashKey[Evidence]()
NAMES = pytest.StashKey[Names]()
FAILED = pytest.StashKey[bool]()
_RUN = "goalkeeper"
_RUN_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{6}")


class GoalSession:
    """Made at the start of a session, before it is known whether there are any goals."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.configuration: Configuration = configuration(config.rootpath)
        told: dict[str, Any] = getattr(config, "workerinput", {})
        self.worker: str = told.get("workerid", "")
        self.run = Run.of(told[_RUN]) if _RUN in told else Run.new(self._reports())
        self.record = Record(self.run, self.worker or "main", Mask(os.environ))
        self.proofs: bool = not config.getoption("goal_no_proof", False)
        replaced: list[str] = config.getoption("goal_systems", None) or []
        self.systems = load(self.configuration, replaced, config.invocation_params.dir)
        given = environment(self.configuration.root, os.environ, self.configuration.passed)
        self.sandboxes = Sandboxes(self.configuration.passed, self.systems.scripts(given))
        self.preflight = Preflight(self.systems, self.sandboxes)

    def _reports(self) -> Path:
        named: str | None = self._config.getoption("goal_reports", None)
        if named:
            return self._config.invocation_params.dir / named
        return self.configuration.root / self.configuration.reports

    def tell(self, workerinput: dict[str, Any]) -> None:
        """Let a worker of pytest-xdist take part in this run."""
        workerinput[_RUN] = self.run.data()

    def begin(
        self, files: list[GoalFile], items: list[ScenarioItem], problems: list[tuple[str, str]]
    ) -> None:
        """Open the record, now that the goals are known."""
        by_file: dict[Path, list[ScenarioItem]] = {}
        for item in items:
            by_file.setdefault(item.path, []).append(item)
        self.record.open(self._head(files, by_file, problems))

    def _head(
        self, files: list[GoalFile], items: dict[Path, list[ScenarioItem]], problems: list[tuple[str, str]]
    ) -> Iterator[Event]:
        yield {
            "event": "run",
            "id": self.run.id,
            "format": 1,
            "started": self.run.started,
            "versions": facts.versions(),
            "platform": facts.platform(),
            "arguments": [str(word) for word in self._config.invocation_params.args],
            "proofs": self.proofs,
            "repository": facts.repository(self.configuration.root),
            "systems": {
                system.name: {
                    "command": list(system.command),
                    "hash": facts.digest(*map(facts.tree_digest, system.files)),
                    "profile": facts.digest(system.profile.text) if system.profile.text else "",
                }
                for system in self.systems
            },
        }
        for file in files:
            goal, own = file.goal, items.get(file.path, [])
            steps = {bound.definition for item in own for bound in item.steps}
            yield {
                "event": "goal",
                "id": goal.id,
                "file": str(file.shown_path),
                "tier": goal.tier,
                "title": goal.title,
                "hash": file.digest,
                "code": facts.code_digest((d.location[0], bool(d.library)) for d in steps),
                "scenarios": [item.nodeid for item in own],
            }
        for name, message in problems:
            yield {"event": "problem", "file": name, "message": message}

    def evidence_path(self, scenario: str) -> Path:
        return self.run.evidence(scenario, self.worker)

    def put_away(self, sandbox: Sandbox, kept: Path | None) -> tuple[str, ...]:
        """Remove a sandbox, keeping its files at `kept` if that is given; what could not be removed."""
        evidence = sandbox.evidence
        if kept is not None:
            sandbox.end_processes()
            try:
                self.record.make_directory()
                _keep(sandbox, kept, self.record.mask)
            except (OSError, shutil.Error) as error:
                evidence.observe("evidence", "failed", error=str(error))
        cleaned = self.sandboxes.remove(sandbox)
        if cleaned.killed:
            evidence.observe("left running", "ok", killed=cleaned.killed)
        return cleaned.left

    def note_crash(self, scenario: str) -> None:
        """A worker died while it ran a scenario: nobody knows what became of it."""
        if self.record.append():
            ScenarioRecord(self.record, scenario).end("unknown", reason="the worker that ran it has died")

    def finish(self, status: int, strict: bool) -> tuple[int, list[str]]:
        """End the record of a run: its exit code, and what changed in the repository that holds the goals.

        A run that is strict is not good when something did.
        """
        if self.worker or not self.record.append():
            return status, []
        # As it is on record, without secrets: a word of the one must not differ from that of the other.
        after = self.record.mask.within(facts.repository(self.configuration.root))
        changes = facts.changed(facts.repository_before(self.run.record), after)
        if changes and strict and status == pytest.ExitCode.OK:
            status = int(pytest.ExitCode.TESTS_FAILED)
        self.record.write("finish", status=status, repository=after)
        _prune(self.run.directory, self.configuration.keep)
        return status, changes

    def close(self) -> None:
        self.record.close()
        self.sandboxes.close()


def _keep(sandbox: Sandbox, target: Path, mask: Mask) -> None:
    """Move what a scenario left to where it is kept; sockets and pipes are no evidence."""
    shutil.rmtree(target, ignore_errors=True)
    if sandbox.files.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(sandbox.files, target)
    target.mkdir(parents=True, exist_ok=True)
    for path in (path for path in [*target.iterdir()] if not mask.is_idle):
        if path.is_file() and not path.is_symlink():
            _mask_file(path, mask)
    if sandbox.work.is_dir():
        shutil.copytree(sandbox.work, target / "work", symlinks=True, ignore=_special)


def _mask_file(path: Path, mask: Mask) -> None:
    """Line by line: what a program printed may be larger than the memory."""
    masked = path.with_name(f".{path.name}.masked")
    with path.open("rb") as source, masked.open("wb") as target:
        for line in source:
            target.write(mask(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape"))
    masked.replace(path)


def _special(folder: str, names: list[str]) -> list[str]:
    """What can't be copied; a link can, wherever it leads."""
    paths = (Path(folder, name) for name in names)
    return [
        path.name
        for path in paths
        if not path.is_symlink() and not ((path.is_file() or path.is_dir()) and os.access(path, os.R_OK))
    ]


def _prune(newest: Path, keep: int) -> None:
    """Let go of the oldest runs; this one stays, and what is not one of ours."""
    older = sorted(
        path for path in newest.parent.iterdir() if _RUN_ID.fullmatch(path.name) and path != newest
    )
    for path in older[: max(0, len(older) + 1 - keep)]:
        cleaner.remove(str(path))


def names_of(item: pytest.Item) -> Names:
    """What a scenario remembers."""
    return item.stash.setdefault(NAMES, Names())


def evidence_of(item: pytest.Item) -> Evidence:
    """The evidence of an item, made when first asked for."""
    return item.stash.setdefault(EVIDENCE, Evidence())
