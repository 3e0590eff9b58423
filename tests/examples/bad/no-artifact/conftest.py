"""Steps of this folder's goals."""

from goalkeeper import Watch, never, then, when


@when("it is greeted")
def greet() -> None: ...


@then("it is happy")
def is_happy() -> None: ...


class Mood(Watch[str]): ...


@never("it never frowns")
def frowns() -> Mood:
    return Mood("mood")


@frowns.check
def no_frown(_journal: object) -> list[object]:
    return []
