"""Step definitions read from the text of Python files: nothing is imported, so nothing of the user's runs."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..pattern import Pattern, fold, literal_prefix, parse_prefix, skeleton

Match = Callable[[str], Mapping[str, Any] | None]
Function = ast.FunctionDef | ast.AsyncFunctionDef

_KINDS = {"given": "given", "when": "when", "then": "then", "step": None, "never": "then"}
_OURS = ("goalkeeper.", "goalkeeper.runner.define.", "goalkeeper.steps.combine.")
_PYTEST_BDD = ("pytest_bdd.", "pytest_bdd.steps.")
_COMBINATORS = ("never_event", "never_file", "never_output", "never_ref")
_PARSERS = "pytest_bdd.parsers."
_NO_STEPS = frozenset({*sys.stdlib_module_names, "pytest", "pytest_bdd", "hypothesis"})


@dataclass(frozen=True)
class ReadNegative:
    name: str
    is_complete: bool


@dataclass(frozen=True)
class ReadStep:
    """One definition, as its decorator and signature tell."""

    kind: str | None
    wording: str
    match: Match
    prefix: str
    parameters: frozenset[str]
    required: tuple[str, ...]
    negative: ReadNegative | None
    strict: bool
    path: Path
    line: int
    library: str = ""

    @property
    def identity(self) -> int:
        return id(self)

    @cached_property
    def skeleton(self) -> str:
        return skeleton(self.wording)

    def origin(self, base: Path) -> str:
        return f"steps/{self.library}" if self.library else self.place(base)

    def place(self, base: Path) -> str:
        path = self.path.relative_to(base) if self.path.is_relative_to(base) else self.path
        return f"{path}:{self.line}"


@dataclass
class ReadModule:
    """What one file defines; `unread` has the lines of what only running it could tell."""

    steps: list[ReadStep] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    plugins: list[str] = field(default_factory=list)


def read_module(path: Path, name: str = "", library: str = "") -> ReadModule:
    """Read the steps of a Python file. `name` is the module's, for its relative imports to be understood."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\\d" in a conftest.py is for pytest to warn of
            tree = ast.parse(path.read_bytes())
        return _Reader(tree, package, path, library).read()
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ReadModule(unread=[1])


class _Reader:
    def __init__(self, tree: ast.Module, package: str, path: Path, library: str) -> None:
        self.tree = tree
        self.package = package
        self.path = path
        self.library = library
        self.names: dict[str, str] = {}
        self.texts: dict[str, str | None] = {}
        self.known: set[int] = set()
        self.module = ReadModule()

    def read(self) -> ReadModule:
        self._names()
        functions = [node for node in _statements(self.tree) if isinstance(node, Function)]
        checked = {*self._checked()}
        for function in functions:
            for decorator in function.decorator_list:
                self._decorator(function, decorator, function.name in checked)
        for node in _statements(self.tree):
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr) and isinstance(node.value, ast.Call):
                self._combined(node.value)
        self.module.unread += [
            node.lineno
            for node in _handed_on(self.tree)
            if id(node) not in self.known and self._kind(node) is not None
        ]
        return self.module

    def _names(self) -> None:
        """What imports and plain assignments call by which name."""
        for node in _statements(self.tree):
            if isinstance(node, ast.ImportFrom):
                origin = self._absolute(node)
                words = [*_KINDS, "parsers"] if node.names[0].name == "*" else []
                self.names |= {word: f"{origin}.{word}" for word in words}
                self.names |= {a.asname or a.name: f"{origin}.{a.name}" for a in node.names}
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    self.names[alias.asname or first] = alias.name if alias.asname else first
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        self._assigned(target.id, node.value, isinstance(node, ast.AugAssign))

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.package.split(".")
        above = ".".join(parts[: len(parts) - node.level + 1])
        return f"{above}.{node.module}" if node.module else above

    def _assigned(self, name: str, value: ast.expr, adds: bool) -> None:
        """Keep the text that a name stands for, as long as there is only one; and the names of plugins."""
        try:
            constant = ast.literal_eval(value)
        except (ValueError, TypeError, SyntaxError):
            constant = None
        if name == "pytest_plugins":
            plugins = [constant] if isinstance(constant, str) else constant
            if isinstance(plugins, list | tuple | set):
                self.module.plugins += map(str, plugins)
            else:
                self.module.unread.append(value.lineno)
        elif isinstance(constant, str) and name not in self.texts and not adds:
            self.texts[name] = constant
        else:
            self.texts[name] = None

    def _qualified(self, node: ast.expr) -> str:
        """The full name of what a name or a dotted name means, or nothing."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, "")
        if isinstance(node, ast.Attribute):
            base = self._qualified(node.value)
            return f"{base}.{node.attr}" if base else ""
        return ""

    def _kind(self, node: ast.expr) -> str | None:
        """`given`, `never` and so on, where the node means one of the decorators."""
        name = self._qualified(node)
        origin, _, last = name.rpartition(".")
        return last if last in _KINDS and f"{origin}." in (*_OURS, *_PYTEST_BDD) else None

    def _checked(self) -> Iterator[str]:
        """The functions that are given a check, by `@name.check` or by `name.check(…)`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute) and node.attr == "check" and isinstance(node.value, ast.Name):
                yield node.value.id

    def _decorator(self, function: Function, decorator: ast.expr, checked: bool) -> None:
        if not isinstance(decorator, ast.Call):
            return
        word = self._kind(decorator.func)
        if word is None:
            self.module.unread += [decorator.lineno] if self._may_define(decorator) else []
            return
        self.known.update(id(node) for node in ast.walk(decorator.func))
        ours = self._qualified(decorator.func).startswith(_OURS)
        read = self._wording(decorator, ours)
        if read is None:
            self.module.unread.append(decorator.lineno)
            return
        wording, match, prefix = read
        arguments = function.args
        positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        self.module.steps.append(
            ReadStep(
                kind=_KINDS[word] or self._stated_kind(decorator),
                wording=wording,
                match=match,
                prefix=fold(prefix),
                parameters=frozenset([*positional, *(a.arg for a in arguments.kwonlyargs)]),
                required=tuple(positional[: len(positional) - len(arguments.defaults)]),
                negative=ReadNegative(function.name, checked) if word == "never" else None,
                strict=ours,
                path=self.path,
                line=function.decorator_list[0].lineno,
                library=self.library,
            )
        )

    def _combined(self, call: ast.Call) -> None:
        """A negative step in one line: `never_file('…', "core")`."""
        origin, _, name = self._qualified(call.func).rpartition(".")
        if name not in _COMBINATORS or f"{origin}." not in _OURS:
            return
        read = self._wording(call, ours=True)
        if read is None:
            self.module.unread.append(call.lineno)
            return
        wording, match, prefix = read
        names = Pattern(wording).parameters
        self.module.steps.append(
            ReadStep(
                kind="then",
                wording=wording,
                match=match,
                prefix=fold(prefix),
                parameters=frozenset(names),
                required=names,
                negative=ReadNegative(name, is_complete=True),
                strict=True,
                path=self.path,
                line=call.lineno,
                library=self.library,
            )
        )

    def _may_define(self, call: ast.Call) -> bool:
        """Whether this is a decorator from elsewhere that is given a sentence: it may well define a step."""
        origin = self._qualified(call.func).partition(".")[0]
        if not origin or not call.args or origin in _NO_STEPS:
            return False
        sentence = call.args[0]
        if isinstance(sentence, ast.Call):
            return self._qualified(sentence.func).startswith(_PARSERS)
        return self._text(sentence) is not None or isinstance(sentence, ast.JoinedStr)

    def _stated_kind(self, call: ast.Call) -> str | None:
        stated = [*call.args[1:2], *(k.value for k in call.keywords if k.arg in ("kind", "type_"))]
        values = (node.value for node in stated if isinstance(node, ast.Constant))
        return next((value for value in values if isinstance(value, str)), None)

    def _wording(self, call: ast.Call, ours: bool) -> tuple[str, Match, str] | None:
        """Wording, matching function and literal beginning; None where they can't be told from the text."""
        given = [*call.args[:1], *(k.value for k in call.keywords if k.arg in ("wording", "name"))]
        if not given:
            return None
        text = self._text(given[0])
        if text is not None:
            return _ours(text) if ours else (text, _equals(text), text)
        if isinstance(given[0], ast.Call):
            return self._parser(given[0])
        return None

    def _text(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        return self.texts.get(node.id) if isinstance(node, ast.Name) else None

    def _parser(self, call: ast.Call) -> tuple[str, Match, str] | None:
        """One of pytest-bdd's parsers, as long as it is given nothing but its text."""
        text = self._text(call.args[0]) if len(call.args) == 1 and not call.keywords else None
        name = self._qualified(call.func)
        if text is None or not name.startswith(_PARSERS):
            return None
        kind = name.removeprefix(_PARSERS)
        if kind == "string":
            return text, _equals(text), text
        try:
            return _foreign(kind, text)
        except Exception:  # whatever a parser has against a wording, pytest will tell
            return None


def _handed_on(tree: ast.Module) -> Iterator[ast.expr]:
    """What is called, passed or kept under another name: a decorator there may define steps out of sight."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from (node.func, *node.args, *(keyword.value for keyword in node.keywords))
        elif isinstance(node, ast.Assign | ast.Return) and node.value is not None:
            yield node.value


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported, those under `if` and `try` included."""
    stack = [*reversed(tree.body)]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            stack += reversed(inner)


def _ours(text: str) -> tuple[str, Match, str] | None:
    try:
        pattern = Pattern(text)
    except ValueError:
        return None
    return text, pattern.match, pattern.prefix


def _equals(wording: str) -> Match:
    return lambda text: {} if text == wording else None


def _foreign(kind: str, text: str) -> tuple[str, Match, str] | None:
    """A wording in the language of `parse`, `parse_type` or regular expressions."""
    if kind == "re":
        regex = re.compile(text)
        prefix = literal_prefix(regex)
        return text, lambda step: m.groupdict() if (m := regex.fullmatch(step)) else None, prefix
    if kind not in ("parse", "cfparse"):
        return None
    if kind == "parse":
        import parse

        parser: Any = parse.compile(text)
    else:
        from parse_type.cfparse import Parser

        parser = Parser(text)
    return text, lambda step: _parsed(parser, step), parse_prefix(text)


def _parsed(parser: Any, text: str) -> Mapping[str, Any] | None:
    try:
        match = parser.parse(text)
    except ValueError:  # a number that Python does not convert
        return None
    return match.named if match else None
