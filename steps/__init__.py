"""Step libraries, one folder each; entry points of the group ``goalkeeper.steps`` name them."""
