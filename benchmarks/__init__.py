"""What the same suite costs in plain pytest, behave, pytest-bdd and Goalkeeper: `python -m benchmarks`.

Every definition begins with its own literal text, as wordings of a real suite mostly do. That suits
Goalkeeper's lookup; definitions that all begin with a parameter would not profit from it.
"""
