"""The programs under test: how each is started, where it keeps what, and how goals speak of it."""
