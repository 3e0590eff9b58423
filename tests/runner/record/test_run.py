"""One run: its name, its places, and how its processes share it."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from time import monotonic

from goalkeeper.runner.record.run import Run, shown


def test_a_run_has_a_name_of_its_own_that_sorts_by_time(tmp_path: Path) -> None:
    before = monotonic()
    run, other = Run.new(tmp_path), Run.new(tmp_path)
    assert re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{6}", run.id)
    assert run.id != other.id
    started = datetime.fromisoformat(run.started)
    assert f"{started:%Y%m%dT%H%M%S}Z" == run.id[:16]
    assert before <= run.began <= other.began <= monotonic()


def test_its_places(tmp_path: Path) -> None:
    run = Run.new(tmp_path)
    assert run.directory == tmp_path / "runs" / run.id
    assert run.record == run.directory / "record.jsonl"


def test_another_process_takes_part_in_it(tmp_path: Path) -> None:
    run = Run.new(tmp_path)
    assert Run.of(json.loads(json.dumps(run.data()))) == run


def test_evidence_has_a_readable_name_of_its_own(tmp_path: Path) -> None:
    run = Run.new(tmp_path)
    names = [
        run.evidence(*scenario).name
        for scenario in (
            ("scenarios/a.feature::It works",),
            ("other/a.feature::It works",),
            ("scenarios/a.feature::It works", "gw1"),
            ("scenarios/a.feature::It works!",),
        )
    ]
    assert len({*names}) == 4
    assert [name[:-7] for name in names] == ["a.feature-It-works"] * 4
    assert run.evidence("scenarios/a.feature::It works").parent == run.directory / "evidence"


def test_the_name_of_evidence_is_a_file_name(tmp_path: Path) -> None:
    name = Run.new(tmp_path).evidence(f"a.feature::{'ü/' * 200}\n\0 ../..[x-1]").name
    assert len(name.encode()) <= 255
    assert re.fullmatch(r"[\w.-]+", name)


def test_a_path_as_a_person_would_type_it(tmp_path: Path) -> None:
    assert shown(tmp_path / "a" / "b", tmp_path) == "a/b"
    assert shown(tmp_path, tmp_path / "a") == str(tmp_path)
