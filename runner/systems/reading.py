"""A system's profile: a YAML file, held against its schema, with the place of everything that is wrong."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from yaml.nodes import Node

from ... import schemas
from ..config import is_variable
from ..files.nodes import fields_of, items_of, place_of, text_of, text_place_of
from ..files.shape import Shape
from ..files.source import GoalFileText, read_text
from ..files.yaml import compose, steps_of
from ..goal import Kind, Step
from ..problem import GoalError, Problem
from .phrase import Command, Phrase, unknown_parameters
from .profile import VARIABLE, ArtifactRule, Probe, Profile

_KINDS: dict[str, tuple[Kind, ...]] = {
    "given": ("given",),
    "when": ("given", "when"),
    "then": ("then",),
    "never": ("then",),
}
_OPTIONS = {"in": "directory", "input": "input", "limit": "limit"}


@cache
def _shape() -> Shape:
    return Shape(schemas.load("system"))


def read_profile(path: Path, system: str) -> Profile:
    """The profile in a file; GoalError with everything that is wrong in it."""
    source = read_text(path)
    if source.problems:
        raise GoalError(path, source.problems, source.lines)
    document = compose(source, _shape(), "there is no profile in this file")
    if not isinstance(document, Node):
        raise GoalError(path, document, source.lines)
    reader = _Reader(source, system)
    profile = reader.read(document)
    if reader.problems:
        raise GoalError(path, reader.problems, source.lines)
    return profile


class _Reader:
    def __init__(self, source: GoalFileText, system: str) -> None:
        self.source = source
        self.system = system
        self.problems: list[Problem] = []

    def read(self, document: Node) -> Profile:
        fields = fields_of(document)
        return Profile(
            environment=self._variables(fields.get("environment")),
            artifacts=tuple(self._artifacts(fields.get("artifacts"))),
            phrases=tuple(p for node in items_of(fields.get("phrases")) for p in self._phrases(node)),
            preflight=tuple(self._probe(node) for node in items_of(fields.get("preflight"))),
            text=self.source.text,
        )

    def _artifacts(self, node: Node | None) -> Iterator[ArtifactRule]:
        for kind, handles in fields_of(node).items():
            for name, value in fields_of(handles).items():
                fields = fields_of(value) or {"path": value}
                path = text_of(fields["path"])
                if message := _path_problem(path):
                    self.problems.append(Problem("profile", place_of(fields["path"]), message))
                yield ArtifactRule(
                    self.system,
                    kind,
                    name,
                    path,
                    text_of(fields.get("format")),
                    self._schema(fields.get("schema")),
                    text_of(fields.get("event")),
                )

    def _schema(self, node: Node | None) -> Path | None:
        if node is None:
            return None
        path = self.source.path.parent / text_of(node)
        if not path.is_file():
            message = f"there is no file {text_of(node)}, seen from this profile"
            self.problems.append(Problem("profile", place_of(node), message))
        return path

    def _phrases(self, node: Node) -> Iterator[Phrase]:
        fields = fields_of(node)
        key = next(key for key in fields if key in _KINDS)
        wording = text_of(fields[key]).strip()
        steps: tuple[Step, ...] = ()
        if ("run" in fields) == ("steps" in fields):
            message = "a phrase stands for one of two things: run, a command, or steps"
            self.problems.append(Problem("profile", place_of(node), message))
            return
        if "steps" in fields:
            steps, wrong = steps_of(fields["steps"])
            self.problems += wrong
            self._no_options(fields)
        steps, command = self._all_steps(steps, fields), self._command(fields)
        for kind in _KINDS[key]:
            phrase = Phrase(
                kind,
                wording,
                self.system,
                self.source.path,
                place_of(node).line,
                steps,
                command,
                is_never=key == "never",
            )
            if not self._is_sound(phrase, fields[key]):
                return
            yield phrase

    def _is_sound(self, phrase: Phrase, node: Node) -> bool:
        """Whether the sentence can be read and has every parameter that is spoken of."""
        try:
            unknown = unknown_parameters(phrase)
        except ValueError as error:
            self.problems.append(Problem("profile", text_place_of(node), str(error)))
            return False
        for name in sorted(unknown):
            message = f"{{{name}}} is no parameter of this sentence"
            known = ", ".join(f"{{{p}}}" for p in phrase.pattern.parameters) or "it has none"
            self.problems.append(Problem("profile", text_place_of(node), message, hints=(f"known: {known}",)))
        return not unknown

    def _no_options(self, fields: Mapping[str, Node]) -> None:
        for key in (key for key in (*_OPTIONS, "environment") if key in fields):
            message = f'"{key}" says how a command is run: it goes with run, not with steps'
            self.problems.append(Problem("profile", place_of(fields[key]), message))

    def _command(self, fields: Mapping[str, Node]) -> Command | None:
        if "run" not in fields:
            return None
        options = [(_OPTIONS[key], text_of(fields[key])) for key in _OPTIONS if key in fields]
        options += [
            (f"env.{name}", value) for name, value in self._variables(fields.get("environment")).items()
        ]
        return Command(self._words(fields["run"]), tuple(options))

    def _all_steps(self, steps: tuple[Step, ...], fields: Mapping[str, Node]) -> tuple[Step, ...]:
        if "exit" not in fields:
            return steps
        return (*steps, Step("then", f"the exit code is {text_of(fields['exit'])}"))

    def _probe(self, node: Node) -> Probe:
        fields = fields_of(node)
        needed = self._words(fields["for"]) if "for" in fields else ()
        return Probe(self._words(fields["run"]), needed)

    def _variables(self, node: Node | None) -> dict[str, str]:
        fields = fields_of(node)
        for name in (name for name in fields if not is_variable(name)):
            message = f'"{name}" is no name for a variable: write letters, digits and _'
            self.problems.append(Problem("profile", place_of(fields[name]), message))
        return {name: text_of(value) for name, value in fields.items()}

    def _words(self, node: Node) -> tuple[str, ...]:
        try:
            return tuple(shlex.split(text_of(node)))
        except ValueError as error:
            message = f"this command line can't be split: {error}"
            self.problems.append(Problem("profile", place_of(node), message))
            return ()


def _path_problem(path: str) -> str:
    """What is wrong with the path of an artifact, where something is."""
    parts = Path(VARIABLE.sub("*", path)).parts
    if path.startswith("/") or ".." in parts or not parts:
        return "a path is seen from the scenario's working directory and stays inside it"
    if any("**" in part and part != "**" for part in parts):
        return "** stands alone between slashes, and variables are kept apart by other text"
    return ""
