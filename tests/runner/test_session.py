"""What a run leaves: its record, the evidence of what failed, and a word on the repository of the goals."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from goalkeeper.runner.evidence import Evidence
from goalkeeper.runner.record.mask import Mask
from goalkeeper.runner.record.run import Run
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.runner.session import _keep, _prune

if TYPE_CHECKING:
    from tests.runner.conftest import Project

WriteGoal = Callable[..., Path]
Event = dict[str, Any]
Read = Callable[[Path], list[Event]]

PASSES = """
    Scenario: passes
      When I run "true"
      Then the exit code is 0
      But the command never prints "x"
"""
FAILS = """
    Scenario: fails
      Given a file "kept" with
        \"\"\"
        text
        \"\"\"
      When I run "sh -c 'echo out; echo err >&2; exit 3'"
      Then the exit code is 0
      And the output is empty
"""


@pytest.fixture(autouse=True)
def not_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def records(pytester: pytest.Pytester, read_record: Read) -> Callable[[], list[Event]]:
    """The record of the one run."""

    def read() -> list[Event]:
        [path] = (pytester.path / ".goalkeeper" / "runs").glob("*/record.jsonl")
        return read_record(path)

    return read


def of(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event["event"] == kind]


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_a_run_on_record(
    pytester: pytest.Pytester, goal: WriteGoal, records: Callable[[], list[Event]], workers: list[str]
) -> None:
    goal(PASSES + FAILS)
    result = pytester.runpytest("scenarios", *workers)
    result.assert_outcomes(passed=1, failed=1)
    events = records()
    [run], [a_goal], [finish] = (of(events, kind) for kind in ("run", "goal", "finish"))
    assert (events[0], events[-1]) == (run, finish)
    assert (run["id"], run["repository"]) == (Path(result_path(result)).parent.name, None)
    assert run["arguments"][:1] == ["scenarios"]
    assert {"python", "goalkeeper", "pytest"} <= run["versions"].keys()
    assert (a_goal["id"], a_goal["file"], a_goal["tier"]) == ("G1.1", "scenarios/a.feature", 1)
    assert a_goal["scenarios"] == [f"scenarios/a.feature::{name}" for name in ("passes", "fails")]
    assert finish["status"] == 1
    told = {
        event["scenario"].rpartition("::")[2]: [
            (e["event"], e.get("step"), e.get("outcome"))
            for e in events
            if e.get("scenario") == event["scenario"] and e["event"] not in ("observation", "proof")
        ]
        for event in of(events, "scenario")
    }
    assert told == {
        "passes": [
            ("scenario", None, None),
            *(("step", n, "ok") for n in range(3)),
            ("end", None, "ok"),
        ],
        "fails": [
            ("scenario", None, None),
            *(("step", n, outcome) for n, outcome in enumerate(("ok", "ok", "failed", "failed", "ok"))),
            ("end", None, "failed"),
        ],
    }
    proofs = of(events, "proof")
    assert {(event["scenario"], event["step"]) for event in proofs} == {("scenarios/a.feature::passes", 2)}
    assert {event["by"] for event in of(events, "end")} <= ({"gw0", "gw1"} if workers else {"main"})
    assert [event["at"] for event in events if event["by"] == "main"] == sorted(
        event["at"] for event in events if event["by"] == "main"
    )


def result_path(result: pytest.RunResult) -> str:
    [line] = [line for line in result.outlines if line.startswith("run record: ")]
    return line.removeprefix("run record: ")


def test_steps_with_what_they_said(
    pytester: pytest.Pytester, goal: WriteGoal, records: Callable[[], list[Event]]
) -> None:
    goal(PASSES + FAILS)
    pytester.runpytest("scenarios")
    events = records()
    passed, failed = of(events, "scenario")
    assert passed["steps"] == [
        {"kind": "when", "text": 'I run "true"', "line": 4, "negative": False},
        {"kind": "then", "text": "the exit code is 0", "line": 5, "negative": False},
        {"kind": "then", "text": 'the command never prints "x"', "line": 6, "negative": True},
    ]
    assert failed["line"] == 8
    steps = of(events, "step")
    assert steps[2]["note"] == "looked at 1 command, 0 lines"
    assert steps[5]["error"].startswith("StepFailed: the command ended otherwise")
    assert of(events, "end")[0].keys() == {"at", "by", "event", "scenario", "outcome", "seconds"}


def test_hashes_change_with_goal_and_code(
    pytester: pytest.Pytester, goal: WriteGoal, read_record: Read
) -> None:
    step = "from pytest_bdd import when\n@when('it acts')\ndef act(): pass\n"
    seen: list[tuple[str, str]] = []
    for text, code in (("x", step), ("x", step), ("y", step), ("y", step + "# changed\n")):
        (pytester.path / "conftest.py").write_text(code)
        goal(f"Scenario: {text}\n  When it acts\n")
        result = pytester.runpytest_subprocess("scenarios")
        [event] = of(read_record(pytester.path / result_path(result)), "goal")
        seen.append((event["hash"], event["code"]))
    assert seen[0] == seen[1]
    assert (seen[2][0] != seen[0][0], seen[2][1]) == (True, seen[0][1])
    assert (seen[3][0], seen[3][1] != seen[2][1]) == (seen[2][0], True)


def test_a_goal_file_that_can_not_be_used(
    pytester: pytest.Pytester, goal: WriteGoal, records: Callable[[], list[Event]]
) -> None:
    goal(PASSES)
    goal("Scenario: x\n  When I rnu\n", "scenarios/b.feature")
    pytester.runpytest("scenarios")
    [problem] = of(records(), "problem")
    assert problem["file"] == "scenarios/b.feature"
    assert "I rnu" in problem["message"]


def test_scenarios_that_are_skipped_or_break_before_or_after(
    pytester: pytest.Pytester, goal: WriteGoal, records: Callable[[], list[Event]]
) -> None:
    pytester.makeconftest(
        """
        import pytest
        from pytest_bdd import when

        @pytest.fixture(autouse=True)
        def around(request):
            if "breaks before" in request.node.name: raise RuntimeError("no oven")
            if "skipped" in request.node.name: pytest.skip("no power")
            yield
            if "breaks after" in request.node.name: raise RuntimeError("oven left on")

        @when("it acts")
        def act(): pass

        @when("it fails")
        def fails(): assert False

        def pytest_collection_modifyitems(items):
            for item in items:
                if "expected" in item.name: item.add_marker(pytest.mark.xfail(reason="known"))
        """
    )
    names = ("breaks before", "skipped", "breaks after")
    goal(
        "\n".join(f"Scenario: {name}\n  When it acts" for name in names)
        + "\nScenario: expected\n  When it fails"
    )
    pytester.runpytest("scenarios")
    ends = {e["scenario"].rpartition("::")[2]: e for e in of(records(), "end")}
    assert {name: end["outcome"] for name, end in ends.items()} == {
        "breaks before": "failed", "skipped": "skipped", "breaks after": "failed", "expected": "failed",
    }  # fmt: skip
    assert ends["breaks before"]["reason"].startswith("setup: ")
    assert "no oven" in ends["breaks before"]["reason"]
    assert ends["skipped"]["reason"] == "no power"
    assert "oven left on" in ends["breaks after"]["reason"]
    assert ends["expected"]["reason"] == "expected to fail"


@pytest.mark.parametrize("arguments", [["--collect-only"], ["-k", "nothing"], ["--help"], ["--version"]])
def test_without_a_scenario_there_is_no_record(
    pytester: pytest.Pytester, goal: WriteGoal, arguments: list[str]
) -> None:
    goal(PASSES)
    result = pytester.runpytest("scenarios", *arguments)
    assert not (pytester.path / ".goalkeeper").exists()
    assert "run record: " not in result.stdout.str()


def test_ordinary_tests_leave_no_record(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_x(sandbox): (sandbox.work / 'a').touch()")
    pytester.runpytest().assert_outcomes(passed=1)
    assert not (pytester.path / ".goalkeeper").exists()


def test_the_record_is_named_at_the_end_but_not_when_quiet(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    goal(PASSES)
    shown = result_path(pytester.runpytest("scenarios"))
    assert (pytester.path / shown).is_file()
    assert shown.startswith(".goalkeeper/runs/")
    assert "run record" not in pytester.runpytest("scenarios", "-q").stdout.str()


def test_a_scenario_that_fails_keeps_its_files(
    pytester: pytest.Pytester, goal: WriteGoal, records: Callable[[], list[Event]]
) -> None:
    goal(PASSES + FAILS)
    pytester.runpytest("scenarios")
    [run] = (pytester.path / ".goalkeeper" / "runs").iterdir()
    [kept] = (run / "evidence").iterdir()
    assert {str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file()} == {
        "01.stdin", "01.stdout", "01.stderr", "work/kept",
    }  # fmt: skip
    assert ((kept / "01.stdout").read_text(), (kept / "work" / "kept").read_text()) == ("out\n", "text\n")
    ends = of(records(), "end")
    assert [run / end["evidence"] for end in ends if "evidence" in end] == [kept]


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_scenarios_that_pass_leave_nothing_but_the_record(
    pytester: pytest.Pytester, goal: WriteGoal, workers: list[str]
) -> None:
    goal(PASSES)
    pytester.runpytest("scenarios", *workers).assert_outcomes(passed=1)
    [run] = (pytester.path / ".goalkeeper" / "runs").iterdir()
    assert [path.name for path in run.iterdir()] == ["record.jsonl"]


def test_secrets_are_kept_out_of_record_and_evidence(
    pytester: pytest.Pytester, goal: WriteGoal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "hunter2hunter2")
    (pytester.path / "goalkeeper.toml").write_text('[sandbox]\npass = ["DEPLOY_TOKEN"]\n')
    goal(
        """
        Scenario: fails
          When I run "sh -c 'echo $DEPLOY_TOKEN; echo a$${DEPLOY_TOKEN}b >&2; seq 100000'"
          Then the output contains "nothing of hunter2hunter2"
        """
    )
    pytester.runpytest("scenarios").assert_outcomes(failed=1)
    [run] = (pytester.path / ".goalkeeper" / "runs").iterdir()
    for path in run.rglob("*"):
        assert path.is_dir() or "hunter2" not in path.read_text(), path
    [kept] = (run / "evidence").iterdir()
    assert (kept / "01.stdout").read_text().startswith("***\n1\n2\n")
    assert (kept / "01.stdout").read_text().endswith("\n100000\n")
    assert (kept / "01.stderr").read_text() == "a***b\n"
    assert sorted(path.name for path in kept.iterdir()) == ["01.stderr", "01.stdin", "01.stdout", "work"]


def test_what_is_left_running_is_ended_and_on_record(
    pytester: pytest.Pytester, goal: WriteGoal, records: Callable[[], list[Event]]
) -> None:
    pytester.makeconftest(
        """
        import subprocess
        from pytest_bdd import when

        @when("a program is left running")
        def act(sandbox):
            subprocess.Popen(["sh", "-c", "setsid sleep 600 &"], env=sandbox.environment()).wait()
        """
    )
    goal("Scenario: x\n  When a program is left running\n")
    pytester.runpytest("scenarios").assert_outcomes(passed=1)
    found = [event for event in of(records(), "observation") if event["kind"] == "left running"]
    assert [(event["outcome"], event["facts"]) for event in found] == [("ok", {"killed": 1})]


def sandbox_in(path: Path) -> Sandbox:
    path.mkdir()
    return Sandbox(path, Evidence())


def test_sockets_pipes_and_links_do_not_spoil_the_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = sandbox_in(tmp_path / "gk")
    monkeypatch.chdir(made.work)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        os.mkfifo("pipe")
        Path("dangling").symlink_to("nothing")
        Path("circle").symlink_to(".")
        Path("below").mkdir()
        Path("below", "file").write_text("x")
        _keep(made, tmp_path / "kept", Mask({}))
    kept = {str(path.relative_to(tmp_path / "kept")) for path in (tmp_path / "kept").rglob("*")}
    assert kept == {"work", "work/dangling", "work/circle", "work/below", "work/below/file"}


def test_masking_does_not_write_through_a_link(tmp_path: Path) -> None:
    """A program may put one where its output was."""
    outside = tmp_path / "outside"
    outside.write_text("hunter22")
    made = sandbox_in(tmp_path / "gk")
    (made.files / "01.stdout").symlink_to(outside)
    (made.files / "folder").mkdir()
    _keep(made, tmp_path / "kept", Mask({"A_TOKEN": "hunter22"}))
    assert outside.read_text() == "hunter22"


def test_output_that_is_no_text_is_masked_too(tmp_path: Path) -> None:
    made = sandbox_in(tmp_path / "gk")
    (made.files / "01.stdout").write_bytes(b"\xff\x00hunter22\r\n\xfe")
    _keep(made, tmp_path / "kept", Mask({"A_TOKEN": "hunter22"}))
    assert (tmp_path / "kept" / "01.stdout").read_bytes() == b"\xff\x00***\r\n\xfe"


def test_evidence_of_an_earlier_attempt_is_replaced(tmp_path: Path) -> None:
    for number in (1, 2):
        made = sandbox_in(tmp_path / f"gk{number}")
        (made.files / f"0{number}.stdout").write_text("x")
        _keep(made, tmp_path / "kept", Mask({}))
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["02.stdout", "work"]


def test_an_ordinary_test_keeps_its_evidence_where_git_overlooks_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_x(sandbox): (sandbox.work / 'a').touch(); assert False")
    pytester.runpytest().assert_outcomes(failed=1)
    assert [*(pytester.path / ".goalkeeper" / "runs").glob("*/evidence/*/work/a")]
    assert (pytester.path / ".goalkeeper" / ".gitignore").exists()


def test_the_oldest_runs_go_and_nothing_else(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    ids = [f"2000010{n}T000000Z-00000{n}" for n in range(1, 6)]
    strangers = ["latest", "20000101T000000Z", "20000101T000000Z-00000g", ".gitignore"]
    for name in (*ids, *strangers):
        (runs / name / "evidence").mkdir(parents=True)
    _prune(runs / ids[-1], 3)
    assert {path.name for path in runs.iterdir()} == {*ids[2:], *strangers}
    _prune(runs / ids[-1], 3)
    assert {path.name for path in runs.iterdir()} == {*ids[2:], *strangers}
    _prune(runs / ids[2], 1)
    assert {path.name for path in runs.iterdir()} == {ids[2], *strangers}


def test_as_many_runs_are_kept_as_the_configuration_says(pytester: pytest.Pytester, goal: WriteGoal) -> None:
    (pytester.path / "goalkeeper.toml").write_text("keep = 2\n")
    goal(PASSES)
    seen = [Path(result_path(pytester.runpytest("scenarios"))).parent.name for _ in range(4)]
    kept = {path.name for path in (pytester.path / ".goalkeeper" / "runs").iterdir()}
    assert len(kept) == 2
    assert seen[-1] in kept


@pytest.mark.parametrize("workers", [[], ["-n", "1"]])
def test_reports_elsewhere(
    pytester: pytest.Pytester, goal: WriteGoal, workers: list[str], read_record: Read
) -> None:
    goal(PASSES)
    (pytester.path / "goalkeeper.toml").write_text('reports = "out/configured"\n')
    pytester.runpytest("scenarios", *workers)
    pytester.runpytest("scenarios", "--goal-reports", "out/named", *workers)
    assert not (pytester.path / ".goalkeeper").exists()
    for name in ("configured", "named"):
        [path] = (pytester.path / "out" / name / "runs").glob("*/record.jsonl")
        assert read_record(path)[-1]["status"] == 0


@pytest.mark.parametrize("workers", [[], ["-n", "1"]])
def test_reports_that_can_not_be_written_are_wrong_usage(
    pytester: pytest.Pytester, goal: WriteGoal, workers: list[str]
) -> None:
    goal(PASSES)
    (pytester.path / "file").write_text("x")
    result = pytester.runpytest("scenarios", "--goal-reports", "file", *workers)
    printed = result.stdout.str() + result.stderr.str()
    assert "the run can't be recorded in" in printed
    assert "Name a directory that can be written: pytest --goal-reports DIR" in printed
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.assert_outcomes()


def test_a_configuration_that_can_not_be_used_is_wrong_usage(
    pytester: pytest.Pytester, goal: WriteGoal
) -> None:
    goal(PASSES)
    (pytester.path / "goalkeeper.toml").write_text("gaols = []\n")
    result = pytester.runpytest("scenarios")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*goalkeeper.toml*"])


@pytest.fixture
def repository(project: Project) -> Iterator[Callable[..., str]]:
    """The project as a repository whose goals are committed; git in it."""
    settings = project.home / "gitconfig"
    settings.write_text("[user]\nname = Someone\nemail = someone@example.org\n")

    def git(*arguments: str) -> str:
        environment = {**project.environment, "GIT_CONFIG_GLOBAL": str(settings), "GIT_CONFIG_NOSYSTEM": "1"}
        ran = subprocess.run(
            ["git", *arguments], cwd=project.path, env=environment, check=True, capture_output=True, text=True
        )
        return ran.stdout

    git("init", "-b", "main")
    (project.path / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n")
    git("add", ".")
    git("commit", "-m", "first")
    yield git


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_git_sees_nothing_of_a_run(
    project: Project, repository: Callable[..., str], workers: list[str]
) -> None:
    project.goal(PASSES + FAILS)
    repository("add", ".")
    repository("commit", "-m", "goals")
    status, printed = project.run("scenarios", *workers)
    assert status == 1
    assert "the repository changed" not in printed
    assert repository("status", "--porcelain") == ""
    first, last = project.record()[0], project.record()[-1]
    assert first["repository"] == last["repository"]
    assert first["repository"]["commit"] == repository("rev-parse", "HEAD").strip()


@pytest.mark.parametrize(("variables", "code"), [({}, 0), ({"CI": "true"}, 1)])
def test_a_scenario_that_leaves_its_sandbox(
    project: Project, repository: Callable[..., str], variables: dict[str, str], code: int
) -> None:
    project.environment |= variables
    files = " ".join(f"{project.path}/new{n:02}" for n in range(11))
    project.goal(f'Scenario: x\n  When I run "touch {files}"\n  Then the exit code is 0\n')
    repository("add", ".")
    repository("commit", "-m", "goals")
    status, printed = project.run("scenarios")
    assert status == code
    lines = printed.splitlines()
    begin = next(n for n, line in enumerate(lines) if "the repository changed while goals ran" in line)
    assert lines[begin + 1 : begin + 4] == [
        "a scenario left its sandbox, or someone worked here meanwhile:",
        "  new: new00",
        "  new: new01",
    ]
    assert lines[begin + 12] == "  and 1 more"
    finish = project.record()[-1]
    assert finish["status"] == code
    assert [entry for entry in finish["repository"]["changes"] if entry.startswith("? new")]


def test_a_password_that_is_a_word_of_the_repository_does_not_count_as_a_change(
    project: Project, repository: Callable[..., str]
) -> None:
    project.environment |= {"CI": "true", "DB_PASSWORD": "main"}
    project.goal(PASSES)
    repository("add", ".")
    (project.path / "mainly").write_text("x")
    status, printed = project.run("scenarios")
    assert (status, "the repository changed" in printed) == (0, False)


def test_the_run_goes_over_the_process_boundary(tmp_path: Path) -> None:
    told: dict[str, Any] = {"goalkeeper": Run.new(tmp_path).data()}
    assert json.loads(json.dumps(told)) == told
