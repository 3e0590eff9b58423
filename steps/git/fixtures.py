"""The repositories that goals can ask for by name: what is in them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .history import commit_stream

DOCTOR = """\
#!/bin/sh
# Tells whether the project is in order: exit code 0 if so, 1 if not.
# With ORCH_CANARY=1 it fails, to show that it can.
cd "$(dirname "$0")" || exit 2
fail() { echo "doctor: $1" >&2; exit 1; }
[ "${ORCH_CANARY:-0}" != 1 ] || fail "the canary is set"
[ "$(sh src/greet.sh toy)" = "Hello, toy!" ] || fail "src/greet.sh greets wrongly"
[ -s notes/release-notes.txt ] || fail "there are no release notes"
! grep -rq '^<<<<<<< ' src notes || fail "a merge was not finished"
echo "doctor: all is well"
"""

TOY: Mapping[str, str] = {
    "README.md": "# Toy\n\nA project just large enough to work on. `./doctor.sh` says if it is in order.\n",
    "doctor.sh": DOCTOR,
    "notes/release-notes.txt": "0.1 The first release.\n",
    "src/greet.sh": '#!/bin/sh\necho "Hello, ${1:-world}!"\n',
}

EXECUTABLE = frozenset({"doctor.sh", "src/greet.sh"})

CONFLICT_FILE = "notes/release-notes.txt"
SIDES: Mapping[str, str] = {
    "left": "0.1 The first release, as the left side tells it.\n",
    "right": "0.1 The first release, as the right side tells it.\n",
}

VERSION = 1  # of what follows: another number, and nobody uses what an older generator left in a cache


@dataclass(frozen=True)
class Large:
    """How large a generated repository is. The seed decides every byte of it."""

    seed: int = 1
    files: int = 2000
    commits: int = 300
    changes: int = 5

    @property
    def key(self) -> str:
        return f"large-{VERSION}-{self.seed}-{self.files}-{self.commits}-{self.changes}"


def large(size: Large, branch: str) -> Iterator[bytes]:
    """A history for `git fast-import`: the toy project and many files, then commits that change some each."""
    rng = random.Random(size.seed)  # noqa: S311 (to be repeatable is the point)
    names = [f"src/area{n // 100:02}/module{n:05}.txt" for n in range(size.files)]
    first = {**TOY, **{name: _page(rng) for name in names}}
    yield from commit_stream(branch, 0, "The project as it begins", first, executable=EXECUTABLE)
    for number in range(1, size.commits):
        changed = {name: _page(rng) for name in sorted(rng.sample(names, min(size.changes, len(names))))}
        yield from commit_stream(branch, number, f"Change {number}", changed)
        if number % 100 == 0:
            yield f"reset refs/tags/v{number // 100}\nfrom refs/heads/{branch}\n\n".encode()


def _page(rng: random.Random) -> str:
    return "".join(f"{rng.getrandbits(64):016x}\n" for _ in range(rng.randrange(4, 20)))
