"""The first goal: what a program was seen to do, as something that it must go on doing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ...runner.files import GoalFileText, parse
from ...runner.pattern import Pattern
from ...runner.writing import rewritten
from .program import HELP, VERSION, Program
from .trial import Trial, TrialError

SCHEMA = "goal.schema.json"
PORTABLE = Program("echo", asks=(("hello",),))  # for where there is nothing yet to write a goal about
# What a program of this language prints when it breaks down.
_CRASH = {
    "python": "Traceback",
    "node": "node:internal",
    "rust": "panicked at",
    "go": "goroutine 1 [running]",
    "shell": "not found",
}
_WORDS: dict[tuple[str, ...], tuple[str, str, str]] = {
    HELP: ("{0} explains itself", "asked for help, {0} says how it is used.", "Somebody asks for help"),
    VERSION: (
        "{0} knows its version",
        "asked for its version, {0} tells it.",
        "Somebody asks for the version",
    ),
}
_SAYS: dict[tuple[str, ...], re.Pattern[str]] = {
    HELP: re.compile(r"usage|options|commands", re.IGNORECASE),
    VERSION: re.compile(r"\d"),
}
_RUNS = ("{0} runs", "{0} does what it is told and says so.", "It is run")
_QUOTED = Pattern('"{text}"')
_USAGE = re.compile(r"usage:\s+[\w./-]+", re.IGNORECASE)
_ABSOLUTE = re.compile(r"(?<![\w.])/\w")
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{2,}")
_LONGEST = 60


def first_goal(trial: Trial, goal_id: str, path: Path, ci: str = "") -> str:
    """The text of a goal file in the spelling and layout that the name of the file asks for."""
    text = "\n".join(_lines(trial, goal_id, path, ci))
    return rewritten(parse(GoalFileText(path.with_suffix(".feature"), f"{text}\n")), path)


def _lines(trial: Trial, goal_id: str, path: Path, ci: str) -> Iterator[str]:
    program = trial.program
    title, expect, scenario = (words.format(program.name) for words in _words(trial))
    if not path.name.endswith(".feature"):
        yield f"# yaml-language-server: $schema=../{SCHEMA}"
    yield "# Written by goalkeeper init. What else a goal can say: goalkeeper steps"
    if program is PORTABLE:
        yield "# There was no program of your own to try: put a command of yours in the place of echo."
    yield f"@{goal_id} @tier1 @scope:cli{f' @ci:{ci}' if ci else ''}"
    yield f"Feature: {title}"
    yield f"  Expect: {expect}"
    where = "that scenarios/conftest.py starts" if program.start else "on the PATH"
    yield f"  Hook: the program {program.name} {where}"
    yield f"  Scenario: {scenario}"
    yield f"    When I run {_quoted(trial.line)}"
    yield f"    Then the exit code is {trial.exit_code}"
    yield from (f"    And {step}" for step in _said(trial))
    first, *others = _never(trial)
    yield f"    But {first}"
    yield from (f"    And {step}" for step in others)


def _words(trial: Trial) -> tuple[str, str, str]:
    """Title, statement and scenario: of help or a version only where the program really gave it."""
    asked = _SAYS.get(trial.arguments)
    answered = asked is not None and asked.search(trial.stdout + trial.stderr) is not None
    return _WORDS[trial.arguments] if answered else _RUNS


def _said(trial: Trial) -> Iterator[str]:
    """What it printed, on standard output if there was anything."""
    output, text = ("output", trial.stdout) if trial.stdout.strip() else ("error output", trial.stderr)
    told = telling(text)
    if told:
        yield f"the {output} contains {_quoted(told)}"
    elif re.search(r"\d+\.\d+", text):
        yield rf'the {output} matches "\d+\.\d+"'
    elif not trial.stdout:
        yield "the output is empty"


def _never(trial: Trial) -> list[str]:
    """What a break-down of this language prints, and a core dump; neither was there when it was tried."""
    crash = _CRASH.get(trial.program.language, "error")
    prints = [] if crash in trial.stdout + trial.stderr else [f"the command never prints {_quoted(crash)}"]
    dump = [] if "core" in trial.left else ['file "core" never exists']
    return prints + dump or ['the command never prints "Segmentation fault"']


def telling(text: str) -> str:
    """A part of an output that says something and will be the same tomorrow, or nothing.

    Numbers change with the version and the day, absolute paths with the machine.
    """
    lines = [line.strip() for line in text.splitlines()]
    plain = [line for line in lines if line.isprintable() and not _ABSOLUTE.search(line)]
    usage = (match.group() for line in plain if (match := _USAGE.match(line)))
    whole = (line for line in plain if 3 <= len(line) <= _LONGEST and not re.search(r"[\d<>$\\]", line))
    words = sorted((word for line in plain for word in _WORD.findall(line)), key=len, reverse=True)
    return next((part for part in (*usage, *whole, *words) if _fits(part)), "")


def _fits(text: str) -> bool:
    found = _QUOTED.match(_escaped(text))
    return found is not None and found["text"] == text and any(map(str.isalpha, text))


def _escaped(text: str) -> str:
    return '"{}"'.format(text.replace('"', '\\"'))


def _quoted(text: str) -> str:
    """Text as a parameter in quotes; refused where a step could not say it."""
    found = _QUOTED.match(_escaped(text))
    if found is None or found["text"] != text or not text.isprintable():
        raise TrialError(f"a step can't say this: {text}\nput it into a script, and name that")
    return _escaped(text)
