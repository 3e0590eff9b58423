"""Steps of this folder's goals."""

from goalkeeper import when


@when('it greets "{docstring}"')
def greet(docstring: str) -> None: ...
