"""Steps of this folder's goals."""

from goalkeeper import Watch, never


class Mood(Watch[str]): ...


@never("it never frowns")
def frowns() -> Mood:
    return Mood("mood")
