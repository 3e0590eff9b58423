"""Renderings of a verdict: each is a function from the verdict to text, and decides nothing."""
