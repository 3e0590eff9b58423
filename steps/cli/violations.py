"""Does what the negative steps of this library forbid: real programs, run as a step runs them.

Each is a shell that is told what to do, with a word of its own on its command line, and does nothing besides
that could be forbidden too. What it did is known by its output files and by the kernel's word on its end.
"""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Iterator
from time import monotonic

from ...runner.never import Witness
from ...runner.never.sample import matching
from ...runner.programs import Program
from ...runner.wait import until
from .command import Commands, Options

# Of a command that does not matter by its end: a goal that forbids this exit code is not to be expected.
_OTHER = 99
_LONG = 600
_PATIENCE = 10.0
# A run of no more than this is really waited for; a longer one is a short one whose start is dated back.
_WAITED_FOR = 0.02

Acts = Iterator[Witness]


def print_text(commands: Commands, text: str) -> Acts:
    """The text in the middle of a line of standard output."""
    word = secrets.token_hex(8)
    yield from _print(commands, text, (f"{word} {text} {word}\n",), "stdout", word)


def print_text_in_two_parts(commands: Commands, text: str) -> Acts:
    """Nothing but the text, in two writes and without an end of line."""
    yield from _print(commands, text, _halves(text), "stdout")


def print_text_to_stderr(commands: Commands, text: str) -> Acts:
    """The text in the middle of a line of standard error."""
    word = secrets.token_hex(8)
    yield from _print(commands, text, (f"{word} {text} {word}\n",), "stderr", word)


def print_text_in_two_parts_to_stderr(commands: Commands, text: str) -> Acts:
    """Nothing but the text, to standard error, in two writes and without an end of line."""
    yield from _print(commands, text, _halves(text), "stderr")


def print_line(commands: Commands, pattern: str) -> Acts:
    """A line that matches, among others."""
    word, line = secrets.token_hex(8), _line_like(pattern)
    if line is None:
        yield _no_line(pattern)
        return
    yield from _print(commands, line, (f"{word}\n{line}\n{word}\n",), "stdout")


def print_line_without_end_to_stderr(commands: Commands, pattern: str) -> Acts:
    """Nothing but a line that matches, to standard error, in two writes and without its end."""
    line = _line_like(pattern)
    if line is None:
        yield _no_line(pattern)
        return
    yield from _print(commands, line, _halves(line), "stderr")


def complain(commands: Commands) -> Acts:
    """A page of complaints on standard error."""
    word = secrets.token_hex(8)
    yield from _print(commands, word, (f"{word}: something is wrong\n" * 40,), "stderr", word)


def print_one_byte_to_stderr(commands: Commands) -> Acts:
    """An end of line on standard error, and nothing else."""
    yield from _print(commands, "\n", ("\n",), "stderr")


def exit_with(commands: Commands, code: int) -> Acts:
    """A command that somebody waits for."""
    with commands.aside():
        word, line = _shell(f"exit {code}")
        commands.run(line, Options())
        yield _ended(commands.started[-1], word, os.CLD_EXITED, code)


def exit_unnoticed_with(commands: Commands, code: int) -> Acts:
    """A command in the background that says nothing, and whose end nobody waits for."""
    with commands.aside():
        word, line = _shell(f"exit {code}")
        yield _ended(commands.start(line, Options()), word, os.CLD_EXITED, code)


def succeed(commands: Commands) -> Acts:
    """A command that ends well."""
    yield from exit_with(commands, 0)


def succeed_unnoticed(commands: Commands) -> Acts:
    """A command in the background that ends well, and nobody waits for that."""
    yield from exit_unnoticed_with(commands, 0)


def be_killed(commands: Commands) -> Acts:
    """A command that somebody waits for, and that is killed."""
    with commands.aside():
        word, line = _shell("kill -KILL $$")
        commands.run(line, Options())
        yield _ended(commands.started[-1], word, os.CLD_KILLED, 9)


def die_of_a_broken_pipe(commands: Commands) -> Acts:
    """A command in the background that a pipe without a reader ends, as it ends many, without a word."""
    with commands.aside():
        word, line = _shell("kill -PIPE $$")
        yield _ended(commands.start(line, Options()), word, os.CLD_KILLED, 13)


def run_on(commands: Commands, limit: float) -> Acts:
    """A command in the background that does not end, and has run ten times as long as it may.

    Nobody can wait that long here: it is a real program whose start is dated back. Where the limit is so
    short that one can, it is waited for.
    """
    with commands.aside():
        word, line = _shell(f"exec sleep {_LONG}")
        program = commands.start(line, Options())
        started = monotonic()
        if limit > _WAITED_FOR:
            program.date_back(10 * limit)
            started -= 10 * limit
        lasted = until(lambda: monotonic() - started > 2 * limit or None, _PATIENCE)
        runs = f"/proc/{program.process.pid}"
        told = f"{runs} is there {monotonic() - started:.3f} s after its start"
        yield Witness(told, bool(lasted) and os.path.isdir(runs), word)


def end_too_late(commands: Commands, limit: float) -> Acts:
    """A command that has ended, and took longer than it may by no more than it really took."""
    with commands.aside():
        word, line = _shell(f"exit {_OTHER}")
        commands.run(line, Options())
        program = commands.started[-1]
        ended = monotonic()
        program.date_back(limit)
        took = ended - program.began
        yield Witness(f"it has ended {took:.3f} s after its start", took > limit, word)


def _print(commands: Commands, text: str, parts: tuple[str, ...], stream: str, trace: str = "") -> Acts:
    """Print the parts, each by a write of its own."""
    with commands.aside():
        to = " >&2" if stream == "stderr" else ""
        word, line = _shell(f'for part do printf %s "$part"{to}; done; exit {_OTHER}', *parts)
        commands.run(line, Options())
        with open(getattr(commands.started[-1].output, stream), encoding="utf-8") as file:
            printed = file.read()
        yield Witness(f"its {stream} is {printed[:80]!r}", text in printed and bool(printed), trace or word)


def _shell(script: str, *arguments: str) -> tuple[str, str]:
    """A word made up for it, and the command line."""
    word = secrets.token_hex(8)
    return word, shlex.join(["/bin/sh", "-c", script, word, *arguments])


def _ended(program: Program, word: str, how: int, status: int) -> Witness:
    """What the kernel says of its end, without taking it from anybody else."""
    ended = os.waitid(os.P_PID, program.process.pid, os.WEXITED | os.WNOWAIT)
    assert ended is not None
    told = f"waitid says {'exit' if ended.si_code == os.CLD_EXITED else 'signal'} {ended.si_status}"
    return Witness(told, (ended.si_code, ended.si_status) == (how, status), word)


def _halves(text: str) -> tuple[str, str]:
    middle = len(text) // 2
    return text[:middle], text[middle:]


def _line_like(pattern: str) -> str | None:
    found = matching(pattern)
    return None if found is None or "\n" in found else found


def _no_line(pattern: str) -> Witness:
    return Witness(f"no line is known that matches {pattern}", effect=False)
