"""Running programs: how they end, what they are given, and that nothing of them is left."""

from __future__ import annotations

import os
import select
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.runner.evidence import Evidence, Outcome
from goalkeeper.runner.failure import StepFailed
from goalkeeper.runner.sandbox import Sandbox
from goalkeeper.steps.cli.command import DEFAULT_LIMIT, Commands, Options

DEADLINE = 30.0


class Lifeline:
    """A named pipe that hangs up when the last process that opened it for writing is dead."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._poll = select.poll()
        self._poll.register(self._reader, 0)

    def is_cut(self, within: float = DEADLINE) -> bool:
        return bool(self._poll.poll(within * 1000))

    def close(self) -> None:
        os.close(self._reader)


@pytest.fixture
def lifeline(sandbox: Sandbox) -> Iterator[Lifeline]:
    """Held by a command through `exec 9>alive`."""
    line = Lifeline(sandbox.work / "alive")
    yield line
    line.close()


def executable(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("line", "code", "ending"),
    [
        ("true", 0, "exit code 0"),
        ("sh -c 'exit 3'", 3, "exit code 3"),
        ("sh -c 'exit 255'", 255, "exit code 255"),
        ("sh -c 'kill -TERM $$'", -15, "killed by SIGTERM"),
        ("sh -c 'kill -KILL $$'", -9, "killed by SIGKILL"),
        ("sh -c 'kill -35 $$'", -35, "killed by signal 35"),
    ],
)
def test_how_a_command_ended(
    commands: Commands, evidence: Evidence, line: str, code: int, ending: str
) -> None:
    result = commands.run(line, Options())
    assert (result.exit_code, result.ending) == (code, ending)
    assert commands.results == [result]
    assert commands.last is result
    assert [entry.title for entry in evidence.entries] == [f"$ {line}    ({ending})"]


@pytest.mark.parametrize(
    ("line", "options", "message"),
    [
        ("", Options(), "there is no command to run"),
        (" ", Options(), "there is no command to run"),
        ("echo 'a", Options(), "this command line can't be split: No closing quotation\n  echo 'a"),
        ("echo \\", Options(), "this command line can't be split: No escaped character\n  echo \\"),
        (
            "no-such-program -v",
            Options(),
            'there is no program "no-such-program": is it installed, and on the PATH?',
        ),
        ("./nothing", Options(), 'there is no program "./nothing": is it installed, and on the PATH?'),
        ("./plain", Options(), '"./plain" can\'t be started: Permission denied'),
        (
            "./orphan",
            Options(),
            '"./orphan" can\'t be started: the interpreter in its #! line does not exist',
        ),
        ("true", Options(directory="a/b"), 'there is no directory "a/b" to run in'),
        ("true", Options(directory="plain"), 'there is no directory "plain" to run in'),
        (
            "true",
            Options(directory=".."),
            '".." lies outside of the sandbox: name a path inside it',
        ),
        (
            "true",
            Options(environment={"A=B": "x"}),
            '"true" can\'t be started: illegal environment variable name',
        ),
    ],
)
def test_a_command_that_can_not_be_started(
    commands: Commands, sandbox: Sandbox, line: str, options: Options, message: str
) -> None:
    (sandbox.work / "plain").write_text("no program\n")
    executable(sandbox.work / "orphan", "#!/no/such/interpreter\n")
    with pytest.raises(StepFailed) as caught:
        commands.run(line, options)
    assert str(caught.value) == message
    assert commands.results == []


def test_looking_at_a_command_before_one_ran(commands: Commands) -> None:
    with pytest.raises(StepFailed) as caught:
        _ = commands.last
    assert str(caught.value) == "no command has been run: this step looks at the output of the last one"


def test_quotes_group_and_nothing_is_expanded(commands: Commands) -> None:
    line = f"""{sys.executable} -c 'import sys; print(sys.argv[1:])' "a b" 'c"d' e\\ f '' $HOME * | x"""
    result = commands.run(line, Options())
    assert result.stdout == "['a b', 'c\"d', 'e f', '', '$HOME', '*', '|', 'x']\n"


def test_a_program_is_found_on_the_path_that_the_scenario_sets(commands: Commands, sandbox: Sandbox) -> None:
    (sandbox.work / "bin").mkdir()
    executable(sandbox.work / "bin" / "own-tool", "#!/bin/sh\necho mine\n")
    commands.environment["PATH"] = f"{sandbox.work / 'bin'}:{os.environ['PATH']}"
    assert commands.run("own-tool", Options()).stdout == "mine\n"


def test_the_nearest_variable_wins(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ONE", "TWO", "THREE"):
        monkeypatch.setenv(name, "outside")
    commands.environment |= {"TWO": "scenario", "THREE": "scenario"}
    result = commands.run("sh -c 'echo ${ONE-none} $TWO $THREE'", Options(environment={"THREE": "command"}))
    assert result.stdout == "none scenario command\n"
    assert commands.run("sh -c 'echo $THREE'", Options()).stdout == "scenario\n"


@pytest.mark.parametrize(("stdin", "size"), [(None, 0), ("", 0), ("é\n", 3), ("x" * 1_000_000, 1_000_000)])
def test_standard_input(commands: Commands, stdin: str | None, size: int) -> None:
    assert commands.run("wc -c", Options(stdin=stdin)).stdout.strip() == str(size)


def test_a_command_runs_in_the_sandbox_or_below_it(commands: Commands, sandbox: Sandbox) -> None:
    (sandbox.work / "sub dir").mkdir()
    assert commands.run("pwd -P", Options()).stdout == f"{sandbox.work.resolve()}\n"
    below = commands.run("pwd -P", Options(directory="sub dir"))
    assert below.stdout == f"{sandbox.work.resolve() / 'sub dir'}\n"


def test_output_is_kept_apart_and_as_it_was_printed(commands: Commands, sandbox: Sandbox) -> None:
    result = commands.run(r"sh -c 'printf \\377a\\r\\nb; echo err >&2'", Options())
    assert (result.stdout, result.stderr) == ("\ufffda\r\nb", "err\n")
    assert result.stdout_path.read_bytes() == b"\xffa\r\nb"
    assert result.stdout_path.parent == sandbox.files
    commands.run("echo second", Options())
    assert commands.results[0].stdout_path.read_bytes() == b"\xffa\r\nb"


def test_large_output_on_both_streams(commands: Commands) -> None:
    script = "import sys\nfor s in (sys.stdout, sys.stderr):\n    s.write('x' * 5_000_000 + 'end')"
    result = commands.run(shlex.join([sys.executable, "-c", script]), Options())
    assert [len(text) for text in (result.stdout, result.stderr)] == [5_000_003] * 2
    assert len(result.printed()) < 5_000


@pytest.mark.parametrize(
    ("script", "text"),
    [
        (":", "it printed nothing"),
        ("echo a", "stdout:\na"),
        ("echo b >&2", "stderr:\nb"),
        ("echo a; echo b >&2", "stdout:\na\nstderr:\nb"),
    ],
)
def test_what_a_failure_shows_of_a_command(commands: Commands, script: str, text: str) -> None:
    assert commands.run(shlex.join(["sh", "-c", script]), Options()).printed() == text


def test_output_that_was_removed(commands: Commands) -> None:
    result = commands.run("rm -rf ../evidence", Options())
    with pytest.raises(StepFailed) as caught:
        _ = result.stdout
    assert str(caught.value) == 'what "rm -rf ../evidence" printed can\'t be read: No such file or directory'


def test_a_command_over_its_limit_is_killed_with_its_children(
    commands: Commands, evidence: Evidence, sandbox: Sandbox, lifeline: Lifeline
) -> None:
    line = "sh -c 'exec 9>alive; sleep 600 & sleep 600'"
    # Holding the pipe here too: were the shell slower than the limit, there would be nobody to let go of it.
    with (sandbox.work / "alive").open("wb"), pytest.raises(StepFailed) as caught:
        commands.run(line, Options(limit=0.5))
    assert str(caught.value) == f'"{line}" did not end within 0.5 s'
    assert lifeline.is_cut()
    assert commands.last.ending == "killed by SIGKILL"
    assert evidence.entries[-1].title == f"$ {line}    (not done after 0.5 s, killed)"


@pytest.mark.parametrize("limit", [DEADLINE, 10_000 * 3600.0])
def test_a_command_within_its_limit_is_left_alone(commands: Commands, limit: float) -> None:
    assert commands.run("true", Options(limit=limit)).exit_code == 0


def test_the_limit_without_a_word_on_it() -> None:
    assert Options().limit == DEFAULT_LIMIT == 60.0


def test_a_child_that_outlives_its_parent_is_not_waited_for_but_killed_at_the_end(
    commands: Commands, lifeline: Lifeline
) -> None:
    result = commands.run("sh -c 'exec 9>alive; sleep 600 & echo done'", Options(limit=DEADLINE))
    assert result.stdout == "done\n"
    assert not lifeline.is_cut(within=0)
    commands.close()
    assert lifeline.is_cut()


def test_the_number_of_an_ended_program_stays_taken_until_the_end(commands: Commands) -> None:
    """Else its group's number could be a stranger's by the time the group is killed."""
    pid = int(commands.run("sh -c 'echo $$'", Options()).stdout)
    os.kill(pid, 0)
    commands.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_command_is_the_leader_of_its_own_session(commands: Commands) -> None:
    """Ctrl-C in the terminal that runs pytest does not reach it."""
    script = "import os; print(os.getpid() == os.getsid(0) == os.getpgid(0))"
    assert commands.run(shlex.join([sys.executable, "-c", script]), Options()).stdout == "True\n"


def test_what_goes_into_the_record(commands: Commands, evidence: Evidence) -> None:
    found: list[tuple[str, Outcome, dict[str, Any]]] = []
    evidence.sink = lambda kind, outcome, facts: found.append((kind, outcome, facts))
    commands.run("true", Options())
    commands.run("false", Options())
    commands.run("sh -c 'kill -TERM $$'", Options())
    with pytest.raises(StepFailed):
        commands.run("sleep 600", Options(limit=0.01))
    commands.start("true", Options())
    commands.finish(DEADLINE)
    commands.run_at_once(["true", "false"], Options())
    commands.start("sleep 601", Options())
    assert {facts["line"] for _, _, facts in found} == {"true", "false", "sh -c 'kill -TERM $$'", "sleep 600"}
    commands.close()
    commands.close()
    assert all(facts.pop("seconds") >= 0 for _, _, facts in found)
    assert [(kind, outcome, facts["exit_code"], facts["ending"]) for kind, outcome, facts in found] == [
        ("command", "ok", 0, "exit code 0"),
        ("command", "failed", 1, "exit code 1"),
        ("command", "unknown", None, "killed by SIGTERM"),
        ("command", "unknown", None, "still running, killed"),
        ("command", "ok", 0, "exit code 0"),
        ("command", "ok", 0, "exit code 0"),
        ("command", "failed", 1, "exit code 1"),
        ("command", "unknown", None, "still running, killed"),
    ]


def test_the_evidence_of_commands_in_the_background_and_at_once(
    commands: Commands, evidence: Evidence
) -> None:
    commands.start("sh -c 'echo out; exit 2'", Options())
    commands.finish(DEADLINE)
    commands.run_at_once(["echo a", "sh -c 'echo b; exit 1'"], Options())
    assert [entry.title for entry in evidence.entries] == [
        "$ sh -c 'echo out; exit 2'    (in the background)",
        "$ sh -c 'echo out; exit 2'    (exit code 2)",
        "$ 2 commands at once    (1 × exit code 0, 1 × exit code 1)",
    ]
    assert evidence.entries[0].text() == evidence.entries[1].text() == "stdout:\nout"
    assert evidence.entries[2].text() == (
        '1. "echo a" (exit code 0)\nstdout:\na\n2. "sh -c \'echo b; exit 1\'" (exit code 1)\nstdout:\nb'
    )


def test_many_commands_do_not_use_up_the_handles(commands: Commands) -> None:
    """One is held for each program that runs, and none for one that has ended."""
    commands.run("true", Options())
    before = len([*Path("/proc/self/fd").iterdir()])
    for _ in range(5):
        commands.run("true", Options())
    assert len([*Path("/proc/self/fd").iterdir()]) == before


def test_a_daemon_of_a_command_is_ended_with_the_scenario(commands: Commands, lifeline: Lifeline) -> None:
    commands.run("sh -c 'exec 9>alive; setsid sleep 600 </dev/null >/dev/null 2>&1 & exit 0'", Options())
    assert not lifeline.is_cut(within=0)
    commands.close()
    assert lifeline.is_cut()


def test_a_global_git_setting_stays_in_the_sandbox(commands: Commands, sandbox: Sandbox) -> None:
    """Were it kept in /dev/null, root would replace the device by a file."""
    commands.run("git config --global user.name Somebody", Options())
    assert Path(os.devnull).is_char_device()
    assert "Somebody" in (sandbox.root / "home" / ".gitconfig").read_text()
