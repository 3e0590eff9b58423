"""What became of a scenario, as plain data and as people read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .goal import Step

Status = Literal["passed", "failed", "skipped"]


@dataclass(slots=True)
class StepResult:
    """One step after the run. A step that was not reached stays skipped."""

    step: Step
    status: Status = "skipped"
    duration: float = 0.0
    error: BaseException | None = None
    note: str = ""

    def data(self, error: str = "") -> dict[str, Any]:
        """The shape of pytest-bdd's step report, with the step's own status and message."""
        step = self.step
        return {
            "name": step.text,
            "type": step.kind,
            "keyword": step.keyword,
            "line_number": step.place.line,
            "failed": self.status == "failed",
            "duration": self.duration,
            "status": self.status,
            "error": error,
            "note": self.note,
        }


@dataclass(frozen=True)
class Crash:
    """Where and why, in one line: what pytest shows in its summary and JUnit as the message."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.lineno}: {self.message}"


class FailureText:
    """The failure of a scenario, rendered from data that survives the way from an xdist worker."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        first = next(step for step in data["steps"] if step["status"] == "failed")
        told = f"{first['keyword']} {first['name']}: {_headline(first['error'], first['traceback'])}"
        message = told.removesuffix(": ")
        self.reprcrash = Crash(data["file"], first["line_number"], message)

    def __str__(self) -> str:
        return "\n".join(text for text, _ in self._lines())

    def toterminal(self, writer: Any) -> None:
        for text, markup in self._lines():
            writer.line(text, **markup)

    def _lines(self) -> Sequence[tuple[str, dict[str, bool]]]:
        data = self.data
        lines: list[tuple[str, dict[str, bool]]] = [
            (f"{data['goal']} {data['title']}", {"bold": True}),
            (f"{data['file']}:{data['line']}", {}),
            ("", {}),
        ]
        for step in data["steps"]:
            lines += self._step(step)
        for entry in data["evidence"]:
            lines += [*_gap(lines), (entry["title"], {"bold": True})]
            lines += [(f"  {line}", {}) for line in entry["text"].splitlines()]
        if data["evidence_path"]:
            lines += [*_gap(lines), (f"evidence: {data['evidence_path']}", {})]
        return lines

    def _step(self, step: Mapping[str, Any]) -> Sequence[tuple[str, dict[str, bool]]]:
        sentence = f"{step['keyword']} {step['name']}"
        if step["status"] == "failed":
            place = f"{self.data['file']}:{step['line_number']}"
            lines: list[tuple[str, dict[str, bool]]] = [(f">   {sentence}", {"bold": True})]
            prefix = "    " if step["traceback"] else "E     "
            lines += [(prefix + line, {"red": True, "bold": True}) for line in step["error"].splitlines()]
            return [*lines, (f"    {place}", {}), ("", {})]
        if step["status"] == "skipped":
            return [(f"    {sentence}    (not run)", {"yellow": True})]
        return [(f"    {sentence}", {})]


def _gap(lines: Sequence[tuple[str, dict[str, bool]]]) -> list[tuple[str, dict[str, bool]]]:
    """An empty line, where there is none yet."""
    return [("", {})] if lines[-1][0] else []


def _headline(error: str, traceback: bool) -> str:
    """The line of an error that says most: of a traceback, where its last exception begins."""
    lines = error.strip().splitlines() or [""]
    if not traceback:
        return lines[0]
    marked = [False, *(line == "E" or line.startswith("E ") for line in lines)]
    begins = [
        line for line, before, here in zip(lines, marked, marked[1:], strict=False) if here and not before
    ]
    return begins[-1].removeprefix("E").strip() if begins else lines[-1]
