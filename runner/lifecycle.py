"""What Goalkeeper does at the turning points of a pytest session."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from . import bdd, garbage
from .collect import LIVE, ScenarioItem
from .files import SUFFIXES
from .library import LibraryError, libraries
from .live import Live
from .outcome import FailureText

_DATA = "goalkeeper"
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


def configure(config: pytest.Config) -> None:
    config.add_cleanup(partial(_thaw, config))
    for tier, meaning in enumerate(("safety, never negotiable", "core workflow", "hardening and edge cases")):
        bdd.register_mark(config, f"tier{tier}", meaning)
    bdd.register_mark(config, "docker", "needs a Docker engine")
    try:
        for library in libraries():
            pytest.register_assert_rewrite(library.module_name)
            config.pluginmanager.register(library.load(), f"goalkeeper-steps-{library.name}")
    except LibraryError as error:
        raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(CollectionErrors(), "goalkeeper-collection-errors")


def _thaw(config: pytest.Config) -> None:
    if config.stash.get(_FROZEN, False):
        garbage.thaw()


def unconfigure(config: pytest.Config) -> None:
    live = config.stash.get(LIVE, None)
    if live is not None:
        live.close()


def start(config: pytest.Config) -> None:
    """After every plugin is configured: take over what needs the others to be there."""
    bdd.replace_cucumber_json(config)
    config.stash[LIVE] = Live.for_config(config)


class CollectionErrors:
    """Lets the other files run when a goal file is wrong, as pytest does not by default; the run stays red.

    An error in a Python test module stops the run as ever.
    """

    def __init__(self) -> None:
        self.goal_files_only = True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
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
    if not isinstance(item, ScenarioItem) or report.when != "call" or not hasattr(item.config, "workerinput"):
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


def restore_report(report: pytest.TestReport) -> None:
    """On the controller, turn that back into what reporters look for."""
    data: dict[str, Any] | None = getattr(report, _DATA, None)
    if data is None or bdd.report_of(report) is not None:
        return
    if data["scenario"] is not None:
        bdd.restore_report(report, data["scenario"], data["name"])
    if data["failure"] is not None:
        report.longrepr = FailureText(data["failure"])  # type: ignore[assignment]
