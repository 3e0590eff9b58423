"""The pytest plugin: forwards pytest's hooks, and holds no logic of its own."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from . import collect, lifecycle
from .artifacts import artifacts
from .sandbox import evidence, sandbox

__all__ = ["artifacts", "evidence", "sandbox"]


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


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return collect.collect_file(file_path, parent)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    lifecycle.complete_report(item, report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    lifecycle.restore_report(report)
