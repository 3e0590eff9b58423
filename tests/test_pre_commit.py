"""The hooks that other repositories use through pre-commit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from goalkeeper.cli import COMMANDS

HOOKS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent.parent / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
)


def test_lint_and_fmt_are_there() -> None:
    assert [hook["id"] for hook in HOOKS] == ["goalkeeper-lint", "goalkeeper-fmt"]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_a_hook_calls_a_command_for_goal_files(hook: dict[str, Any]) -> None:
    program, command = hook["entry"].split()
    assert program == "goalkeeper"
    assert command in COMMANDS
    for name in ("a.feature", "b/c.goal.yaml", "d.goal.yml"):
        assert re.search(hook["files"], name)
    assert not re.search(hook["files"], "values.yaml")


def test_lint_sees_the_whole_tree_because_ids_must_be_unique_in_it() -> None:
    [lint] = [hook for hook in HOOKS if hook["id"] == "goalkeeper-lint"]
    assert lint["pass_filenames"] is False
