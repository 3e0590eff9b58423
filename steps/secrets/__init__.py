"""Secrets that must not leak: made up for each run, planted where a program needs them, and never seen again.

A secret is text at random, about 36 characters: letters, digits and `+`, `/` and `=`, which look different
once they are URL-encoded. It is remembered, so that `${token}` stands for it in any later step: in a command,
in a header, in a configuration file. In the messages and records of Goalkeeper it is written `***`.

Negative steps look for it in these forms, inside longer texts too: as it is; URL-encoded, with digits in
either case; escaped, as JSON does it or otherwise; in base64, also as a part of something longer, with either
alphabet, and broken into lines; in hexadecimal, also spaced. They find it as well where only its middle part
is written, which is more than half of it.

A file that holds the secret before the first When was given it by the scenario, and may keep it as long as it
is not written to; one that a step of this library wrote may also be written again, with what it held. Moved
or copied, either is a leak.

Not seen: what is compressed or encrypted, encoded twice or in another way, or cut in pieces; files outside of
the sandbox; memory, requests to other machines, arguments that other users of the machine can list. A file is
read as soon as the kernel tells of it, and kept open while it is new; one that is gone before that, within a
millisecond or so, is shown by `-v` as `unread file`. Names are seen however short a file lives, unless it
comes and goes in a directory in the moment after that was made.
"""

from __future__ import annotations

from functools import partial

import pytest

from ...runner.define import given
from ...runner.failure import StepFailed
from ...runner.names import Names
from ...runner.sandbox import Sandbox
from ...runner.session import SESSION
from ..cli.command import Commands
from .secret import Secrets


@pytest.fixture
def planted_secrets(request: pytest.FixtureRequest, names: Names) -> Secrets:
    """The secrets of the scenario; none of them gets into the records of the run."""
    return Secrets(names, partial(request.config.stash[SESSION].record.mask.plant, request.node.nodeid))


@given('a secret "{name:name}"')
def make_secret(planted_secrets: Secrets, name: str) -> None:
    """Make up a secret, which `${name}` stands for from here on."""
    planted_secrets.make(name)


@given('a secret "{name:name}" in environment variable "{variable}"')
def put_in_environment(planted_secrets: Secrets, commands: Commands, name: str, variable: str) -> None:
    """Put a secret into the environment of every later command and process; it is made up if it is new."""
    commands.environment[variable] = planted_secrets.make(name).value


@given('a secret "{name:name}" in file "{path}"')
def put_in_file(planted_secrets: Secrets, sandbox: Sandbox, name: str, path: str) -> None:
    """Write a file that holds the secret and the end of a line; it is made up if it is new.

    Nobody but its owner may read the file. For a secret inside of a longer file, write that with `${name}`.
    """
    target, content = sandbox.path(path.replace("\\", "/")), f"{planted_secrets.make(name).value}\n".encode()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o600)
    except OSError as error:
        raise StepFailed(f'file "{path}" can\'t be written: {error.strerror}') from error
    planted_secrets.planted[target] = content
