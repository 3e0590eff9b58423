"""What steps can ask for by name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .artifacts import Artifacts
from .evidence import Evidence
from .names import Names
from .never.whereabouts import Whereabouts
from .sandbox import Sandbox
from .session import FAILED, SCENARIO, SESSION, evidence_of, names_of

__all__ = ["artifacts", "evidence", "names", "sandbox", "whereabouts"]


@pytest.fixture
def evidence(request: pytest.FixtureRequest) -> Evidence:
    """What the scenario leaves behind for the person who has to explain a failure."""
    evidence = evidence_of(request.node)
    scenario = request.node.stash.get(SCENARIO, None)
    if scenario is not None:
        evidence.sink = scenario.observe
    return evidence


@pytest.fixture
def sandbox(request: pytest.FixtureRequest, evidence: Evidence) -> Iterator[Sandbox]:
    """The scenario's own directories and environment; nothing of it is left at the end but evidence."""
    session = request.config.stash[SESSION]
    made = session.sandboxes.make(evidence)
    evidence.path = session.evidence_path(request.node.nodeid)
    yield made
    left = session.put_away(made, evidence.path if request.node.stash.get(FAILED, False) else None)
    if left:
        pytest.fail("\n".join(["the sandbox could not be removed:", *left]), pytrace=False)


@pytest.fixture
def names(request: pytest.FixtureRequest) -> Names:
    """What the scenario remembers."""
    return names_of(request.node)


@pytest.fixture
def artifacts(request: pytest.FixtureRequest, sandbox: Sandbox, names: Names) -> Artifacts:
    """The states, logs and files of the systems under test, by handle or path."""
    return Artifacts(sandbox, request.config.stash[SESSION].systems, names)


@pytest.fixture
def whereabouts(request: pytest.FixtureRequest, sandbox: Sandbox, names: Names) -> Whereabouts:
    """The same for violations, found in a way of their own."""
    return Whereabouts(sandbox, request.config.stash[SESSION].systems, names)
