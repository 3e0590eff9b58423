"""A fixed clock for the programs of a scenario, by the library libfaketime where it is installed."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_NAME = "libfaketime.so.1"
# Programs with threads want the one that is safe for them.
_PLACES = (
    "/usr/lib/*/faketime/libfaketimeMT.so.1",
    "/usr/lib/*/faketime/libfaketime.so.1",
    f"/usr/lib*/faketime/{_NAME}",
)
REMEDY = "install libfaketime: pip install libfaketime, or apt-get install libfaketime"
_PROBE = 946684800  # the first second of 2000


class ClockError(Exception):
    """This machine can't give a program another clock."""


def variables(moment: str) -> dict[str, str]:
    """What the environment of a program must hold for its clock to stand at `YYYY-MM-DD hh:mm:ss`, in UTC."""
    library = _library()
    if library is None:
        raise ClockError(f"there is no libfaketime: {REMEDY}")
    return _environment(library, moment)


def _environment(library: Path, moment: str) -> dict[str, str]:
    return {
        "LD_PRELOAD": str(library),
        "FAKETIME": moment,
        # Waiting goes on as ever: a program whose monotonic clock stands still would wait for ever.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_NO_CACHE": "1",
    }


@cache
def _library() -> Path | None:
    """The first library that is there and really moves the clock of a program."""
    return next((path for path in _candidates() if _works(path)), None)


def _candidates() -> list[Path]:
    installed = find_spec("libfaketime")
    origin = None if installed is None else installed.origin
    own = [] if origin is None else sorted(Path(origin).parent.rglob(_NAME))
    return [*(path for pattern in _PLACES for path in sorted(Path("/").glob(pattern[1:]))), *own]


def _works(library: Path) -> bool:
    environment: Mapping[str, str] = {**_environment(library, "2000-01-01 00:00:00"), "TZ": "UTC"}
    try:
        ran = subprocess.run(["date", "+%s"], env=environment, capture_output=True, check=False)
    except OSError:
        return False
    return ran.stdout.strip() == str(_PROBE).encode()
