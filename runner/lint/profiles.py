"""The profiles that goalkeeper.toml names: their phrases, and what is wrong with them."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from ..binding import Scope
from ..config import Configuration, ConfigurationError, configuration
from ..problem import GoalError
from ..systems.phrase import Phrase
from ..systems.reading import read_profile


class ProfileReader:
    """Reads each profile once. One that is wrong has no phrases, and is among `wrong`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def _read(self) -> tuple[list[Phrase], list[GoalError]]:
        phrases: list[Phrase] = []
        wrong: list[GoalError] = []
        for settings in self._configuration.systems:
            if settings.profile is None:
                continue
            try:
                phrases += read_profile(settings.profile, settings.name).phrases
            except GoalError as error:
                wrong.append(error)
        return phrases, wrong

    @property
    def _configuration(self) -> Configuration:
        """A configuration that can't be read is told by whoever was asked to use it."""
        try:
            return configuration(self._root)
        except ConfigurationError:
            return Configuration(self._root)

    @cached_property
    def phrases(self) -> Scope[Phrase]:
        return Scope(self._read[0])

    @property
    def wrong(self) -> list[GoalError]:
        return self._read[1]

    @property
    def unread(self) -> list[Path]:
        """Profiles whose phrases are not known: a step that nothing matches may be one of them."""
        paths = (error.path for error in self.wrong)
        return [path.relative_to(self._root) if path.is_relative_to(self._root) else path for path in paths]
