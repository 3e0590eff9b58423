"""A project with a system under test: a small program, its profile, and goals about it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

WriteProfile = Callable[..., Path]

PROGRAM = """\
#!/usr/bin/env python3
import json, os, pathlib, sys

command, *words = sys.argv[1:] or ["nothing"]
if command == "start":
    run, *lines = words
    folder = pathlib.Path("runs", run)
    folder.mkdir(parents=True)
    (folder / "state.json").write_text(json.dumps({"id": run, "phase": "open"}))
    with (folder / "log.jsonl").open("w") as log:
        for line in lines or ['{"kind": "started"}']:
            print(line, file=log)
elif command == "show":
    print(os.path.basename(os.getcwd()), os.environ.get("MODE"), *words, sys.stdin.read().strip())
elif command == "fail":
    sys.exit(int(words[0]))
elif command == "--help" or words == ["--help"]:
    if command == "fly":
        print("wings are missing")
        sys.exit(2)
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> WriteProfile:
    """Write goalkeeper.toml, the program `tool` and its profile."""

    def write(profile: str = "environment: {}", settings: str = "") -> Path:
        program = pytester.path / "tool.py"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        (pytester.path / "tool.yaml").write_text(textwrap.dedent(profile).strip() + "\n")
        toml = '[systems.tool]\ncommand = ["python3", "./tool.py"]\nprofile = "tool.yaml"\n'
        (pytester.path / "goalkeeper.toml").write_text(toml + settings)
        return pytester.path

    return write
