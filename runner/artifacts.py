"""Where a system keeps what a goal speaks of: states, logs and other files, by handle or by path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from glob import escape
from pathlib import Path
from typing import Any

from .documents import load_schema
from .failure import StepFailed
from .names import Names
from .problem import nearest
from .sandbox import Sandbox
from .systems.profile import VARIABLE, ArtifactRule
from .systems.system import Systems

_load_schema = cache(load_schema)


@dataclass(frozen=True)
class Artifact:
    """One thing that a system keeps. `title` is how a message calls it: `log "orchestrator"`.

    `paths` are the files that are there now, in the order of their names. A handle may stand for several
    files (one for each run, say); a path stands for itself.
    """

    title: str
    pattern: str
    paths: tuple[Path, ...]
    format: str = ""
    schema: Mapping[str, Any] | None = None
    event: str = ""
    hints: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The one file that there is; it is an error if there is none, or more than one."""
        if not self.paths:
            raise self.absence()
        if len(self.paths) > 1:
            names = [f"  {path}" for path in self.paths[:8]]
            raise StepFailed(f"{self.title} is not one file, but {len(self.paths)}", notes=names)
        return self.paths[0]

    def absence(self) -> StepFailed:
        """What to say where no file is there."""
        where = "" if self.title.endswith(f'"{self.pattern}"') else f": nothing matches {self.pattern}"
        return StepFailed(f"{self.title} is not there{where}", notes=list(self.hints))


class Artifacts:
    """The artifacts of a scenario."""

    def __init__(self, sandbox: Sandbox, systems: Systems | None = None, names: Names | None = None) -> None:
        self._sandbox = sandbox
        self._systems = systems if systems is not None else Systems()
        self._names = names if names is not None else Names()

    def find(self, kind: str, name: str) -> Artifact:
        """What a step calls `state "run"` or `log "logs/a.jsonl"`, as it is now. Ask again to look again.

        A handle comes from a system's profile. Variables in its path are taken from `of`, as in
        `log "orchestrator of r1"`, else from what the scenario remembers; what is open matches anything.
        """
        handle, values = name, ""
        rules = self._systems.artifacts(kind, handle)
        if not rules:
            handle, _, values = name.partition(" of ")
            rules = self._systems.artifacts(kind, handle)
        if len(rules) > 1:
            both = " or ".join(f'"{rule.system}.{rule.name}"' for rule in rules)
            raise StepFailed(f'more than one system has a {kind} "{handle}": write {both}')
        title = f'{kind} "{name}"'
        if rules:
            return self._declared(title, rules[0], [v.strip() for v in values.split(",")] if values else [])
        path = self._sandbox.path(name)
        known = nearest(name, self._systems.handles(kind))
        hints = (f"known by handle: {', '.join(known)}",) if known else ()
        return Artifact(title, name, (path,) if path.is_file() else (), hints=hints)

    def _declared(self, title: str, rule: ArtifactRule, values: list[str]) -> Artifact:
        variables = list(dict.fromkeys(VARIABLE.findall(rule.path)))
        if len(values) > len(variables):
            has = f"its path {rule.path} has {len(variables)} variables" if variables else "its path has none"
            raise StepFailed(f"{title} names {len(values)} values, but {has}")
        given = dict(zip(variables, values, strict=False))
        known = {name: given.get(name) or self._names.get(name) for name in variables}
        pattern = VARIABLE.sub(lambda match: escape(known[match[1]] or "") or "*", rule.path)
        self._sandbox.path(pattern)
        paths = sorted(path for path in self._sandbox.work.glob(pattern) if path.is_file())
        schema = None if rule.schema is None else _load_schema(rule.schema)
        return Artifact(title, pattern, tuple(paths), rule.format, schema, rule.event)
