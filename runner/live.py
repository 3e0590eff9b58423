"""Steps on the terminal while they run: each with its time under `-v`, a long one with a sign of life."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import nullcontext, suppress
from time import monotonic
from typing import Any

import pytest

from .goal import Step
from .outcome import StepResult

_WIDTH = 72
_MARKS = {
    "passed": (" ", {"green": True}),
    "failed": ("x", {"red": True}),
    "skipped": ("-", {"yellow": True}),
}


class Live:
    """Watches one process's steps. Nothing here is needed for a result."""

    def __init__(self, config: pytest.Config, interval: float) -> None:
        self._reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
        self._capture: Any = config.pluginmanager.get_plugin("capturemanager")
        self._verbose = config.get_verbosity() > 0
        self._heart = Heart(interval)
        self._fresh = True

    @classmethod
    def for_config(cls, config: pytest.Config) -> Live | None:
        """None where nobody would see it: on an xdist worker, with -q, or where another shows the steps."""
        if hasattr(config, "workerinput") or config.get_verbosity() < 0:
            return None
        if config.getoption("gherkin_terminal_reporter", False):
            return None
        return cls(config, float(config.getini("goal_heartbeat")))

    def begin_scenario(self) -> None:
        self._fresh = True

    def begin(self, step: Step) -> None:
        self._heart.begin(f"{step.keyword} {step.text}")

    def end(self, result: StepResult) -> None:
        self._heart.end()
        if not self._verbose:
            return
        sentence = f"{result.step.keyword} {result.step.text}"
        note = f"  {result.note}" if result.note else ""
        mark, color = _MARKS[result.status]
        capture = self._capture
        with nullcontext() if capture is None else capture.global_and_fixture_disabled():
            if self._fresh:
                self._reporter.write("\n")
                self._fresh = False
            self._reporter.write(f"  {mark} {sentence:<{_WIDTH}}{result.duration:7.2f} s{note}\n", **color)

    def close(self) -> None:
        self._heart.close()


class Heart:
    """A thread that speaks up when a step has been running for a while, past pytest's capturing."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._current: tuple[str, float] | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        try:
            self._terminal: int | None = os.dup(sys.stdout.fileno())
        except (OSError, ValueError):
            self._terminal = None

    def begin(self, sentence: str) -> None:
        self._current = (sentence, monotonic())
        if self._thread is None and self._terminal is not None and self._interval > 0:
            self._thread = threading.Thread(target=self._beat, name="goalkeeper-heart", daemon=True)
            self._thread.start()

    def end(self) -> None:
        self._current = None

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        if self._terminal is not None:
            os.close(self._terminal)
            self._terminal = None

    def _beat(self) -> None:
        tick = min(self._interval / 4, 1.0)
        spoken: tuple[tuple[str, float] | None, int] = (None, 0)
        while not self._stop.wait(tick):
            current = self._current
            if current is None:
                continue
            sentence, since = current
            beats = int((monotonic() - since) / self._interval)
            told = spoken[1] if spoken[0] is current else 0
            if beats > told and self._terminal is not None:
                spoken = (current, beats)
                line = f"\n  … still running after {monotonic() - since:.0f} s: {sentence}\n"
                with suppress(OSError):  # whoever read our output may be gone
                    os.write(self._terminal, line.encode())
