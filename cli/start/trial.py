"""Tries a command as a scenario would run it: in an empty directory, with a time limit, without input."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ...runner.evidence import Evidence
from ...runner.failure import StepFailed
from ...runner.sandbox import Sandboxes
from ...steps.cli.command import Commands, Options
from .program import Program

# Trying is no reason to download anything.
_OFFLINE = {"CARGO_NET_OFFLINE": "true", "GOPROXY": "off", "npm_config_offline": "true"}


@dataclass(frozen=True)
class Trial:
    """A program that was run. `left` are the files it left in its working directory."""

    program: Program
    arguments: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str
    left: frozenset[str] = frozenset()

    @property
    def line(self) -> str:
        return self.program.line(self.arguments)


class TrialError(Exception):
    """A program that no goal can be written about, and why."""


def attempt(program: Program, arguments: tuple[str, ...], root: Path) -> Trial:
    """Run a program once."""
    evidence, sandboxes = Evidence(), Sandboxes()
    sandbox = sandboxes.make(evidence)
    commands = Commands(sandbox, evidence)
    try:
        options = Options(environment=_OFFLINE, limit=program.limit)
        result = commands.run(program.command(arguments, root), options)
        if result.exit_code < 0:
            raise TrialError(f'"{program.line(arguments)}" was {result.ending}')
        left = frozenset(path.name for path in sandbox.work.iterdir())
        return Trial(program, arguments, result.exit_code, result.stdout, result.stderr, left)
    except StepFailed as error:
        raise TrialError(str(error)) from error
    finally:
        commands.close()
        sandboxes.remove(sandbox)
        sandboxes.close()


def works(trial: Trial) -> bool:
    return trial.exit_code == 0 and bool(trial.stdout.strip() or trial.stderr.strip())


def first_that_works(programs: Iterable[Program], root: Path) -> tuple[Trial | None, list[Program]]:
    """The first program that ends well and says something, and those before it that were too risky to try."""
    risky: list[Program] = []
    for program in programs:
        if not program.safe:
            risky.append(program)
            continue
        for arguments in program.asks:
            try:
                trial = attempt(program, arguments, root)
            except TrialError:
                break
            if works(trial):
                return trial, risky
    return None, risky
