"""Renderings of a verdict."""
