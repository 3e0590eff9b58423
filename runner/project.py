"""Files that lie beside the goals: fixtures, schemas, expected outputs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .failure import StepFailed
from .problem import nearest


def project_path(request: pytest.FixtureRequest, name: str) -> Path:
    """What a goal calls by this name: beside the goal file, else from the root of the project.

    Never outside of both, also not through a link.
    """
    name = name.replace("\\", "/")
    folders = [request.node.path.parent, request.config.rootpath]
    for folder in folders:
        path = Path(os.path.normpath(folder / name))
        if not any(_is_inside(path, allowed) for allowed in folders):
            raise StepFailed(f'"{name}" lies outside of the project: name a path inside it')
        if path.exists():
            return path
    shown = " nor ".join(dict.fromkeys(str(folder) for folder in folders))
    message = f'there is no "{name}" beside the goal file or in the project: neither in {shown}'
    near = nearest(Path(name).name, _names((folders[0] / name).parent) + _names((folders[1] / name).parent))
    raise StepFailed(message, notes=[f"there is: {', '.join(dict.fromkeys(near))}"] if near else [])


def _is_inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
