"""Fails when a test was skipped that this machine could have run.

    python .ci/skipped.py DIRECTORY

reads the JUnit files in DIRECTORY. A test that ran in one of them is not skipped. For the rest, the reason
must begin with what the test needs, and this machine must lack it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from xml.etree import ElementTree

Test = tuple[str, str]


def main(directory: Path) -> int:
    files = sorted(directory.glob("*.xml"))
    if not files:
        print(f"no JUnit file in {directory}: nothing ran", file=sys.stderr)
        return 1
    left = skipped(files)
    excuses = lacking()
    wrong = {test: reason for test, reason in left.items() if not reason.startswith(excuses)}
    for (place, name), reason in left.items():
        print(f"skipped: {place}::{name}: {reason}")
    for place, name in wrong:
        print(f"could have run here: {place}::{name}", file=sys.stderr)
    print(f"{len(left)} skipped, {len(wrong)} of them without need")
    return 1 if wrong else 0


def skipped(files: list[Path]) -> dict[Test, str]:
    """The tests that were skipped in every run that knew them, with the reason."""
    ran: set[Test] = set()
    reasons: dict[Test, str] = {}
    for file in files:
        for case in ElementTree.parse(file).iter("testcase"):
            test = (case.get("classname", ""), case.get("name", ""))
            skip = case.find("skipped")
            if skip is None:
                ran.add(test)
            elif skip.get("type") != "pytest.xfail":
                reasons[test] = skip.get("message", "")
    return {test: reason for test, reason in reasons.items() if test not in ran}


def lacking() -> tuple[str, ...]:
    """How the reason of a rightful skip begins on this machine."""
    root, debian = os.geteuid() == 0, Path("/etc/debian_version").exists()
    return () if root and debian else ("needs root", "needs Docker")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python .ci/skipped.py DIRECTORY")
    sys.exit(main(Path(sys.argv[1])))
