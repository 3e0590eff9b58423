"""From goals and run records to a verdict.

`record` reads what a run wrote down, `scenario` and `verdict` judge it, `gates` are rules over the verdict.
Everything is a value: reports render it, and none of them decides anything.
"""
