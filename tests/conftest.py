"""What tests of the plugin share: a project in a temporary directory, run by a pytest of its own."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

# pytester forgets the modules that an inner run imported; libyaml's extension can't be imported twice.
assert yaml.CSafeLoader is not None

WriteGoal = Callable[..., Path]
Prove = Callable[..., list[dict[str, Any]]]

HEAD = """\
    @G1.1
    Feature: A goal
"""


@pytest.fixture
def goal(pytester: pytest.Pytester) -> WriteGoal:
    """Write a goal file; text without a Feature gets a head with the id G1.1."""

    def write(text: str, name: str = "scenarios/a.feature") -> Path:
        body = textwrap.dedent(text).lstrip("\n")
        if name.endswith(".feature") and not body.startswith(("@G", "# language", "Feature:")):
            body = textwrap.dedent(HEAD) + textwrap.indent(body, "  ")
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
        return path

    return write


@pytest.fixture
def prove(pytester: pytest.Pytester, goal: WriteGoal) -> Prove:
    """Run a goal of tier 0 and tell what became of each violation, with the step that it was tried on.

    `passed` is how many of its scenarios pass; the others fail.
    """

    def run(text: str, passed: int) -> list[dict[str, Any]]:
        body = textwrap.indent(textwrap.dedent(text).strip("\n"), "  ")
        goal(f"@G0.1\nFeature: A goal\n{body}\n")
        result = pytester.runpytest("scenarios")
        [record] = pytester.path.glob(".goalkeeper/runs/*/record.jsonl")
        events = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
        told: list[dict[str, Any]] = [event for event in events if event["event"] == "proof"]
        steps = {event["scenario"]: event["steps"] for event in events if event["event"] == "scenario"}
        for proof in told:
            proof["text"] = steps[proof["scenario"]][proof["step"]]["text"]
        bad = [proof for proof in told if proof["outcome"] != "proven"]
        assert result.parseoutcomes().get("passed", 0) == passed, bad
        return told

    return run
