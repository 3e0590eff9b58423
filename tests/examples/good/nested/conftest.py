"""A nearer definition than that of the folder above: it decides."""

from goalkeeper import when


@when('it rings "{bell}"')
def ring(bell: str) -> None: ...


@when("{count} coins are taken")
def take_none(count: str) -> None: ...
