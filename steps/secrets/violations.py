"""Lets a secret leak, by plain means that are none of the checks'.

Files of the sandbox need not be put back: Goalkeeper does that after each violation.
"""

from __future__ import annotations

import base64
import glob
import json
import os
import secrets
import subprocess
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from ...runner.names import Names
from ...runner.never import Witness
from ...runner.never.whereabouts import Whereabouts
from ...runner.sandbox import Sandbox
from ...runner.session import SESSION


def write_it_down(sandbox: Sandbox, names: Names, name: str) -> Witness:
    """The secret as it is, in a new file of the working directory."""
    value = _value(names, name)
    return _write(f"{sandbox.work}/{secrets.token_hex(8)}", f"token={value}\n", value)


def bury_it_in_base64(sandbox: Sandbox, names: Names, name: str) -> Witness:
    """In the middle of a longer text, all of which is in base64: a file deep in the home directory."""
    hidden = _in_base64(_value(names, name))
    return _write(f"{sandbox.root}/home/.cache/x/{secrets.token_hex(8)}", f"data {hidden} end\n", hidden)


def name_a_file_after_it(sandbox: Sandbox, names: Names, name: str) -> Witness:
    """An empty file of that name, URL-encoded and in small letters, gone at once."""
    word = secrets.token_hex(8)
    encoded = quote(_value(names, name), safe="").replace("%2B", "%2b").replace("%2F", "%2f")
    target = os.path.join(sandbox.root, "tmp", f"{word} {encoded}")
    os.close(os.open(target, os.O_CREAT | os.O_EXCL))
    made = any(encoded in one for one in os.listdir(os.path.dirname(target)))
    os.unlink(target)
    return Witness(f"ls: a file {word}… of that name", made, word)


def log_it(whereabouts: Whereabouts, names: Names, name: str, log: str) -> Witness:
    """A line of the log says it."""
    return _log(whereabouts, log, _value(names, name))


def log_it_encoded(whereabouts: Whereabouts, names: Names, name: str, log: str) -> Witness:
    """A line of the log holds a text in base64, in the middle of which it stands."""
    return _log(whereabouts, log, _in_base64(_value(names, name)))


def log_it_somewhere(
    request: pytest.FixtureRequest, whereabouts: Whereabouts, names: Names, name: str
) -> Witness:
    """A line of the log that is named first says it."""
    return _log(whereabouts, _some_log(request, whereabouts), _value(names, name))


def log_it_encoded_somewhere(
    request: pytest.FixtureRequest, whereabouts: Whereabouts, names: Names, name: str
) -> Witness:
    """A line of the log that is named first holds a text in base64, in the middle of which it stands."""
    return _log(whereabouts, _some_log(request, whereabouts), _in_base64(_value(names, name)))


def print_it(sandbox: Sandbox, names: Names, name: str) -> Iterator[Witness]:
    """A child of the last program that was started prints it."""
    yield from _print(sandbox, _value(names, name))


def print_it_encoded(sandbox: Sandbox, names: Names, name: str) -> Iterator[Witness]:
    """Such a child prints a text in base64, in the middle of which it stands; in two lines, as `base64` does.

    Where no program was started yet that could print anything, it is written to a temporary file.
    """
    hidden = _in_base64(_value(names, name))
    yield from _print(sandbox, f"{hidden[: len(hidden) // 2]}\n{hidden[len(hidden) // 2 :]}")


def _value(names: Names, name: str) -> str:
    value = names.get(name)
    assert value is not None, "the step was armed with it"
    return value


def _in_base64(value: str) -> str:
    """With one or two bytes before it, so that it does not begin where base64 begins anew."""
    before = secrets.token_hex(4)[: 1 + secrets.randbelow(2)]
    return base64.b64encode(f"{before}{value}{secrets.token_hex(3)}".encode()).decode()


def _write(target: str, text: str, sought: str) -> Witness:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "x", encoding="utf-8") as file:
        file.write(text)
    with open(target, encoding="utf-8") as file:
        found = sought in file.read()
    return Witness(f"grep: it stands in {target}", found, os.path.basename(target))


def _log(whereabouts: Whereabouts, log: str, text: str) -> Witness:
    """A line that goes with logs of JSON and with any other."""
    target, word = whereabouts.file("log", log), secrets.token_hex(8)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "a", encoding="utf-8") as file:
        file.write(json.dumps({"event": word, "message": f"using {text} now"}) + "\n")
    with open(target, encoding="utf-8", errors="replace") as file:
        last = file.read().splitlines()[-1]
    return Witness(f"tail -n 1 {target}", text in json.loads(last)["message"], word)


def _some_log(request: pytest.FixtureRequest, whereabouts: Whereabouts) -> str:
    """One that is there, else the first."""
    rules = [rule for one in request.config.stash[SESSION].systems for rule in one.profile.artifacts]
    logs = [f"{rule.system}.{rule.name}" for rule in rules if rule.kind == "log"]
    return next((log for log in logs if whereabouts.files("log", log)), logs[0])


def _print(sandbox: Sandbox, text: str) -> Iterator[Witness]:
    printed = sorted(glob.glob(f"{glob.escape(str(sandbox.files))}/*.stdout"), key=os.path.getmtime)
    target, word = printed[-1] if printed else os.path.join(sandbox.root, "tmp", "x"), secrets.token_hex(8)
    before = os.path.getsize(target) if printed else 0
    with open(target, "ab") as out:
        subprocess.run(["printf", "%s\n", f"{word} {text}"], stdout=out, check=True)
    with open(target, "rb") as file:
        found = text.encode() in file.read()[before:]
    # What stands in two lines is not shown at all, so that there is no word to tell it by.
    yield Witness(f"a child printed it after {word}", found, "" if "\n" in text else word)
    os.truncate(target, before)
