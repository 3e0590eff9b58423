"""Events on their way into a record: at once, valid, from several processes, and without secrets."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.record.mask import Mask
from goalkeeper.runner.record.run import Run
from goalkeeper.runner.record.writer import Record, RecordError, ScenarioRecord

Event = dict[str, Any]
Read = Callable[[Path], list[Event]]
HASH = "0" * 64


def head() -> Iterable[Event]:
    yield {
        "event": "run", "id": "x", "format": 1, "started": "2000-01-01T00:00:00+00:00", "versions": {},
        "platform": "p", "arguments": [], "proofs": True, "repository": None, "systems": {},
    }  # fmt: skip


def opened(reports: Path, mask: Mask | None = None, by: str = "main") -> Record:
    record = Record(Run.new(reports), by, mask or Mask({}))
    record.open(head())
    return record


def test_an_event_is_in_the_file_as_soon_as_it_is_said(tmp_path: Path, read_record: Read) -> None:
    record = opened(tmp_path)
    record.write("problem", file="a", message="b")
    assert [e["event"] for e in read_record(record.run.record)] == ["run", "problem"]
    record.write("finish", status=0, repository=None)
    assert [e["event"] for e in read_record(record.run.record)] == ["run", "problem", "finish"]
    record.close()
    record.write("finish", status=1, repository=None)
    record.close()
    events = read_record(record.run.record)
    assert len(events) == 3
    assert [e["at"] for e in events] == sorted(e["at"] for e in events)
    assert {e["by"] for e in events} == {"main"}
    assert [path.name for path in record.run.directory.iterdir()] == ["record.jsonl"]


def test_before_it_is_opened_nothing_is_written(tmp_path: Path) -> None:
    record = Record(Run.new(tmp_path / "reports"), "main", Mask({}))
    record.write("finish", status=0, repository=None)
    ScenarioRecord(record, "a").end("ok", 0.0)
    assert record.append() is False
    assert [*tmp_path.iterdir()] == []


def test_the_whole_story_of_a_scenario(tmp_path: Path, read_record: Read) -> None:
    record = opened(tmp_path, by="gw0")
    scenario = ScenarioRecord(record, 'a.feature::it "works" ü\n')
    scenario.begin("G1.1", 2, [("when", "x", 3, False), ("then", 'never "y"', 4, True)])
    scenario.observe("command", "unknown", {"line": "x", "code": -9, "path": Path("/a"), "odd": "\ud800"})
    scenario.step(0, "ok", 0.5, note="n")
    scenario.step(1, "failed", 1e-9, error="E: 1\n2")
    scenario.end("failed", 1.25, reason="", evidence="evidence/x")
    record.close()
    told = [{k: v for k, v in e.items() if k not in ("at", "by")} for e in read_record(record.run.record)[1:]]
    assert {e.pop("scenario") for e in told} == {'a.feature::it "works" ü\n'}
    assert told == [
        {
            "event": "scenario",
            "goal": "G1.1",
            "line": 2,
            "steps": [
                {"kind": "when", "text": "x", "line": 3, "negative": False},
                {"kind": "then", "text": 'never "y"', "line": 4, "negative": True},
            ],
        },
        {
            "event": "observation",
            "kind": "command",
            "outcome": "unknown",
            "facts": {"line": "x", "code": -9, "path": "/a", "odd": "?"},
        },
        {"event": "step", "step": 0, "outcome": "ok", "seconds": 0.5, "note": "n"},
        {"event": "step", "step": 1, "outcome": "failed", "seconds": 0.0, "error": "E: 1\n2"},
        {"event": "end", "outcome": "failed", "seconds": 1.25, "evidence": "evidence/x"},
    ]


def test_an_end_without_a_time(tmp_path: Path, read_record: Read) -> None:
    record = opened(tmp_path)
    ScenarioRecord(record, "a").end("unknown", reason="r")
    record.close()
    last = read_record(record.run.record)[-1]
    assert "seconds" not in last
    assert (last["outcome"], last["reason"]) == ("unknown", "r")


WRITER = """
import json, sys
from goalkeeper.runner.record.mask import Mask
from goalkeeper.runner.record.run import Run
from goalkeeper.runner.record.writer import Record, ScenarioRecord

data, head, name = map(json.loads, sys.argv[1:])
record = Record(Run.of(data), name, Mask({}))
record.open([head])
for index in range(300):
    ScenarioRecord(record, name).step(index, "ok", 0.0, note="x" * 5000)
"""


def test_several_processes_share_one_file(tmp_path: Path, read_record: Read) -> None:
    run, [first] = Run.new(tmp_path), head()
    told = [[json.dumps(data) for data in (run.data(), first, f"gw{n}")] for n in range(3)]
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, *words]) for words in told]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    events = read_record(run.record)
    assert [e["event"] for e in events].count("run") == 1
    assert events[0]["event"] == "run"
    for number in range(3):
        own = [e["step"] for e in events if e["by"] == f"gw{number}" and e["event"] == "step"]
        assert own == [*range(300)]
    assert [path.name for path in run.directory.iterdir()] == ["record.jsonl"]


def test_secrets_are_masked_and_the_line_stays_valid(tmp_path: Path, read_record: Read) -> None:
    """Passwords that are words or digits of the record itself."""
    words = ("step", "outcome", "main", "0000", "scenario", "event", "when", "kind", "null", "text")
    mask = Mask({f"PASSWORD_{n}": word for n, word in enumerate(words)} | {"API_TOKEN": "s3cr3t"})
    record = opened(tmp_path, mask)
    record.write(
        "goal", id="G1.1", file="scenarios/a", tier=0, title="s3cr3t", hash=HASH, code=HASH, scenarios=["s"]
    )
    scenario = ScenarioRecord(record, "scenarios/a::s")
    scenario.begin("G1.1", 2, [("when", "I type s3cr3t", 3, False)])
    scenario.step(0, "ok", 0.00001, note="s3cr3t", error="s3cr3t")
    scenario.observe("kind", "ok", {"id": "s3cr3t", "list": [{"a": "s3cr3t0000"}], "port": 10000})
    scenario.end("failed", 0.0, reason="s3cr3t", evidence="evidence/scenario-1")
    record.write("problem", file="a", message="s3cr3t")
    record.close()
    text = record.run.record.read_text()
    assert "s3cr3t" not in text
    events = read_record(record.run.record)
    assert events[4]["facts"] == {"id": "***", "list": [{"a": "******"}], "port": 10000}
    assert events[4]["kind"] == "kind"
    assert (events[2]["scenario"], events[1]["file"]) == ("scenarios/a::s", "scenarios/a")
    assert events[5]["evidence"] == "evidence/scenario-1"


@pytest.mark.parametrize("reports", ["file", "file/below", "/proc/reports"])
def test_a_place_that_can_not_be_written(tmp_path: Path, reports: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RecordError) as caught:
        opened(tmp_path / reports)
    told = str(caught.value)
    assert told.startswith(f"the run can't be recorded in {tmp_path / reports}: ")
    assert told.endswith("Name a directory that can be written: pytest --goal-reports DIR")


def test_a_directory_that_is_read_only(place: Path) -> None:
    place.chmod(0o555)
    with pytest.raises(RecordError, match=r"Permission denied\. Name a directory .* --goal-reports"):
        opened(place / "reports")


def test_git_overlooks_the_reports(tmp_path: Path) -> None:
    for _ in range(2):
        opened(tmp_path / "reports").close()
    ignored = (tmp_path / "reports" / ".gitignore").read_text().splitlines()
    assert ignored[-1] == "*"
    assert not (tmp_path / "reports" / "runs" / ".gitignore").exists()


def test_a_directory_with_files_of_others_is_not_overlooked_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("x")
    opened(tmp_path / "docs").close()
    assert not (tmp_path / "docs" / ".gitignore").exists()
    assert (tmp_path / "docs" / "runs" / ".gitignore").read_text().endswith("\n*\n")


def test_what_someone_else_said_to_git_stays(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("mine\n")
    opened(tmp_path).close()
    assert (tmp_path / ".gitignore").read_text() == "mine\n"
    assert not (tmp_path / "runs" / ".gitignore").exists()


def test_going_on_with_a_record(tmp_path: Path, read_record: Read) -> None:
    first = opened(tmp_path)
    other = Record(first.run, "gw0", Mask({}))
    assert other.append()
    assert other.append()
    other.write("problem", file="a", message="b")
    first.write("problem", file="a", message="b")
    first.close()
    other.close()
    assert [e["by"] for e in read_record(first.run.record)] == ["main", "gw0", "main"]
    assert json.loads(first.run.record.read_text().splitlines()[0])["event"] == "run"
