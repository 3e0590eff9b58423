"""A process that outlives the harness and removes what a dead one left.

Its side of the matter (`life`, `cleaner`, `processes`) uses nothing but the lighter part of the standard
library and starts without the rest of the package, so that little is waited for.
"""
