"""The pytest plugin: forwards pytest's hooks, and holds no logic of its own."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from . import collect, lifecycle
from .fixtures import artifacts, evidence, names, sandbox, whereabouts

__all__ = ["artifacts", "evidence", "names", "sandbox", "whereabouts"]


def pytest_addoption(parser: pytest.Parser) -> None:
    lifecycle.add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    lifecycle.configure(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    lifecycle.unconfigure(config)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    lifecycle.start(session.config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    lifecycle.configure_worker(node.config, node.workerinput)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    lifecycle.worker_ended(getattr(node, "workeroutput", {}))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    lifecycle.collected(session)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, None, None]:
    yield
    lifecycle.finish(session)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lifecycle.summarize(config, terminalreporter)


def pytest_pycollect_makemodule(parent: pytest.Collector) -> None:
    lifecycle.load_libraries(parent.config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return collect.collect_file(file_path, parent)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    lifecycle.complete_report(item, report)
    return report
