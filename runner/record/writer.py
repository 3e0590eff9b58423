"""Writes the events of one process into the record of the run."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Container, Iterable, Mapping
from json.encoder import encode_basestring as _text
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from ..evidence import Outcome
from .mask import Mask
from .place import prepare
from .run import Run

if TYPE_CHECKING:
    from ..never.proof import Proof

Event = dict[str, Any]
# What Goalkeeper says itself, and the names by which events belong together: they stand in the goal files.
_HARMLESS = {"id", "started", "versions", "hash", "code", "file", "scenarios"}
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode

_TRUTH = ("false", "true")


class RecordError(Exception):
    """The record can't be written, so nothing that follows would be on record."""


class Record:
    """The record of a run, as one of its processes sees it. `by` is the name of that process."""

    def __init__(self, run: Run, by: str, mask: Mask) -> None:
        self.run = run
        self.mask = mask
        self.by = _encode(by)
        self._file: int | None = None

    def open(self, head: Iterable[Event]) -> None:
        """Begin the record, unless another process has.

        The first events appear together with the file, so that no process can write before them.
        """
        try:
            self.make_directory()
            begun = self.run.directory / f".{os.getpid()}"
            with begun.open("wb") as file:
                for event in head:
                    file.write(self._line(event.pop("event"), event))
            with contextlib.suppress(FileExistsError):
                os.link(begun, self.run.record)
            begun.unlink()
            self._file = os.open(self.run.record, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        except OSError as error:
            raise RecordError(
                f"the run can't be recorded in {self.run.reports}: {error.strerror}. "
                "Name a directory that can be written: pytest --goal-reports DIR"
            ) from error

    def append(self) -> bool:
        """Go on with a record that another process began; whether there is one."""
        if self._file is None:
            with contextlib.suppress(OSError):
                self._file = os.open(self.run.record, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        return self._file is not None

    def write(self, event: str, **fields: Any) -> None:
        """One event, at once. Before the record is open, and after it is closed, nobody asked for it."""
        if self._file is not None:
            os.write(self._file, self._line(event, fields))

    def put(self, line: str) -> None:
        """One event that is JSON already, and masked, for what happens thousands of times."""
        if self._file is not None:
            os.write(self._file, line.encode("utf-8", "replace"))

    def text(self, text: str) -> str:
        """A text without secrets, as JSON."""
        return _text(self.mask.spoken(text))

    def json(self, value: Any, harmless: Container[str] = ()) -> str:
        """A value without secrets. Only texts are masked, so that a line stays what the schema says."""
        return _encode(self.mask.within(value, harmless))

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _line(self, event: str, fields: Mapping[str, Any]) -> bytes:
        at = round(monotonic() - self.run.began, 6)
        line = f'{{"at":{at},"by":{self.by},"event":"{event}"'
        line += f",{self.json(fields, _HARMLESS)[1:]}" if fields else "}"
        return f"{line}\n".encode("utf-8", "replace")

    def make_directory(self) -> None:
        """The directory of this run, which git is told to overlook."""
        prepare(Path(self.run.reports))
        self.run.directory.mkdir(parents=True, exist_ok=True)


class ScenarioRecord:
    """The part of a record that is about one scenario. Events are made by hand, as there are so many."""

    def __init__(self, record: Record, scenario: str) -> None:
        self._record = record
        self._began = record.run.began
        self._who = f'"by":{record.by},"scenario":{_text(scenario)}'

    def begin(self, goal: str, line: int, steps: Iterable[tuple[str, str, int, bool]]) -> None:
        """`steps` are the kind, text and line of each, and whether it is negative."""
        mask = self._record.mask
        told = [*steps]
        secret = mask.concerns("\n".join(said for _, said, _, _ in told))
        listed = ",".join(
            f'{{"kind":"{kind}","text":{_text(mask.spoken(said) if secret else said)},'
            f'"line":{place},"negative":{_TRUTH[negative]}}}'
            for kind, said, place, negative in told
        )
        self._put(f'"event":"scenario","goal":{_text(goal)},"line":{line},"steps":[{listed}]')

    def step(self, index: int, outcome: Outcome, seconds: float, note: str = "", error: str = "") -> None:
        rest = f',"note":{self._record.text(note)}' if note else ""
        rest += f',"error":{self._record.text(error)}' if error else ""
        self._put(f'"event":"step","step":{index},"outcome":"{outcome}","seconds":{seconds:.6f}{rest}')

    def observe(self, kind: str, outcome: Outcome, facts: Mapping[str, Any]) -> None:
        told = self._record.json(facts)
        self._put(f'"event":"observation","kind":{_text(kind)},"outcome":"{outcome}","facts":{told}')

    def already(self, steps: Iterable[int]) -> None:
        """Of a scenario whose Thens all held before its first When."""
        self._put(f'"event":"already","steps":{[*steps]}')

    def proof(self, proof: Proof) -> None:
        told = f',"detail":{self._record.text(proof.detail)}' if proof.detail else ""
        self._put(
            f'"event":"proof","step":{proof.index},"violation":{_text(proof.violation)},'
            f'"strength":"{proof.strength}","outcome":"{proof.outcome}","seconds":{proof.seconds:.6f}{told}'
        )

    def end(self, outcome: str, seconds: float | None = None, reason: str = "", evidence: str = "") -> None:
        """Without a time where it is not known."""
        told = "" if seconds is None else f',"seconds":{seconds:.6f}'
        told += f',"reason":{self._record.text(reason)}' if reason else ""
        told += f',"evidence":{_text(evidence)}' if evidence else ""
        self._put(f'"event":"end","outcome":"{outcome}"{told}')

    def _put(self, rest: str) -> None:
        self._record.put(f'{{"at":{monotonic() - self._began:.6f},{self._who},{rest}}}\n')
