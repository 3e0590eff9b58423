"""`goalkeeper init`: a first goal that passes, about the user's own program."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from .. import schemas
from ..runner.files import read
from ..runner.lint import goal_files
from ..runner.writing.save import save
from .common import Refused, console
from .start import layout
from .start.goal import PORTABLE, SCHEMA, first_goal
from .start.guess import programs, project_name
from .start.program import Program, named
from .start.trial import Trial, TrialError, attempt, first_that_works, works

SUFFIX = {"gherkin": ".feature", "yaml": ".goal.yaml"}
WORKFLOW = ".github/workflows/goals.yml"
_ID = re.compile(r"G1\.(\d+)")


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path), default=".")
@click.option("--command", "line", metavar="CMD", help="The command of your program that the goal runs.")
@click.option("--spelling", type=click.Choice([*SUFFIX]), default="gherkin", help="How the goal is written.")
@click.option("--ci", is_flag=True, help="Write a GitHub workflow even where there is no .github yet.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing: take the best guess.")
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it."
)
def command(
    directory: Path, line: str | None, spelling: str, ci: bool, yes: bool, force: bool, form: str
) -> None:
    """Set up a first goal about your own program.

    Looks for the program of the repository (Python, Node, Rust, Go, scripts, make), tries it in an empty
    directory, and writes down what it did. Nothing that exists is overwritten.

    \b
        goalkeeper init
        pytest scenarios

    \b
        goalkeeper init --command "./greet.sh --help"
        goalkeeper init --yes --spelling yaml --ci
    """
    root = directory.resolve()
    project = project_name(root)
    goal_id = _free_id(root, f"scenarios/{project}", SUFFIX[spelling])
    file = f"scenarios/{project}/{_file_name(goal_id)}{SUFFIX[spelling]}"
    with_ci = ci or (root / ".github").is_dir()
    fixed = ["goalkeeper.toml", file, *([WORKFLOW] if with_ci else [])]
    _refuse_existing(root, fixed, force)
    asking = not yes and form == "text" and at_terminal()
    trial, risky = _trial(root, project, line, asking)
    texts = _texts(trial, goal_id, root / file, with_ci)
    shown = {path.relative_to(root).as_posix(): text for path, text in texts.items()}
    _refuse_existing(root, shown, force)
    for path, text in texts.items():
        _write(path, text)
    notes = [*_notes(trial, risky, with_ci)]
    (_json if form == "json" else _text)(directory, trial, [*shown], notes)


def _texts(trial: Trial, goal_id: str, file: Path, with_ci: bool) -> dict[Path, str]:
    """What to write where."""
    scenarios = file.parent.parent
    root = scenarios.parent
    try:
        goal = first_goal(trial, goal_id, file, "goals" if with_ci else "")
    except TrialError as error:
        raise Refused(f"{error}\nnothing was written") from error
    texts = {root / "goalkeeper.toml": layout.configuration(trial.program), file: goal}
    if file.suffix == ".yaml":
        texts[scenarios / SCHEMA] = schemas.text("goal")
    if with_ci:
        texts[root / WORKFLOW] = layout.workflow(trial.program)
    return texts


def at_terminal() -> bool:
    """Whether there is somebody to ask."""
    return sys.stdin.isatty()


def _free_id(root: Path, folder: str, suffix: str) -> str:
    """G1.1, or the next that no other goal has."""
    first = root / folder / f"{_file_name('G1.1')}{suffix}"
    others = (path for path in goal_files([root / "scenarios"]) if path != first and path.is_file())
    goals = (read(path).goal for path in others)
    taken = {int(match[1]) for goal in goals if goal and (match := _ID.fullmatch(goal.id))}
    return f"G1.{next(number for number in range(1, len(taken) + 2) if number not in taken)}"


def _file_name(goal_id: str) -> str:
    return goal_id.lower().replace(".", "_")


def _refuse_existing(root: Path, names: Iterable[str], force: bool) -> None:
    existing = [name for name in names if (root / name).exists()]
    if existing and not force:
        listed = "\n".join(f"    {name}" for name in existing)
        raise Refused(f"nothing was written, since this exists:\n{listed}\n--force overwrites it")


def _trial(root: Path, project: str, line: str | None, asking: bool) -> tuple[Trial, Sequence[Program]]:
    guesses = [*programs(root)]
    if line is not None:
        try:
            return _named(line, root, project, guesses), []
        except TrialError as error:
            raise Refused(f"{error}\nnothing was written") from error
    if asking:
        return _ask(guesses, root, project), []
    trial, risky = first_that_works(guesses, root)
    return trial or attempt(PORTABLE, PORTABLE.asks[0], root), risky


def _named(line: str, root: Path, project: str, guesses: Sequence[Program]) -> Trial:
    try:
        program = named(line, root, project, guesses)
    except ValueError as error:
        raise TrialError(f"this is no command: {line}: {error}") from error
    return attempt(program, program.asks[0], root)


def _ask(guesses: Sequence[Program], root: Path, project: str) -> Trial:
    """Until something could be run. What is tried has been agreed to, so a script may be tried as well."""
    guess = next(iter(guesses), PORTABLE)
    default = guess.line(guess.asks[0])
    while True:
        answer = click.prompt("Which command of your program shall the first goal run?", default=default)
        try:
            if answer != default:
                return _named(answer, root, project, guesses)
            tries = (attempt(guess, arguments, root) for arguments in guess.asks)
            return next((trial for trial in tries if works(trial)), None) or attempt(
                guess, guess.asks[0], root
            )
        except TrialError as error:
            click.echo(f"{error}\n", err=True)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, text)
    except OSError as error:
        raise Refused(f"{path} can't be written: {error.strerror}") from error


def _notes(trial: Trial, risky: Iterable[Program], with_ci: bool) -> Iterable[str]:
    if trial.program is PORTABLE:
        yield "no program of yours could be tried, so the goal is about echo: name one with --command"
    for program in risky if trial.program is PORTABLE else ():
        yield (
            f"{program.name} was not tried: nothing says that it takes --help, and without that it would do "
            f'its work. If it may run: goalkeeper init --force --command "{program.command((), Path())}"'
        )
    if Path(trial.program.name).is_absolute():
        yield f"{trial.program.name} is a path of this machine: others need the program on their PATH"
    if trial.exit_code:
        yield f"the exit code was {trial.exit_code}, and the goal expects that: is it what you want?"
    if with_ci and layout.is_local():
        yield f"this Goalkeeper came from a local directory: say in {WORKFLOW} where CI shall get it"


def _json(directory: Path, trial: Trial, written: Sequence[str], notes: Sequence[str]) -> None:
    data = {
        "directory": str(directory),
        "command": trial.line,
        "exit_code": trial.exit_code,
        "written": written,
        "notes": notes,
        "next": ["pytest scenarios"],
    }
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))


def _text(directory: Path, trial: Trial, written: Sequence[str], notes: Sequence[str]) -> None:
    screen = console()
    screen.print(f"tried  {trial.line}    (exit code {trial.exit_code})")
    for name in written:
        screen.print(f"wrote  {directory / name}")
    for note in notes:
        screen.print(f"note   {note}", style="yellow")
    screen.print("\nnext", style="bold")
    if directory != Path():
        screen.print(f"    cd {shlex.quote(str(directory))}")
    screen.print("    pytest scenarios         run it")
    screen.print("    goalkeeper steps         what else a goal can say")
    screen.print("    goalkeeper lint          check what you wrote")
