"""Steps of this folder's goals."""

from goalkeeper import when


@when('it greets "{name}"')
def greet(name: str) -> None: ...


@when("it greets {name}")
def greet_one(name: str) -> None: ...
