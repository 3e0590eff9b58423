"""Scenarios and their surroundings: neither touches the other, however many there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from goalkeeper.runner.watcher import processes

if TYPE_CHECKING:
    from tests.runner.conftest import Project

CONFTEST = """
import json, os, pathlib
import pytest

def now():
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}

BEFORE = now(), os.getcwd(), os.umask(0o022)

@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    pathlib.Path("environment.json").write_text(json.dumps([BEFORE, (now(), os.getcwd(), os.umask(0o022))]))
"""
TOUCHES = """
    Scenario: touches everything
      Given I run "git config --global user.name Intruder"
      And I run "sh -c 'echo x > ~/.profile; mkdir ~/.ssh; touch ~/.ssh/id'"
      And I run "sh -c 'mkdir -p $XDG_CONFIG_HOME/git; echo x > $XDG_CONFIG_HOME/git/ignore'"
      And I run "sh -c 'echo x > $TMPDIR/file; echo x > $XDG_RUNTIME_DIR/file'"
      And I run "git init -b main"
      And I run "git commit --allow-empty -m first"
      And environment variable "OURS" is "changed"
      When I run "sh -c 'git log -1 --format=%an/%ae/%aI; git config user.signingkey; echo $OURS $USERS'"
      Then the output matches "^Goalkeeper/goalkeeper@sandbox.invalid/2000-01-01T00:00:00"
      And the output matches "^changed$"
      But the command never prints "Owner"
"""


def picture(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file with its mode, its time and its content."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
        if not {".goalkeeper", "__pycache__", ".pytest_cache", "environment.json"} & {*path.parts}
    }


def test_what_is_the_users_stays_as_it_is(project: Project) -> None:
    """The home, git's configuration, the environment, and the repository that holds the goals."""
    (project.home / ".gitconfig").write_text(
        "[user]\n\tname = Owner\n\temail = o@example.org\n\tsigningkey = Owner\n"
    )
    (project.home / ".profile").write_text("# Owner\n")
    (project.path / "conftest.py").write_text(CONFTEST)
    (project.path / ".git").mkdir()
    for name in ("HEAD", "config", "index"):
        (project.path / ".git" / name).write_text("not to be touched")
    project.goal(TOUCHES)
    project.environment |= {
        "OURS": "outside",
        "USERS": "Owner",
        "GIT_AUTHOR_NAME": "Owner",
        "GIT_DIR": "/nowhere",
    }
    before = picture(project.home), picture(project.path)
    status, printed = project.run("scenarios", "-p", "no:cacheprovider")
    assert status == 0, printed
    assert (picture(project.home), picture(project.path)) == before
    first, last = json.loads((project.path / "environment.json").read_text())
    assert first == last
    assert first[0]["USERS"] == "Owner"
    assert [*project.place.iterdir()] == []


def test_the_place_of_sandboxes_is_left_as_it_was(project: Project) -> None:
    (project.place / "gk-of-someone-else").mkdir()
    before = project.place.stat().st_mode
    project.goal(
        "Scenario: x\n  When I run \"sh -c 'mkdir -m 0 locked; exit 1'\"\n  Then the exit code is 0\n"
    )
    status, printed = project.run("scenarios")
    assert status == 1, printed
    assert [path.name for path in project.place.iterdir()] == ["gk-of-someone-else"]
    assert project.place.stat().st_mode == before


def test_a_sandbox_inside_of_a_sandbox(project: Project) -> None:
    """Goalkeeper's own goals run Goalkeeper."""
    inner = project.path / "inner"
    inner.mkdir()
    (inner / "pytest.ini").write_text("[pytest]\n")
    (inner / "a.feature").write_text(
        "@G1.2\nFeature: Inner\n  Scenario: x\n    When I run \"sh -c 'pwd; setsid sleep 600 &'\"\n"
        '    Then the output contains "/tmp/gk-"\n    But file "core" never exists\n'
    )
    project.goal(
        f'Scenario: x\n  When I run "pytest {inner} --goal-reports reports"\n  Then the exit code is 0\n'
    )
    status, printed = project.run("scenarios")
    assert status == 0, printed
    assert project.sandboxes() == []
    assert processes.members(str(project.place)) == set()


def test_two_hundred_scenarios_on_four_workers(project: Project) -> None:
    rows = "\n".join(f"        | {n} |" for n in range(200))
    project.goal(
        f"""
    Scenario Outline: writes
      Given I run "sh -c 'echo <n> > file; echo $HOME > home'"
      When I run "sh -c 'cat file home; ls | wc -l; setsid sleep 600 &'"
      Then the output matches "^<n>$"
      But the command never prints "Owner"

      Examples:
        | n |
{rows}
    """
    )
    status, printed = project.run("scenarios", "-n", "4", "-q", "--no-proof")
    assert status == 0, printed
    assert project.sandboxes() == []
    assert processes.members(str(project.place)) == set()
    events = project.record()
    by_kind = {
        kind: [e for e in events if e["event"] == kind] for kind in ("scenario", "step", "end", "goal")
    }
    assert {kind: len(found) for kind, found in by_kind.items()} == {
        "scenario": 200, "step": 800, "end": 200, "goal": 1,
    }  # fmt: skip
    names = by_kind["goal"][0]["scenarios"]
    assert len({*names}) == 200
    assert sorted(e["scenario"] for e in by_kind["end"]) == sorted(names)
    assert {e["outcome"] for e in by_kind["end"]} == {"ok"}
    assert {e["by"] for e in by_kind["end"]} == {f"gw{n}" for n in range(4)}
    assert (events[0]["event"], events[-1]["event"]) == ("run", "finish")
    for worker in range(4):
        own = [e["at"] for e in events[2:] if e["by"] == f"gw{worker}"]
        assert own == sorted(own)
