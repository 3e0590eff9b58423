"""A first goal about somebody's own program: what it is, what it prints, and the files that say so."""
