"""What Goalkeeper does at the turning points of a pytest session."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import pytest

from . import bdd, garbage
from .collect import INVARIANT, LIVE, ScenarioItem
from .config import ConfigurationError
from .files import SUFFIXES
from .library import LibraryError, libraries
from .live import Live
from .loading import LOADER, Loader
from .never.tally import Tally
from .outcome import FailureText
from .problem import GoalError
from .record.run import shown
from .record.writer import RecordError
from .session import FAILED, SESSION, GoalSession
from .systems.preflight import GAP

_DATA = "goalkeeper"
_ERRORS = "goalkeeper-collection-errors"
_SHOWN_CHANGES = 10
_GAPS = pytest.StashKey[dict[str, list[str]]]()
_CRASHED = "???"  # what pytest-xdist says of the phase in which a worker died
_CHANGES = pytest.StashKey[list[str]]()
_TALLY = pytest.StashKey[Tally]()
_FROZEN = pytest.StashKey[bool]()


def add_options(parser: pytest.Parser) -> None:
    parser.addini(
        "goal_files",
        "patterns of the goal files to collect (default: all .feature, .goal.yaml and .goal.yml files)",
        type="args",
        default=[f"*{suffix}" for suffix in SUFFIXES],
    )
    parser.addini(
        "goal_heartbeat",
        "seconds after which a running step shows that it is alive, and again each time (0: never)",
        default="10",
    )

    parser.getgroup("goalkeeper").addoption(
        "--goal-reports",
        metavar="DIR",
        help="where run records and evidence go (default: what goalkeeper.toml says, else .goalkeeper)",
    )
    parser.getgroup("goalkeeper").addoption(
        "--no-proof",
        dest="goal_no_proof",
        action="store_true",
        help="do not show that negative steps and Thens can fail; goals are then unproven",
    )
    parser.getgroup("goalkeeper").addoption(
        "--system",
        dest="goal_systems",
        metavar="NAME=COMMAND",
        action="append",
        help="run this command in the place of a system that goalkeeper.toml names (also: the environment "
        "variable GOALKEEPER_SYSTEM_NAME)",
    )


def configure(config: pytest.Config) -> None:
    config.add_cleanup(partial(_thaw, config))
    for tier, meaning in enumerate(("safety, never negotiable", "core workflow", "hardening and edge cases")):
        bdd.register_mark(config, f"tier{tier}", meaning)
    bdd.register_mark(config, INVARIANT, "its Thens hold before the first When already")
    bdd.register_mark(config, "docker", "needs a Docker engine")
    try:
        found = libraries()
        pytest.register_assert_rewrite(
            *(name for library in found for name in (library.module_name, library.never_name))
        )
        loader = config.stash[LOADER] = Loader(config, found)
        if config.option.showfixtures:
            loader.load()
    except LibraryError as error:
        raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(CollectionErrors(), _ERRORS)
    config.pluginmanager.register(Reports(config), "goalkeeper-reports")


def load_libraries(config: pytest.Config) -> None:
    """Before a Python test module is collected, which may ask for a library's fixtures."""
    config.stash[LOADER].load()


def _thaw(config: pytest.Config) -> None:
    if config.stash.get(_FROZEN, False):
        garbage.thaw()


def unconfigure(config: pytest.Config) -> None:
    live = config.stash.get(LIVE, None)
    if live is not None:
        live.close()
    session = config.stash.get(SESSION, None)
    if session is not None:
        session.close()


def start(config: pytest.Config) -> None:
    """After every plugin is configured: take over what needs the others to be there."""
    try:
        config.stash[SESSION] = GoalSession(config)
    except (ConfigurationError, GoalError) as error:
        raise pytest.UsageError(str(error)) from error
    bdd.replace_cucumber_json(config)
    config.stash[LIVE] = Live.for_config(config)


def configure_worker(config: pytest.Config, workerinput: dict[str, Any]) -> None:
    """On the controller of pytest-xdist, before a worker starts."""
    config.stash[SESSION].tell(workerinput)


def collected(session: pytest.Session) -> None:
    """Open the record where there is something to record."""
    items = [item for item in session.items if isinstance(item, ScenarioItem)]
    errors: Any = session.config.pluginmanager.get_plugin(_ERRORS)
    if (items or errors.problems) and not session.config.option.collectonly:
        files = list(dict.fromkeys(item.goal_file for item in items))
        try:
            session.config.stash[SESSION].begin(files, items, errors.problems)
        except RecordError as error:
            _refuse(session.config, str(error))


def _refuse(config: pytest.Config, message: str) -> None:
    """End the run as wrong usage. A worker of pytest-xdist has its controller say so."""
    if hasattr(config, "workeroutput"):
        config.workeroutput[_DATA] = message
        pytest.exit(message, int(pytest.ExitCode.USAGE_ERROR))
    raise pytest.UsageError(message)


def worker_ended(workeroutput: dict[str, Any]) -> None:
    """On the controller, after a worker has ended."""
    if _DATA in workeroutput:
        raise pytest.UsageError(workeroutput[_DATA])


def finish(session: pytest.Session) -> None:
    kept = session.config.stash.get(SESSION, None)
    if kept is None:
        return
    gaps = session.config.stash.get(_GAPS, None)
    if gaps and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    status, changes = kept.finish(int(session.exitstatus), strict=bool(os.environ.get("CI")))
    if changes:
        session.config.stash[_CHANGES] = changes
        session.exitstatus = status


def summarize(config: pytest.Config, reporter: pytest.TerminalReporter) -> None:
    """Gaps of systems, what became of the repository that holds the goals, and where the record is."""
    if gaps := config.stash.get(_GAPS, None):
        reporter.section("gaps of systems", red=True)
        for gap, scenarios in gaps.items():
            reporter.line(f"{gap}; not run for it:")
            for scenario in scenarios:
                reporter.line(f"  {scenario}")
    kept = config.stash.get(SESSION, None)
    if changes := config.stash.get(_CHANGES, None):
        reporter.section("the repository changed while goals ran", red=True)
        reporter.line("a scenario left its sandbox, or someone worked here meanwhile:")
        for change in changes[:_SHOWN_CHANGES]:
            reporter.line(f"  {change}")
        if len(changes) > _SHOWN_CHANGES:
            reporter.line(f"  and {len(changes) - _SHOWN_CHANGES} more")
    if kept is not None and config.get_verbosity() >= 0 and kept.run.record.is_file():
        if told := config.stash.setdefault(_TALLY, Tally()).summary(kept.proofs):
            reporter.line(told[0], **{told[1]: True})
        reporter.line(f"run record: {shown(kept.run.record, config.invocation_params.dir)}")


class Reports:
    """Hears of every report, from workers too, with the configuration at hand."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        restore_report(report)
        note_gap(self._config, report)
        if report.when == "call":
            self._config.stash.setdefault(_TALLY, Tally()).add(report.user_properties)


class CollectionErrors:
    """Lets the other files run when a goal file is wrong, as pytest does not by default; the run stays red.

    An error in a Python test module stops the run as ever.
    """

    def __init__(self) -> None:
        self.goal_files_only = True
        self.problems: list[tuple[str, str]] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and report.nodeid.endswith(SUFFIXES):
            self.problems.append((report.nodeid, str(report.longrepr)))
        if report.failed and not report.nodeid.endswith(SUFFIXES):
            self.goal_files_only = False

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if any(isinstance(item, ScenarioItem) for item in session.items):
            garbage.freeze()
            session.config.stash[_FROZEN] = True
        if session.testsfailed and self.goal_files_only and not session.shouldfail:
            session.config.option.continue_on_collection_errors = True


def complete_report(item: pytest.Item, report: pytest.TestReport) -> None:
    """Give a worker's report what its way to the controller would lose."""
    if report.failed:
        item.stash[FAILED] = True
    if not isinstance(item, ScenarioItem):
        return
    item.note_phase(report)
    if report.when != "call" or not hasattr(item.config, "workerinput"):
        return
    failed = isinstance(report.longrepr, FailureText)
    setattr(
        report,
        _DATA,
        {
            "scenario": bdd.report_of(report),
            "failure": item.failure_data() if failed else None,
            "name": item.name,
        },
    )


def note_gap(config: pytest.Config, report: pytest.TestReport) -> None:
    """Take note of a scenario that was not run because its system lacks something."""
    told = report.longrepr
    if report.skipped and isinstance(told, tuple) and str(told[2]).startswith(f"Skipped: {GAP}"):
        gaps = config.stash.setdefault(_GAPS, {})
        gaps.setdefault(str(told[2]).removeprefix("Skipped: "), []).append(report.nodeid)


def restore_report(report: pytest.TestReport) -> None:
    """On the controller, turn that back into what reporters look for."""
    if report.when == _CRASHED and report.nodeid.partition("::")[0].endswith(SUFFIXES):
        config: pytest.Config = report.node.config
        config.stash[SESSION].note_crash(report.nodeid)
    data: dict[str, Any] | None = getattr(report, _DATA, None)
    if data is None or bdd.report_of(report) is not None:
        return
    if data["scenario"] is not None:
        bdd.restore_report(report, data["scenario"], data["name"])
    if data["failure"] is not None:
        report.longrepr = FailureText(data["failure"])  # type: ignore[assignment]
