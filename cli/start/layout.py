"""The files that `goalkeeper init` writes, as texts."""

from __future__ import annotations

import json
from importlib import metadata

from .program import ROOT, Program

_CONFIGURATION = """\
# Goalkeeper's configuration. Where this file lies is the root of the project.

# Directories and files with goals, seen from here. This is where goalkeeper lint, fmt, list and show look;
# pytest runs what you name: pytest scenarios
goals = ["scenarios"]
"""

_SYSTEM = """
# A program under test: this is what runs when a goal says I run "{name} ...". {{root}} is where this file
# lies; a scenario runs in an empty directory of its own. Another program takes its place with
# pytest scenarios --system {name}=COMMAND
[systems.{key}]
command = [{words}]
"""

_LET_IN = """
# A scenario's environment holds nothing of yours but the PATH; these variables are let in.
[sandbox]
pass = [{names}]
"""
_CACHES = {
    "rust": ("CARGO_HOME", "CARGO_TARGET_DIR"),
    "go": ("GOCACHE", "GOMODCACHE", "GOPATH"),
    "node": ("NODE_PATH",),
}

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


def configuration(program: Program) -> str:
    """goalkeeper.toml: with the program, where it is one of this repository."""
    if not program.start:
        return _CONFIGURATION
    key = _text(program.name) if "." in program.name else program.name
    words = ", ".join(_text(word.replace(ROOT, "{root}")) for word in program.start)
    system = _SYSTEM.format(name=program.name, key=key, words=words)
    caches = ", ".join(map(_text, _CACHES.get(program.language, ())))
    return _CONFIGURATION + (_LET_IN.format(names=caches) if caches else "") + system


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


def _text(text: str) -> str:
    """Text as TOML writes it."""
    return json.dumps(text, ensure_ascii=False)
