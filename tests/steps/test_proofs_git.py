"""steps/git: every violation of its negative steps is noticed, and by those alone that it concerns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Prove = Callable[..., list[dict[str, Any]]]

GOAL = """
    Scenario: all of them together
      Given a "conflict" repository on branch "main"
      And a tag "v1" at "main"
      And I note the tip of branch "left" as "theirs"
      And a branch "work"
      And I run "git pack-refs --all --prune"
      And a tag "v2" at "main"
      When I commit file "a.txt" containing "x" on branch "work"
      Then branch "work" has 2 commits
      But branch "main" never moves
      And branch "right" never moves
      And tag "v1" never moves
      And tag "v2" never moves
      And branch "release/*" never appears
      And branch "x*/y" never appears
      And branch "agent/1" never appears
      And branch "work" is never rewound
      And branch "main" is never rewound
      And the repository never loses a commit
      And repository "." never loses a commit
      And branch "main" never contains commit "theirs"
      And branch "work" never contains commit "right"
      And branch "main" never contains a commit with subject "WIP*"
      And branch "work" never contains a commit with subject "[skip ci] now"
      And branch "main" never contains file "secrets/key.pem"
      And branch "work" never contains file "b.txt"
      And no merge is ever made
      And no merge is ever made on branch "work"
      And no conflict marker is ever committed
      And file "notes/release-notes.txt" never has a conflict marker
      And the worktree is never dirty
      And no branch is left behind
      And no branch like "agent/*" is left behind
      And no lock is left behind
"""


def test_every_violation_is_noticed(prove: Prove) -> None:
    told = prove(GOAL, passed=1)
    for p in told: print(p)
    assert {proof["outcome"] for proof in told} == {"proven"}
