"""The history of a run as JSON Lines: written as it happens, readable after any death of the harness.

Every event is one `write` to a file that is open for appending, so that the workers of pytest-xdist share
one file and a killed process loses nothing that it had said. `schemas/record.schema.json` describes the
events.
"""
