"""The clock that the programs of a scenario see.

It is changed for them alone, by the library libfaketime (`pip install libfaketime`, or Debian's package
`libfaketime`); a scenario that asks for it is skipped where that is not installed. Programs that are linked
statically, such as those written in Go, do not use that library and keep the machine's clock.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ...runner.define import given
from ...runner.failure import StepFailed
from ...runner.sandbox import Sandbox, clock


@given('the clock stands at "{moment}"')
def clock_stands(sandbox: Sandbox, moment: str) -> None:
    """Every later program sees this moment, whenever it asks; a time without a zone is UTC.

    Only the time of day stands still: time limits and waiting go on, and git still dates commits as the
    sandbox does.
    """
    try:
        told = datetime.fromisoformat(moment)
        at = (told if told.tzinfo is not None else told.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise StepFailed(f'"{moment}" is no date and time: write it as 2026-01-31T12:00:00Z') from error
    try:
        sandbox.variables.update(clock.variables(f"{at:%Y-%m-%d %H:%M:%S}"))
    except clock.ClockError as error:
        pytest.skip(str(error))
