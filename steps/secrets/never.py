"""The negative steps of this library."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...runner.artifacts import Artifacts
from ...runner.changes import Changes
from ...runner.define import never
from ...runner.failure import StepFailed
from ...runner.programs import Program
from ...runner.programs.output import OutputWatch
from ...runner.sandbox import Sandbox
from ...runner.session import SESSION
from ..cli.command import Commands
from ..process.manager import Processes
from . import violations
from .secret import Secret, Secrets
from .watch import BACK, EverywhereWatch, FileWatch, LogWatch, PrintWatch, never_seen

# A new file lies in a directory, of which all may be in a repository; and a log is a file.
_IN_WORK = (
    "files.directory_changes", "files.directory_comes_to_have", "files.written_outside", "git.*",
)  # fmt: skip
_ELSEWHERE = ("files.written_outside",)
_IN_FILES = ("appears", "appears_in_files")
_IN_LOGS = (
    *_IN_FILES, "appears_in_log", "appears_in_logs", "logs.*", "files.file_changes", *_IN_WORK,
)  # fmt: skip
_IN_OUTPUT = ("appears", "appears_in_output", "cli.*", "process.*")


@never('secret "{name}" never appears in files')
def appears_in_files(planted_secrets: Secrets, sandbox: Sandbox, changes: Changes, name: str) -> FileWatch:
    """At no moment does a file hold it that was made or written to since the first When, or a name of one.

    The working directory is looked at, the home directory and the one for temporary files ($TMPDIR), at any
    depth. Of a file that was there before and is written to, all of it counts.
    """
    return FileWatch(changes, sandbox, planted_secrets.find(name), planted_secrets.planted)


appears_in_files.check(never_seen)
appears_in_files.violation("gross", implies=(*_IN_FILES, *_IN_WORK))(violations.write_it_down)
appears_in_files.violation("minimal", implies=(*_IN_FILES, *_ELSEWHERE))(violations.bury_it_in_base64)
appears_in_files.violation("minimal", implies=(*_IN_FILES, *_ELSEWHERE))(violations.name_a_file_after_it)


@never('secret "{name}" never appears in log "{log}"')
def appears_in_log(
    planted_secrets: Secrets, artifacts: Artifacts, sandbox: Sandbox, changes: Changes, name: str, log: str
) -> LogWatch:
    """At no moment does the log hold it, be it in a part that was rotated away (`x.log.1`).

    A log that is written to after the first When is read from its beginning. One that is never there is red.
    """
    return LogWatch(changes, sandbox, planted_secrets.find(name), _patterns(artifacts, [log]))


appears_in_log.check(never_seen)
appears_in_log.violation("gross", implies=_IN_LOGS)(violations.log_it)
appears_in_log.violation("minimal", implies=_IN_LOGS)(violations.log_it_encoded)


@never('secret "{name}" never appears in the logs')
def appears_in_logs(
    request: pytest.FixtureRequest,
    planted_secrets: Secrets,
    artifacts: Artifacts,
    sandbox: Sandbox,
    changes: Changes,
    name: str,
) -> LogWatch:
    """At no moment does any log hold it that a profile of a system under test names.

    Where no log of them is ever there, it is red; so it is where the profiles name none.
    """
    logs = request.config.stash[SESSION].systems.handles("log")
    if not logs:
        hint = f'name the log: secret "{name}" never appears in log "…"'
        raise StepFailed("no profile of a system under test names a log", notes=[hint])
    return LogWatch(changes, sandbox, planted_secrets.find(name), _patterns(artifacts, logs))


appears_in_logs.check(never_seen)
appears_in_logs.violation("gross", implies=_IN_LOGS)(violations.log_it_somewhere)
appears_in_logs.violation("minimal", implies=_IN_LOGS)(violations.log_it_encoded_somewhere)


@never('secret "{name}" never appears in the output')
def appears_in_output(
    planted_secrets: Secrets, commands: Commands, processes: Processes, name: str
) -> PrintWatch:
    """No command and no process prints it from the first When on, to standard output or standard error."""
    return _printing(planted_secrets.find(name), commands, processes)


appears_in_output.check(never_seen)
appears_in_output.violation("gross", implies=_IN_OUTPUT)(violations.print_it)
appears_in_output.violation("minimal", implies=_IN_OUTPUT)(violations.print_it_encoded)


@never('secret "{name}" never appears')
def appears(
    planted_secrets: Secrets,
    sandbox: Sandbox,
    changes: Changes,
    commands: Commands,
    processes: Processes,
    name: str,
) -> EverywhereWatch:
    """It gets into no file and no name of one, and no command or process prints it."""
    secret = planted_secrets.find(name)
    files = FileWatch(changes, sandbox, secret, planted_secrets.planted)
    return EverywhereWatch(files, _printing(secret, commands, processes))


appears.check(never_seen)
appears.violation("gross", implies=(*_IN_FILES, *_IN_WORK))(violations.write_it_down)
appears.violation("minimal", implies=(*_IN_FILES, *_ELSEWHERE))(violations.bury_it_in_base64)
appears.violation("minimal", implies=(*_IN_FILES, *_ELSEWHERE))(violations.name_a_file_after_it)
appears.violation("minimal", implies=(*_IN_OUTPUT, *_IN_FILES, *_ELSEWHERE))(violations.print_it_encoded)


def _printing(secret: Secret, commands: Commands, processes: Processes) -> PrintWatch:
    def programs() -> list[Program]:
        return [*commands.started, *processes.programs]

    return PrintWatch(secret, OutputWatch(secret.title, "program", programs, BACK))


def _patterns(artifacts: Artifacts, logs: list[str]) -> Callable[[], list[str]]:
    """Where these logs lie, as far as it is known by then."""
    return lambda: [artifacts.find("log", log.replace("\\", "/")).pattern for log in logs]
