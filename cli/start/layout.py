"""The files that `goalkeeper init` writes, as texts."""

from __future__ import annotations

import json
from importlib import metadata

from .program import ROOT, Program

CONFIGURATION = """\
# Goalkeeper's configuration. Where this file lies is the root of the project.

# Directories and files with goals, seen from here. This is where goalkeeper lint, fmt, list and show look;
# pytest runs what you name: pytest scenarios
goals = ["scenarios"]
"""

_CONFTEST = '''\
"""Puts the programs of this repository on the PATH of every scenario.

A scenario runs in an empty directory of its own, so it can't call them by a path.
"""

import os
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = {{
    {name}: [
        {words},
    ],
}}


@pytest.fixture(scope="session", autouse=True)
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    for name, command in PROGRAMS.items():
        (folder / name).write_text(f'#!/bin/sh\\nexec {{shlex.join(command)}} "$@"\\n')
        (folder / name).chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(folder), prepend=os.pathsep)
        yield
'''

_WORKFLOW = """\
name: goals

on:
  push:
  pull_request:

permissions:
  contents: read

jobs:
  goals:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.x"
      {install}
      - run: goalkeeper lint --format github
      - run: pytest scenarios
"""


def conftest(program: Program) -> str:
    words = ",\n        ".join(_word(word) for word in program.start)
    return _CONFTEST.format(name=json.dumps(program.name), words=words)


def workflow(program: Program) -> str:
    """What GitHub runs. A Python project whose program is installed has to be installed there too."""
    lines = [f"- run: pip install {json.dumps(requirement())}"]
    if program.language == "python" and not program.start:
        lines.append("- run: pip install .")
    return _WORKFLOW.replace("{install}", "\n      ".join(lines))


def requirement() -> str:
    """How pip gets the Goalkeeper that is running: from where it came, or by its version."""
    origin = json.loads(metadata.distribution("goalkeeper").read_text("direct_url.json") or "{}")
    url, source = str(origin.get("url", "")), origin.get("vcs_info")
    if source:
        return f"goalkeeper @ {source['vcs']}+{url}@{source['commit_id']}"
    return f"goalkeeper=={metadata.version('goalkeeper')}"


def is_local() -> bool:
    """Whether Goalkeeper was installed from a directory, which a CI machine does not have."""
    origin = json.loads(metadata.distribution("goalkeeper").read_text("direct_url.json") or "{}")
    return str(origin.get("url", "")).startswith("file:")


def _word(word: str) -> str:
    """A word of the command as Python; the root of the repository is known when it runs."""
    if ROOT not in word:
        return json.dumps(word, ensure_ascii=False)
    braces = word.replace("{", "{{").replace("}", "}}").replace(ROOT, "{ROOT}")
    return f"f{json.dumps(braces, ensure_ascii=False)}"
